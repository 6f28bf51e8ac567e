// CSV and TSV out.

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "core/team.hpp"
#include "data/shortest.hpp"
#include "data/sink.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// RFC 4180: quotes around what would be misread, and inner quotes doubled.
void append_cell(std::string& out, std::string_view cell, char delimiter) {
  const char special[] = {delimiter, '"', '\n', '\r', '\0'};
  const bool blank_ends = !cell.empty() && (cell.front() == ' ' || cell.back() == ' ');
  if (!blank_ends && cell.find_first_of(special) == cell.npos) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

template <class T>
class TextWriter final : public Sink<T>::Writer {
 public:
  TextWriter(std::unique_ptr<ByteSink> bytes, std::vector<std::string> columns, SinkOptions texts,
             char delimiter)
      : bytes_(std::move(bytes)),
        columns_(std::move(columns)),
        texts_(std::move(texts)),
        delimiter_(delimiter),
        threads_(thread_count(texts_.threads)) {}

  void write(const MatrixRef<T>& rows, const TextColumn* ids, const TextColumn* labels,
             Index first) override {
    require(columns_.empty() || rows.cols() == static_cast<Index>(columns_.size()),
            Errc::bad_option, "rows of {} numbers do not match the {} columns of '{}'", rows.cols(),
            columns_.size(), bytes_->name());
    if (texts_.id.empty()) ids = nullptr;
    else check_texts(ids, texts_.id, first + rows.rows());
    if (texts_.label.empty()) labels = nullptr;
    else check_texts(labels, texts_.label, first + rows.rows());
    write_header();
    // A few rows at a time, so that a large block does not become a large text.
    const Index at_once =
        std::max<Index>(1, threads_ * (1 << 16) / std::max<Index>(rows.cols(), 1));
    for (Index begin = 0; begin < rows.rows(); begin += at_once)
      write_some(rows, begin, std::min(at_once, rows.rows() - begin), ids, labels, first);
  }

  void finish() override {
    agree(bytes_->team(), [&] { write_header(); });
    bytes_->finish();
  }
  void publish() override { bytes_->publish(); }

 private:
  void check_texts(const TextColumn* texts, const std::string& name, Index needed) const {
    require(texts && static_cast<Index>(texts->size()) >= needed, Errc::bad_option,
            "'{}' has a column '{}', but the rows do not", bytes_->name(), name);
  }

  void write_header() {
    if (header_written_) return;
    header_written_ = true;
    if (columns_.empty() || bytes_->continues()) return;
    std::string line;
    for (const std::string* name : {&texts_.id, &texts_.label})
      if (!name->empty()) {
        append_cell(line, *name, delimiter_);
        line += delimiter_;
      }
    for (const std::string& name : columns_) {
      append_cell(line, name, delimiter_);
      line += delimiter_;
    }
    line.back() = '\n';
    bytes_->write(line);
  }

  void write_some(const MatrixRef<T>& rows, Index begin, Index count, const TextColumn* ids,
                  const TextColumn* labels, Index first) {
    parts_.resize(static_cast<std::size_t>(threads_));
    const Index worth_a_thread = std::max<Index>(1, 4096 / std::max<Index>(rows.cols(), 1));
    const int parts =
        parallel_ranges(count, threads_, worth_a_thread, [&](Index from, Index to, int part) {
          std::string& text = parts_[static_cast<std::size_t>(part)];
          text.clear();
          for (Index r = begin + from; r < begin + to; ++r) {
            for (const TextColumn* column : {ids, labels})
              if (column) {
                append_cell(text, (*column)[static_cast<std::size_t>(first + r)], delimiter_);
                text += delimiter_;
              }
            append_numbers(text, rows.data() + r * rows.outerStride(), rows.cols());
          }
        });
    for (int part = 0; part < parts; ++part) bytes_->write(parts_[static_cast<std::size_t>(part)]);
  }

  void append_numbers(std::string& text, const T* numbers, Index count) const {
    const std::size_t used = text.size();
    text.resize(used + static_cast<std::size_t>(count) * (longest_number + 1) + 1);
    char* out = text.data() + used;
    for (Index c = 0; c < count; ++c) {
      if (c > 0) *out++ = delimiter_;
      // No number is an empty cell; but a line that is empty would be no row.
      if (count > 1 && std::isnan(numbers[c])) continue;
      out = write_shortest(numbers[c], out);
    }
    *out++ = '\n';
    text.resize(static_cast<std::size_t>(out - text.data()));
  }

  std::unique_ptr<ByteSink> bytes_;
  std::vector<std::string> columns_;
  SinkOptions texts_;
  char delimiter_;
  int threads_;
  bool header_written_ = false;
  std::vector<std::string> parts_;  // one a thread
};

}  // namespace

template <class T>
std::unique_ptr<typename Sink<T>::Writer> text_writer(std::unique_ptr<ByteSink> bytes,
                                                      std::vector<std::string> columns,
                                                      SinkOptions texts, char delimiter) {
  return std::make_unique<TextWriter<T>>(std::move(bytes), std::move(columns), std::move(texts),
                                         delimiter);
}

template std::unique_ptr<Sink<float>::Writer> text_writer<float>(std::unique_ptr<ByteSink>,
                                                                 std::vector<std::string>,
                                                                 SinkOptions, char);
template std::unique_ptr<Sink<double>::Writer> text_writer<double>(std::unique_ptr<ByteSink>,
                                                                   std::vector<std::string>,
                                                                   SinkOptions, char);

}  // namespace mercer
