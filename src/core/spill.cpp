#include "core/spill.hpp"

#include "core/require.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace mercer {

namespace {

std::string folder_for_spills() {
  const char* const folder = std::getenv("TMPDIR");
  return folder && *folder ? std::string(folder) + "/" : "/tmp/";
}

int open_without_name(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  std::string name = folder + ".mercer.XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

Spill::Spill(std::string folder, std::size_t most_in_memory)
    : folder_(folder.empty() ? folder_for_spills() : std::move(folder)), most_(most_in_memory) {}

Spill::~Spill() {
  if (map_) munmap(map_, written_);
  if (fd_ >= 0) ::close(fd_);
}

void Spill::add(std::string_view bytes) {
  kept_.append(bytes);
  if (kept_.size() > most_) flush();
}

void Spill::flush() {
  if (fd_ < 0) fd_ = open_without_name(folder_);
  if (fd_ < 0) give_up(errno);
  std::string_view left = kept_;
  while (!left.empty()) {
    const ssize_t done = ::write(fd_, left.data(), left.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) give_up(errno);
    left.remove_prefix(static_cast<std::size_t>(done));
    written_ += static_cast<std::size_t>(done);
  }
  kept_.clear();
}

std::string_view Spill::view() {
  if (fd_ < 0) return kept_;
  if (!map_) {
    if (!kept_.empty()) flush();
    void* const map = mmap(nullptr, written_, PROT_READ, MAP_SHARED, fd_, 0);
    if (map == MAP_FAILED) give_up(errno);
    map_ = map;
  }
  return {static_cast<const char*>(map_), written_};
}

void Spill::release() const {
  if (map_) madvise(map_, written_, MADV_DONTNEED);
}

void Spill::give_up(int error) const {
  fail(Errc::io, "cannot write a temporary file in '{}': {}", folder_, std::strerror(error));
}

}  // namespace mercer
