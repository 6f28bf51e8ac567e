#pragma once
// The results of the passes of a fit, on disk (mercer/fit_checkpoint.hpp).
//
// A fit is deterministic, and its passes are what costs. So a fit that continues runs again from
// the beginning, and the log replays the results that it has: nothing else of the state of a solver
// is saved. For each pass the fit first tries to `read` the result; if there is none, it computes
// the result and `write`s it (recorded_pass.hpp, kernel/recorded_products.hpp).
//
// The folder has three kinds of files:
//
//     run          what the fit must have in common with one that continues; written once
//     passes       a line for each result that is complete, each with its checksum
//     pass-0001    the result: rows of all ranks in their order, then the bytes of rank 0
//
// A line is written after all ranks have synced their part of the file. Lines from the first
// damaged one on are cut off, and a result that does not have the hash in its line is computed
// again.

#include <mercer/matrix.hpp>
#include <mercer/team.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Which pass it is, and what it depends on besides the data: the same on all ranks that call.
struct PassKey {
  std::string_view what;
  std::uint64_t input = 0;
};

/// This rank's rows of a block, and where they are among all of them.
struct RowsOfBlock {
  Matrix<double>* rows = nullptr;
  Index first = 0, all = 0;
};

class PassLog {
 public:
  PassLog(std::string folder, bool resume) : folder_(std::move(folder)), resume_(resume) {}
  ~PassLog();
  PassLog(const PassLog&) = delete;
  PassLog& operator=(const PassLog&) = delete;

  /// All ranks. Takes the folder for a fit that `run` describes, a name and a value per line.
  /// Returns the memory budget to plan with: that of the first run, or else `memory`.
  std::size_t begin(Team& team, const std::string& run, std::size_t memory);
  /// The fit has ended: passes of others are not for this log.
  void end() { active_ = false; }
  bool active() const { return active_; }

  /// The next result, if the log has it; `bytes` on all ranks of `team`, and their rows of the
  /// block, which have the right shape before. Those who call it are the same for one key.
  bool read(Team& team, const PassKey& key, std::string& bytes, const RowsOfBlock& block = {});
  /// The next result: `bytes` of rank 0, and the rows of each.
  void write(Team& team, const PassKey& key, const std::string& bytes,
             const RowsOfBlock& block = {});

  const std::string& folder() const { return folder_; }
  bool resumes() const { return resume_; }
  int passes() const { return static_cast<int>(next_); }
  int passes_read() const { return read_; }
  /// Bytes of memory that this run has less than the first one, by whose budget it is planned.
  std::size_t lacks() const { return lacks_; }

  void remove();

 private:
  struct Result {
    std::string what;
    std::uint64_t input = 0, content = 0;
    std::int64_t rows = 0, columns = 0, bytes = 0;
  };
  static std::string line_of(std::size_t number, const Result& result);
  static bool take_line(std::string_view line, std::vector<Result>& results);
  std::string path(std::string_view name) const { return folder_ + "/" + std::string(name); }
  std::string path_of(std::size_t number) const;
  std::size_t open_folder(const std::string& run, std::size_t memory);
  void require_shared(Team& team) const;
  void lock();
  void cut_list();
  void append(const Result& result);

  std::string folder_;
  bool resume_;
  bool active_ = false;
  bool leads_ = false;
  int lock_ = -1;
  int list_ = -1;  // `passes`, on rank 0
  std::string lines_;
  std::vector<Result> results_;
  std::size_t next_ = 0;
  int read_ = 0;
  std::size_t lacks_ = 0;
};

}  // namespace mercer
