#pragma once
// What a search has found so far, as a file of lines: an interrupted run resumes with it.

#include <mercer/rows.hpp>
#include <mercer/tune.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::cli {

/// What two runs must have in common to share cells: the rows and the options, not the kernels.
template <class T>
std::string run_identity(const Rows<T>& rows, std::span<const double> weights,
                         const TuneOptions& options);

class TuneCheckpoint {
 public:
  /// Reads an existing file; an incomplete last line counts as not written. Throws
  /// `Errc::bad_file` for a file of another run or of another kind.
  TuneCheckpoint(const std::string& path, const std::string& identity);
  ~TuneCheckpoint();
  TuneCheckpoint(const TuneCheckpoint&) = delete;
  TuneCheckpoint& operator=(const TuneCheckpoint&) = delete;

  const std::vector<TuneCell>& cells() const { return cells_; }
  /// On disk when it returns, once there is a score.
  void add(const std::vector<TuneCell>& cells);

 private:
  void open();
  void append(std::string_view text);
  [[noreturn]] void give_up();

  std::string path_, identity_, waiting_;
  std::vector<TuneCell> cells_;
  std::size_t whole_ = 0;  ///< bytes of lines that are whole
  int fd_ = -1;
};

/// `mercer tune --json`.
std::string tuned_json(const Tuned& tuned, Criterion criterion);

}  // namespace mercer::cli
