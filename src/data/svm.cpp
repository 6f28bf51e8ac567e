// SVMlight and libsvm: `label index:value … # comment`, one line per row.

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "data/formats.hpp"
#include "data/line_reader.hpp"
#include "data/memory.hpp"
#include "data/number.hpp"
#include "data/shown.hpp"
#include "data/sparse_table.hpp"

#include <charconv>
#include <limits>

namespace mercer {

namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max() - 1;

template <class T>
class SvmReader {
 public:
  SvmReader(ByteStream& bytes, const ReadOptions& options)
      : name_(bytes.name()),
        width_(options.like.width),
        lines_(bytes),
        reporter_(options.monitor, "reading", "bytes", static_cast<double>(bytes.size())) {}

  Table<T> read() {
    table_.schema.label = "label";
    table_.sparse.cols = width_;
    while (const auto line = lines_.next()) {
      if (lines_.number() % 1024 == 0) reporter_(lines_.bytes_read());
      row(line->substr(0, line->find('#')));
    }
    require(table_.sparse.rows() > 0, Errc::bad_data, "'{}' has no rows", Input(name_));
    require(table_.sparse.cols > 0, Errc::bad_data, "'{}' has no index:value pair in any row",
            Input(name_));
    return std::move(table_);
  }

 private:
  void row(std::string_view rest) {
    const std::string_view label = take_word(rest);
    if (label.empty()) return;
    check(label.find(':') == label.npos, label, "is not a label");
    std::int64_t last = 0;
    for (std::string_view word; !(word = take_word(rest)).empty();)
      if (!word.starts_with("qid:")) last = pair(word, last);
    table_.labels.push_back(label);
    table_.sparse.offsets.push_back(static_cast<std::int64_t>(table_.sparse.values.size()));
  }

  std::int64_t pair(std::string_view word, std::int64_t last) {
    std::int64_t index = 0;
    const char* const end = word.data() + word.size();
    const auto [colon, status] = std::from_chars(word.data(), end, index);
    check(status != std::errc::invalid_argument && colon != end && *colon == ':', word,
          "is not an index:value pair");
    check(status != std::errc{} || index != 0, word,
          "has index 0, but indices start at 1; in scikit-learn write it with zero_based=False");
    check(status == std::errc{} && index >= 1 && index <= largest_index, word,
          "has an index outside 1 to 2147483646");
    check(index > last, word, "has an index that is not larger than the previous one");
    T value = std::numeric_limits<T>::quiet_NaN();
    const Cell cell = parse_cell<T>({colon + 1, static_cast<std::size_t>(end - colon - 1)}, value);
    check(cell != Cell::text && colon + 1 != end, word, "has a value that is not a number");
    check(cell != Cell::infinite, word, "is infinite or too large; replace it");
    table_.sparse.columns.push_back(static_cast<std::int32_t>(index - 1));
    table_.sparse.values.push_back(value);
    table_.sparse.cols = std::max(table_.sparse.cols, static_cast<Index>(index));
    return index;
  }

  void check(bool holds, std::string_view word, std::string_view what) const {
    if (!holds) [[unlikely]]
      fail(Errc::bad_data, "'{}', line {}: '{}' {}", Input(name_), lines_.number(), shown(word),
           what);
  }

  std::string name_;
  Index width_;  // at least so many columns: zeros at the end of a row are not written
  LineReader lines_;
  Reporter reporter_;
  Table<T> table_;
};

}  // namespace

template <class T>
std::unique_ptr<Source<T>> open_svm(std::unique_ptr<ByteStream> bytes, const ReadOptions& options) {
  const std::string name = bytes->name();
  require(options.label.empty() || options.label == "label", Errc::bad_option,
          "`label` '{}': the label of '{}' is the first word of each line", options.label, name);
  ReadOptions rest = options;
  rest.label.clear();
  Table<T> table = SvmReader<T>(*bytes, options).read();
  finish_sparse(table, rest, name);
  return from_table(std::move(table), name, options.block_bytes);
}

template std::unique_ptr<Source<float>> open_svm(std::unique_ptr<ByteStream>, const ReadOptions&);
template std::unique_ptr<Source<double>> open_svm(std::unique_ptr<ByteStream>, const ReadOptions&);

extern const FormatRow svm_format;
const FormatRow svm_format = {
    "svm",
    Format::svm,
    ".svm .libsvm .svmlight",
    "SVMlight; sparse rows stay sparse, the label column is carried along",
    &open_svm<float>,
    &open_svm<double>};

}  // namespace mercer
