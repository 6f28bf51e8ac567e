#pragma once
// Files that several ranks read together, each a piece: text by bytes, matrices by rows.
//
// A row belongs to the piece in which it begins. A newline ends a row when an even number of quotes
// stands before it in the file. So each rank counts the quotes and newlines in its bytes; the
// counts of the ranks before it tell how its piece begins and which line that is.

#include "data/bytes.hpp"
#include "data/csv_lanes.hpp"

#include <mercer/data.hpp>
#include <mercer/team.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace mercer {

/// A place in a text: the bytes and the lines before it.
struct TextPlace {
  std::size_t byte = 0;
  Index lines = 0;
};

/// Text of which any piece can be read by itself.
class TextPieces {
 public:
  virtual ~TextPieces() = default;

  virtual std::size_t bytes() const = 0;
  /// The first row, behind the header.
  virtual TextPlace first_row() const = 0;
  /// Newlines and quotes in [begin, end).
  virtual csv::Tally tally(std::size_t begin, std::size_t end) = 0;
  /// The first row that begins in [from.byte, end), of a place behind the first byte. `quoted`: the
  /// place is in a quoted cell.
  virtual std::optional<TextPlace> row_from(TextPlace from, std::size_t end, bool quoted) = 0;
  /// From now on the rows are those of [first.byte, end), which begins and ends with a row.
  virtual void narrow(TextPlace first, std::size_t end) = 0;
};

/// A matrix of which any rows can be read by themselves.
class RowPieces {
 public:
  virtual ~RowPieces() = default;

  virtual Index all_rows() const = 0;
  /// From now on the rows are [first, end), which keep their numbers in messages.
  virtual void narrow(Index first, Index end) = 0;
};

/// Rows with the handle that narrows them, where they have one.
template <class T>
struct InPieces {
  std::unique_ptr<Source<T>> rows;
  TextPieces* text = nullptr;
  RowPieces* matrix = nullptr;
};

/// As `open_csv` and `open_npy`. Text that is compressed or not a file has no handle, nor has a
/// matrix that is not mapped.
template <class T>
InPieces<T> open_csv_in_pieces(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);
template <class T>
InPieces<T> open_npy_in_pieces(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);

/// A file of a list of files that is cut into pieces.
struct CutFile {
  std::size_t bytes = 0;
  TextPieces* text = nullptr;  ///< null: not text, or compressed
};

/// The bytes of a file that a rank has: [begin, end), cut anywhere.
struct ByteRange {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

/// The bytes of each file that the rank has, of a team of `ranks` that have equally many each, the
/// files taken one after the other.
std::vector<ByteRange> bytes_of_rank(const std::vector<CutFile>& files, int rank, int ranks);

/// The rows of a text that begin in a piece.
struct TextPiece {
  TextPlace first;
  std::size_t end = 0;
};

/// Those of each file (of text) that begin in the bytes of this rank. All ranks call it with the
/// same files.
std::vector<TextPiece> cut(const std::vector<CutFile>& files, Team& team);

}  // namespace mercer
