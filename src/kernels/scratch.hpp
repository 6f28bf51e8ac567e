#pragma once
// Tiles that outlive a call: each thread keeps those it once needed, so that half a megabyte is
// not mapped, faulted in and unmapped for every tile.

#include <mercer/matrix.hpp>

#include <memory>
#include <vector>

namespace mercer {

/// A borrowed buffer of at least `size` numbers; gives it back at its end. Of the thread that
/// made it.
template <class T>
class Scratch {
 public:
  explicit Scratch(Index size) {
    auto& all = spare();
    if (!all.empty()) {
      buffer_ = std::move(all.back());
      all.pop_back();
    } else {
      buffer_ = std::make_unique<Vector<T>>();
    }
    if (buffer_->size() < size) buffer_->resize(size);
  }
  ~Scratch() {
    if (buffer_) spare().push_back(std::move(buffer_));
  }
  Scratch(Scratch&&) noexcept = default;
  Scratch& operator=(Scratch&&) = delete;

  T* data() const { return buffer_->data(); }

 private:
  using Buffer = std::unique_ptr<Vector<T>>;
  static std::vector<Buffer>& spare() {
    thread_local std::vector<Buffer> buffers;
    return buffers;
  }
  Buffer buffer_;
};

}  // namespace mercer
