#pragma once
// The header of a NumPy array file, read strictly and without trust: versions 1, 2 and 3.

#include "data/bytes.hpp"

#include <mercer/matrix.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace mercer {

/// How a number is stored: kind 'f' (float), 'i' (signed), 'u' (unsigned) or 'b' (bool).
struct NpyType {
  char kind = 'f';
  int size = 8;
  bool swapped = false;  ///< the bytes are in the other order than this machine's
  std::string text;      ///< as in the file: <f8
};

struct NpyHeader {
  NpyType type;
  bool fortran = false;
  Index rows = 0;
  Index cols = 0;               ///< 1 for a one-dimensional array
  std::string shape;            ///< as in the file: (3, 4)
  std::size_t data_offset = 0;  ///< where the numbers begin
  std::size_t data_bytes = 0;   ///< rows · cols · type.size; does not overflow

  std::size_t row_stride() const {
    return static_cast<std::size_t>(type.size) * (fortran ? 1 : static_cast<std::size_t>(cols));
  }
  std::size_t col_stride() const {
    return static_cast<std::size_t>(type.size) * (fortran ? static_cast<std::size_t>(rows) : 1);
  }
};

/// The byte order sign of this machine: '<' or '>'.
inline constexpr char npy_native_order = std::endian::native == std::endian::little ? '<' : '>';

/// Takes the header off the stream; the next byte is the first of the numbers. Throws
/// `Errc::bad_file` when it is not such a file, `Errc::bad_data` naming a dtype or shape that
/// cannot be rows of numbers.
NpyHeader read_npy_header(ByteStream& bytes);

/// The text between the length field and the numbers; `name` is for messages.
NpyHeader parse_npy_header(std::string_view text, const std::string& name);

}  // namespace mercer
