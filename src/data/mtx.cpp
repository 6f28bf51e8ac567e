// MatrixMarket: coordinate files become sparse rows, array files dense ones.

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "data/formats.hpp"
#include "data/line_reader.hpp"
#include "data/memory.hpp"
#include "data/mtx_assemble.hpp"
#include "data/number.hpp"
#include "data/shown.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace mercer {

namespace {

template <class T>
class MtxReader {
 public:
  MtxReader(ByteStream& bytes, const ReadOptions& options)
      : options_(options),
        name_(bytes.name()),
        size_(bytes.size()),
        lines_(bytes),
        reporter_(options.monitor, "reading", "bytes", static_cast<double>(size_)) {}

  Table<T> read() {
    banner();
    sizes();
    return array_ ? read_array() : read_coordinates();
  }

 private:
  void banner() {
    const auto first = lines_.next();
    require(first.has_value(), Errc::bad_file, "'{}' is empty", name_);
    std::string text(*first);
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    std::string_view rest = text;
    require(take_word(rest) == "%%matrixmarket" && take_word(rest) == "matrix", Errc::bad_file,
            "'{}' is not a MatrixMarket file: it does not begin with '%%MatrixMarket matrix'",
            name_);
    const std::string_view layout = take_word(rest);
    const std::string_view field = take_word(rest);
    const std::string_view symmetry = take_word(rest);
    array_ = layout == "array";
    pattern_ = field == "pattern";
    check(array_ || layout == "coordinate", layout, "is not a layout; known: coordinate, array");
    check(field == "real" || field == "double" || field == "integer" || (pattern_ && !array_),
          field, "numbers cannot be rows of data; supported: real, integer, pattern (coordinate)");
    if (symmetry == "symmetric") symmetry_ = Symmetry::symmetric;
    else if (symmetry == "skew-symmetric") symmetry_ = Symmetry::skew;
    else
      check(symmetry == "general", symmetry,
            "is not supported; supported: general, symmetric, skew-symmetric");
  }

  void sizes() {
    std::string_view rest = line("the line with its sizes");
    rows_ = whole(take_word(rest), "is not a number of rows", most_rows);
    cols_ = whole(take_word(rest), "is not a number of columns", most_cols);
    if (!array_) entries_ = whole(take_word(rest), "is not a number of entries", most_entries);
    line_ends(rest);
    require(rows_ > 0 && cols_ > 0, Errc::bad_data, "'{}' is empty: it has {} rows and {} columns",
            Input(name_), rows_, cols_);
    require(symmetry_ == Symmetry::general || rows_ == cols_, Errc::bad_file,
            "'{}', line {}: a symmetric matrix is square, not {} by {}", name_, lines_.number(),
            rows_, cols_);
    // Every row costs memory, even an empty one; a few bytes must not ask for gigabytes.
    constexpr std::int64_t free_rows = 1 << 20;
    constexpr std::int64_t rows_per_entry = 64;
    require(
        array_ || (rows_ - free_rows) / rows_per_entry <= entries_, Errc::bad_data,
        "'{}', line {}: {} rows for {} entries; nearly all rows would be empty, at most {} rows "
        "are read for so few entries",
        Input(name_), lines_.number(), rows_, entries_, free_rows + rows_per_entry * entries_);
  }

  Table<T> read_coordinates() {
    std::vector<MtxEntry<T>> entries;
    constexpr std::size_t shortest_line = 4;  // "1 1\n"
    entries.reserve(std::min(static_cast<std::size_t>(entries_), size_ / shortest_line));
    std::int64_t found = 0;
    while (auto rest = content()) {
      require(found++ < entries_, Errc::bad_file,
              "'{}', line {}: more than the {} entries declared", name_, lines_.number(), entries_);
      const std::string_view row_word = take_word(*rest);
      const std::int64_t row = whole(row_word, "is not a row number", rows_);
      const std::string_view column_word = take_word(*rest);
      const std::int64_t column = whole(column_word, "is not a column number", cols_);
      check(row > 0, row_word, "is not a row number: rows are counted from 1");
      check(column > 0, column_word, "is not a column number: columns are counted from 1");
      const T value = pattern_ ? T(1) : number(take_word(*rest));
      line_ends(*rest);
      add(entries, row - 1, column - 1, value);
    }
    require(found == entries_, Errc::bad_file, "'{}' is truncated: {} entries declared, {} found",
            name_, entries_, found);
    return assemble_coordinates(std::move(entries), rows_, cols_, options_, name_);
  }

  void add(std::vector<MtxEntry<T>>& entries, std::int64_t row, std::int64_t column, T value) {
    entries.push_back({row, static_cast<std::int32_t>(column), value});
    if (symmetry_ == Symmetry::general) return;
    require(row >= column, Errc::bad_file,
            "'{}', line {}: an entry above the diagonal; symmetric files list the lower triangle",
            name_, lines_.number());
    require(row != column || symmetry_ == Symmetry::symmetric, Errc::bad_file,
            "'{}', line {}: an entry on the diagonal of a skew-symmetric matrix", name_,
            lines_.number());
    if (row != column)
      entries.push_back(
          {column, static_cast<std::int32_t>(row), symmetry_ == Symmetry::skew ? -value : value});
  }

  Table<T> read_array() {
    const MtxArray shape{rows_, cols_, symmetry_};
    const double expected = shape.values();
    std::vector<T> values;
    if (expected < static_cast<double>(size_)) values.reserve(static_cast<std::size_t>(expected));
    while (auto rest = content()) {
      for (std::string_view word = take_word(*rest); !word.empty(); word = take_word(*rest)) {
        require(static_cast<double>(values.size()) < expected, Errc::bad_file,
                "'{}', line {}: more than the {:.0f} numbers of {} rows and {} columns", name_,
                lines_.number(), expected, rows_, cols_);
        values.push_back(number(word));
      }
    }
    require(static_cast<double>(values.size()) == expected, Errc::bad_file,
            "'{}' is truncated: {} rows and {} columns need {:.0f} numbers, {} found", name_, rows_,
            cols_, expected, values.size());
    return assemble_array(values, shape, options_, name_);
  }

  /// The next line that is neither blank nor a comment.
  std::optional<std::string_view> content() {
    while (const auto text = lines_.next()) {
      if (lines_.number() % 1024 == 0) reporter_(lines_.bytes_read());
      if (text->starts_with('%')) continue;
      if (text->find_first_not_of(" \t") != text->npos) return text;
    }
    return std::nullopt;
  }
  std::string_view line(std::string_view what) {
    const auto text = content();
    require(text.has_value(), Errc::bad_file, "'{}' is truncated: it ends before {}", name_, what);
    return *text;
  }

  std::int64_t whole(std::string_view word, std::string_view what, std::int64_t most) const {
    std::int64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, status] = std::from_chars(word.data(), end, value);
    check(status != std::errc::invalid_argument && stop == end && word[0] != '-', word, what);
    if (status != std::errc{} || value > most)
      fail(Errc::bad_data, "'{}', line {}: {} is too large; at most {} here", Input(name_),
           lines_.number(), shown(word), most);
    return value;
  }

  T number(std::string_view word) const {
    T value = std::numeric_limits<T>::quiet_NaN();
    const Cell cell = parse_cell<T>(word, value);
    check(cell != Cell::text && !word.empty(), word, "is not a number");
    check(cell != Cell::infinite, word, "is infinite or too large; replace it");
    return value;
  }

  void line_ends(std::string_view rest) const {
    const std::string_view word = take_word(rest);
    check(word.empty(), word, "is one number too many");
  }

  void check(bool holds, std::string_view word, std::string_view what) const {
    if (!holds) [[unlikely]]
      fail(Errc::bad_data, "'{}', line {}: '{}' {}", Input(name_), lines_.number(), shown(word),
           what);
  }

  static constexpr std::int64_t most_rows = std::int64_t{1} << 40;
  static constexpr std::int64_t most_cols = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int64_t most_entries = std::int64_t{1} << 50;

  const ReadOptions& options_;
  std::string name_;
  std::size_t size_;
  LineReader lines_;
  Reporter reporter_;
  bool array_ = false;
  bool pattern_ = false;
  Symmetry symmetry_ = Symmetry::general;
  std::int64_t rows_ = 0, cols_ = 0, entries_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<Source<T>> open_mtx(std::unique_ptr<ByteStream> bytes, const ReadOptions& options) {
  const std::string name = bytes->name();
  return from_table(MtxReader<T>(*bytes, options).read(), name, options.block_bytes);
}

template std::unique_ptr<Source<float>> open_mtx(std::unique_ptr<ByteStream>, const ReadOptions&);
template std::unique_ptr<Source<double>> open_mtx(std::unique_ptr<ByteStream>, const ReadOptions&);

extern const FormatRow mtx_format;
const FormatRow mtx_format = {"mtx",
                              Format::mtx,
                              ".mtx",
                              "MatrixMarket; sparse rows stay sparse",
                              &open_mtx<float>,
                              &open_mtx<double>};

}  // namespace mercer
