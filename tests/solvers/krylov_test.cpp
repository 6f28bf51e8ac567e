#include "solvers/krylov.hpp"

#include "support/errors.hpp"
#include "support/operators.hpp"
#include "support/random.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace mercer::krylov_test {

using test::DenseOperator;
using test::Random;
using test::refusal;
using test::with_spectrum;

/// Values, residuals and orthonormality against a dense solver, which has another algorithm.
void expect_right(const DenseOperator& a, const KrylovResult& found, Index k,
                  double tolerance = 1e-10) {
  const Vector<double> values = symmetric_eigen(a.a, a.size()).values;
  const double scale = std::max(values.cwiseAbs().maxCoeff(), 1e-200);  // the zero matrix too
  const Eigenpairs& p = found.pairs;
  ASSERT_EQ(p.values.size(), k);
  ASSERT_EQ(p.vectors.rows(), k);
  ASSERT_EQ(p.residuals.size(), k);
  const double rounding = 1e-13 * scale;
  const Matrix<double> unit = Matrix<double>::Identity(k, k);
  EXPECT_LE((p.vectors * p.vectors.transpose() - unit).cwiseAbs().maxCoeff(), 1e-12);
  const Matrix<double> image = test::product(a.a, p.vectors.transpose());
  for (Index i = 0; i < k; ++i) {
    EXPECT_NEAR(p.values[i] / scale, values[i] / scale, tolerance) << "pair " << i;
    const Vector<double> q = p.vectors.row(i);
    const double residual = ((image.col(i) - p.values[i] * q) / scale).norm() * scale;
    EXPECT_LE(residual, tolerance * scale + rounding) << "pair " << i;
    EXPECT_NEAR(residual / scale, p.residuals[i] / scale, 1e-13) << "pair " << i;
  }
}

TEST(Krylov, M_D1_finds_the_pairs_of_a_decaying_spectrum_in_few_passes) {
  Vector<double> values(400);
  for (Index i = 0; i < 400; ++i) values[i] = std::pow(0.8, static_cast<double>(i));
  auto a = with_spectrum(values, 1);
  for (const Index k : {1, 2, 10, 40}) {
    const KrylovResult found = krylov_pairs(a, k);
    expect_right(a, found, k);
    EXPECT_LE(found.passes, k <= 12 ? 7 : 6) << k;
  }
}

TEST(Krylov, finds_the_edge_of_a_flat_spectrum) {
  const Matrix<double> x = Random(2).normal(700, 50);
  DenseOperator gram{test::product(x, x.transpose())};
  const KrylovResult found = krylov_pairs(gram, 10);
  expect_right(gram, found, 10);
  EXPECT_LE(found.passes, 10);
}

TEST(Krylov, finds_positive_pairs_below_larger_negative_ones_and_negative_ones_too) {
  auto a = with_spectrum(Vector<double>::LinSpaced(300, -300, 5), 3);
  expect_right(a, krylov_pairs(a, 8), 8);
  auto negative = with_spectrum(Vector<double>::LinSpaced(200, -9, -1), 4);
  expect_right(negative, krylov_pairs(negative, 20), 20);
}

TEST(Krylov, finds_all_copies_of_an_eigenvalue_though_a_block_holds_fewer) {
  Vector<double> values(300);
  for (Index i = 0; i < 300; ++i) values[i] = i < 3 ? 9 : i < 25 ? 5 : std::pow(0.9, i - 25);
  auto a = with_spectrum(values, 5);
  for (const Index block : {1, 4, 16})
    expect_right(a, krylov_pairs(a, 27, BlockKrylov{.block = block, .max_passes = 2000}), 27);

  Vector<double> seventy(400);
  for (Index i = 0; i < 400; ++i) seventy[i] = i < 70 ? 2 : 1 / (1.0 + static_cast<double>(i));
  auto wide = with_spectrum(seventy, 6);
  expect_right(wide, krylov_pairs(wide, 80), 80);
  auto unit = DenseOperator{Matrix<double>::Identity(200, 200)};
  expect_right(unit, krylov_pairs(unit, 90), 90);
}

TEST(Krylov, does_not_trust_a_space_that_cannot_hold_all_copies) {
  // Loose tolerance: it is met long before rounding brings in the copies that the start lacks.
  Vector<double> values(300);
  for (Index i = 0; i < 300; ++i) values[i] = i < 30 ? 1 : std::pow(0.6, i - 29);
  auto a = with_spectrum(values, 18);
  for (const Index block : {4, 8, 16})
    expect_right(a, krylov_pairs(a, 34, {.block = block, .tolerance = 1e-3}), 34, 1e-3);
}

TEST(Krylov, tells_clustered_eigenvalues_apart) {
  Vector<double> values(300);
  for (Index i = 0; i < 300; ++i)
    values[i] = i < 12 ? 1 - 1e-6 * static_cast<double>(i) : 0.5 / (1.0 + static_cast<double>(i));
  auto a = with_spectrum(values, 7);
  expect_right(a, krylov_pairs(a, 10), 10);
}

TEST(Krylov, ends_with_exact_pairs_where_the_matrix_has_no_more_rank) {
  for (const Index rank : {0, 1, 5, 20}) {
    const Matrix<double> x = Random(8).normal(120, rank);
    DenseOperator a{test::product(x, x.transpose())};
    if (rank == 0) a.a.setZero(120, 120);
    for (const Index k : {1, 10, 60}) expect_right(a, krylov_pairs(a, k), k, 1e-12);
  }
}

TEST(Krylov, works_at_every_size_up_to_all_pairs) {
  for (const Index n : {1, 2, 3, 15, 16, 17, 33, 70}) {
    const Matrix<double> x = Random(9).normal(n, n);
    DenseOperator a{x + x.transpose()};
    for (const Index k : {Index{1}, (n + 1) / 2, n}) expect_right(a, krylov_pairs(a, k), k, 1e-12);
  }
}

TEST(Krylov, does_not_mind_the_scale_of_the_matrix) {
  const Matrix<double> x = Random(10).normal(200, 30);
  for (const double scale : {1e-150, 1e150}) {
    DenseOperator a{scale * (test::product(x, x.transpose()))};
    expect_right(a, krylov_pairs(a, 10), 10);
  }
}

TEST(Krylov, needs_more_passes_but_gives_the_same_in_the_smallest_basis) {
  Vector<double> values(500);
  for (Index i = 0; i < 500; ++i) values[i] = 1 / (1.0 + static_cast<double>(i));
  auto a = with_spectrum(values, 11);
  const KrylovResult roomy = krylov_pairs(a, 10),
                     tight = krylov_pairs(a, 10, BlockKrylov{.basis = 42});
  expect_right(a, tight, 10);
  EXPECT_GT(tight.passes, roomy.passes);
  EXPECT_LE(tight.passes, 60);
}

/// Clusters of 1e-3 and of copies of 0 between eigenvalues near 1 and near −1, as a law found them:
/// with a basis that forgets the negative ones at each restart, 20,000 passes do not suffice.
Vector<double> clusters_between_both_ends(Index n) {
  Vector<double> values = Vector<double>::Zero(n);
  values.head(19) << 1, 0.64, 0.3, 0.09, 0.09, 0.09, 0.08, 0.046, 0.014, 0.0042, 0.00125, 0.00125,
      0.00125, 0.0012499, 0.0012498, 0.00038, 5.8e-5, 5.3e-5, 1e-5;
  values.tail(23) << -1.26e-5, -4.2e-5, -4.21e-5, -7.3e-5, -8.1e-5, -8.12e-5, -0.00027, -0.0003,
      -0.058, -0.0644, -0.0645, -0.0645, -0.37, -0.41, -0.41, -0.41, -0.46, -0.51, -0.51, -0.51,
      -0.8, -0.8, -0.8;
  return values;
}

TEST(Krylov, a_basis_whose_restarts_gain_too_little_grows_where_it_may) {
  auto a = with_spectrum(clusters_between_both_ends(59), 5);
  BlockKrylov how{.block = 4, .basis = 40, .max_passes = 200};
  EXPECT_NE(refusal([&] { krylov_pairs(a, 20, how); }, Errc::not_converged).find("too slowly"),
            std::string::npos);
  how.most_basis = 59;
  expect_right(a, krylov_pairs(a, 20, how), 20);
  how.most_basis = 1000;  // more than there is
  expect_right(a, krylov_pairs(a, 20, how), 20);
}

TEST(Krylov, saves_passes_with_a_good_start_and_survives_a_bad_one) {
  Vector<double> values(400);
  for (Index i = 0; i < 400; ++i) values[i] = 1 / (1.0 + static_cast<double>(i));
  auto a = with_spectrum(values, 12);
  const KrylovResult cold = krylov_pairs(a, 10);
  const Matrix<double> start = cold.pairs.vectors.transpose();
  const KrylovResult warm = krylov_pairs(a, 10, {}, {.start = &start});
  expect_right(a, warm, 10);
  EXPECT_EQ(warm.passes, 1);

  const Matrix<double> wrong = start.rightCols(3), nothing = Matrix<double>::Zero(400, 20);
  expect_right(a, krylov_pairs(a, 10, {}, {.start = &wrong}), 10);
  expect_right(a, krylov_pairs(a, 10, {}, {.start = &nothing}), 10);
  const Matrix<double> misfit = start.topRows(7);
  EXPECT_THROW(krylov_pairs(a, 10, {}, {.start = &misfit}), Error);
}

TEST(Krylov, repeats_itself_to_the_last_bit) {
  const Matrix<double> x = Random(13).normal(300, 40);
  DenseOperator a{test::product(x, x.transpose())};
  for (const int threads : {1, 2}) {
    const KrylovResult one = krylov_pairs(a, 8, {}, {.threads = threads});
    const KrylovResult two = krylov_pairs(a, 8, {}, {.threads = threads});
    EXPECT_EQ(one.pairs.vectors, two.pairs.vectors);
    EXPECT_EQ(one.pairs.values, two.pairs.values);
    EXPECT_EQ(one.passes, two.passes);
  }
}

TEST(Krylov, says_what_was_reached_when_passes_run_out) {
  auto a = with_spectrum(Vector<double>::LinSpaced(600, 1, 2), 14);
  const std::string text =
      refusal([&] { krylov_pairs(a, 10, {.max_passes = 4}); }, Errc::not_converged);
  EXPECT_NE(text.find("in 4 passes"), std::string::npos) << text;
  EXPECT_NE(text.find("1.0e-10"), std::string::npos) << text;
}

TEST(Krylov, notices_soon_that_rounding_forbids_the_tolerance) {
  const Matrix<double> x = Random(15).normal(600, 40);
  const Matrix<double> k = test::product(x, x.transpose());
  int passes = 0;
  const auto count = [&](int pass, double) { passes = pass; };
  test::FloatOperator a{k.cast<float>()};
  refusal([&] { krylov_pairs(a, 10, {.tolerance = 1e-12}, {.monitor = count}); },
          Errc::not_converged);
  EXPECT_LE(passes, 15);
  DenseOperator exact{k};
  refusal([&] { krylov_pairs(exact, 10, {.tolerance = 1e-18}, {.monitor = count}); },
          Errc::not_converged);
  EXPECT_LE(passes, 15);
  EXPECT_LE(krylov_pairs(a, 10, {.tolerance = 1e-5}).passes, 10);
}

TEST(Krylov, does_not_take_slow_for_stuck) {
  // Relative gaps of 0.0025 in a small basis: many passes, each of which brings little.
  auto a = with_spectrum(Vector<double>::LinSpaced(400, 0, 1), 19);
  const KrylovResult found = krylov_pairs(a, 10, {.block = 4, .basis = 22, .max_passes = 2000});
  expect_right(a, found, 10);
  EXPECT_GT(found.passes, 50);
}

TEST(Krylov, refuses_what_cannot_be_meant) {
  DenseOperator a{Matrix<double>::Identity(20, 20)};
  refusal([&] { krylov_pairs(a, 0); }, Errc::bad_option);
  refusal([&] { krylov_pairs(a, 21); }, Errc::bad_option);
  refusal([&] { krylov_pairs(a, 3, {.tolerance = 0}); }, Errc::bad_option);
  refusal([&] { krylov_pairs(a, 3, {.block = 4, .basis = 10}); }, Errc::bad_option);
  a.a(3, 3) = std::numeric_limits<double>::quiet_NaN();
  refusal([&] { krylov_pairs(a, 3); }, Errc::bad_data);
}

TEST(Krylov, stops_when_the_monitor_throws) {
  auto a = with_spectrum(Vector<double>::LinSpaced(200, 1, 2), 16);
  const auto stop = [](int pass, double) {
    if (pass == 2) throw Error(Errc::interrupted, "interrupted");
  };
  refusal([&] { krylov_pairs(a, 10, {}, {.monitor = stop}); }, Errc::interrupted);
}

TEST(KrylovUntil, grows_to_the_number_that_is_enough) {
  Vector<double> values(300);
  for (Index i = 0; i < 300; ++i) values[i] = std::pow(0.95, static_cast<double>(i));
  auto a = with_spectrum(values, 17);
  const double share = 0.95 * values.sum();
  Index wanted = 0;
  for (double sum = 0; sum < share; ++wanted) sum += values[wanted];
  const auto enough = [&](const Vector<double>& found) {
    double sum = 0;
    for (Index i = 0; i < found.size(); ++i)
      if ((sum += found[i]) >= share) return i + 1;
    return Index{0};
  };
  const KrylovResult found = eigs_until(a, 8, enough);
  expect_right(a, found, wanted);
  // What is found stays: hardly more passes than for those who know the number beforehand.
  EXPECT_LE(found.passes, 2 * krylov_pairs(a, wanted).passes);

  const KrylovResult all = eigs_until(a, 8, [](const Vector<double>&) { return Index{0}; });
  expect_right(a, all, 300);
  const std::string text =
      refusal([&] { eigs_until(a, 8, [](auto&) { return Index{0}; }, {.basis = 90}); },
              Errc::out_of_memory);
  EXPECT_NE(text.find("90 vectors"), std::string::npos) << text;
}

TEST(KrylovMemory, is_predicted_and_kept_within_a_budget) {
  const Index n = 100000, k = 10;
  const std::size_t whole = memory_bytes({}, n, k);
  EXPECT_GT(whole, 8U * n * 2 * (k + 8 * 16));
  EXPECT_EQ(within_memory({}, n, k, whole).basis, k + 8 * 16);
  const BlockKrylov half = within_memory({}, n, k, whole / 2);
  EXPECT_LE(memory_bytes(half, n, k), whole / 2);
  BlockKrylov more = half;
  ++more.basis;
  EXPECT_GT(memory_bytes(more, n, k), whole / 2);
  const std::string text =
      refusal([&] { within_memory({}, n, k, whole / 10); }, Errc::out_of_memory);
  EXPECT_NE(text.find("at least 9"), std::string::npos) << text;
}

}  // namespace mercer::krylov_test
