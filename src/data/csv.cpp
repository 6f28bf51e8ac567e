// CSV and TSV: rows in parallel, block by block.
//
// A block is a window of text. Threads read and tally its stretches (csv_text), the window is cut
// into chunks of whole rows, and threads parse those (csv_rows) straight to their place in the
// block. Errors are reported in file order afterwards, so the message does not depend on the
// threads.

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "data/csv_rows.hpp"
#include "data/formats.hpp"
#include "data/onehot.hpp"
#include "data/pieces.hpp"
#include "data/unusable.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mercer {

namespace csv {

namespace {

template <class T>
class CsvSource final : public CategorySource<T>, public TextPieces {
 public:
  CsvSource(std::unique_ptr<ByteStream> bytes, const ReadOptions& options)
      : options_(options),
        threads_(thread_count(options.threads)),
        text_(std::move(bytes), threads_),
        layout_(find_layout(text_, options)),
        first_{text_.consumed(), layout_.first_line - 1},
        reporter_(options_.monitor, "reading", "bytes", text_.expected_bytes()) {
    // A row may be longer than the first read. A pipe is not waited for.
    while (can_rewind() && text_.chunks().empty() && !text_.complete() && !first_row_is_broken() &&
           text_.end() - text_.begin() < static_cast<std::ptrdiff_t>(Text::longest_row))
      text_.grow(text_.begin());
    // A first idea of how long rows are, from the window as it is.
    for (const Chunk& chunk : text_.chunks()) {
      seen_lines_ += chunk.lines;
      seen_bytes_ += static_cast<double>(chunk.end - chunk.begin);
    }
    options_.block_bytes = std::clamp<std::size_t>(options.block_bytes, 64, std::size_t{1} << 30);
    for (const Category& category : categories()) levels_.emplace_back(category, name());
  }

  const Schema& schema() const override { return layout_.plan.schema; }
  const std::vector<Category>& categories() const override { return layout_.plan.categories; }
  const std::vector<Levels>& levels() const override { return levels_; }
  std::string name() const override { return text_.name(); }
  Index dropped_rows() const override { return dropped_; }
  Index missing_cells() const override {
    return keeps_holes(options_.missing) ? missing_ : 0;  // those that stand in the rows
  }
  bool can_rewind() const override { return text_.can_rewind(); }

  void rewind() override {
    require(can_rewind(), Errc::io,
            "{} can be read only once, and a second pass is needed; save it to a file first",
            name());
    text_.rewind(first_.byte, first_.lines);
    if (piece_end_) text_.set_end(*piece_end_);
    rows_ = dropped_ = missing_ = 0;
    first_missing_ = {};
    late_.reset();
  }

  bool in_pieces() const { return text_.in_pieces(); }
  std::size_t bytes() const override { return text_.file_bytes(); }
  TextPlace first_row() const override { return first_; }
  Tally tally(std::size_t begin, std::size_t end) override {
    return text_.tally_of(begin, end, [&] { reporter_(static_cast<double>(begin)); });
  }
  std::optional<TextPlace> row_from(TextPlace from, std::size_t end, bool quoted) override {
    return text_.row_from(from, end, quoted, [&] { reporter_(static_cast<double>(from.byte)); });
  }
  void narrow(TextPlace first, std::size_t end) override {
    first_ = first;
    piece_end_ = end;
    rewind();
  }

  Index expected_rows() const override {
    const double left = text_.expected_bytes() - static_cast<double>(text_.consumed());
    if (left <= 0 || seen_lines_ == 0) return rows_;
    return rows_ + static_cast<Index>(std::llround(left / bytes_per_line()));
  }

  std::size_t buffer_bytes() const override {
    // The text of a block and its numbers; each holds one row at least, and large buffers are
    // whole huge pages.
    const auto row = std::max(seen_lines_ == 0 ? 0.0 : bytes_per_line(),
                              static_cast<double>(schema().features) * sizeof(T));
    const std::size_t block = std::max(options_.block_bytes, static_cast<std::size_t>(row));
    constexpr std::size_t huge = std::size_t{2} << 20;
    return 2 * (block < huge ? block : (block + huge - 1) / huge * huge);
  }

  std::optional<Block<T>> next() override {
    while (!late_) {
      const std::vector<Chunk> chunks = read_chunks();
      if (chunks.empty()) break;
      parse(chunks);
      if (options_.live) check_live(chunks);
      else check(chunks);
      const Index rows = counting() && !late_ ? 0 : gather();
      text_.advance(chunks.back().end, chunks.back().line + chunks.back().lines);
      if (rows > 0) return block(rows);
    }
    if (late_) throw *late_;
    text_.release();
    values_ = {};
    if (counting()) fail_missing_so_far(true);
    if (rows_ == 0 && !piece_end_) fail_all_dropped(name());
    return std::nullopt;
  }

 private:
  double bytes_per_line() const { return seen_bytes_ / static_cast<double>(seen_lines_); }

  /// How much text makes a block of about the wanted size; never more text than that either.
  std::size_t window_bytes() const {
    const double row_bytes = static_cast<double>(schema().features) * sizeof(T);
    const auto wanted = static_cast<double>(options_.block_bytes);
    return static_cast<std::size_t>(
        std::clamp(wanted / row_bytes * bytes_per_line(), 64.0, wanted));
  }

  std::vector<Chunk> read_chunks() {
    reporter_.total(text_.expected_bytes());
    reporter_(static_cast<double>(text_.consumed()));
    const std::size_t bytes = seen_lines_ == 0 ? options_.block_bytes : window_bytes();
    // Small enough for the cache and for every thread to get several; a chunk may begin a row
    // that has too few cells, so no chunk is much shorter than a row.
    constexpr std::size_t largest = std::size_t{256} << 10;
    const std::size_t stretch =
        std::max({std::min(bytes / (4 * static_cast<std::size_t>(threads_)), largest),
                  std::size_t{64}, 2 * static_cast<std::size_t>(layout_.columns)});
    // Rows that have come already are not kept waiting for those that may come.
    if (options_.live) text_.fill(0, stretch);
    if (!options_.live || text_.chunks().empty()) text_.fill(bytes, stretch);
    for (;;) {
      std::vector<Chunk> chunks = text_.chunks();
      // The window may be longer than asked: it began with a look at the first rows.
      const auto most = static_cast<std::ptrdiff_t>(bytes);
      while (chunks.size() > 1 && chunks.back().end - text_.begin() > most) chunks.pop_back();
      if (!chunks.empty() || text_.complete()) return chunks;
      if (first_row_is_broken()) return {{text_.begin(), text_.end(), text_.line(), 1, true}};
      make_window_longer();
    }
  }

  // A quote out of place looks like a row without end, but parsing will come upon it.
  bool first_row_is_broken() const {
    const RowScan row =
        scan_row(text_.begin(), text_.end(), layout_.delimiter, [](const CellSpan&) {});
    return row.fault == Fault::stray_quote || row.fault == Fault::after_quote;
  }

  void make_window_longer() {
    const bool too_long = static_cast<std::size_t>(text_.end() - text_.begin()) > Text::longest_row;
    if (too_long && counting()) fail_missing_so_far(false);
    if (too_long) refuse_binary(text_, text_.end());
    text_.grow(text_.begin());
  }

  void parse(const std::vector<Chunk>& chunks) {
    const Index features = schema().features;
    parsed_.assign(chunks.size(), {});
    Index room = 0;
    for (const Chunk& chunk : chunks) room += most_rows(chunk, layout_);
    values_.reserve(static_cast<std::size_t>(room * features));
    if (schema().weighted) weights_.reserve(static_cast<std::size_t>(room));
    Index first = 0;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      parsed_[i].values = values_.data() + first * features;
      parsed_[i].weights = schema().weighted ? weights_.data() + first : nullptr;
      first += most_rows(chunks[i], layout_);
    }
    parallel_for(static_cast<Index>(chunks.size()), threads_, [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      parse_rows(chunks[at], layout_, options_.missing == Missing::drop, parsed_[at]);
    });
  }

  // In file order, so that the first thing wrong is what is said.
  void check(const std::vector<Chunk>& chunks) {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const ParsedRows<T>& part = parsed_[i];
      missing_ += part.missing;
      dropped_ += part.dropped;
      if (options_.missing == Missing::error && part.first_missing && !counting())
        note_missing(line_of(chunks[i], part.first_missing), part.first_missing_column);
      if (part.problem.kind == Problem::Kind::none) continue;
      if (counting()) fail_missing_so_far(false);
      refuse_binary(text_, end_of_line(part.problem.at));
      fail_problem(part.problem, line_of(chunks[i], part.problem.at), text_.end(), layout_, name());
    }
    if (!counting()) refuse_binary(text_, chunks.back().end - 1);
  }

  /// Rows that come as they are sent: those before a bad one are given out, then it is refused. The
  /// rest may never end, and is not read to count missing cells.
  void check_live(const std::vector<Chunk>& chunks) {
    try {
      check(chunks);
      if (counting()) fail_missing_so_far(false);
    } catch (const Error& error) {
      const bool holes = options_.missing == Missing::error;
      const auto bad = std::ranges::find_if(parsed_, [&](const ParsedRows<T>& part) {
        return part.problem.kind != Problem::Kind::none || (holes && part.first_missing);
      });
      if (bad == parsed_.end()) throw;
      if (holes && bad->first_missing) bad->rows = bad->first_missing_row;
      parsed_.erase(bad + 1, parsed_.end());
      late_ = error;
    }
  }

  /// The rest of the file is read then, other pieces included.
  void note_missing(Index line, Index column) {
    first_missing_ = {line, column};
    if (piece_end_) text_.set_end(text_.file_bytes());
  }

  /// A missing cell has been found that may not be: the rest is read only to count the others.
  bool counting() const { return first_missing_.line != 0; }

  static Index line_of(const Chunk& chunk, const char* place) {
    return chunk.line + count_lines(chunk.begin, place) + 1;
  }

  const char* end_of_line(const char* place) const { return std::find(place, text_.end(), '\n'); }

  [[noreturn]] void fail_missing_so_far(bool exact) const {
    fail_missing_cells(first_missing_.line, first_missing_.column, missing_, exact, layout_,
                       name());
  }

  /// Makes the chunks' rows one block. They lie close together already unless lines were blank,
  /// dropped or quoted newlines.
  Index gather() {
    const Index features = schema().features;
    labels_.clear();
    ids_.clear();
    Index rows = 0;
    for (ParsedRows<T>& part : parsed_) {
      T* values = values_.data() + rows * features;
      if (values != part.values)
        std::memmove(values, part.values,
                     static_cast<std::size_t>(part.rows * features) * sizeof(T));
      if (schema().weighted)
        std::memmove(weights_.data() + rows, part.weights,
                     static_cast<std::size_t>(part.rows) * sizeof(double));
      for (std::size_t c = 0; c < levels_.size(); ++c)
        levels_[c].renumber(part.levels[c], values + categories()[c].feature, part.rows, features);
      labels_.append(part.labels);
      ids_.append(part.ids);
      rows += part.rows;
    }
    return rows;
  }

  Block<T> block(Index rows) {
    rows_ += rows;
    seen_lines_ = rows_ + dropped_;
    seen_bytes_ = static_cast<double>(text_.consumed() - first_.byte);
    Block<T> block;
    block.rows = Rows<T>(values_.data(), rows, schema().features, schema().features);
    if (schema().weighted) block.weights = {weights_.data(), static_cast<std::size_t>(rows)};
    if (!schema().label.empty()) block.labels = &labels_;
    if (!schema().id.empty()) block.ids = &ids_;
    return block;
  }

  ReadOptions options_;
  int threads_;
  Text text_;
  Layout layout_;
  TextPlace first_;                       // the first row
  std::optional<std::size_t> piece_end_;  // of a piece; nothing: all of the file
  Reporter reporter_;

  std::vector<ParsedRows<T>> parsed_;
  Buffer<T> values_;
  Buffer<double> weights_;
  TextColumn labels_, ids_;
  std::vector<Levels> levels_;  // of each column of categories

  Index rows_ = 0;
  Index dropped_ = 0;
  Index missing_ = 0;
  Index seen_lines_ = 0;   // rows so far, or a sample of them
  double seen_bytes_ = 0;  // and how long they are
  struct {
    Index line = 0;  // 0: none
    Index column = 0;
  } first_missing_;            // with Missing::error
  std::optional<Error> late_;  // to be thrown when the rows before it are given out
};

}  // namespace

}  // namespace csv

template <class T>
InPieces<T> open_csv_in_pieces(std::unique_ptr<ByteStream> bytes, const ReadOptions& options) {
  auto source = std::make_unique<csv::CsvSource<T>>(std::move(bytes), options);
  csv::CsvSource<T>* const text = source->in_pieces() ? source.get() : nullptr;
  if (source->categories().empty()) return {std::move(source), text};
  return {one_hot<T>(std::move(source), options), text};
}

template <class T>
std::unique_ptr<Source<T>> open_csv(std::unique_ptr<ByteStream> bytes, const ReadOptions& options) {
  return open_csv_in_pieces<T>(std::move(bytes), options).rows;
}

template InPieces<float> open_csv_in_pieces(std::unique_ptr<ByteStream>, const ReadOptions&);
template InPieces<double> open_csv_in_pieces(std::unique_ptr<ByteStream>, const ReadOptions&);

template std::unique_ptr<Source<float>> open_csv(std::unique_ptr<ByteStream>, const ReadOptions&);
template std::unique_ptr<Source<double>> open_csv(std::unique_ptr<ByteStream>, const ReadOptions&);

extern const FormatRow csv_format;
const FormatRow csv_format = {
    "csv",
    Format::csv,
    ".csv .txt .data",
    "RFC 4180: quotes, CRLF, a UTF-8 byte order mark; also standard input",
    &open_csv<float>,
    &open_csv<double>};

namespace {

template <class T>
std::unique_ptr<Source<T>> open_tsv(std::unique_ptr<ByteStream> bytes, const ReadOptions& options) {
  ReadOptions tabs = options;
  if (tabs.delimiter == 0) tabs.delimiter = '\t';
  return open_csv<T>(std::move(bytes), tabs);
}

}  // namespace

extern const FormatRow tsv_format;
const FormatRow tsv_format = {"tsv",
                              Format::tsv,
                              ".tsv .tab",
                              "the same with tabs between cells",
                              &open_tsv<float>,
                              &open_tsv<double>};

}  // namespace mercer
