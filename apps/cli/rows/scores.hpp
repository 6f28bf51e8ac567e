#pragma once
// Rows through a model into a file, and matrices with one row per row of a table.

#include "core/require.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/job.hpp"
#include "terminal/summary.hpp"

#include <mercer/data.hpp>
#include <mercer/model.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace mercer::cli {

/// A file for the scores of a model: [id,] [label,] pc1 … pck. The processes of a job write it
/// together.
template <class T>
Sink<T> open_scores(const std::string& path, const Model<T>& model, const Schema& schema,
                    const RunOptions& run) {
  return Sink<T>(path, numbered("pc", model.outputs()),
                 {.id = schema.id,
                  .label = schema.label,
                  .threads = run.threads,
                  .team = job().team,
                  .monitor = run.monitor});
}

/// Appends the scores of a block, in pieces of about so many bytes.
template <class T>
void write_scores(Sink<T>& out, const Model<T>& model, const Block<T>& block,
                  const TransformOptions& options, std::size_t piece_bytes = std::size_t{4} << 20) {
  const Index row_bytes = static_cast<Index>(sizeof(T)) * std::max<Index>(1, model.outputs());
  const Index piece = std::max<Index>(256, static_cast<Index>(piece_bytes) / row_bytes);
  Matrix<T> scores;
  for (Index first = 0; first < block.rows.rows(); first += piece) {
    stop_if_interrupted();
    const Index count = std::min(piece, block.rows.rows() - first);
    scores.resize(count, model.outputs());
    model.transform(block.rows.middle(first, count), scores, options);
    out.write(scores, block.ids, block.labels, block.first_label + first);
  }
}

/// The scores of the training rows: from the eigenvectors for exact kernel PCA, otherwise computed
/// block by block. `first`: of these rows among those of all processes.
template <class T>
void write_training_scores(Sink<T>& out, const Model<T>& model, Source<T>& rows, Index first,
                           const TransformOptions& options) {
  const Matrix<T> known = model.training_scores();
  rows.rewind();
  while (const auto block = rows.next()) {
    const Index count = block->rows.rows();
    if (known.rows() == 0) {
      write_scores(out, model, *block, options);
      continue;
    }
    stop_if_interrupted();
    require(first + count <= known.rows(), Errc::bad_data,
            "{} changed while it was read: {} rows in the fit, more now", Input(rows.name()),
            known.rows());
    out.write(known.middleRows(first, count), block->ids, block->labels, block->first_label);
    first += count;
  }
}

/// Writes a matrix that belongs to the rows of a table: [id,] [label,] and columns `stem`1, ….
template <class T>
void write_rows_of(const Table<T>& table, const std::string& path, std::string_view stem,
                   const Matrix<T>& matrix, int threads) {
  const Schema& schema = table.schema;
  Sink<T> out(path, numbered(stem, matrix.cols()),
              {.id = schema.id, .label = schema.label, .threads = threads});
  out.write(matrix, schema.id.empty() ? nullptr : &table.ids,
            schema.label.empty() ? nullptr : &table.labels);
  out.finish();
  stop_if_interrupted();
  out.close();
}

}  // namespace mercer::cli
