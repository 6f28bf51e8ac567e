// NPY: mapped when it is a plain file, read in order otherwise.

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "data/file_map.hpp"
#include "data/finite.hpp"
#include "data/formats.hpp"
#include "data/npy_cells.hpp"
#include "data/pieces.hpp"
#include "data/unnamed.hpp"
#include "data/unusable.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>

namespace mercer {

namespace {

template <class T>
class NpySource final : public Source<T>, public RowPieces {
 public:
  NpySource(std::unique_ptr<ByteStream> bytes, const ReadOptions& options)
      : bytes_(std::move(bytes)),
        options_(options),
        header_(read_npy_header(*bytes_)),
        reporter_(options_.monitor, "reading", "rows", static_cast<double>(header_.rows)),
        end_(header_.rows) {
    choose_columns();
    cells_ = {nullptr, header_.type, header_.row_stride(), header_.col_stride()};
    if (bytes_->descriptor() >= 0) {
      require_bytes(bytes_->size() - std::min(bytes_->size(), header_.data_offset));
      map_file();
    }
    if (!resident_ && header_.fortran) {
      receive(header_.data_bytes);  // its first row ends with its last bytes
      resident_ = true;
    }
    direct_ = header_.type.kind == 'f' && header_.type.size == sizeof(T) && !header_.type.swapped &&
              !header_.fortran && !plan_ &&
              reinterpret_cast<std::uintptr_t>(cells_.data) % alignof(T) == 0;
    // What is borrowed from a map is not copied; longer blocks then mean fewer forks and joins.
    const std::size_t block_bytes = options_.block_bytes * (direct_ && map_.data() ? 4 : 1);
    const auto row_bytes = static_cast<std::size_t>(schema_.features) * sizeof(T);
    block_rows_ = std::clamp<Index>(static_cast<Index>(block_bytes / row_bytes), 1, header_.rows);
  }

  const Schema& schema() const override { return schema_; }
  std::string name() const override { return bytes_->name(); }
  Index dropped_rows() const override { return dropped_; }
  Index missing_cells() const override { return missing_; }

  Index expected_rows() const override {
    // What only the header claims must not make anyone set much memory aside.
    const double bytes =
        static_cast<double>(header_.rows) * static_cast<double>(schema_.features) * sizeof(T);
    return resident_ || bytes < 256e6 ? end_ - first_ : 0;
  }

  bool in_pieces() const { return map_.data(); }
  Index all_rows() const override { return header_.rows; }
  void narrow(Index first, Index end) override {
    first_ = first;
    end_ = end;
    is_piece_ = true;
    clean_ = false;
    reporter_.total(static_cast<double>(end));
    rewind();
  }

  std::size_t buffer_bytes() const override {
    const auto rows = static_cast<std::size_t>(block_rows_);
    const std::size_t gathered = rows * static_cast<std::size_t>(schema_.features) * sizeof(T);
    const std::size_t raw = rows * static_cast<std::size_t>(header_.cols) * header_.type.size;
    if (direct_ && map_.data()) return 0;
    return (direct_ ? 0 : gathered) + (resident_ && !header_.fortran ? 0 : raw);
  }

  std::optional<Block<T>> next() override {
    while (load()) {
      screen();
      if (kept_rows_ > 0) return block();
    }
    if (!is_piece_ && dropped_ == header_.rows) fail_all_dropped(name());
    return std::nullopt;
  }

  void require_unchanged() const override {
    if (direct_ && map_.data()) bytes_->require_unchanged();
  }
  bool can_rewind() const override { return resident_ || bytes_->can_rewind(); }
  void rewind() override {
    bytes_->require_unchanged();
    release();
    if (!resident_ && begin_ + count_ > 0) {
      bytes_->rewind();
      receive(header_.data_offset);
    }
    begin_ = released_ = first_;
    count_ = 0;
  }

  std::optional<Block<T>> whole() override {
    if (!direct_ || !resident_) return std::nullopt;
    const T* const all = reinterpret_cast<const T*>(cells_.data) + first_ * header_.cols;
    const Index rows = end_ - first_;
    if (!clean_) clean_ = all_finite(all, rows * header_.cols, options_.threads);
    if (!clean_) {
      if (options_.missing == Missing::drop) return std::nullopt;
      rewind();
      while (next()) continue;  // refuses what cannot be used, counts what is missing
      rewind();
    }
    return Block<T>{Rows<T>(all, rows, header_.cols, header_.cols)};
  }

 private:
  void choose_columns() {
    plan_ = plan_unnamed(header_.cols, options_, name());
    if (!plan_) {
      schema_.features = header_.cols;
      return;
    }
    schema_ = plan_->schema;
    for (std::size_t c = 0; c < plan_->roles.size(); ++c) {
      if (plan_->roles[c] == Role::label) label_column_ = static_cast<Index>(c);
      if (plan_->roles[c] == Role::id) id_column_ = static_cast<Index>(c);
      if (plan_->roles[c] == Role::weight) weight_column_ = static_cast<Index>(c);
    }
  }

  /// A file larger than the address space that is left is read as a stream is, row by row.
  void map_file() {
    try {
      map_ = FileMap(bytes_->descriptor(), bytes_->size(), name());
    } catch (const Error&) {
      if (header_.fortran) throw;
      return;
    }
    cells_.data = map_.data() + header_.data_offset;
    resident_ = true;
  }

  void require_bytes(std::size_t found) const {
    require(found >= header_.data_bytes, Errc::bad_file,
            "'{}' is truncated: shape {} of {} needs {} bytes after the header, {} found", name(),
            header_.shape, header_.type.text, header_.data_bytes, found);
  }

  /// Puts the next bytes of the stream into `raw_`, which grows with what really arrives.
  void receive(std::size_t wanted) {
    const std::size_t before = static_cast<std::size_t>(begin_) * cells_.row_stride;
    std::size_t have = 0;
    while (have < wanted) {
      const std::size_t target = std::min(wanted, std::max<std::size_t>(2 * have, 1 << 16));
      if (raw_.size() < target) raw_.resize(target);
      const std::size_t got = bytes_->read(raw_.data() + have, target - have);
      have += got;
      if (have < target && bytes_->at_end()) require_bytes(before + have);
    }
    cells_.data = raw_.data();
  }

  /// Moves on to the next rows of the file: `rows_` are their features.
  bool load() {
    release();
    begin_ += count_;
    count_ = 0;
    reporter_(static_cast<double>(begin_));
    if (begin_ == first_) dropped_ = missing_ = 0;
    if (begin_ == end_) {
      if (map_.data()) bytes_->require_unchanged();
      clean_ = clean_ || (dropped_ == 0 && missing_ == 0);
      return false;
    }
    count_ = std::min(block_rows_, end_ - begin_);
    // To touch a page that is no longer in the file would be the end of the program.
    if (map_.data()) bytes_->require_unchanged();
    if (!resident_) receive(static_cast<std::size_t>(count_) * cells_.row_stride);
    else prefetch();
    origin_ = resident_ ? 0 : begin_;
    rows_ = direct_ ? reinterpret_cast<const T*>(cells_.data) + (begin_ - origin_) * header_.cols
                    : gathered();
    return true;
  }

  const T* gathered() {
    const Index width = schema_.features;
    if (buffer_.size() < count_ * width) {
      buffer_.resize(count_ * width);
      advise_huge_pages(buffer_.data(), static_cast<std::size_t>(buffer_.size()) * sizeof(T));
    }
    const Index* columns = plan_ ? plan_->features.data() : nullptr;
    NpyCells cells = cells_;
    Index first = begin_ - origin_;
    if (map_.data() && header_.fortran) {
      cells = read_columns(columns);
      columns = nullptr;
      first = 0;
    }
    parallel_ranges(count_, options_.threads, std::max<Index>(1, (1 << 16) / width),
                    [&](Index begin, Index end, int) {
                      npy_gather(cells, first + begin, end - begin, columns, width,
                                 buffer_.data() + begin * width);
                    });
    return buffer_.data();
  }

  /// The features of the block, column by column. They are read and not taken from the map: each
  /// row has a page in every column, and where the page cache has large pages, one row maps the
  /// whole file.
  NpyCells read_columns(const Index* columns) {
    const auto length = static_cast<std::size_t>(count_) * cells_.row_stride;
    const Index width = schema_.features;
    raw_.resize(static_cast<std::size_t>(width) * length);
    parallel_ranges(width, options_.threads, std::max<Index>(1, (1 << 18) / count_),
                    [&](Index begin, Index end, int) {
                      for (Index j = begin; j < end; ++j)
                        read_slice(columns ? columns[j] : j, length,
                                   raw_.data() + static_cast<std::size_t>(j) * length);
                    });
    return {raw_.data(), header_.type, cells_.row_stride, length};
  }

  void read_slice(Index column, std::size_t length, char* out) const {
    auto at = static_cast<off_t>(header_.data_offset +
                                 static_cast<std::size_t>(column) * cells_.col_stride +
                                 static_cast<std::size_t>(begin_) * cells_.row_stride);
    while (length > 0) {
      const ssize_t got = pread(bytes_->descriptor(), out, length, at);
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) bytes_->require_unchanged();
      require(got > 0, Errc::io, "cannot read '{}': {}", name(),
              got == 0 ? "unexpected end of file" : std::strerror(errno));
      out += got;
      at += got;
      length -= static_cast<std::size_t>(got);
    }
  }

  /// Deals with numbers that are not: afterwards the first `kept_rows_` of `rows_` can be used.
  void screen() {
    const Index width = schema_.features;
    kept_rows_ = count_;
    weights_.clear();
    if (weight_column_ >= 0)
      for (Index r = 0; r < count_; ++r)
        weights_.push_back(npy_number(cells_, begin_ - origin_ + r, weight_column_));
    const bool fine =
        header_.type.kind != 'f' || clean_ || all_finite(rows_, count_ * width, options_.threads);
    kept_.clear();
    if (!fine) screen_each();
    for (std::size_t r = 0; r < weights_.size(); ++r)
      check_weight(weights_[r], name(), place(kept(static_cast<Index>(r)), weight_column_));
    labels_.clear();
    ids_.clear();
    for (Index r = 0; r < kept_rows_; ++r) {
      const Index row = begin_ - origin_ + kept(r);
      if (label_column_ >= 0) npy_text(cells_, row, label_column_, labels_);
      if (id_column_ >= 0) npy_text(cells_, row, id_column_, ids_);
    }
  }

  void screen_each() {
    std::string first;
    Index found = 0;
    for (Index r = 0; r < count_; ++r) {
      Index gone = 0;
      for (Index c = 0; c < schema_.features; ++c) {
        const T value = rows_[r * schema_.features + c];
        if (std::isfinite(value)) continue;
        const Index column = plan_ ? plan_->features[static_cast<std::size_t>(c)] : c;
        if (std::isinf(value))
          fail_infinite(name(), place(r, column), npy_number(cells_, begin_ - origin_ + r, column));
        if (found + ++gone == 1) first = place(r, column);
      }
      found += gone;
      if (gone == 0 || options_.missing != Missing::drop) kept_.push_back(r);
    }
    if (options_.missing == Missing::error && found > 0)
      fail_missing(name(), first, count_rest(found));
    if (keeps_holes(options_.missing)) missing_ += found;
    else keep_only();
  }

  /// Missing cells of the whole file, given those of this block.
  Index count_rest(Index found) {
    end_ = header_.rows;
    while (load())
      for (Index i = 0; i < count_ * schema_.features; ++i) found += std::isnan(rows_[i]);
    clean_ = false;
    return found;
  }

  void keep_only() {
    const Index width = schema_.features;
    kept_rows_ = static_cast<Index>(kept_.size());
    dropped_ += count_ - kept_rows_;
    if (buffer_.size() < kept_rows_ * width) buffer_.resize(kept_rows_ * width);
    for (Index r = 0; r < kept_rows_; ++r) {
      std::memmove(buffer_.data() + r * width, rows_ + kept(r) * width,
                   static_cast<std::size_t>(width) * sizeof(T));
      if (!weights_.empty())
        weights_[static_cast<std::size_t>(r)] = weights_[static_cast<std::size_t>(kept(r))];
    }
    if (!weights_.empty()) weights_.resize(static_cast<std::size_t>(kept_rows_));
    rows_ = buffer_.data();
  }

  /// Which row of the block the r-th kept one was.
  Index kept(Index r) const { return kept_.empty() ? r : kept_[static_cast<std::size_t>(r)]; }

  std::string place(Index row, Index column) const {
    return fmt::format("row {}, column {}", begin_ + row + 1, column + 1);
  }

  Block<T> block() const {
    Block<T> out{Rows<T>(rows_, kept_rows_, schema_.features, schema_.features)};
    if (weight_column_ >= 0) out.weights = {weights_.data(), static_cast<std::size_t>(kept_rows_)};
    if (label_column_ >= 0) out.labels = &labels_;
    if (id_column_ >= 0) out.ids = &ids_;
    return out;
  }

  void prefetch() const {
    if (!map_.data() || header_.fortran) return;
    const auto bytes = static_cast<std::size_t>(count_) * cells_.row_stride;
    const std::size_t end =
        header_.data_offset + static_cast<std::size_t>(begin_ + count_) * cells_.row_stride;
    map_.prefetch(end, end + bytes);
  }

  /// Lets go of the pages up to the end of the current block.
  void release() {
    if (!map_.data()) return;
    const auto passed = static_cast<std::size_t>(begin_ + count_ - released_);
    const std::size_t length = passed * cells_.row_stride;
    const std::size_t begin =
        header_.data_offset + static_cast<std::size_t>(released_) * cells_.row_stride;
    released_ = begin_ + count_;
    // Of columns only texts and weights come from the map.
    if (header_.fortran) map_.release(0, map_.size());
    else map_.release(begin, begin + length);
  }

  std::unique_ptr<ByteStream> bytes_;
  ReadOptions options_;
  NpyHeader header_;
  Reporter reporter_;
  Schema schema_;
  std::optional<ColumnPlan> plan_;
  Index label_column_ = -1, id_column_ = -1, weight_column_ = -1;

  FileMap map_;
  std::vector<char> raw_;  // bytes of a block, or all those of a stream in column order
  NpyCells cells_;         // all rows when resident, else those of the block
  bool resident_ = false;  // all rows can be reached
  bool direct_ = false;    // they can be used as they lie
  bool clean_ = false;     // a whole pass met nothing missing or infinite

  Index first_ = 0, end_;  // the file rows that are read
  bool is_piece_ = false;
  Index block_rows_ = 0;
  Index begin_ = 0, count_ = 0;  // the file rows of the block
  Index origin_ = 0;             // the file row that is row 0 of `cells_`
  Index released_ = 0;           // pages of the file rows before this one are let go
  const T* rows_ = nullptr;
  Vector<T> buffer_;
  std::vector<Index> kept_;  // rows of the block that stay; empty: all
  Index kept_rows_ = 0;
  Index dropped_ = 0, missing_ = 0;
  std::vector<double> weights_;
  TextColumn labels_, ids_;
};

}  // namespace

template <class T>
InPieces<T> open_npy_in_pieces(std::unique_ptr<ByteStream> bytes, const ReadOptions& options) {
  auto source = std::make_unique<NpySource<T>>(std::move(bytes), options);
  NpySource<T>* const matrix = source->in_pieces() ? source.get() : nullptr;
  return {std::move(source), nullptr, matrix};
}

template InPieces<float> open_npy_in_pieces(std::unique_ptr<ByteStream>, const ReadOptions&);
template InPieces<double> open_npy_in_pieces(std::unique_ptr<ByteStream>, const ReadOptions&);

template <class T>
std::unique_ptr<Source<T>> open_npy(std::unique_ptr<ByteStream> bytes, const ReadOptions& options) {
  return open_npy_in_pieces<T>(std::move(bytes), options).rows;
}

template std::unique_ptr<Source<float>> open_npy(std::unique_ptr<ByteStream>, const ReadOptions&);
template std::unique_ptr<Source<double>> open_npy(std::unique_ptr<ByteStream>, const ReadOptions&);

extern const FormatRow npy_format;
const FormatRow npy_format = {"npy",
                              Format::npy,
                              ".npy",
                              "NumPy: C or Fortran order, floats and integers, memory-mapped",
                              &open_npy<float>,
                              &open_npy<double>};

}  // namespace mercer
