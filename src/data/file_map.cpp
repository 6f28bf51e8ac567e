#include "data/file_map.hpp"

#include "core/require.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mercer {

namespace {

/// Maps that are open, for `mapped_file_at`: a handler of signals may neither lock nor allocate.
struct OpenMap {
  std::atomic<bool> taken{false};
  std::atomic<const char*> begin{nullptr};
  std::size_t size = 0;
  char name[256] = {};
};
OpenMap open_maps[64];  // files beyond these have no name there

void remember_map(const char* begin, std::size_t size, const std::string& name) {
  for (OpenMap& map : open_maps) {
    if (map.taken.exchange(true)) continue;
    map.size = size;
    const std::size_t length = std::min(name.size(), sizeof map.name - 1);
    std::transform(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(length), map.name,
                   [](unsigned char c) { return c < ' ' ? '?' : static_cast<char>(c); });
    map.name[length] = '\0';
    map.begin = begin;
    return;
  }
}

void forget_map(const char* begin) {
  for (OpenMap& map : open_maps) {
    if (map.begin != begin) continue;
    map.begin = nullptr;
    map.taken = false;
    return;
  }
}

}  // namespace

const char* mapped_file_at(const void* address) {
  const char* const at = static_cast<const char*>(address);
  for (const OpenMap& map : open_maps) {
    const char* const begin = map.begin;
    if (begin && at >= begin && at < begin + map.size) return map.name;
  }
  return nullptr;
}

FileMap::FileMap(int descriptor, std::size_t size, const std::string& name) : size_(size) {
  void* const map = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (map == MAP_FAILED) fail(Errc::io, "cannot map '{}': {}", name, std::strerror(errno));
  data_ = static_cast<const char*>(map);
  remember_map(data_, size_, name);
}

FileMap::~FileMap() {
  if (!data_) return;
  forget_map(data_);
  munmap(const_cast<char*>(data_), size_);
}

FileMap::FileMap(FileMap&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

FileMap& FileMap::operator=(FileMap&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void FileMap::prefetch(std::size_t begin, std::size_t end) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  begin = begin / page * page;
  end = std::min(end, size_);
  if (begin >= end) return;
  // Asking costs as much as reading when everything is in the page cache already: look first.
  unsigned char resident = 0;
  char* const last = const_cast<char*>(data_) + (end - 1) / page * page;
  if (mincore(last, 1, &resident) == 0 && (resident & 1) != 0) return;
  madvise(const_cast<char*>(data_) + begin, end - begin, MADV_WILLNEED);
}

void FileMap::release(std::size_t begin, std::size_t end) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  begin = begin / page * page;
  end = end < size_ ? end / page * page : size_;  // a shared last page is still wanted
  if (begin < end) madvise(const_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace mercer
