#pragma once
// Scores into rows: the flags of the commands that do it, and where the rows go.

#include "flags/options.hpp"
#include "flags/through_model.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/summary.hpp"
#include "terminal/terminal.hpp"

#include <mercer/data.hpp>
#include <mercer/preimage.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace mercer::cli {

struct PreImageFlags {
  std::string method = "auto";
  std::string start = "ridge";
  std::string alpha, penalty;
  std::string distances;
};

std::vector<OptionValue> preimage_method_values();

/// --method, --alpha, --penalty and, where rows are written, --distances.
void add_preimage_flags(CLI::App& command, PreImageFlags& flags, bool with_distances = true);
PreImageOptions preimage_options(const PreImageFlags& flags, int threads);
/// Counts what the decoder of these flags takes.
CountMemory decoder_memory(const PreImageFlags& flags);

/// "pre-images by ridge(...) of 500 rows\nmean distance 0.31, 2 of 40 rows outside the data\n"
std::string preimage_words(const std::string& how, Index count, double sum, Index outside,
                           Index not_converged);

/// The columns of the rows that a model gives back.
template <class T>
std::vector<std::string> row_names(const Model<T>& model) {
  return model.feature_names().empty() ? numbered("x", model.inputs()) : model.feature_names();
}

/// Decodes blocks of scores into a file, and their distances into another where asked for.
template <class T>
class PreImageRows {
 public:
  PreImageRows(const Model<T>& model, const PreImageFlags& flags, int threads,
               std::size_t piece_bytes)
      : model_(model),
        piece_bytes_(piece_bytes),
        distances_path_(flags.distances),
        threads_(threads),
        decoder_(model, preimage_options(flags, threads)) {}

  void open(const std::string& output, const Schema& schema) {
    const SinkOptions options{.id = schema.id, .label = schema.label, .threads = threads_};
    rows_.emplace(output, row_names(model_), options);
    if (!distances_path_.empty())
      distances_.emplace(distances_path_,
                         std::vector<std::string>{"distance", "converged", "outside"}, options);
  }

  /// Rows to decode at a time.
  Index piece() const {
    const Index widest = std::max(model_.inputs(), model_.outputs());
    return std::max<Index>(least_decoded, static_cast<Index>(piece_bytes_ / sizeof(T)) / widest);
  }

  /// The texts of these scores begin at `first` in those of the block.
  void write(const Matrix<T>& scores, const Block<T>& block, Index first) {
    write(decoder_(scores), block, first);
  }
  /// The same for rows that are to be denoised.
  void write(const Rows<T>& rows, Missing missing, const Block<T>& block, Index first) {
    write(decoder_.denoise(rows, missing), block, first);
  }

  void close() {
    const auto finish = [](auto& file) { file.finish(); };
    write_to(rows_, finish);
    write_to(distances_, finish);
    stop_if_interrupted();
    if (rows_) rows_->close();
    if (distances_) distances_->close();
  }

  /// The summary; empty for linear models.
  std::string words() const {
    if (model_.map().is_identity() || count_ == 0) return {};
    return preimage_words(decoder_.text(), count_, sum_, outside_, not_converged_);
  }

 private:
  void write(const PreImages<T>& found, const Block<T>& block, Index first) {
    stop_if_interrupted();
    write_to(rows_, [&](Sink<T>& file) { file.write(found.rows, block.ids, block.labels, first); });
    count_ += found.rows.rows();
    outside_ += found.outside_rows();
    not_converged_ += found.not_converged();
    sum_ += found.distance.sum();
    if (!rows_ && !distances_) end_by_closed_pipe();  // all readers have gone
    if (!distances_) return;
    Matrix<double> quality(found.rows.rows(), 3);
    quality.col(0) = found.distance;
    for (Index i = 0; i < found.rows.rows(); ++i) {
      quality(i, 1) = found.converged[static_cast<std::size_t>(i)];
      quality(i, 2) = found.outside[static_cast<std::size_t>(i)];
    }
    write_to(distances_,
             [&](Sink<double>& file) { file.write(quality, block.ids, block.labels, first); });
  }

  const Model<T>& model_;
  std::size_t piece_bytes_;
  std::string distances_path_;
  int threads_;
  Decoder<T> decoder_;
  std::optional<Sink<T>> rows_;
  std::optional<Sink<double>> distances_;
  Index count_ = 0, outside_ = 0, not_converged_ = 0;
  double sum_ = 0;
};

}  // namespace mercer::cli
