#pragma once
/// \file
/// Rows as scores: a smaller file from which they come back nearly as they were, with a loss that
/// is measured while it is written.
///
///     const auto model = mercer::fit(x, {.components = mercer::variance_fraction(0.99)});
///     const auto file = mercer::compress(model, *mercer::from_memory<double>(x), "x.mrc");
///     file.loss.mean_squared_error;                                // of every cell
///     auto rows = mercer::decompress<double>("x.mrc");             // a Source
///
/// The file holds the model, the scores in a few bits each, and ids and labels, all deflated. It is
/// smaller than the rows where components are few and the model is small beside the rows: linear
/// models, maps, few landmarks. A damaged or hostile file is an `Errc::bad_file`.

#include <mercer/model.hpp>
#include <mercer/preimage.hpp>
#include <mercer/source.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mercer {

/// How a score is stored, in units of its component's standard deviation.
enum class ScoreFormat {
  float32,
  float16,  ///< 11 bits
  int8,     ///< steps of 1/16, up to ±8
};
std::string_view name_of(ScoreFormat format);
ScoreFormat parse_score_format(std::string_view text);  ///< `Errc::bad_option`

struct CompressOptions {
  ScoreFormat scores = ScoreFormat::float16;
  /// How rows will be found; stored in the file. Its threads and monitor are those of the call.
  PreImageOptions preimage{};
  Missing missing = Missing::error;
};

/// What the rows that come back are off.
struct Loss {
  double mean_squared_error = 0;    ///< over all cells
  double fraction_of_variance = 0;  ///< that, over the variance of the columns
  double largest_error = 0;         ///< of any cell
};

/// What a file says of itself.
struct Compressed {
  Index rows = 0, columns = 0, components = 0;
  ScoreFormat scores = ScoreFormat::float16;
  /// Of the rows in double precision, as `decompress<double>` gives them; from `decompress<float>`
  /// the loss of those.
  Loss loss;
  /// Of the rows rounded to single precision; none: some do not fit, or an older Mercer wrote it.
  std::optional<Loss> float_loss{};
  std::int64_t bytes = 0;        ///< of the file
  std::int64_t model_bytes = 0;  ///< of these, the model's
};

/// Writes the file, whole or not at all. One pass over the source; rows are taken in blocks, and
/// what becomes of them waits in a file without a name in the folder of `path`.
template <class T>
Compressed compress(const Model<T>& model, Source<T>& source, const std::string& path,
                    const CompressOptions& options = {});

/// The rows again, in blocks, with their ids and labels. The file is mapped; what comes by a pipe
/// is kept in a temporary file. Rows are found in double precision and rounded to T; `float` throws
/// `Errc::bad_data` where the file does not tell the loss of that.
template <class T>
std::unique_ptr<Source<T>> decompress(const std::string& path, const RunOptions& options = {},
                                      Compressed* about = nullptr);

}  // namespace mercer
