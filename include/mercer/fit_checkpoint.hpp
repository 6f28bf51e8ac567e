#pragma once
/// \file
/// `FitCheckpoint`: a folder that has the results of the passes of a fit, so that a fit that was
/// killed continues where it was.
///
///     mercer::FitCheckpoint checkpoint("run.ckpt");        // with true: continues, if it can
///     auto model = mercer::fit(x, {.components = 10, .checkpoint = &checkpoint});
///     model.save("model.st");
///     checkpoint.remove();                                 // the model is safe
///
/// The result of a pass over the rows, or over the kernel matrix, is saved when the pass is
/// complete. A fit that continues runs from the beginning and reads what was saved instead of
/// computing it: at most one pass is lost, and the model has the same bits. The number of processes
/// and threads and the memory may differ; rows, options and version may not, and the processors
/// must be of the same type.
///
/// A pass over the kernel matrix of N rows with b vectors takes 8·N·b bytes of the disk.

#include <cstddef>
#include <memory>
#include <string>

namespace mercer {

class PassLog;

class FitCheckpoint {
 public:
  /// Nothing is read or written before the fit. A folder that does not exist is made by it. With
  /// `resume` it continues from what the folder has, if it has anything. With a team all processes
  /// give the same folder, on a file system that they share.
  explicit FitCheckpoint(std::string folder, bool resume = false);
  ~FitCheckpoint();
  FitCheckpoint(const FitCheckpoint&) = delete;
  FitCheckpoint& operator=(const FitCheckpoint&) = delete;

  const std::string& folder() const;
  bool resumes() const;

  /// Passes that were saved or read, and those of them that were read; known to the first process.
  int passes() const;
  int passes_read() const;

  /// Removes what the fit has saved. The folder stays, empty. With a team, the first process does.
  void remove();

  /// For the library.
  PassLog& log() const { return *log_; }

 private:
  std::unique_ptr<PassLog> log_;
};

}  // namespace mercer
