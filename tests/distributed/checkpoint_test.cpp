// Fits that are stopped and continued from their checkpoint, on other numbers of ranks.
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/team_fit.hpp"
#include "support/temp_dir.hpp"

#include <mercer/fit.hpp>
#include <mercer/fit_checkpoint.hpp>
#include <mercer/map.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace mercer::test::checkpoint_test {

constexpr int never = std::numeric_limits<int>::max();

/// For messages.
std::string shown(const std::string& result) { return result.size() < 600 ? result : "a model"; }

struct Outcome {
  std::vector<std::string> models;  // their bytes, or the message of the error, of each rank
  int calls = 0;                    // of the monitor of the last rank
  int passes = 0, passes_read = 0;  // on rank 0
  bool stopped() const { return models.front() == "interrupted"; }
  std::string message() const { return shown(models.front()); }
};

/// One rank is plain `fit`. The monitor of the last rank stops the fit at its call number `stop`.
template <class T, class Fit>
Outcome run_on(int ranks, Index n, FitOptions options, const std::string& folder, bool resume,
               int stop, const Fit& fit_rows) {
  Outcome out;
  out.models.resize(static_cast<std::size_t>(ranks));
  const auto cuts = cuts_of(n, ranks, static_cast<Shares>(ranks % 3));
  const auto one = [&](Team* team) {
    const int rank = team ? team->rank() : 0;
    FitOptions mine = options;
    mine.team = team;
    int calls = 0;
    mine.monitor = [&](const Progress&) { return ++calls < stop || rank + 1 < ranks; };
    FitCheckpoint checkpoint(folder, resume);
    mine.checkpoint = &checkpoint;
    const auto at = static_cast<std::size_t>(rank);
    try {
      out.models[at] = fit_rows(cuts[at], cuts[at + 1] - cuts[at], mine).serialize();
      checkpoint.remove();
    } catch (const Error& error) {
      out.models[at] = error.what();
    }
    if (rank + 1 == ranks) out.calls = calls;
    if (rank > 0) return;
    out.passes = checkpoint.passes();
    out.passes_read = checkpoint.passes_read();
  };
  if (ranks == 1) one(nullptr);
  else with_team(ranks, [&](Team& team) { one(&team); });
  return out;
}

template <class T>
auto rows_fit(const Rows<T>& x) {
  return [x](Index first, Index count, const FitOptions& options) {
    return fit(x.middle(first, count), options);
  };
}

void expect_models(const Outcome& run, const std::string& expected, const std::string& what) {
  for (const std::string& model : run.models)
    ASSERT_TRUE(model == expected) << what << ": " << difference(model, expected);
}

std::size_t lines_in(const std::string& folder) {
  const std::string list = slurp(folder + "/passes");
  return static_cast<std::size_t>(std::ranges::count(list, '\n'));
}

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

FitOptions kernel_options() {
  FitOptions options{
      .components = 8, .kernel = Kernel::parse("rbf(gamma=0.5)"), .solver = Solver::krylov};
  options.memory = std::size_t{1} << 29;
  return options;
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
    // The exact pass comes after all others: the last call of the monitor.
    const Outcome first = on(ranks, false, all.calls);
    ASSERT_TRUE(first.stopped()) << first.message();
    EXPECT_EQ(lines_in(dir / "c") + 1, static_cast<std::size_t>(all.passes));
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

/// A folder with some passes of a kernel fit.
class Stopped {
 public:
  Stopped() {
    const Outcome run = on(2, false, 7);
    EXPECT_TRUE(run.stopped()) << run.message();
    EXPECT_GT(lines_in(folder()), 3U);
  }
  std::string folder() const { return dir_ / "c"; }
  std::string expected() const { return fit(Rows<double>(x_), kernel_options()).serialize(); }
  Outcome on(int ranks, bool resume, int stop = never) const {
    return run_on<double>(ranks, x_.rows(), kernel_options(), folder(), resume, stop,
                          rows_fit(Rows<double>(x_)));
  }
  const Matrix<double>& x() const { return x_; }

 private:
  Matrix<double> x_ = rows_of(900, 8, 8);
  TempDir dir_;
};

void flip_byte(const std::string& path, std::size_t at) {
  std::string bytes = slurp(path);
  bytes.at(at) ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(Checkpoint, M_G6_damage_costs_passes_and_changes_no_bit) {
  const Stopped model;
  const std::string expected = model.expected();
  const auto whole = lines_in(model.folder());
  const std::string lines = slurp(model.folder() + "/passes");
  const std::size_t length = lines.size();
  const auto lines_before = [&](std::size_t end) {
    return static_cast<std::size_t>(
        std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  };
  const auto after = [&](const auto& damage, int ranks) {
    const Stopped stopped;
    damage(stopped.folder());
    const Outcome run = stopped.on(ranks, true);
    expect_models(run, expected, "damaged");
    EXPECT_TRUE(std::filesystem::is_empty(stopped.folder()));
    return static_cast<std::size_t>(run.passes_read);
  };
  const auto list = [](const std::string& folder) { return folder + "/passes"; };
  for (const std::size_t left : {std::size_t{0}, length / 3, length - 1}) {
    const auto read = after([&](const auto& f) { std::filesystem::resize_file(list(f), left); }, 3);
    EXPECT_EQ(read, lines_before(left));
    EXPECT_LT(read, whole);
  }
  EXPECT_EQ(after([&](const auto& f) { flip_byte(list(f), length / 2); }, 2),
            lines_before(length / 2));
  EXPECT_EQ(after([&](const auto& f) { std::filesystem::remove(list(f)); }, 1), 0U);
  // Results of later passes are read all the same.
  EXPECT_EQ(after([&](const auto& f) { flip_byte(f + "/pass-0002", 4321); }, 3), whole - 1);
  EXPECT_EQ(after([&](const auto& f) { flip_byte(f + "/pass-0001", 900 * 8 * 15 + 9); }, 1),
            whole - 1);
  EXPECT_EQ(after([&](const auto& f) { std::filesystem::remove(f + "/pass-0003"); }, 2), whole - 1);
  EXPECT_EQ(after([&](const auto& f) { std::filesystem::resize_file(f + "/pass-0001", 77); }, 1),
            whole - 1);
}

TEST(Checkpoint, M_G6_a_smaller_memory_continues_a_larger_one) {
  const Stopped stopped;
  FitOptions less = kernel_options();
  less.memory = std::size_t{64} << 20;
  const Outcome run = run_on<double>(2, 900, less, stopped.folder(), true, never,
                                     rows_fit(Rows<double>(stopped.x())));
  expect_models(run, stopped.expected(), "with less memory");
  EXPECT_GT(run.passes_read, 3);
}

TEST(Checkpoint, M_G6_a_checkpoint_of_another_run_is_refused_on_all_ranks) {
  const Stopped stopped;
  const Rows<double> x(stopped.x());
  const auto expect_refused = [&](const FitOptions& options, const Rows<double>& rows, bool resume,
                                  const std::string& part) {
    for (const int ranks : {1, 3})
      for (const std::string& message :
           run_on<double>(ranks, rows.rows(), options, stopped.folder(), resume, never,
                          rows_fit(rows))
               .models)
        EXPECT_TRUE(has(shown(message), part)) << ranks << " ranks";
  };
  FitOptions other = kernel_options();
  other.tolerance = 1e-8;
  expect_refused(other, x, true, "of another run, which differs in `tolerance`");
  other = kernel_options();
  other.kernel = Kernel::parse("rbf(gamma=0.4)");
  expect_refused(other, x, true, "differs in `kernel`");
  Matrix<double> changed = stopped.x();
  changed(899, 3) += 1e-9;
  expect_refused(kernel_options(), Rows<double>(changed), true, "differs in the data");
  changed = stopped.x();
  changed.row(3).swap(changed.row(4));
  expect_refused(kernel_options(), Rows<double>(changed), true, "differs in the data");
  expect_refused(kernel_options(), x.middle(0, 899), true, "differs in the number of rows");
  expect_refused(kernel_options(), x, false,
                 "has the checkpoint of an earlier fit; continue that with `resume`, or remove");
  const std::string run = slurp(stopped.folder() + "/run");
  const auto with_run = [&](const std::string& text, const std::string& part) {
    std::ofstream(stopped.folder() + "/run", std::ios::binary) << text;
    expect_refused(kernel_options(), x, true, part);
  };
  with_run(run.substr(0, run.size() / 2), "is damaged: its file 'run'");
  with_run("", "is damaged");
  std::string later = run;
  later.replace(later.find(" 1\n"), 3, " 2\n");
  with_run(later, "was written by another version of Mercer");
  std::ofstream(stopped.folder() + "/run", std::ios::binary) << run;
  expect_models(stopped.on(2, true), stopped.expected(), "after all of this");
}

TEST(Checkpoint, M_G6_a_pass_with_another_input_is_refused) {
  const Stopped stopped;
  // As from processors of another type: a result of this data and these options whose input is
  // that of no pass here. The second line, under the number of the first.
  const std::string path = stopped.folder() + "/passes";
  const TempDir dir;
  FitOptions options = kernel_options();
  options.seed = 77;
  FitCheckpoint other(dir / "c");
  options.checkpoint = &other;
  fit(Rows<double>(stopped.x()), options);
  std::filesystem::copy_file(dir / "c/passes", path,
                             std::filesystem::copy_options::overwrite_existing);
  for (const std::string& message : stopped.on(3, true).models)
    EXPECT_TRUE(has(shown(message), "pass 1 in the checkpoint"));
}

TEST(Checkpoint, M_G6_folders_that_cannot_be_used) {
  const Stopped stopped;
  const TempDir dir;
  const Matrix<double>& x = stopped.x();
  const auto message_on = [&](int ranks, const std::string& folder, bool resume = false) {
    const Outcome run = run_on<double>(ranks, x.rows(), kernel_options(), folder, resume, never,
                                       rows_fit(Rows<double>(x)));
    for (const std::string& message : run.models) EXPECT_TRUE(message == run.models.front());
    return run.message();
  };
  EXPECT_HAS(message_on(2, dir / "absent/c"), "cannot make the folder");
  EXPECT_HAS(message_on(1, dir.file("a", "")), "cannot make the folder");
  EXPECT_HAS(message_on(3, dir.path()),
             "has files and no checkpoint; give a new or an empty folder");
  EXPECT_HAS(message_on(3, dir.path(), true), "has files and no checkpoint");
  // A fit that is under way.
  FitCheckpoint held(dir / "held");
  FitOptions options = kernel_options();
  options.checkpoint = &held;
  options.monitor = [](const Progress&) { return false; };
  EXPECT_ANY_THROW(fit(Rows<double>(x), options));
  EXPECT_HAS(message_on(2, dir / "held", true), "is in use by another fit");
  held.remove();
  EXPECT_TRUE(std::filesystem::is_empty(dir / "held"));
  // Nothing to continue: from the beginning.
  const Outcome fresh = run_on<double>(2, x.rows(), kernel_options(), dir / "new", true, never,
                                       rows_fit(Rows<double>(x)));
  expect_models(fresh, stopped.expected(), "from the beginning");
  EXPECT_EQ(fresh.passes_read, 0);
}

TEST(Checkpoint, M_G6_passes_after_the_fit_are_not_saved) {
  const TempDir dir;
  const Matrix<double> x = rows_of(200, 4, 11);
  FitCheckpoint checkpoint(dir / "c");
  FitOptions options{.components = 2, .scale = Scale::std};
  options.checkpoint = &checkpoint;
  fit(x, options);
  const auto lines = lines_in(dir / "c");
  EXPECT_EQ(lines, static_cast<std::size_t>(checkpoint.passes()));
  variance_along(x, Matrix<double>::Ones(1, 4), options);
  EXPECT_EQ(lines_in(dir / "c"), lines);
}

TEST(Checkpoint, M_G6_a_folder_that_is_not_shared_is_refused) {
  const TempDir here, there;
  const Matrix<double> x = rows_of(300, 3, 9);
  for (const bool resume : {false, true}) {
    std::vector<std::string> messages(3);
    with_team(3, [&](Team& team) {
      FitOptions options = kernel_options();
      options.team = &team;
      FitCheckpoint checkpoint((team.rank() == 1 ? there : here) / "c", resume);
      options.checkpoint = &checkpoint;
      try {
        fit(Rows<double>(x).middle(100 * team.rank(), 100), options);
      } catch (const Error& error) {
        messages[static_cast<std::size_t>(team.rank())] = error.what();
      }
    });
    for (const std::string& message : messages)
      EXPECT_TRUE(has(message, "of rank 1 is not that of rank 0; give a folder on a file system"))
          << message;
  }
  EXPECT_EQ(TempDir().list(), there.list());
}

TEST(Checkpoint, M_G6_a_checkpoint_on_some_ranks_only_is_refused) {
  const TempDir dir;
  const Matrix<double> x = rows_of(300, 3, 9);
  std::vector<std::string> messages(3);
  with_team(3, [&](Team& team) {
    FitOptions options = kernel_options();
    options.team = &team;
    FitCheckpoint checkpoint(dir / "c");
    if (team.rank() != 2) options.checkpoint = &checkpoint;
    try {
      fit(Rows<double>(x).middle(100 * team.rank(), 100), options);
    } catch (const Error& error) {
      messages[static_cast<std::size_t>(team.rank())] = error.what();
    }
  });
  for (const std::string& message : messages)
    EXPECT_HAS(message, "`checkpoint` of rank 2 is not that of rank 0");
}

TEST(Checkpoint, M_G6_what_has_no_passes_to_save_is_refused) {
  const TempDir dir;
  const Matrix<double> x = rows_of(60, 3, 10);
  FitCheckpoint checkpoint(dir / "c");
  const auto expect_refused = [&](FitOptions options, const char* part) {
    options.checkpoint = &checkpoint;
    expect_error(Errc::bad_option, {part, "`checkpoint`"}, [&] { fit(Rows<double>(x), options); });
  };
  const Kernel rbf = Kernel::parse("rbf(gamma=1)");
  expect_refused({.kernel = rbf, .approx = Cholesky{.rank = 5}}, "`approx`");
  expect_refused({.kernel = rbf, .seconds = 1}, "`seconds`");
  expect_refused({.kernel = rbf, .solver = Solver::dense}, "`solver=dense`");
  expect_refused({.solver = Solver::gram}, "`solver=gram`");
  expect_refused({.components = 2, .missing = Missing::em}, "`missing=em`");
  expect_refused({.components = significant()}, "`components=significant()`");
  expect_refused({.keep_rows = 5}, "`keep_rows`");
  FitOptions options;
  options.checkpoint = &checkpoint;
  const auto map = function_map<double>("f", 3, 1, [](auto a, auto f) { f[0] = a[0]; });
  expect_error(Errc::bad_option, {"functions of a program", "`checkpoint`"},
               [&] { fit(Rows<double>(x), map, options); });
  EXPECT_TRUE(dir.list().empty());
}

}  // namespace mercer::test::checkpoint_test
