#include "commands/learn_trace.hpp"

#include "core/require.hpp"
#include "data/shortest.hpp"
#include "flags/options.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace mercer::cli {

namespace {

constexpr Index block_rows = 256;

bool is_text(const std::string& path) { return path.ends_with(".csv") || path.ends_with(".tsv"); }

/// "step" for a trace; empty for a file that is empty or does not exist.
std::string first_cell(const std::string& path, char delimiter) {
  std::string cell;
  std::ifstream file(path);
  std::getline(file, cell, delimiter);
  return cell;
}

}  // namespace

TraceFile::TraceFile(std::string path, std::string checkpoint, bool resume)
    : path_(std::move(path)),
      partial_(checkpoint.empty() ? "" : path_ + ".partial"),
      checkpoint_(std::move(checkpoint)) {
  if (checkpoint_.empty()) return;
  if (!is_text(path_))
    throw UsageError(
        fmt::format("--trace '{}' with --checkpoint must be a .csv or a .tsv file", path_));
  delimiter_ = path_.ends_with(".tsv") ? '\t' : ',';
  const std::string cell = first_cell(partial_, delimiter_);
  require(cell.empty() || cell == "step", Errc::bad_file,
          "'{}' is not a trace and would be overwritten; choose another name for --trace",
          partial_);
  // A completed run has renamed its trace. Another file of that name is replaced at the end, and
  // must not become a partial trace that the next run refuses.
  std::error_code ignored;
  if (resume && cell.empty() && first_cell(path_, delimiter_) == "step")
    std::filesystem::copy_file(path_, partial_, std::filesystem::copy_options::overwrite_existing,
                               ignored);
  resumed_ = resume && std::filesystem::exists(partial_, ignored);
  // What an earlier run wrote belongs to its checkpoint until `keep`.
  fd_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) give_up("open");
}

TraceFile::~TraceFile() {
  if (fd_ < 0) return;
  const bool empty = lseek(fd_, 0, SEEK_END) == 0;
  ::close(fd_);
  // Without a checkpoint no run resumes from it.
  if (!resumed_ && (empty || access(checkpoint_.c_str(), F_OK) != 0)) unlink(partial_.c_str());
}

void TraceFile::give_up(const char* what) const {
  fail(Errc::io, "cannot {} '{}': {}", what, partial_, std::strerror(errno));
}

TraceOutput TraceFile::output() {
  return {.row = [this](const TraceRow& row) { add(row); },
          .flush = [this] { flush(); },
          .keep = [this](std::int64_t rows) { keep(rows); }};
}

void TraceFile::add(const TraceRow& row) {
  const auto columns = [&] { return trace_columns(row); };
  const std::vector<double> values = trace_values(row);
  if (fd_ < 0) {
    if (!sink_) sink_ = std::make_unique<Sink<double>>(path_, columns());
    if (block_.rows() == 0) block_.resize(block_rows, static_cast<Index>(values.size()));
    block_.row(waiting_) = Eigen::Map<const Eigen::RowVectorXd>(values.data(), block_.cols());
    if (++waiting_ == block_rows) flush();
    return;
  }
  if (!headed_) {
    const std::vector<std::string> names = columns();
    for (std::size_t i = 0; i < names.size(); ++i)
      buffer_ += (i > 0 ? std::string(1, delimiter_) : "") + names[i];
    buffer_ += '\n';
    headed_ = true;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) buffer_ += delimiter_;
    if (std::isnan(values[i])) continue;  // an empty cell
    char text[longest_number];
    buffer_.append(text, write_shortest(values[i], text));
  }
  buffer_ += '\n';
  if (buffer_.size() > (1 << 16)) write_buffer();
}

void TraceFile::write_buffer() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t done = ::write(fd_, left.data(), left.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) give_up("write");
    left.remove_prefix(static_cast<std::size_t>(done));
  }
  buffer_.clear();
}

void TraceFile::flush() {
  if (fd_ >= 0) {
    write_buffer();
    if (fsync(fd_) != 0) give_up("write");
    return;
  }
  // Rows that could not be written are not kept: the block has no room for more.
  const Index rows = std::exchange(waiting_, 0);
  if (sink_ && rows > 0) sink_->write(block_.topRows(rows));
}

/// Truncates the file after the header and the first `rows` rows.
void TraceFile::keep(std::int64_t rows) {
  if (fd_ < 0) {
    require(rows == 0, Errc::bad_option, "resuming a trace requires --checkpoint");
    return;
  }
  std::int64_t lines = rows > 0 ? rows + 1 : 0;
  off_t end = 0;
  if (lseek(fd_, 0, SEEK_SET) != 0) give_up("read");
  char block[1 << 16];
  for (ssize_t n; lines > 0 && (n = ::read(fd_, block, sizeof block)) > 0;)
    for (ssize_t i = 0; i < n && lines > 0; ++i, ++end)
      if (block[i] == '\n') --lines;
  require(lines == 0, Errc::bad_data,
          "'{}' lacks rows that were written before the checkpoint: resume without --trace, or "
          "start again without --resume",
          partial_);
  if (ftruncate(fd_, end) != 0) give_up("write");
  if (lseek(fd_, end, SEEK_SET) != end) give_up("write");
  headed_ = rows > 0;
}

void TraceFile::finish() {
  flush();
  if (sink_) sink_->finish();
}

void TraceFile::publish() {
  finish();
  if (sink_) sink_->close();
  if (fd_ >= 0 && std::rename(partial_.c_str(), path_.c_str()) != 0) give_up("rename");
}

}  // namespace mercer::cli
