// The data sets of the lectures: their equations, moments and determinism.

#include <mercer/datasets.hpp>

#include "support/errors.hpp"
#include "support/temp_dir.hpp"

#include <mercer/fit.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace mercer::test::datasets_test {

namespace ds = mercer::datasets;

/// Rows of one label, N×d.
Matrix<double> of_label(const Table<double>& table, std::string_view label) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < table.labels.size(); ++i)
    if (table.labels[i] == label) rows.push_back(static_cast<Index>(i));
  return table.x(rows, Eigen::all);
}

TEST(Datasets, M_A6_clouds_have_the_variances_of_the_lecture) {
  // Of a mixture with shares p, q: within p/81 + q/36; between, 2pq/4 along (1, 1).
  const double p = 4.0 / 9, q = 5.0 / 9, within = p / 81 + q / 36, first = within + p * q / 2;
  EXPECT_NEAR(first, 0.1444, 5e-5);
  EXPECT_NEAR(within, 0.0209, 5e-5);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Table<double> table = ds::clouds({.rows = 1800, .seed = seed});
    ASSERT_EQ(table.x.rows(), 1800);
    ASSERT_EQ(table.x.cols(), 2);
    const auto model = fit(table.x);
    const Vector<double> variance = model.explained_variance();
    // Standard errors: of λ₁ by its two parts, of λ₂ by the fourth moment of the mixture.
    const double spread_1 = std::sqrt(4 * (p * q / 2) * within / 1800 + 2 * within * within / 1800);
    const double fourth = 3 * (p / 81 / 81 + q / 36 / 36);
    const double spread_2 = std::sqrt((fourth - within * within) / 1800);
    EXPECT_NEAR(variance[0], first, 4 * spread_1) << seed;
    EXPECT_NEAR(variance[1], within, 4 * spread_2) << seed;
    EXPECT_NEAR(std::abs(model.components()(0, 0)), std::numbers::sqrt2 / 2, 0.03) << seed;
  }
}

TEST(Datasets, M_A6_clouds_are_800_and_1000_points_with_deviations_of_a_ninth_and_a_sixth) {
  const Table<double> table = ds::clouds();
  const Matrix<double> first = of_label(table, "first"), second = of_label(table, "second");
  ASSERT_EQ(first.rows(), 800);
  ASSERT_EQ(second.rows(), 1000);
  EXPECT_EQ(table.labels[799], "first");
  EXPECT_EQ(table.labels[800], "second");
  const auto expect = [](const Matrix<double>& rows, double mean, double deviation) {
    const auto n = static_cast<double>(rows.rows());
    for (Index j = 0; j < 2; ++j) {
      const double m = rows.col(j).mean();
      EXPECT_NEAR(m, mean, 4 * deviation / std::sqrt(n));
      const double s = std::sqrt((rows.col(j).array() - m).square().sum() / (n - 1));
      EXPECT_NEAR(s, deviation, 4 * deviation / std::sqrt(2 * n));
    }
  };
  expect(first, 0.5, 1.0 / 9);
  expect(second, 1, 1.0 / 6);
  // Noise is a factor: 0 leaves the two centres.
  const Table<double> centres = ds::clouds({.rows = 9, .noise = 0});
  EXPECT_EQ(of_label(centres, "first"), Matrix<double>::Constant(4, 2, 0.5));
  EXPECT_EQ(of_label(centres, "second"), Matrix<double>::Constant(5, 2, 1));
}

TEST(Datasets, M_T10_curves_satisfy_their_equations_to_rounding_without_noise) {
  for (const std::uint64_t seed : {1, 9}) {
    const Matrix<double> c = ds::circle({.rows = 500, .seed = seed}).x;
    const Matrix<double> e = ds::ellipse({.rows = 500, .seed = seed}).x;
    const Matrix<double> p = ds::parabola({.rows = 500, .seed = seed}).x;
    for (Index i = 0; i < 500; ++i) {
      EXPECT_NEAR(c(i, 0) * c(i, 0) + c(i, 1) * c(i, 1), 1, 1e-15);
      EXPECT_NEAR(e(i, 0) * e(i, 0) - 2 * e(i, 0) * e(i, 1) + 2 * e(i, 1) * e(i, 1), 2, 1e-14);
      EXPECT_EQ(p(i, 1), p(i, 0) * p(i, 0));
      EXPECT_LT(std::abs(p(i, 0)), 1);
    }
    // All the way around: every quadrant has a quarter of the circle.
    Index quadrant = 0;
    for (Index i = 0; i < 500; ++i) quadrant += c(i, 0) > 0 && c(i, 1) > 0;
    EXPECT_NEAR(static_cast<double>(quadrant), 125, 1);
  }
}

TEST(Datasets, M_T10_noise_is_the_standard_deviation_of_every_coordinate) {
  for (const char* name : {"circle", "ellipse", "parabola", "rings", "moons", "swissroll"}) {
    const Matrix<double> clean = ds::make(name, {.rows = 4000, .noise = 0, .seed = 5}).x;
    const Matrix<double> noisy = ds::make(name, {.rows = 4000, .noise = 0.3, .seed = 5}).x;
    const auto off = (noisy - clean).array();
    const auto n = static_cast<double>(off.size());
    EXPECT_NEAR(std::sqrt(off.square().sum() / n), 0.3, 4 * 0.3 / std::sqrt(2 * n)) << name;
    EXPECT_NEAR(off.mean(), 0, 4 * 0.3 / std::sqrt(n)) << name;
  }
}

TEST(Datasets, M_T10_rings_and_moons_are_the_bundled_files_before_rounding) {
  const auto expect = [](const char* file, const Table<double>& made) {
    const Table<double> bundled = read<double>(data_file(file), {.label = "class"});
    ASSERT_EQ(bundled.x.rows(), made.x.rows());
    EXPECT_LE((bundled.x - made.x).cwiseAbs().maxCoeff(), 0.5001e-4) << file;
    for (std::size_t i = 0; i < made.labels.size(); ++i)
      ASSERT_EQ(bundled.labels[i], made.labels[i]) << file << " row " << i;
  };
  expect("rings.csv", ds::rings({.rows = 300, .noise = 0.15, .seed = 1}));
  expect("moons.csv", ds::moons({.rows = 300, .noise = 0.05, .seed = 2}));
  EXPECT_EQ(ds::rings().x, ds::rings({.rows = 300, .noise = 0.15, .seed = default_seed}).x);
}

TEST(Datasets, M_T10_a_swiss_roll_unrolls_to_its_labels) {
  const Table<double> roll = ds::swissroll({.rows = 600, .noise = 0});
  ASSERT_EQ(roll.x.cols(), 3);
  for (Index i = 0; i < 600; ++i) {
    const double t = std::hypot(roll.x(i, 0), roll.x(i, 2));  // the radius is the angle
    EXPECT_NEAR(roll.x(i, 0), t * std::cos(t), 1e-12);
    const double along = t / (1.5 * std::numbers::pi) - 1;
    EXPECT_EQ(roll.labels[static_cast<std::size_t>(i)],
              std::to_string(1 + static_cast<int>(3 * along)));
    EXPECT_GT(roll.x(i, 1), 0);
    EXPECT_LT(roll.x(i, 1), 21);
  }
}

TEST(Datasets, M_T10_the_same_seed_gives_the_same_rows_and_another_seed_others) {
  for (const ds::Entry& entry : ds::table()) {
    const Table<double> a = ds::make(entry.name, {.rows = 37, .noise = 0.1, .seed = 8});
    EXPECT_EQ(a.x, ds::make(entry.name, {.rows = 37, .noise = 0.1, .seed = 8}).x) << entry.name;
    EXPECT_NE(a.x, ds::make(entry.name, {.rows = 37, .noise = 0.1, .seed = 9}).x) << entry.name;
    EXPECT_EQ(a.schema.feature_names.size(), static_cast<std::size_t>(a.x.cols()));
    EXPECT_EQ(a.labels.size(), a.schema.label.empty() ? 0u : 37u) << entry.name;
    EXPECT_EQ(ds::make(entry.name).x.rows(), entry.rows);
    EXPECT_EQ(ds::make(entry.name, {.rows = 1}).x.rows(), 1) << entry.name;
  }
  // By hand from SplitMix64: the first normal numbers of seed 1.
  std::uint64_t state = 1;
  const auto uniform = [&] {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (static_cast<double>((z ^ (z >> 31)) >> 12) + 0.5) / 4503599627370496.0;
  };
  const double u = uniform(), v = uniform();
  const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  EXPECT_NEAR(ds::clouds({.seed = 1}).x(0, 0), 0.5 + normal / 9, 1e-15);
}

TEST(Datasets, what_cannot_be_generated_is_refused) {
  expect_error(Errc::bad_option, {"cloud", "did you mean clouds?", "swissroll"},
               [] { ds::make("cloud"); });
  expect_error(Errc::bad_option, {"rows", "-3"}, [] { ds::circle({.rows = -3}); });
  expect_error(Errc::bad_option, {"rows", "10000001"}, [] { ds::circle({.rows = 10'000'001}); });
  expect_error(Errc::bad_option, {"`noise=-1`"}, [] { ds::circle({.noise = -1}); });
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error(Errc::bad_option, {"`noise=nan`"}, [&] { ds::circle({.noise = nan}); });
}

}  // namespace mercer::test::datasets_test
