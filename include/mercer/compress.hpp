#pragma once
/// \file
/// Lossy compression of rows: scores and model in one file, with the loss measured while it is
/// written.
///
///     const auto model = mercer::fit(x, {.components = mercer::variance_fraction(0.99)});
///     const auto file = mercer::compress(model, *mercer::from_memory<double>(x), "x.mrc");
///     file.loss.mean_squared_error;                                // over all cells
///     auto rows = mercer::decompress<double>("x.mrc");             // a Source
///
/// The file contains the model, the quantised scores, ids and labels, all deflated. It is smaller
/// than the rows if there are few components and the model is small compared with the rows: linear
/// models, maps, few landmarks. A damaged or malicious file is an `Errc::bad_file`.

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
  /// How rows are reconstructed; stored in the file. Its threads and monitor are those of the call.
  PreImageOptions preimage{};
  Missing missing = Missing::error;
};

/// Error of the reconstructed rows.
struct Loss {
  double mean_squared_error = 0;    ///< over all cells
  double fraction_of_variance = 0;  ///< divided by the variance of the columns
  double largest_error = 0;         ///< of any cell
};

/// Description of a compressed file.
struct Compressed {
  Index rows = 0, columns = 0, components = 0;
  ScoreFormat scores = ScoreFormat::float16;
  /// In double precision, as returned by `decompress<double>`; from `decompress<float>`, the loss
  /// in single precision.
  Loss loss;
  /// In single precision; absent if some values overflow, or if an older version wrote the file.
  std::optional<Loss> float_loss{};
  std::int64_t bytes = 0;        ///< of the file
  std::int64_t model_bytes = 0;  ///< the part taken by the model
};

/// Writes the file atomically. One pass over the source, in blocks; intermediate results are stored
/// in an unnamed file in the folder of `path`.
template <class T>
Compressed compress(const Model<T>& model, Source<T>& source, const std::string& path,
                    const CompressOptions& options = {});

/// Reconstructs the rows, in blocks, with their ids and labels. The file is mapped; piped input is
/// stored in a temporary file. Rows are computed in double precision and rounded to T; `float`
/// throws `Errc::bad_data` if the file does not contain the loss in single precision.
template <class T>
std::unique_ptr<Source<T>> decompress(const std::string& path, const RunOptions& options = {},
                                      Compressed* about = nullptr);

}  // namespace mercer
