// Fits that are stopped and continued from their checkpoint, on other numbers of ranks.
#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/saved_fit.hpp"
#include "support/temp_dir.hpp"

#include <mercer/fit.hpp>
#include <mercer/fit_checkpoint.hpp>
#include <mercer/map.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

namespace mercer::test::checkpoint_test {

/// Stops a fit at its first call of the monitor, its second, and so on, each time in a new folder;
/// it continues on another number of ranks and has the bits of a fit without a checkpoint.
template <class T, class Fit>
void expect_continued(Index n, const FitOptions& options, const Fit& fit_rows,
                      const std::string& expected, int most_stops = never) {
  const TempDir dir;
  int stops = 0, most_read = 0;
  const auto all = run_on<T>(1, n, options, dir / "all", false, never, fit_rows);
  ASSERT_NO_FATAL_FAILURE(expect_models(all, expected, "with a checkpoint"));
  EXPECT_TRUE(std::filesystem::is_empty(dir / "all"));
  for (int stop = 1; stops < most_stops; ++stop, ++stops) {
    const std::string folder = dir / std::to_string(stop);
    const int before = 1 + stop % 3, after = 1 + (stop / 2) % 4;
    const Outcome first = run_on<T>(before, n, options, folder, false, stop, fit_rows);
    if (!first.stopped()) {
      ASSERT_NO_FATAL_FAILURE(expect_models(first, expected, "not stopped"));
      break;
    }
    const auto saved = lines_in(folder);
    const Outcome second = run_on<T>(after, n, options, folder, true, never, fit_rows);
    ASSERT_NO_FATAL_FAILURE(expect_models(
        second, expected, std::to_string(stop) + ", on " + std::to_string(after) + " ranks"));
    EXPECT_EQ(static_cast<std::size_t>(second.passes_read), saved);
    EXPECT_EQ(second.passes, all.passes);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    most_read = std::max(most_read, second.passes_read);
  }
  EXPECT_GT(stops, 0);
  if (most_stops == never) EXPECT_GE(most_read, all.passes - 1);
}

Matrix<double> rows_of(Index n, Index d, std::uint64_t seed) {
  Matrix<double> x = Random(seed).normal(n, d);
  for (Index j = 0; j < d; ++j)
    x.col(j) = x.col(j).array() * std::pow(0.9, static_cast<double>(j)) + 0.1 * double(j);
  return x;
}

TEST(Checkpoint, M_G6_kernel_fits_stopped_at_every_pass_continue_with_the_same_bits) {
  const Matrix<double> x = rows_of(700, 4, 1);
  FitOptions options = kernel_options();
  const auto by_rows = rows_fit(Rows<double>(x));
  expect_continued<double>(700, options, by_rows, fit(Rows<double>(x), options).serialize());
  options.scale = Scale::std;
  options.components = 0.5;  // the basis grows
  expect_continued<double>(700, options, by_rows, fit(Rows<double>(x), options).serialize(), 6);
}

TEST(Checkpoint, M_G6_rounded_tiles_and_their_exact_pass) {
  const Matrix<double> x = rows_of(3000, 4, 2);
  FitOptions options = kernel_options();
  options.memory = std::size_t{38} << 20;
  const auto model = fit(Rows<double>(x), options);
  ASSERT_TRUE(has(model.report().solver.why, "32 bits"));
  const TempDir dir;
  const auto by_rows = rows_fit(Rows<double>(x));
  const auto on = [&](int ranks, bool resume, int stop) {
    return run_on<double>(ranks, 3000, options, dir / "c", resume, stop, by_rows);
  };
  // The report says how many tiles each of so many processes stores.
  for (const int ranks : {1, 2}) {
    const Outcome all = on(ranks, false, never);
    if (ranks == 1) expect_models(all, model.serialize(), "at once");
    // The exact pass comes after all others: about the last call of the monitor, whose number
    // depends on the time that a pass takes.
    const auto before_last = static_cast<std::size_t>(all.passes - 1);
    bool in_last = false;
    for (int stop = all.calls, tries = 0; !in_last && tries < 100; ++tries) {
      const Outcome first = on(ranks, false, stop);
      in_last = first.stopped() && lines_in(dir / "c") == before_last;
      if (in_last) continue;
      stop += first.stopped() ? 1 : -1;
      std::filesystem::remove_all(dir / "c");
    }
    ASSERT_TRUE(in_last);
    const Outcome second = on(ranks, true, never);
    expect_models(second, all.models.front(), "continued");
    EXPECT_EQ(second.passes_read + 1, all.passes);
  }
}

TEST(Checkpoint, M_G6_a_fit_that_is_stopped_again_and_again_comes_to_its_end) {
  const Matrix<double> x = rows_of(900, 5, 3);
  const FitOptions options = kernel_options();
  const std::string expected = fit(Rows<double>(x), options).serialize();
  const TempDir dir;
  // Each run makes a few calls of its monitor, and is stopped after more of the passes.
  for (int run = 0, read = 0;; ++run) {
    ASSERT_LT(run, 100);
    const Outcome now = run_on<double>(1 + (2 * run) % 5, 900, options, dir / "c", run > 0, 8,
                                       rows_fit(Rows<double>(x)));
    EXPECT_GE(now.passes_read, read);
    read = now.passes_read;
    if (now.stopped()) continue;
    expect_models(now, expected, "at last");
    EXPECT_GT(read, 0);
    break;
  }
}

TEST(Checkpoint, M_G6_linear_fits_stopped_at_every_pass_continue_with_the_same_bits) {
  const Matrix<double> x = rows_of(3000, 12, 4);
  const auto check = [](const Rows<double>& rows, const FitOptions& options) {
    expect_continued<double>(rows.rows(), options, rows_fit(rows), fit(rows, options).serialize());
  };
  FitOptions options{.components = 2};
  options.memory = std::size_t{1} << 29;
  options.solver = Solver::randomized;
  check(Rows<double>(x), options);
  options.scale = Scale::std;
  check(Rows<double>(x), options);
  options.solver = Solver::covariance;
  check(Rows<double>(x), options);
  Matrix<double> far = x;
  far.bottomRows(2500).array() += 1e6;  // one pass more, about another centre
  options.solver = Solver::randomized;
  options.scale = Scale::none;
  options.components = 1;
  check(Rows<double>(far), options);
  Matrix<double> holes = x;
  for (Index i = 0; i < x.rows(); i += 3) holes(i, i % 7) = std::nan("");
  options.missing = Missing::mean;
  options.components = 2;
  check(Rows<double>(holes), options);
  options.solver = Solver::covariance;
  check(Rows<double>(holes), options);
  Matrix<double> thin = x;
  thin.col(3) = thin.col(2) * (1 + 1e-9);  // a QR of the rows
  check(Rows<double>(thin), {.solver = Solver::covariance, .memory = std::size_t{1} << 29});
}

TEST(Checkpoint, M_G6_sparse_rows_and_single_precision) {
  Matrix<double> x = rows_of(3000, 20, 5);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if ((i * 7 + j * 3) % 5 != 0) x(i, j) = 0;
  const auto sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  FitOptions options{.components = 2, .solver = Solver::randomized, .tolerance = 1e-6};
  options.memory = std::size_t{1} << 29;
  const Rows<double> rows(sparse);
  expect_continued<double>(3000, options, rows_fit(rows), fit(rows, options).serialize(), 4);
  const Matrix<float> f = rows_of(900, 4, 6).cast<float>();
  FitOptions kernel = kernel_options();
  kernel.tolerance = 1e-5;
  expect_continued<float>(900, kernel, rows_fit(Rows<float>(f)),
                          fit(Rows<float>(f), kernel).serialize(), 4);
}

TEST(Checkpoint, M_G6_streamed_rows_are_read_only_in_passes_that_are_not_saved) {
  const Matrix<double> x = Random(8).normal(8000, 120);
  FitOptions options{.components = 2, .solver = Solver::randomized, .tolerance = 1e-5};
  options.memory = std::size_t{7} << 20;
  ChunkedSource<double> whole(Rows<double>(x), 97);
  const auto model = fit(whole, options);
  const int passes = model.report().solver.passes;
  ASSERT_GT(passes, 3);
  ASSERT_EQ(whole.rewinds, passes - 1);
  const TempDir dir;
  for (int stop = 1; stop <= passes; ++stop) {
    const std::string folder = dir / std::to_string(stop);
    FitOptions saving = options;
    {
      FitCheckpoint checkpoint(folder);
      saving.checkpoint = &checkpoint;
      ChunkedSource<double> source(Rows<double>(x), 97);
      source.on_rewind = [&] {
        if (source.rewinds > stop) throw Error(Errc::io, "stopped");
      };
      // The first rewind comes after the rows have been hashed.
      if (stop < passes) EXPECT_ANY_THROW(fit(source, saving));
      else fit(source, saving);
    }
    FitCheckpoint checkpoint(folder, true);
    saving.checkpoint = &checkpoint;
    ChunkedSource<double> source(Rows<double>(x), 61);
    EXPECT_TRUE(fit(source, saving).serialize() == model.serialize()) << stop;
    EXPECT_EQ(checkpoint.passes_read(), stop);
    EXPECT_EQ(source.rewinds, std::max(1, passes - stop)) << stop;
  }
}

TEST(Checkpoint, M_G6_fits_of_explicit_maps) {
  const Matrix<double> x = rows_of(900, 4, 7);
  FitOptions options{.components = 2, .solver = Solver::randomized, .scale = Scale::std};
  options.memory = std::size_t{1} << 29;
  const auto map = polynomial_map<double>(4, 3);
  const auto by_map = [&](Index first, Index count, const FitOptions& o) {
    return fit(Rows<double>(x).middle(first, count), map, o);
  };
  // Passes over mapped rows do not call the monitor: what is saved is cut instead.
  const std::string expected = fit(Rows<double>(x), map, options).serialize();
  const TempDir dir;
  FitCheckpoint kept(dir / "c");
  FitOptions saving = options;
  saving.checkpoint = &kept;
  EXPECT_TRUE(fit(Rows<double>(x), map, saving).serialize() == expected);
  const auto lines = static_cast<int>(lines_in(dir / "c"));
  ASSERT_GT(lines, 2);
  for (int keep = 0; keep <= lines; ++keep) {
    const std::string folder = dir / std::to_string(keep);
    std::filesystem::copy(dir / "c", folder);
    std::string list = slurp(folder + "/passes");
    std::size_t end = 0;
    for (int i = 0; i < keep; ++i) end = list.find('\n', end) + 1;
    std::filesystem::resize_file(folder + "/passes", end);
    const Outcome run = run_on<double>(1 + keep % 3, 900, options, folder, true, never, by_map);
    expect_models(run, expected, std::to_string(keep));
    EXPECT_EQ(run.passes_read, keep);
  }
}

}  // namespace mercer::test::checkpoint_test
