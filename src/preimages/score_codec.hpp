#pragma once
// Scores in a few bits each. Bytes of the same kind stand together, component by component, which
// is what deflate likes.

#include <mercer/compress.hpp>

#include <string>
#include <string_view>

namespace mercer {

Index score_bytes(ScoreFormat format);

/// The bytes of a block of scores, in units of `deviations`. What is too large is cut off.
std::string encode_scores(ScoreFormat format, const Matrix<double>& scores,
                          const Vector<double>& deviations);
/// And back, `rows` of them.
Matrix<double> decode_scores(ScoreFormat format, std::string_view bytes, Index rows,
                             const Vector<double>& deviations);

}  // namespace mercer
