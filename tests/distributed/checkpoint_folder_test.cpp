// Checkpoints that are damaged, of other runs, or in folders that cannot be used.
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/saved_fit.hpp"
#include "support/temp_dir.hpp"
#include "support/thread_team.hpp"

#include <mercer/data.hpp>
#include <mercer/fit.hpp>
#include <mercer/fit_checkpoint.hpp>
#include <mercer/map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace mercer::test::checkpoint_folder_test {

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
  Matrix<double> x_ = Random(8).normal(900, 8);
  TempDir dir_;
};

void flip_byte(const std::string& path, std::size_t at) {
  std::string bytes = slurp(path);
  bytes.at(at) ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(CheckpointFolder, M_G6_damage_costs_passes_and_changes_no_bit) {
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

TEST(CheckpointFolder, M_G6_a_smaller_memory_continues_a_larger_one) {
  const Stopped stopped;
  FitOptions less = kernel_options();
  less.memory = std::size_t{64} << 20;
  const Outcome run = run_on<double>(2, 900, less, stopped.folder(), true, never,
                                     rows_fit(Rows<double>(stopped.x())));
  expect_models(run, stopped.expected(), "with less memory");
  EXPECT_GT(run.passes_read, 3);
}

TEST(CheckpointFolder, M_G6_a_checkpoint_without_a_pass_is_none) {
  FitOptions other = kernel_options();
  other.tolerance = 1e-6;
  for (const bool resume : {true, false}) {
    const Stopped stopped;
    const Rows<double> x(stopped.x());
    std::ofstream(stopped.folder() + "/passes", std::ios::binary | std::ios::trunc);
    for (const std::string& model :
         run_on<double>(2, x.rows(), other, stopped.folder(), resume, never, rows_fit(x)).models)
      EXPECT_TRUE(model == fit(x, other).serialize()) << resume << shown(model);
  }
}

TEST(CheckpointFolder, M_G6_a_checkpoint_of_another_run_is_refused_on_all_ranks) {
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

TEST(CheckpointFolder, M_G6_a_pass_with_another_input_is_refused) {
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

TEST(CheckpointFolder, M_G6_folders_that_cannot_be_used) {
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

TEST(CheckpointFolder, M_G6_passes_after_the_fit_are_not_saved) {
  const TempDir dir;
  const Matrix<double> x = Random(11).normal(200, 4);
  FitCheckpoint checkpoint(dir / "c");
  FitOptions options{.components = 2, .scale = Scale::std};
  options.checkpoint = &checkpoint;
  fit(x, options);
  const auto lines = lines_in(dir / "c");
  EXPECT_EQ(lines, static_cast<std::size_t>(checkpoint.passes()));
  variance_along(x, Matrix<double>::Ones(1, 4), options);
  EXPECT_EQ(lines_in(dir / "c"), lines);
}

TEST(CheckpointFolder, M_G6_a_folder_that_is_not_shared_is_refused) {
  const TempDir here, there;
  const Matrix<double> x = Random(9).normal(300, 3);
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

TEST(CheckpointFolder, M_G6_a_checkpoint_on_some_ranks_only_is_refused) {
  const TempDir dir;
  const Matrix<double> x = Random(9).normal(300, 3);
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

TEST(CheckpointFolder, M_G6_what_has_no_passes_to_save_is_refused) {
  const TempDir dir;
  const Matrix<double> x = Random(10).normal(60, 3);
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
  /// Standard input, of more rows than fit into memory.
  class Pipe : public ForwardingSource<double> {
   public:
    using ForwardingSource<double>::ForwardingSource;
    bool can_rewind() const override { return false; }
    std::optional<Block<double>> next() override { return source_.next(); }
  };
  Pipe pipe(from_memory(Rows<double>(x)));
  expect_error(Errc::bad_option, {"`checkpoint` needs rows that can be read again"},
               [&] { fit(pipe, options); });
  EXPECT_TRUE(dir.list().empty());
}

}  // namespace mercer::test::checkpoint_folder_test
