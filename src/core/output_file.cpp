#include "core/output_file.hpp"

#include "core/require.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace mercer {

namespace {

/// The file itself when `path` is a symbolic link: a rename must not replace the link.
std::string resolved(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
  char* real = realpath(path.c_str(), nullptr);
  if (!real) return path;
  std::string out(real);
  std::free(real);
  return out;
}

mode_t default_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    fd_ = STDOUT_FILENO;
    return;
  }
  struct stat info {};
  const bool exists = stat(path_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) give_up(EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) give_up(errno);
    return;
  }
  if (exists && access(path_.c_str(), W_OK) != 0) give_up(errno);
  path_ = resolved(path_);
  const std::size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path_.substr(0, slash + 1);
  temporary_ = folder + "." + path_.substr(folder.size()) + ".XXXXXX";
  fd_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    give_up(error);
  }
  fchmod(fd_, exists ? info.st_mode & 07777 : default_mode());
}

OutputFile::~OutputFile() {
  if (fd_ >= 0 && fd_ != STDOUT_FILENO) ::close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) give_up(errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void OutputFile::write_at(std::size_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) give_up(errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    offset += static_cast<std::size_t>(done);
  }
}

void OutputFile::finish() {
  if (finished_) return;
  if (!temporary_.empty() && fsync(fd_) != 0) give_up(errno);
  finished_ = true;
}

void OutputFile::publish() {
  finish();
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) give_up(errno);
  temporary_.clear();
}

std::string OutputFile::name() const { return path_ == "-" ? "standard output" : path_; }

void OutputFile::give_up(int error) const {
  if (error == EPIPE) fail(Errc::interrupted, "standard output was closed");
  fail(Errc::io, "cannot write '{}': {}", name(), std::strerror(error));
}

}  // namespace mercer
