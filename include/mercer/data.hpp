#pragma once
/// \file
/// Reading and writing files.
///
///     auto table = mercer::read<double>("wine.csv", {.label = "cultivar"});
///     table.x;                       // 178×13
///     table.schema.feature_names;    // "alcohol", …
///
/// Reading is parallel and streams in blocks; CSV takes about 1.5 ns of processor time per byte (on
/// the machine of docs/performance.md).

#include <mercer/progress.hpp>
#include <mercer/source.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mercer {

class Team;

enum class Format { by_extension, csv, tsv, npy, mtx, svm };

/// Entry in the list of formats.
struct FormatEntry {
  std::string name;
  Format format = Format::by_extension;
  std::vector<std::string> extensions;  ///< `.csv`, …; each may be followed by `.gz`
  std::string notes;
};
std::span<const FormatEntry> format_table();

enum class Header { automatic, yes, no };

/// The columns of a model, to be matched in other files.
struct Columns {
  std::vector<std::string> features{};
  std::string label{};
  std::string id{};
  Index width = 0;  ///< number of features, for SVMlight files that may end before the last one
};

/// How to read rows. Columns are named by their header or by their 1-based number; lists take
/// ranges: `a,b,5-9`.
struct ReadOptions {
  Format format = Format::by_extension;
  Header header = Header::automatic;
  char delimiter = 0;     ///< 0: comma, or tab for .tsv
  std::string columns{};  ///< features; empty: all columns without another role
  std::string exclude{};  ///< columns to leave out
  std::string label{};    ///< copied to the output, not a feature
  std::string id{};       ///< copied to the output, not a feature
  std::string weights{};  ///< row weights, as if rows were repeated
  /// CSV with a header: categorical columns. Each becomes one 0/1 feature per category, such as
  /// `color=red`. Finding the categories takes a pass.
  std::string onehot{};
  Missing missing = Missing::error;  ///< `mean` and `em` leave NaN in the cell
  /// In a file with names and without `columns`: exactly these features, matched by name and
  /// returned in this order; and this label and id if the file has them. A feature `color=red` that
  /// is not a column is read from the column `color`. Other columns are skipped (without
  /// `features`, only label and id are matched).
  Columns like{};
  int threads = 0;                    ///< 0: one per core
  std::size_t block_bytes = 8 << 20;  ///< approximate memory of a block of rows
  /// CSV from a pipe: rows are returned as they arrive, not only in full blocks.
  bool live = false;
  Monitor monitor{};
};

/// Opens a file, or standard input for "-". The first rows are read to find the columns, so a
/// missing file, a wrong header or an unknown column is reported here.
template <class T>
std::unique_ptr<Source<T>> open(const std::string& path, const ReadOptions& options = {});

/// Several files as one table, in the given order; at most one of them is "-". Columns are matched
/// by name if names are known, in any order. Parts with different columns are an `Errc::bad_data`
/// that names two files and the column. Parts may have different formats; sparse rows stay sparse
/// if all parts are sparse.
///
///     auto model = mercer::fit(*mercer::open_parts<double>({"part-1.npy", "part-2.npy"}));
template <class T>
std::unique_ptr<Source<T>> open_parts(const std::vector<std::string>& paths,
                                      const ReadOptions& options = {});

/// The same for sources of any kind.
template <class T>
std::unique_ptr<Source<T>> concatenated(std::vector<std::unique_ptr<Source<T>>> parts);

/// A whole source in memory: dense or sparse, with weights, labels and ids.
template <class T>
struct Table {
  Schema schema;
  Matrix<T> x;    ///< dense rows; empty when `schema.sparse`
  Csr<T> sparse;  ///< sparse rows; empty otherwise
  std::vector<double> weights;
  TextColumn labels;
  TextColumn ids;
  Index dropped_rows = 0;
  Index missing_cells = 0;

  Rows<T> rows() const { return schema.sparse ? Rows<T>(sparse) : Rows<T>(x); }
};

/// Reads the rest of a source. Throws `Errc::out_of_memory` before it needs more than `limit_bytes`
/// (0: no limit).
template <class T>
Table<T> read_all(Source<T>& source, std::size_t limit_bytes = 0);

template <class T>
Table<T> read(const std::string& path, const ReadOptions& options = {}) {
  return read_all(*open<T>(path, options));
}

struct SinkOptions {
  std::string id{};  ///< what the leading columns of text are called; empty: there are none
  std::string label{};
  Format format = Format::by_extension;
  int threads = 0;  ///< 0: one per core
  /// Its ranks write one file together: rows of rank 0, then of rank 1, and so on. Rank 0 alone
  /// opens `path`; the others keep what they write in a temporary file (TMPDIR) until `finish`. All
  /// construct a Sink, and all call `finish` and `close`.
  Team* team = nullptr;
  Monitor monitor{};  ///< called while rank 0 collects the rows of the others
};

/// Writes rows: `.csv`, `.tsv`, `.npy`, or "-" for CSV on standard output. Numbers are written in
/// the shortest form that reads back exactly. The file is written atomically, by `close()`.
///
///     mercer::Sink<double> out("scores.csv", {"pc1", "pc2"});
///     out.write(scores);
///     out.close();
template <class T>
class Sink {
 public:
  Sink(const std::string& path, std::vector<std::string> columns, SinkOptions options = {});
  ~Sink();
  Sink(Sink&&) noexcept;

  /// Appends rows; `ids` and `labels` belong to them from index `first` on.
  void write(const MatrixRef<T>& rows, const TextColumn* ids = nullptr,
             const TextColumn* labels = nullptr, Index first = 0);

  /// Completes the file on disk under a temporary name. Nothing is visible yet.
  void finish();
  /// Renames it to its final name, after `finish()` if that was not called.
  void close();

  class Writer;

 private:
  std::unique_ptr<Writer> writer_;
};

}  // namespace mercer
