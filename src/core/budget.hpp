#pragma once
// The memory that a call may use. It is measured once, at the start of the call, and passed down;
// nothing else reads the machine's memory (tests/architecture/check.cmake).
//
//     FitOptions options;
//     options.memory = Budget(options.memory).bytes();

#include <cstddef>
#include <string>

namespace mercer {

/// Bytes that can be had without swapping: free memory, or what control groups or `ulimit -v` leave
/// where that is less. `root` stands before /proc and /sys.
std::size_t available_memory_bytes(const std::string& root = "");

class Budget {
 public:
  /// `asked` bytes; 0: half of what is available, and never 0.
  explicit Budget(std::size_t asked = 0, const std::string& root = "");

  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
};

}  // namespace mercer
