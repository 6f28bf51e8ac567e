// The numbers of a kernel by name.
#include <mercer/kernel.hpp>

#include "support/errors.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace mercer::parameters_test {

using test::expect_error;

std::string listed(const char* kernel) {
  std::string all;
  for (const KernelParameter& p : Kernel::parse(kernel).parameters())
    all += fmt::format("{}{}={}", all.empty() ? "" : " ", p.name,
                       p.value ? fmt::format("{}", *p.value) : "open");
  return all;
}

TEST(KernelParameters, have_names_that_are_unique) {
  EXPECT_EQ(listed("linear"), "");
  EXPECT_EQ(listed("rbf"), "gamma=open");
  EXPECT_EQ(listed("rbf(gamma=0.5) + matern"), "gamma=0.5 nu=1.5 length=open");
  EXPECT_EQ(listed("rbf + 2*rbf*poly"),
            "rbf.gamma=open rbf#2.gamma=open degree=3 coef0=1 poly.gamma=1");
  EXPECT_EQ(listed("3*(linear + chi2(gamma=2))^2*constant"), "gamma=2 value=1");
  EXPECT_EQ(listed("rbf(sigma=1)"), "gamma=0.5");
}

TEST(KernelParameters, each_can_be_set_by_its_name) {
  const auto with = [](const char* kernel, const char* name, double value) {
    return Kernel::parse(kernel).with(name, value).text();
  };
  EXPECT_EQ(with("rbf", "gamma", 0.1), "rbf(gamma=0.1)");
  EXPECT_EQ(with("rbf(gamma=1)", "rbf.gamma", 0.1), "rbf(gamma=0.1)");
  EXPECT_EQ(with("rbf", "sigma", 2), "rbf(gamma=0.125)");
  EXPECT_EQ(with("rbf(gamma=0.5) + matern", "length", 10),
            "rbf(gamma=0.5) + matern(nu=1.5, length=10)");
  EXPECT_EQ(with("rbf + 2*rbf*poly", "rbf#2.gamma", 3),
            "rbf() + 2*rbf(gamma=3)*poly(degree=3, coef0=1)");
  EXPECT_EQ(with("rbf + 2*rbf*poly", "rbf.gamma", 3),
            "rbf(gamma=3) + 2*rbf()*poly(degree=3, coef0=1)");
  EXPECT_EQ(with("3*(linear + chi2(gamma=2))^2", "chi2.gamma", 4),
            "3*(linear() + chi2(gamma=4))^2");
  // Whatever a kernel lists can be set to the value it has.
  const Kernel all = Kernel::parse("0.5*(rbf + poly)^3*rbf(gamma=2) + matern + sigmoid + chi2 + 7");
  Kernel same = all;
  for (const KernelParameter& p : all.parameters())
    if (p.value) same = same.with(p.name, *p.value);
  EXPECT_EQ(same.text(), all.text());
}

TEST(KernelParameters, what_cannot_be_set_is_refused) {
  const auto with = [](const char* kernel, const char* name, double value) {
    return [=] { Kernel::parse(kernel).with(name, value); };
  };
  expect_error(Errc::bad_option, {"linear() has no parameters"}, with("linear", "gamma", 1));
  expect_error(Errc::bad_option, {"no parameter 'lenght'", "did you mean length?"},
               with("matern", "lenght", 1));
  expect_error(Errc::bad_option, {"several parameters 'gamma'", "rbf.gamma or rbf#2.gamma"},
               with("rbf + rbf", "gamma", 1));
  expect_error(Errc::bad_option, {"no parameter 'rbf#3.gamma'"},
               with("rbf + rbf", "rbf#3.gamma", 1));
  expect_error(Errc::bad_option, {"matern: length = -1 must be greater than 0"},
               with("rbf + matern", "length", -1));
  expect_error(Errc::bad_option, {"rbf: gamma = nan must be finite"},
               with("rbf", "gamma", std::nan("")));
  expect_error(Errc::bad_option, {"poly: degree = 2.5 must be an integer"},
               with("poly", "degree", 2.5));
  const Kernel own = Kernel::function("mine", [](auto x, auto y) { return x[0] * y[0]; });
  expect_error(Errc::bad_option, {"no parameters"}, [&] { own.with("gamma", 1); });
  EXPECT_EQ((own + kernels::rbf()).with("gamma", 2).text(), "function(mine) + rbf(gamma=2)");
}

}  // namespace mercer::parameters_test
