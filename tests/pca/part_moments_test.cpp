// Moments of parts against references in long double and the fit of all rows.
#include "support/errors.hpp"
#include "support/long_double_eigen.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace mercer::test::part_moments_test {

Matrix<double> mixed_rows(Index n, Index d, unsigned seed) {
  Random random(seed);
  Matrix<double> x = random.normal(n, d) * random.normal(d, d);
  x.topRows(n / 3).array() += 4;
  return x;
}

PartMoments part_of(const Matrix<double>& x, Index first, Index count,
                    const PartOptions& options = {}) {
  PartMoments part({.features = x.cols()}, options);
  part.update(x.middleRows(first, count));
  return part;
}

/// Largest error of the variances relative to the first, by rows in long double.
double variance_error(const Model<double>& model, const Matrix<double>& x) {
  LongMatrix a = long_rows(x);
  long_centre(a);
  const LongVector truth = long_gram_eigenvalues(a);
  long double worst = 0;
  for (Index j = 0; j < model.outputs(); ++j) {
    worst = std::max(worst, std::abs(model.eigenvalues()[j] - truth[j]) / truth[0]);
    const auto place = static_cast<std::size_t>(j);
    EXPECT_LE(static_cast<long double>(model.report().certificate.low[place]), truth[j]);
    EXPECT_GE(static_cast<long double>(model.report().certificate.high[place]), truth[j]);
  }
  return static_cast<double>(worst);
}

TEST(PartMoments, M_G1_any_grouping_and_order_of_the_parts_gives_the_variances_of_all_rows) {
  const Matrix<double> x = mixed_rows(300, 5, 1);
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<PartMoments> parts;
    for (Index at = 0; at < 300;) {
      const auto most = static_cast<Index>(1 + 80 * random.uniform());
      const Index n = std::min<Index>(300 - at, most);
      parts.push_back(part_of(x, at, n));
      at += n;
    }
    const auto count = static_cast<std::int64_t>(parts.size());
    while (parts.size() > 1) {  // two of them at a time, at random
      const auto draw = [&] {
        const double u = std::min(0.999999, random.uniform());
        return static_cast<std::size_t>(u * static_cast<double>(parts.size()));
      };
      const std::size_t i = draw();
      const PartMoments one = parts[i];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
      parts[draw()].merge(PartMoments::from_bytes(one.to_bytes()));
    }
    EXPECT_EQ(parts[0].rows(), 300);
    EXPECT_EQ(parts[0].parts(), count);
    // 1e-13 is what the scatter matrix of 300 rows loses at most, with a factor of ten to spare.
    EXPECT_LT(variance_error(parts[0].model(), x), 1e-13);
  }
}

TEST(PartMoments, M_G1_a_mean_of_1e5_beside_deviations_of_1e_minus_5_keeps_the_variance) {
  Random random(3);
  const Matrix<double> x = (1e-5 * random.normal(500, 3)).array() + 1e5;
  PartMoments all = part_of(x, 0, 120);
  all.merge(part_of(x, 120, 300));
  all.merge(part_of(x, 420, 80));
  EXPECT_LT(variance_error(all.model(), x), 1e-9);
}

TEST(PartMoments, M_G1_a_part_of_weight_0_that_took_in_another_keeps_the_sums_of_a_far_mean) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(200 + seed);
    const Matrix<double> x = (1e-5 * random.normal(61, 4)).array() + 1e5;
    std::vector<double> w(61, 1.0);
    for (std::size_t i = 21; i < 41; ++i) w[i] = 2;
    w[20] = 0;
    const auto part = [&](Index first, Index count) {
      PartMoments out({.features = 4});
      out.update(x.middleRows(first, count), Weights(w).subspan(static_cast<std::size_t>(first),
                                                                static_cast<std::size_t>(count)));
      return out;
    };
    PartMoments all = part(0, 20), none = part(20, 1);
    none.merge(part(21, 20));
    all.merge(none);
    all.merge(part(41, 20));
    const Model<double> model = PartMoments::from_bytes(all.to_bytes()).model();
    LongMatrix a = long_rows(x);
    long_centre(a, w);
    const LongVector truth = long_gram_eigenvalues(a);
    ASSERT_EQ(model.outputs(), 4);
    for (Index j = 0; j < 4; ++j) {
      const auto place = static_cast<std::size_t>(j);
      EXPECT_LE(static_cast<long double>(model.report().certificate.low[place]), truth[j]) << seed;
      EXPECT_GE(static_cast<long double>(model.report().certificate.high[place]), truth[j]) << seed;
      EXPECT_NEAR(model.eigenvalues()[j], static_cast<double>(truth[j]),
                  1e-8 * model.eigenvalues()[0]);
    }
  }
}

TEST(PartMoments, a_part_without_weight_that_takes_in_another_goes_on_as_that_one) {
  const Matrix<double> x = mixed_rows(9000, 3, 21);
  const std::vector<double> ones(9000, 1.0), zeros(7, 0.0);
  PartMoments part({.features = 3}), none({.features = 3});
  part.update(x.topRows(5000), Weights(ones).first(5000));
  none.update(x.topRows(7), zeros);
  none.merge(part);
  for (PartMoments* p : {&part, &none}) p->update(x.bottomRows(4000), Weights(ones).first(4000));
  EXPECT_EQ(none.rows(), 9007);
  EXPECT_EQ(none.model().components(), part.model().components());
  EXPECT_EQ(none.model().eigenvalues(), part.model().eigenvalues());
}

TEST(PartMoments, M_P8_sums_that_are_not_finite_are_not_saved) {
  const TempDir dir;
  const PartMoments part = part_of(mixed_rows(9000, 2, 22) * 1e200, 0, 9000);
  EXPECT_TRUE(has(refusal([&] { part.to_bytes(); }, Errc::bad_data), "too large to square"));
  EXPECT_TRUE(has(refusal([&] { part.save(dir / "p.mom"); }, Errc::bad_data), "too large"));
  EXPECT_FALSE(std::filesystem::exists(dir / "p.mom"));
  EXPECT_TRUE(has(refusal([&] { part.model(); }, Errc::bad_data), "too large to square"));
}

TEST(PartMoments, a_part_without_rows_merges_with_one_that_has_weights) {
  const Matrix<double> x = mixed_rows(30, 2, 23);
  const std::vector<double> w(30, 2.0);
  PartMoments weighted({.features = 2}), fresh({.features = 2}), empty({.features = 2});
  weighted.update(x, w);
  empty.update(x.topRows(0), Weights(w).first(0));
  PartMoments last = weighted;
  last.merge(empty);
  fresh.merge(last);
  EXPECT_EQ(fresh.weight(), 60);
  EXPECT_TRUE(fresh.schema().weighted);
  EXPECT_EQ(fresh.model().eigenvalues(), weighted.model().eigenvalues());
  // Rows count: those without weights are still no part of weighted ones.
  EXPECT_TRUE(has(refusal([&] { fresh.merge(part_of(x, 0, 30)); }, Errc::bad_data), "weights"));
}

TEST(PartMoments, small_variances_beside_large_ones_survive_a_file) {
  Random random(4);
  Matrix<double> x = random.normal(400, 4);
  x.array().rowwise() *= Eigen::Array4d(1e5, 10, 1e-2, 1e-4).transpose();
  PartMoments all = part_of(x, 0, 200);
  all.merge(PartMoments::from_bytes(part_of(x, 200, 200).to_bytes()));
  LongMatrix a = long_rows(x);
  long_centre(a);
  const LongVector truth = long_gram_eigenvalues(a);
  const auto model = all.model();
  for (Index j = 0; j < 4; ++j)  // each to its own digits
    EXPECT_NEAR(model.eigenvalues()[j] / static_cast<double>(truth[j]), 1, 1e-9);
}

TEST(PartMoments, weights_scale_centring_and_ddof_are_those_of_fit) {
  const Matrix<double> x = mixed_rows(200, 4, 5);
  std::vector<double> w(200);
  for (std::size_t i = 0; i < 200; ++i) w[i] = static_cast<double>(i % 4);  // some of them 0
  for (const Scale scale : {Scale::none, Scale::std})
    for (const bool center : {true, false})
      for (const int ddof : {0, 1}) {
        const PartOptions options{.center = center, .scale = scale, .ddof = ddof};
        PartMoments a({.features = 4}, options), b({.features = 4}, options);
        a.update(x.topRows(70), Weights(w).first(70));
        b.update(x.bottomRows(130), Weights(w).subspan(70));
        a.merge(b);
        const auto model = a.model(3);
        const auto whole =
            fit(x, {.components = 3, .center = center, .scale = scale, .ddof = ddof}, w);
        EXPECT_LT((model.eigenvalues() - whole.eigenvalues()).norm(),
                  1e-12 * whole.eigenvalues()[0]);
        EXPECT_LT((model.components() - whole.components()).norm(), 1e-9);
        EXPECT_TRUE(model.report().weighted);
        EXPECT_EQ(model.report().weight, whole.report().weight);
      }
}

TEST(PartMoments, maps_and_expressions_are_those_of_fit) {
  const Matrix<double> x = mixed_rows(150, 2, 6);
  for (const std::string map : {"polynomial(degree=2)", "x1^2, x2^2, exp(x1/9)"}) {
    PartMoments all = part_of(x, 0, 60, {.map = map});
    all.merge(PartMoments::from_bytes(part_of(x, 60, 90, {.map = map}).to_bytes()));
    const auto model = all.model(2);
    const auto whole = fit(x, parse_map<double>(map, 2), {.components = 2});
    EXPECT_LT((model.eigenvalues() - whole.eigenvalues()).norm(), 1e-12 * whole.eigenvalues()[0]);
    EXPECT_LT((model.transform(x) - whole.transform(x)).cwiseAbs().maxCoeff(),
              1e-9 * std::sqrt(whole.eigenvalues()[0]));
    EXPECT_LT((model.input_mean() - whole.input_mean()).norm(), 1e-12);
  }
}

TEST(PartMoments, sparse_rows_and_parts_without_rows_count) {
  const Matrix<double> x =
      mixed_rows(100, 4, 7).unaryExpr([](double v) { return v > 1 ? v : 0.0; });
  const Csr<double> sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  PartMoments a({.features = 4}), none({.features = 4});
  a.update(Rows<double>(sparse).middle(0, 40));
  a.merge(none);
  none.merge(a);
  none.update(x.bottomRows(60));
  EXPECT_LT(variance_error(none.model(), x), 1e-13);
  EXPECT_EQ(none.parts(), 3);
}

TEST(PartMoments, the_same_bits_for_any_number_of_threads) {
  const Matrix<double> x = mixed_rows(9000, 6, 8);
  const std::string one = part_of(x, 0, 9000, {.threads = 1}).to_bytes();
  for (const int threads : {2, 3, 5, 8})
    EXPECT_EQ(part_of(x, 0, 9000, {.threads = threads}).to_bytes(), one) << threads;
}

TEST(PartMoments, a_loaded_part_goes_on_bit_for_bit) {
  const Matrix<double> x = mixed_rows(9000, 6, 9);
  PartMoments part = part_of(x, 0, 5000);
  PartMoments again = PartMoments::from_bytes(part.to_bytes());
  part.update(x.bottomRows(4000));
  again.update(x.bottomRows(4000));
  EXPECT_EQ(again.to_bytes(), part.to_bytes());
}

TEST(PartMoments, M_P8_differences_are_named) {
  const Schema ab{.features = 2, .feature_names = {"a", "b"}};
  const auto wrong = [&](const Schema& schema, const PartOptions& options, Errc code) {
    PartMoments first(ab), second(schema, options);
    if (schema.weighted) {  // the weights of no rows are no difference
      first.update(Matrix<double>::Identity(2, 2));
      second.update(Matrix<double>::Identity(2, 2), std::vector<double>{1, 2});
    }
    return refusal([&] { first.merge(second); }, code);
  };
  Schema other{.features = 2, .feature_names = {"a", "c"}};
  EXPECT_TRUE(has(wrong(other, {}, Errc::bad_data), "only the first has the column 'b'"));
  other.feature_names = {"b", "a"};
  EXPECT_TRUE(has(wrong(other, {}, Errc::bad_data), "column 1 is 'a' in the first and 'b'"));
  EXPECT_TRUE(has(wrong({.features = 3}, {}, Errc::bad_data), "one has 2 columns, the other 3"));
  other = ab;
  other.weighted = true;
  other.weight = "w";
  EXPECT_TRUE(has(wrong(other, {}, Errc::bad_data), "no weights, the second weights from 'w'"));
  EXPECT_TRUE(has(wrong(ab, {.center = false}, Errc::bad_option), "centred"));
  EXPECT_TRUE(
      has(wrong(ab, {.scale = Scale::std}, Errc::bad_option), "only the second is of z-scores"));
  EXPECT_TRUE(has(wrong(ab, {.ddof = 0}, Errc::bad_option), "`ddof=1`, the second `ddof=0`"));
  EXPECT_TRUE(has(wrong(ab, {.map = "squares"}, Errc::bad_option), "no map, the second the map"));
}

TEST(PartMoments, M_P8_rows_and_options_that_cannot_be_summed_are_refused_and_change_nothing) {
  const Matrix<double> x = mixed_rows(20, 2, 10);
  PartMoments part({.features = 2}, {.map = "log(x1), x2"});
  const std::string before = part.to_bytes();
  EXPECT_TRUE(has(error_of([&] { part.update(x); }).what(), "log"));
  EXPECT_EQ(part.to_bytes(), before);
  PartMoments plain({.features = 2});
  Matrix<double> hole = x;
  hole(7, 1) = std::nan("");
  EXPECT_TRUE(has(error_of([&] { plain.update(hole); }).what(), "row 8"));
  EXPECT_EQ(plain.rows(), 0);
  EXPECT_TRUE(has(refusal([&] { plain.model(); }, Errc::bad_data), "row"));
  EXPECT_TRUE(
      has(refusal([&] { PartMoments({.features = 2}, {.scale = Scale::std, .map = "squares"}); },
                  Errc::bad_option),
          "z-scores"));
  plain.update(x);
  EXPECT_TRUE(has(refusal([&] { plain.model(minka()); }, Errc::bad_option), "fraction"));
}

TEST(PartMoments, M_P8_damaged_files_are_refused) {
  const std::string good = part_of(mixed_rows(20, 2, 11), 0, 20).to_bytes();
  EXPECT_EQ(PartMoments::from_bytes(good).rows(), 20);
  for (std::size_t size = 0; size < good.size(); size += 1 + size / 7)
    error_of([&] { PartMoments::from_bytes(good.substr(0, size)); });
  for (std::size_t place = 0; place < good.size(); place += 5) {
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ 4);
    error_of([&] { PartMoments::from_bytes(bad); });
  }
  error_of([&] { PartMoments::from_bytes(good + "x"); });
  const TempDir dir;
  const auto model = fit(mixed_rows(20, 2, 12));
  model.save(dir / "m.st");
  EXPECT_TRUE(has(refusal([&] { PartMoments::load(dir / "m.st"); }, Errc::bad_file), "is a model"));
  std::ofstream(dir / "p.mom", std::ios::binary) << good;
  EXPECT_TRUE(has(refusal([&] { Model<double>::load(dir / "p.mom"); }, Errc::bad_file),
                  "is a moment file, not a model"));
  EXPECT_TRUE(PartMoments::is_file(dir / "p.mom"));
  EXPECT_FALSE(PartMoments::is_file(dir / "m.st"));
  EXPECT_FALSE(PartMoments::is_file(dir / "none"));
}

}  // namespace mercer::test::part_moments_test
