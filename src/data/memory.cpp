#include "data/memory.hpp"

#include "core/weights.hpp"

#include <algorithm>

namespace mercer {

namespace {

template <class T>
class MemorySource final : public Source<T> {
 public:
  MemorySource(Rows<T> rows, Weights weights, Schema schema)
      : schema_(std::move(schema)), name_("memory") {
    weights_of(weights, rows.rows());
    all_.rows = rows;
    all_.weights = weights;
    schema_.features = rows.cols();
    schema_.sparse = rows.sparse();
    schema_.weighted = !weights.empty();
    schema_.label.clear();  // no texts come along
    schema_.id.clear();
    choose_blocks(std::size_t{8} << 20);
  }

  MemorySource(Table<T> table, std::string name, std::size_t block_bytes)
      : table_(std::move(table)), schema_(table_.schema), name_(std::move(name)) {
    all_.rows = table_.rows();
    if (schema_.weighted) all_.weights = table_.weights;
    if (!schema_.label.empty()) all_.labels = &table_.labels;
    if (!schema_.id.empty()) all_.ids = &table_.ids;
    choose_blocks(block_bytes);
  }

  const Schema& schema() const override { return schema_; }
  std::string name() const override { return name_; }
  Index expected_rows() const override { return all_.rows.rows(); }
  Index dropped_rows() const override { return table_.dropped_rows; }
  Index missing_cells() const override { return table_.missing_cells; }

  std::optional<Block<T>> whole() override { return all_; }
  void rewind() override { begin_ = 0; }

  std::optional<Block<T>> next() override {
    const Index count = std::min(block_rows_, all_.rows.rows() - begin_);
    if (count <= 0) return std::nullopt;
    Block<T> block = all_;
    block.rows = all_.rows.middle(begin_, count);
    if (!block.weights.empty())
      block.weights =
          all_.weights.subspan(static_cast<std::size_t>(begin_), static_cast<std::size_t>(count));
    block.first_label = begin_;
    begin_ += count;
    return block;
  }

 private:
  void choose_blocks(std::size_t block_bytes) {
    const Index cost = schema_.sparse ? sizeof(T) + sizeof(std::int32_t) : sizeof(T);
    const Index bytes = std::max<Index>(all_.rows.entries() * cost, 1);
    const auto blocks = static_cast<Index>(
        static_cast<double>(bytes) / static_cast<double>(std::max<std::size_t>(block_bytes, 1)));
    block_rows_ = std::max<Index>(all_.rows.rows() / std::max<Index>(blocks, 1), 1);
  }

  Table<T> table_;
  Schema schema_;
  std::string name_;
  Block<T> all_;
  Index block_rows_ = 1;
  Index begin_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<Source<T>> from_memory(Rows<T> rows, Weights weights, Schema schema) {
  return std::make_unique<MemorySource<T>>(rows, weights, std::move(schema));
}

template <class T>
std::unique_ptr<Source<T>> from_table(Table<T> table, std::string name, std::size_t block_bytes) {
  return std::make_unique<MemorySource<T>>(std::move(table), std::move(name), block_bytes);
}

template std::unique_ptr<Source<float>> from_memory(Rows<float>, Weights, Schema);
template std::unique_ptr<Source<double>> from_memory(Rows<double>, Weights, Schema);
template std::unique_ptr<Source<float>> from_table(Table<float>, std::string, std::size_t);
template std::unique_ptr<Source<double>> from_table(Table<double>, std::string, std::size_t);

}  // namespace mercer
