#include "core/output_file.hpp"

#include "core/require.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>

namespace mercer {

namespace {

mode_t default_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// A file without a name, or −1: not every file system has them, and to name one later takes /proc.
int open_unnamed(const std::string& folder) {
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  return ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

}  // namespace

std::string file_behind_links(std::string path) {
  constexpr int most_links = 40;
  for (int i = 0; i < most_links; ++i) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) return path;
    path = target.is_absolute() ? target : std::filesystem::path(path).parent_path() / target;
  }
  return path;
}

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
  path_ = file_behind_links(path_);  // a rename must not replace a link
  const std::size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path_.substr(0, slash + 1);
  temporary_ = folder + "." + path_.substr(folder.size()) + ".XXXXXX";
  fd_ = open_unnamed(folder);
  named_ = fd_ < 0;
  if (named_) fd_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    give_up(error);
  }
  fchmod(fd_, exists ? info.st_mode & 07777 : default_mode());
}

OutputFile::~OutputFile() {
  if (fd_ >= 0 && fd_ != STDOUT_FILENO) ::close(fd_);
  if (named_ && !temporary_.empty()) unlink(temporary_.c_str());
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

/// The letters at the end of the temporary name are chosen until nothing has it.
void OutputFile::give_name() {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz012345";
  const std::string self = fmt::format("/proc/self/fd/{}", fd_);
  auto state =
      static_cast<std::uint64_t>(getpid()) << 32 ^
      static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  for (int attempt = 0; attempt < 1000; ++attempt) {
    for (std::size_t i = 1; i <= 6; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      temporary_[temporary_.size() - i] = letters[state >> 59];
    }
    named_ = linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    if (named_) return;
    if (errno != EEXIST) give_up(errno);
  }
  give_up(EEXIST);
}

void OutputFile::publish() {
  finish();
  if (temporary_.empty()) return;
  if (!named_) give_name();
  if (rename(temporary_.c_str(), path_.c_str()) != 0) give_up(errno);
  temporary_.clear();
}

std::string OutputFile::name() const { return path_ == "-" ? "standard output" : path_; }

void OutputFile::give_up(int error) const {
  if (error == EPIPE) fail(Errc::interrupted, "standard output was closed");
  fail(Errc::io, "cannot write '{}': {}", name(), std::strerror(error));
}

}  // namespace mercer
