#pragma once
// The trace of a run as a file.
//
// Without checkpoints it is written atomically, in any format that rows are written in. With
// checkpoints it grows as FILE.partial, is synced before each of them, and takes its name at the
// end: what a killed run has written is there for the run that goes on.

#include <mercer/data.hpp>
#include <mercer/learn.hpp>

#include <memory>
#include <string>

namespace mercer::cli {

class TraceFile {
 public:
  TraceFile(std::string path, std::string checkpoint, bool resume);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// To be given to the run; borrows this.
  TraceOutput output();
  /// On disk; the last step that can fail for want of space.
  void finish();
  void publish();

 private:
  void add(const TraceRow& row);
  void flush();
  void keep(std::int64_t rows);
  void write_buffer();
  [[noreturn]] void give_up(const char* what) const;

  std::string path_, partial_, checkpoint_;
  std::unique_ptr<Sink<double>> sink_;
  Matrix<double> block_;  // rows that wait for the sink
  Index waiting_ = 0;
  int fd_ = -1;
  std::string buffer_;
  char delimiter_ = ',';
  bool headed_ = false;
  bool resumed_ = false;  // it was there before
};

}  // namespace mercer::cli
