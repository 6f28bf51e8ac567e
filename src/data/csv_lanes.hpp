#pragma once
// Looking at many bytes at once. SSE2 is the baseline; the plain loops are for other machines.

#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace mercer::csv {

/// Bytes that `Separators` may read behind the last separator.
constexpr std::size_t lane_padding = 64;

/// Walks over the delimiters and newlines of a text, from one to the next.
class Separators {
 public:
  Separators(const char* begin, char delimiter) : delimiter_(delimiter) { seek(begin); }

  /// Where the next one is. There must be one.
  const char* next() {
    while (mask_ == 0) load(block_ + 64);
    const char* found = block_ + std::countr_zero(mask_);
    mask_ &= mask_ - 1;
    return found;
  }

  /// Continues at `place`.
  void seek(const char* place) { load(place); }

 private:
  void load(const char* block) {
    block_ = block;
#ifdef __SSE2__
    const __m128i delimiter = _mm_set1_epi8(delimiter_);
    const __m128i newline = _mm_set1_epi8('\n');
    const auto part = [&](int i) {
      const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i);
      const __m128i hit =
          _mm_or_si128(_mm_cmpeq_epi8(text, delimiter), _mm_cmpeq_epi8(text, newline));
      return static_cast<std::uint64_t>(_mm_movemask_epi8(hit)) << (16 * i);
    };
    mask_ = part(0) | part(1) | part(2) | part(3);
#else
    mask_ = 0;
    for (unsigned i = 0; i < 64; ++i)
      mask_ |= std::uint64_t{block[i] == delimiter_ || block[i] == '\n'} << i;
#endif
  }

  const char* block_ = nullptr;
  std::uint64_t mask_ = 0;  // separators of the 64 bytes at block_ that are still to come
  char delimiter_;
};

/// What the bytes of a text are.
struct Tally {
  std::size_t newlines = 0;
  std::size_t quotes = 0;
  bool control = false;  ///< has bytes 0 … 8, which no text has
};

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 9; }

inline Tally tally(const char* begin, const char* end) {
  Tally result;
  const char* p = begin;
#ifdef __SSE2__
  const __m128i zero = _mm_setzero_si128();
  __m128i smallest = _mm_set1_epi8(-1);
  const auto sum = [&](__m128i counts) {
    const __m128i halves = _mm_sad_epu8(counts, zero);
    return static_cast<std::size_t>(_mm_cvtsi128_si32(halves)) +
           static_cast<std::size_t>(_mm_extract_epi16(halves, 4));
  };
  while (end - p >= 16) {
    __m128i newlines = zero;
    __m128i quotes = zero;
    for (int i = 0; i < 255 && end - p >= 16; ++i, p += 16) {  // a lane counts to 255
      const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      newlines = _mm_sub_epi8(newlines, _mm_cmpeq_epi8(text, _mm_set1_epi8('\n')));
      quotes = _mm_sub_epi8(quotes, _mm_cmpeq_epi8(text, _mm_set1_epi8('"')));
      smallest = _mm_min_epu8(smallest, text);
    }
    result.newlines += sum(newlines);
    result.quotes += sum(quotes);
  }
  const __m128i text = _mm_max_epu8(smallest, _mm_set1_epi8(9));
  result.control = _mm_movemask_epi8(_mm_cmpeq_epi8(text, smallest)) != 0xffff;
#endif
  for (; p < end; ++p) {
    result.newlines += *p == '\n';
    result.quotes += *p == '"';
    result.control |= is_control(*p);
  }
  return result;
}

}  // namespace mercer::csv
