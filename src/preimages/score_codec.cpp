#include "preimages/score_codec.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace mercer {

namespace {

constexpr double steps = 16;  // of int8, a deviation

constexpr std::array<std::pair<std::string_view, ScoreFormat>, 3> score_format_names = {{
    {"float32", ScoreFormat::float32},
    {"float16", ScoreFormat::float16},
    {"int8", ScoreFormat::int8},
}};

/// Scores beyond what the format holds become its largest: the loss is measured on what is stored,
/// so it has the difference.
std::uint32_t packed(ScoreFormat format, double value) {
  if (format == ScoreFormat::float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::clamp(value, -1e38, 1e38)));
  if (format == ScoreFormat::float16)
    return std::bit_cast<std::uint16_t>(
        Eigen::half(static_cast<float>(std::clamp(value, -65504.0, 65504.0))).x);
  return static_cast<std::uint8_t>(
      static_cast<std::int8_t>(std::clamp(std::round(value * steps), -127.0, 127.0)));
}

double unpacked(ScoreFormat format, std::uint32_t bits) {
  if (format == ScoreFormat::float32) return std::bit_cast<float>(bits);
  if (format == ScoreFormat::float16)
    return static_cast<float>(
        Eigen::half(Eigen::half_impl::raw_uint16_to_half(static_cast<std::uint16_t>(bits))));
  return static_cast<std::int8_t>(static_cast<std::uint8_t>(bits)) / steps;
}

}  // namespace

std::string_view name_of(ScoreFormat format) {
  for (const auto& entry : score_format_names)
    if (entry.second == format) return entry.first;
  return "";
}

ScoreFormat parse_score_format(std::string_view text) {
  for (const auto& entry : score_format_names)
    if (entry.first == text) return entry.second;
  fail(Errc::bad_option, "'{}' is not a format of scores: float32, float16 or int8", text);
}

Index score_bytes(ScoreFormat format) {
  return format == ScoreFormat::float32 ? 4 : format == ScoreFormat::float16 ? 2 : 1;
}

std::string encode_scores(ScoreFormat format, const Matrix<double>& scores,
                          const Vector<double>& deviations) {
  const Index n = scores.rows(), width = score_bytes(format);
  std::string bytes(static_cast<std::size_t>(scores.size() * width), '\0');
  for (Index j = 0; j < scores.cols(); ++j)
    for (Index i = 0; i < n; ++i) {
      const std::uint32_t bits = packed(format, scores(i, j) / deviations[j]);
      for (Index b = 0; b < width; ++b)
        bytes[static_cast<std::size_t>((j * width + b) * n + i)] =
            static_cast<char>(bits >> (8 * b) & 255U);
    }
  return bytes;
}

Matrix<double> decode_scores(ScoreFormat format, std::string_view bytes, Index rows,
                             const Vector<double>& deviations) {
  const Index width = score_bytes(format);
  Matrix<double> scores(rows, deviations.size());
  for (Index j = 0; j < scores.cols(); ++j)
    for (Index i = 0; i < rows; ++i) {
      std::uint32_t bits = 0;
      for (Index b = 0; b < width; ++b)
        bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(
                    bytes[static_cast<std::size_t>((j * width + b) * rows + i)]))
                << (8 * b);
      scores(i, j) = unpacked(format, bits) * deviations[j];
    }
  return scores;
}

}  // namespace mercer
