// Whatever can take longer than a second reports, and stops when told to.

#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace mercer::api_monitor_test {

using Call = std::function<void(const Monitor&)>;

/// `call` asks the monitor, on the calling thread only, and ends with `Errc::interrupted` when that
/// says so; an exception of the monitor itself comes back as it is.
void expect_monitored(const char* what, const Call& call) {
  SCOPED_TRACE(what);
  const auto caller = std::this_thread::get_id();
  int calls = 0;
  const auto ask = [&](const Progress& p) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_FALSE(p.what.empty());
    EXPECT_GE(p.done, 0);
    ++calls;
    return true;
  };
  call(ask);
  EXPECT_GT(calls, 0);
  try {
    call([](const Progress&) { return false; });
    ADD_FAILURE() << "it was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
  struct Mine {};
  EXPECT_THROW(call([](const Progress&) -> bool { throw Mine{}; }), Mine);
}

TEST(ApiMonitor, M_H1_long_work_reports_and_can_be_stopped) {
  const test::TempDir dir;
  const Matrix<double> x = test::Random(1).normal(700, 5);
  const Kernel k = kernels::rbf({.gamma = 0.2});
  const auto linear = fit(x, {.components = 2});
  const auto kernel = fit(x.topRows(300), {.components = 2, .kernel = k});
  const auto conics = fit(x, monomial_map<double>(5, 2), {.components = 2});
  const Matrix<double> scores = linear.transform(x);
  const auto run = [](const Monitor& m) { return RunOptions{.threads = 2, .monitor = m}; };

  expect_monitored("fit", [&](const Monitor& m) { fit(x, {.monitor = m}); });
  expect_monitored("kernel fit",
                   [&](const Monitor& m) { fit(x, {.components = 2, .kernel = k, .monitor = m}); });
  expect_monitored("transform", [&](const Monitor& m) {
    linear.transform(x, {.threads = 2, .monitor = m});
    kernel.transform(x, {.threads = 2, .monitor = m});
  });
  expect_monitored("control limits", [&](const Monitor& m) {
    Scorer(linear, run(m)).limits(0.99);
    Scorer(kernel, run(m)).limits(0.99);
  });
  expect_monitored("mapped transform",
                   [&](const Monitor& m) { conics.transform(x, {.threads = 2, .monitor = m}); });
  expect_monitored("inverse", [&](const Monitor& m) { linear.inverse(scores, run(m)); });
  expect_monitored("kernel matrix", [&](const Monitor& m) { k.matrix(x, run(m)); });
  expect_monitored("kernel matrix of two", [&](const Monitor& m) { k.matrix(x, x, run(m)); });
  expect_monitored("check", [&](const Monitor& m) { check_kernel(k, x, {.monitor = m}); });
  expect_monitored("check of a matrix", [&](const Monitor& m) {
    check_kernel_matrix(Matrix<double>::Identity(9, 9), run(m));
  });
  expect_monitored("gradient", [&](const Monitor& m) { gradient(kernel, x, 0, run(m)); });
  expect_monitored("gradient of a map", [&](const Monitor& m) { gradient(conics, x, 0, run(m)); });
  expect_monitored("scorer", [&](const Monitor& m) { Scorer<double>(kernel, run(m))(x); });
  expect_monitored("decoder", [&](const Monitor& m) {
    Decoder<double>(kernel, {.threads = 2, .monitor = m})(kernel.training_scores());
  });
  expect_monitored("denoise", [&](const Monitor& m) {
    Decoder<double>(kernel, {.threads = 2, .monitor = m}).denoise(x);
  });
  expect_monitored("merge", [&](const Monitor& m) {
    merge<double>({linear, linear}, {.monitor = m});
  });
  expect_monitored("compress", [&](const Monitor& m) {
    compress(linear, *from_memory<double>(x), dir / "x.mrc", {.preimage = {.monitor = m}});
  });
  expect_monitored("decompress", [&](const Monitor& m) {
    while (decompress<double>(dir / "x.mrc", run(m))->next()) break;
  });
  expect_monitored("moments", [&](const Monitor& m) {
    Moments moments(5);
    moments.add(x, {}, run(m));
  });
  expect_monitored("incremental", [&](const Monitor& m) {
    IncrementalPca<double> pca(5, {.monitor = m});
    pca.update(x);
  });
  expect_monitored("incremental kernel", [&](const Monitor& m) {
    const FitOptions options{
        .components = 2, .kernel = k, .approx = Cholesky{.rank = 20}, .monitor = m};
    IncrementalKernelPca<double> pca(5, options, 100);
    pca.update(x);
  });
  expect_monitored("Hebbian", [&](const Monitor& m) {
    Hebbian neurons(identity_map<double>(5), {.monitor = m});
    neurons.update(x);
  });
  expect_monitored("kernel Hebbian",
                   [&](const Monitor& m) { KernelHebbian learner(k, x, {.monitor = m}); });
  expect_monitored("an epoch", [&](const Monitor& m) {
    KernelHebbian learner(k, x, {.memory = 0, .monitor = m});
    learner.epoch();
  });
  expect_monitored("significance",
                   [&](const Monitor& m) { significance(x, {.monitor = m}, {.permutations = 9}); });
  expect_monitored("tune", [&](const Monitor& m) {
    tune(x, {.kernels = {"rbf(gamma=1)"}, .components = {1}, .rows = 100, .fit = {.monitor = m}});
  });
  const auto plane = fit(x.leftCols(2), {.components = 1, .kernel = k});
  expect_monitored("contour", [&](const Monitor& m) { contour_svg(plane, {.monitor = m}); });
  expect_monitored("eigs", [&](const Monitor& m) { eigs(x.transpose() * x, 2, {.monitor = m}); });
}

TEST(ApiMonitor, M_H1_a_monitor_changes_no_digit) {
  const Matrix<double> x = test::Random(2).normal(3000, 4);
  const auto ask = [](const Progress&) { return true; };
  const auto model = fit(x, {.components = 3});
  const auto kernel = fit(x.topRows(400), {.components = 3, .kernel = kernels::rbf()});
  EXPECT_EQ(model.transform(x, {.monitor = ask}), model.transform(x));
  EXPECT_EQ(kernel.transform(x, {.monitor = ask}), kernel.transform(x));
  EXPECT_EQ(kernels::linear().matrix(x.topRows(600), {.monitor = ask}),
            kernels::linear().matrix(x.topRows(600)));
  Moments one(4), other(4);
  one.add(x);
  other.add(x, {}, {.monitor = ask});
  EXPECT_EQ(one.scatter(), other.scatter());
}

}  // namespace mercer::api_monitor_test
