#include "pca/pass_file.hpp"

#include "core/require.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mercer {

OpenFile::OpenFile(const std::string& path, int flags)
    : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}

OpenFile::~OpenFile() {
  if (fd_ >= 0) ::close(fd_);
}

void refuse_write(const std::string& path, int error) {
  fail(Errc::io, "cannot write '{}': {}; passes that were saved before are kept for `resume`", path,
       std::strerror(error));
}

void write_at(int fd, const std::string& path, const void* data, std::size_t size,
              std::int64_t at) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = pwrite(fd, from, size, at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse_write(path, errno);
    from += done;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
}

bool read_at(int fd, void* data, std::int64_t size, std::int64_t at) {
  char* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t done = pread(fd, to, static_cast<std::size_t>(size), at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    to += done;
    at += done;
    size -= done;
  }
  return true;
}

std::string whole_file(const std::string& path) {
  const OpenFile file(path, O_RDONLY);
  if (file.fd() < 0) return {};
  const std::int64_t size = lseek(file.fd(), 0, SEEK_END);
  // A file whose size is unknown (-1) reads as empty: its checksum then refuses it.
  std::string bytes(static_cast<std::size_t>(std::max<std::int64_t>(0, size)), '\0');
  if (!read_at(file.fd(), bytes.data(), size, 0)) return {};
  return bytes;
}

}  // namespace mercer
