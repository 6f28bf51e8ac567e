#pragma once
// A byte stream over a string: what a pipe gives, or a plain file that can be mapped.

#include "data/bytes.hpp"

#include <mercer/error.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace mercer::test {

class MemoryBytes final : public ByteStream {
 public:
  enum class As { pipe, gzip, file };

  /// `as`: pipe cannot go back, gzip can, file can and has a descriptor.
  explicit MemoryBytes(std::string bytes, As as = As::pipe) : bytes_(std::move(bytes)), as_(as) {
    if (as != As::file) return;
    descriptor_ = memfd_create("bytes", MFD_CLOEXEC);
    if (descriptor_ < 0 ||
        write(descriptor_, bytes_.data(), bytes_.size()) != static_cast<ssize_t>(bytes_.size()))
      throw std::runtime_error("memfd failed");
  }
  ~MemoryBytes() override {
    if (descriptor_ >= 0) close(descriptor_);
  }

  std::size_t read(char* out, std::size_t capacity) override {
    const std::size_t got = std::min(capacity, bytes_.size() - position_);
    if (got > 0) std::memcpy(out, bytes_.data() + position_, got);
    position_ += got;
    return got;
  }
  void rewind() override {
    if (!can_rewind()) throw Error(Errc::io, "memory can be read only once");
    position_ = 0;
  }
  bool can_rewind() const override { return as_ != As::pipe; }
  std::size_t size() const override { return as_ == As::file ? bytes_.size() : 0; }
  double fraction_read() const override { return 0; }
  std::string name() const override { return "memory"; }
  int descriptor() const override { return descriptor_; }

 private:
  std::string bytes_;
  As as_;
  std::size_t position_ = 0;
  int descriptor_ = -1;
};

/// A stream of these bytes.
inline std::unique_ptr<ByteStream> memory_bytes(std::string bytes,
                                                MemoryBytes::As as = MemoryBytes::As::pipe) {
  return std::make_unique<MemoryBytes>(std::move(bytes), as);
}

}  // namespace mercer::test
