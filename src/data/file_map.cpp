#include "data/file_map.hpp"

#include "core/require.hpp"

#include <sys/mman.h>
#include <unistd.h>

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

void FileMap::release(std::size_t begin, std::size_t end) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  begin = begin / page * page;
  end = end < size_ ? end / page * page : size_;  // a shared last page is still wanted
  if (begin < end) madvise(const_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace mercer
