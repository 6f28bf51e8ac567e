#pragma once
// Memory that is kept and reused from block to block: fresh pages cost more than the parsing.

#include "core/memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace mercer::csv {

/// Room for numbers or bytes, not initialised. Growing does not keep what was there.
template <class T>
class Buffer {
 public:
  T* data() { return data_.get(); }
  std::size_t size() const { return size_; }

  void reserve(std::size_t size) {
    if (size <= size_) return;
    data_.reset();
    *this = Buffer(size);
  }

  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    constexpr std::size_t huge = std::size_t{2} << 20;
    if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = size * sizeof(T);
    const std::size_t aligned = (bytes + huge - 1) / huge * huge;
    void* memory = bytes < huge ? std::malloc(bytes) : std::aligned_alloc(huge, aligned);
    if (!memory) throw std::bad_alloc();
    if (bytes >= huge) advise_huge_pages(memory, aligned);
    data_.reset(static_cast<T*>(memory));
  }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace mercer::csv
