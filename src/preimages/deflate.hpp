#pragma once
// Bytes deflated and inflated piece by piece (zlib).

#include "core/spill.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace mercer {

/// Takes bytes piece by piece and adds them, deflated, to `out`.
class Deflater {
 public:
  explicit Deflater(Spill& out);
  ~Deflater();
  void add(std::string_view bytes);
  void finish();

 private:
  struct Stream;
  void run(int flush);
  std::unique_ptr<Stream> stream_;
  Spill& out_;
};

/// Gives bytes piece by piece. Nothing is allocated but what is asked for.
class Inflater {
 public:
  /// The bytes must live as long as this.
  explicit Inflater(std::string_view deflated);
  ~Inflater();
  /// The next `size` bytes; fewer where the stream ends or is damaged.
  std::string next(std::size_t size);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

/// More than that no deflated bytes can hold: a limit on what a file may claim.
inline double most_inflated(std::size_t deflated) {
  return 1032.0 * static_cast<double>(deflated) + 1032.0;
}

}  // namespace mercer
