// Variances of the components are shares of that of the rows, whatever the weights are.
#include <mercer/hebbian.hpp>

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::energy_test {

double share(const Model<double>& model) { return model.explained_variance_ratio().sum(); }

TEST(Energy, M_P3_shares_add_up_to_at_most_one_with_forgetting_weights_and_batches) {
  test::Random random(1);
  const Vector<double> deviations{{3, 2, 1}};
  const Matrix<double> x = random.normal(800, 3) * deviations.asDiagonal();
  Vector<double> weights(800);
  for (Index i = 0; i < 800; ++i) weights[i] = static_cast<double>(i % 5) * 0.7;
  for (const char* rule : {"gha", "oja", "block-oja", "ccipca", "hebb-normalized"})
    for (const double forgetting : {0.0, 0.001, 0.01, 0.05, 0.1, 0.3, 0.9})
      for (const Index batch : {1, 7})
        for (const bool weighted : {false, true}) {
          const bool one = std::string(rule) == "oja" || std::string(rule) == "hebb-normalized";
          for (const Index k : {1, 2, 3}) {
            if (one && k > 1) continue;
            Hebbian neurons(
                identity_map<double>(3),
                {.rule = rule, .components = k, .batch = batch, .forgetting = forgetting});
            for (Index i = 0; i < 800; i += 50) {
              const auto part = Rows<double>(x).middle(i, 50);
              neurons.update(
                  part, weighted ? Weights(weights).subspan(static_cast<std::size_t>(i),
                                                            static_cast<std::size_t>(part.rows()))
                                 : Weights());
              const double total = share(neurons.model());
              EXPECT_LE(total, 1 + 1e-12)
                  << rule << ' ' << forgetting << ' ' << batch << ' ' << weighted << ' ' << k;
              EXPECT_GE(total, 0);
            }
          }
        }
}

TEST(Energy, weights_that_are_too_long_or_too_short_do_not_change_the_variance) {
  test::Random random(2);
  const Matrix<double> x = random.normal(20000, 2) * Vector<double>{{2, 1}}.asDiagonal();
  // |w| of 0.14 to 0.2 here, where outputs are a fiftieth of the rows.
  Hebbian bounded(identity_map<double>(2), {.rule = "oja", .limit = 0.14});
  bounded.update(x);
  const auto model = bounded.model();
  const Eigen::Vector2d b = model.components().row(0).transpose();
  const double along = 4 * b[0] * b[0] + b[1] * b[1];
  // Of 20000 rows of which late ones count more: 1 %.
  EXPECT_NEAR(model.explained_variance()[0], along, 0.06 * along);
}

TEST(Energy, strong_forgetting_does_not_make_the_weights_diverge) {
  // The first rows may be close to each other by chance; the next one is not.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    const Matrix<double> x = random.normal(60, 3) * Vector<double>{{3, 2, 1}}.asDiagonal();
    Hebbian gha(identity_map<double>(3), {.components = 2, .forgetting = 0.3});
    EXPECT_NO_THROW(gha.update(x)) << seed;
  }
}

}  // namespace mercer::energy_test
