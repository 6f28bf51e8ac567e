// Merged models against the fit of all rows.
#include "support/errors.hpp"
#include "support/long_double_eigen.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace mercer::test::merge_test {

/// Three parts with means and spreads of their own, one below the other.
Matrix<double> rows_in_parts(Index d, unsigned seed) {
  Random random(seed);
  Matrix<double> x = random.normal(600, d) * random.normal(d, d);
  x.middleRows(100, 200).array() *= 3;
  x.middleRows(300, 300).array() += 20;
  return x;
}

std::vector<Model<double>> fitted(const Matrix<double>& x, const FitOptions& options = {}) {
  return {fit(x.topRows(100), options), fit(x.middleRows(100, 200), options),
          fit(x.bottomRows(300), options)};
}

void expect_same(const Model<double>& a, const Model<double>& b, double tolerance) {
  ASSERT_EQ(a.outputs(), b.outputs());
  const double first = b.eigenvalues()[0];
  EXPECT_LT((a.eigenvalues() - b.eigenvalues()).cwiseAbs().maxCoeff(), tolerance * first);
  EXPECT_LT((a.components() - b.components()).cwiseAbs().maxCoeff(), 1e4 * tolerance);
  EXPECT_LT((a.mean() - b.mean()).norm(), tolerance * (1 + b.mean().norm()));
  EXPECT_NEAR(a.report().total_variance, b.report().total_variance,
              tolerance * b.report().total_variance);
  EXPECT_EQ(a.report().n_samples, b.report().n_samples);
  EXPECT_EQ(a.report().weight, b.report().weight);
}

TEST(Merge, of_models_with_all_components_is_the_fit_of_all_rows) {
  for (const Index d : {5, 40}) {  // the factor is taller than wide, in both
    const Matrix<double> x = rows_in_parts(d, 1);
    for (const bool center : {true, false})
      for (const int ddof : {0, 1}) {
        const FitOptions options{.center = center, .ddof = ddof};
        const auto merged = merge(fitted(x, options));
        expect_same(merged, fit(x, options), 1e-12);
        EXPECT_EQ(merged.report().merged.models, 3);
        EXPECT_EQ(merged.report().merged.missing_variance, 0);
        for (const double r : merged.report().solver.residuals) EXPECT_LE(r, 1e-12);
      }
  }
}

TEST(Merge, of_wide_models_makes_nothing_of_the_size_of_the_covariance_matrix) {
  // 30 rows of 20,000 columns: the covariance matrix would take 3 GiB.
  Random random(2);
  const Matrix<double> x = random.normal(30, 20000);
  const auto merged = merge<double>({fit(x.topRows(12)), fit(x.bottomRows(18))});
  const auto together = fit(x);
  expect_same(merged, together, 1e-11);
  EXPECT_EQ(merged.outputs(), 29);
}

TEST(Merge, does_not_depend_on_the_order_and_may_be_done_in_steps) {
  const Matrix<double> x = rows_in_parts(6, 3);
  std::vector<Model<double>> models = fitted(x);
  const auto forth = merge(models);
  expect_same(merge<double>({merge<double>({models[2], models[0]}), models[1]}), forth, 1e-12);
  std::ranges::reverse(models);
  expect_same(merge(models), forth, 1e-12);
}

TEST(Merge, of_truncated_models_brackets_every_variance_and_keeps_the_total) {
  const Matrix<double> x = rows_in_parts(12, 4);
  const auto truth = fit(x);
  for (const Index k : {1, 3, 8, 11}) {
    const auto merged = merge(fitted(x, {.components = k}));
    const double gap = merged.report().merged.missing_variance;
    EXPECT_GT(gap, 0);
    const Vector<double> low = merged.explained_variance(), exact = truth.explained_variance();
    const double rounding = 1e-12 * exact[0];
    double largest = 0;
    for (Index j = 0; j < std::min(low.size(), exact.size()); ++j) {
      EXPECT_LE(low[j], exact[j] + rounding) << k << " " << j;
      EXPECT_LE(exact[j], low[j] + gap + rounding) << k << " " << j;
      largest = std::max(largest, exact[j] - low[j]);
    }
    EXPECT_LT(gap, 100 * largest) << "the bound says nothing";
    EXPECT_NEAR(merged.report().total_variance, truth.report().total_variance,
                1e-12 * truth.report().total_variance);
    // Once more, by a model that is itself merged and cut: its own gap is carried along.
    const auto models = fitted(x, {.components = k});
    const auto pair = merge<double>({models[0], models[1]}, {.components = 1});
    const auto again = merge<double>({pair, models[2]});
    for (Index j = 0; j < std::min<Index>(again.outputs(), exact.size()); ++j)
      EXPECT_LE(exact[j],
                again.explained_variance()[j] + again.report().merged.missing_variance + rounding);
  }
}

TEST(Merge, weights_are_added_up) {
  const Matrix<double> x = rows_in_parts(4, 5);
  Vector<double> w(600);
  for (Index i = 0; i < 600; ++i) w[i] = 0.25 + static_cast<double>(i % 5);
  const Rows<double> rows(x);
  const auto merged = merge<double>({fit(rows.middle(0, 250), {}, Weights(w).first(250)),
                                     fit(rows.middle(250, 350), {}, Weights(w).subspan(250))});
  const auto together = fit(rows, {}, w);
  EXPECT_NEAR(merged.report().weight, together.report().weight, 1e-9);
  EXPECT_LT((merged.eigenvalues() - together.eigenvalues()).norm(),
            1e-12 * together.eigenvalues()[0]);
  EXPECT_TRUE(merged.report().weighted);
}

TEST(Merge, columns_are_matched_by_name) {
  Matrix<double> x = rows_in_parts(3, 6);
  Matrix<double> turned(300, 3);
  turned << x.bottomRows(300).col(2), x.bottomRows(300).col(0), x.bottomRows(300).col(1);
  const Matrix<double> top = x.topRows(300);
  Schema names, other;
  names.feature_names = {"a", "b", "c"};
  other.feature_names = {"c", "a", "b"};
  const auto merged = merge<double>({fit(*from_memory(Rows<double>(top), {}, names)),
                                     fit(*from_memory(Rows<double>(turned), {}, other))});
  expect_same(merged, fit(x), 1e-12);
  EXPECT_EQ(merged.feature_names(), names.feature_names);

  other.feature_names = {"c", "a", "d"};
  const std::string message = refusal(
      [&] {
        merge<double>({fit(*from_memory(Rows<double>(top), {}, names)),
                       fit(*from_memory(Rows<double>(turned), {}, other))},
                      {.names = {"one.st", "two.st"}});
      },
      Errc::bad_data);
  for (const char* word : {"one.st", "two.st", "'b'"}) EXPECT_HAS(message, word);
}

TEST(Merge, models_of_the_same_map_merge_in_its_space) {
  const Matrix<double> x = rows_in_parts(2, 7);
  const auto of = [](const Matrix<double>& rows) {
    return fit(rows, monomial_map<double>(2, 2), FitOptions{});
  };
  const auto merged = merge<double>({of(x.topRows(300)), of(x.bottomRows(300))});
  const auto together = of(x);
  expect_same(merged, together, 1e-11);
  EXPECT_LT((merged.input_mean() - together.input_mean()).norm(), 1e-12);
}

TEST(Merge, refuses_what_has_no_common_space_and_names_both) {
  const Matrix<double> x = rows_in_parts(3, 8).topRows(60);
  const MergeOptions names{.names = {"one.st", "two.st"}};
  const auto refused = [&](const Model<double>& a, const Model<double>& b,
                           std::initializer_list<const char*> words, Errc code) {
    const std::string message = refusal([&] { merge<double>({a, b}, names); }, code);
    for (const char* word : {"one.st", "two.st"}) EXPECT_HAS(message, word);
    for (const char* word : words) EXPECT_HAS(message, word);
  };
  const auto plain = fit(x);
  const auto rbf = [&](double gamma) {
    return fit(x, FitOptions{.components = 2, .kernel = kernels::rbf({.gamma = gamma})});
  };
  refused(rbf(1), rbf(2), {"rbf(gamma=1)", "rbf(gamma=2)", "anchors"}, Errc::bad_option);
  refused(plain, rbf(1), {"linear PCA", "rbf(gamma=1)"}, Errc::bad_option);
  refused(plain, fit(x, monomial_map<double>(3, 2), FitOptions{}), {"monomials"}, Errc::bad_option);
  refused(plain, fit(x, {.scale = Scale::std}), {"z-scores"}, Errc::bad_option);
  refused(plain, fit(x, {.ddof = 0}), {"`ddof=1`", "`ddof=0`"}, Errc::bad_option);
  refused(plain, fit(x, {.center = false}), {"centred"}, Errc::bad_option);
  refused(plain, fit(x.leftCols(2)), {"3 columns", "column 3"}, Errc::bad_data);
  expect_error(Errc::bad_option, {"two models or more, not 1"}, [&] { merge<double>({plain}); });
  expect_error(Errc::bad_option, {"two models or more, not 0"}, [&] { merge<double>({}); });
}

TEST(Merge, what_was_merged_is_kept_in_the_file) {
  const Matrix<double> x = rows_in_parts(5, 9);
  const auto merged = merge(fitted(x, {.components = 2}));
  const auto back = Model<double>::deserialize(merged.serialize());
  EXPECT_EQ(back.report().merged.models, 3);
  EXPECT_EQ(back.report().merged.missing_variance, merged.report().merged.missing_variance);
  EXPECT_HAS(to_json(merged), "\"missing_variance\"");
  EXPECT_HAS(to_json(fit(x)), "\"merged\": null");
}

TEST(Merge, floats_merge_to_their_own_rounding) {
  const Matrix<float> x = rows_in_parts(6, 10).cast<float>();
  const auto merged = merge<float>({fit(x.topRows(300)), fit(x.bottomRows(300))});
  const auto together = fit(x);
  EXPECT_LT((merged.eigenvalues() - together.eigenvalues()).norm(),
            1e-5 * together.eigenvalues()[0]);
  EXPECT_LT((merged.components() - together.components()).norm(), 1e-3);
}

TEST(Merge, intervals_hold_the_eigenvalues_of_all_rows) {
  for (const double mean : {0.0, 1e6})
    for (const Index k : {2, 5, 6}) {
      Matrix<double> x = rows_in_parts(6, 9);
      x.array() += mean;
      LongMatrix a = long_rows(x);
      long_centre(a);
      const LongVector mu = long_gram_eigenvalues(a);
      const auto merged = merge(fitted(x, {.components = k}));
      const Certificate& c = merged.report().certificate;
      ASSERT_EQ(c.low.size(), static_cast<std::size_t>(merged.outputs()));
      for (Index j = 0; j < merged.outputs(); ++j) {
        EXPECT_LE(c.low[static_cast<std::size_t>(j)], mu[j]) << mean << " " << k << " " << j;
        EXPECT_GE(c.high[static_cast<std::size_t>(j)], mu[j]) << mean << " " << k << " " << j;
      }
      if (k == 6) {
        EXPECT_LT(c.high[5] - c.low[5], 1e-9 * static_cast<double>(mu[0]));
      }
      // Columns are known however few components there are.
      for (Index j = 0; j < 6; ++j) {
        const double variance = static_cast<double>(a.col(j).squaredNorm() / 599);
        EXPECT_NEAR(merged.column_variance()[j], variance, 1e-9 * variance);
      }

      const Matrix<float> coarse = x.cast<float>();
      LongMatrix b = long_rows(coarse);
      long_centre(b);
      const LongVector nu = long_gram_eigenvalues(b);
      const auto floats = merge<float>({fit(coarse.topRows(100), {.components = k}),
                                        fit(coarse.bottomRows(500), {.components = k})});
      const Certificate& f = floats.report().certificate;
      for (Index j = 0; j < floats.outputs(); ++j) {
        EXPECT_LE(f.low[static_cast<std::size_t>(j)], nu[j]) << mean << " " << k << " " << j;
        EXPECT_GE(f.high[static_cast<std::size_t>(j)], nu[j]) << mean << " " << k << " " << j;
      }
    }
}

TEST(Merge, a_model_without_intervals_leaves_the_whole_without_and_says_why) {
  const Matrix<double> x = rows_in_parts(4, 10);
  ModelParts<double> old = fit(x.topRows(100)).parts();
  old.report.certificate = {};
  old.column_variance.resize(0);
  const auto merged = merge<double>({Model<double>(old), fit(x.bottomRows(500))});
  EXPECT_TRUE(merged.report().certificate.low.empty());
  EXPECT_HAS(merged.report().certificate.reason, "no intervals");
  EXPECT_EQ(merged.column_variance().size(), 0);
}

}  // namespace mercer::test::merge_test
