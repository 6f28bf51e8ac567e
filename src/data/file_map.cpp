#include "data/file_map.hpp"

#include "core/require.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mercer {

FileMap::FileMap(int descriptor, std::size_t size, const std::string& name) : size_(size) {
  void* const map = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (map == MAP_FAILED) fail(Errc::io, "cannot map '{}': {}", name, std::strerror(errno));
  data_ = static_cast<const char*>(map);
}

FileMap::~FileMap() {
  if (data_) munmap(const_cast<char*>(data_), size_);
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
