#include "data/parts.hpp"

#include "core/require.hpp"
#include "data/like.hpp"

#include <algorithm>
#include <iterator>

namespace mercer {

namespace {

template <class T>
class Widened final : public ForwardingSource<T> {
 public:
  Widened(std::unique_ptr<Source<T>> source, Index features)
      : ForwardingSource<T>(std::move(source)), schema_(this->source_.schema()) {
    schema_.features = features;
  }

  const Schema& schema() const override { return schema_; }
  std::optional<Block<T>> next() override { return wide(this->source_.next()); }
  std::optional<Block<T>> whole() override { return wide(this->source_.whole()); }

 private:
  std::optional<Block<T>> wide(std::optional<Block<T>> block) const {
    if (block) block->rows = Rows<T>(block->rows.csr(), block->rows.rows(), schema_.features);
    return block;
  }

  Schema schema_;
};

/// The first of the names that the others lack; null when there is none.
const std::string* lacking(const std::vector<std::string>& names,
                           const std::vector<std::string>& others) {
  std::vector<std::string> a = names, b = others, only;
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::ranges::set_difference(a, b, std::back_inserter(only));
  const auto first = std::ranges::find_if(
      names, [&](const std::string& name) { return std::ranges::binary_search(only, name); });
  return first == names.end() ? nullptr : &*first;
}

template <class T>
void require_same_columns(const Source<T>& first, const Source<T>& other) {
  const Schema &a = first.schema(), &b = other.schema();
  const char* const remedy =
      "all parts must have the same columns: rename it, or select the common ones with `columns`";
  if (!a.feature_names.empty() && !b.feature_names.empty()) {
    if (const std::string* name = lacking(a.feature_names, b.feature_names))
      fail(Errc::bad_data, "'{}' has no column '{}', which '{}' has; {}", Input(other.name()),
           *name, first.name(), remedy);
    if (const std::string* name = lacking(b.feature_names, a.feature_names))
      fail(Errc::bad_data, "'{}' has a column '{}', which '{}' does not have; {}",
           Input(other.name()), *name, first.name(), remedy);
    require(a.feature_names == b.feature_names || !b.sparse, Errc::bad_data,
            "'{}' has the columns of '{}' in another order, which sparse rows do not support",
            Input(other.name()), first.name());
  }
  require(a.features == b.features, Errc::bad_data,
          "'{}' has {} columns and '{}' has {}: column {} is in one of them only; all parts must "
          "have the same columns",
          Input(first.name()), a.features, other.name(), b.features,
          std::min(a.features, b.features) + 1);
  require(a.weighted == b.weighted, Errc::bad_data,
          "only one of '{}' and '{}' has row weights; all parts or none must have them",
          Input(first.name()), other.name());
}

template <class T>
class Parts final : public Source<T> {
 public:
  explicit Parts(std::vector<std::unique_ptr<Source<T>>> parts) : parts_(std::move(parts)) {
    // Names may come with any of the parts: a table that was split has them in its first file.
    auto named = std::ranges::find_if(
        parts_, [](const auto& part) { return !part->schema().feature_names.empty(); });
    if (named == parts_.end()) named = parts_.begin();
    schema_ = (*named)->schema();
    for (auto& part : parts_) {
      require_same_columns(**named, *part);
      part = in_order(std::move(part), schema_.feature_names);
      schema_.sparse = schema_.sparse && part->schema().sparse;
      // What only some rows carry cannot be carried along.
      if (part->schema().label.empty()) schema_.label.clear();
      if (part->schema().id.empty()) schema_.id.clear();
    }
  }

  const Schema& schema() const override { return schema_; }
  std::string name() const override {
    return fmt::format("{} and {} more", parts_.front()->name(), parts_.size() - 1);
  }
  Index expected_rows() const override { return sum(&Source<T>::expected_rows); }
  std::size_t buffer_bytes() const override {
    // A part lets go of its buffers at its end.
    std::size_t most = 0;
    for (const auto& part : parts_) most = std::max(most, part->buffer_bytes());
    return most;
  }
  Index dropped_rows() const override { return sum(&Source<T>::dropped_rows); }
  Index missing_cells() const override { return sum(&Source<T>::missing_cells); }
  void require_unchanged() const override {
    for (const auto& part : parts_) part->require_unchanged();
  }
  bool can_rewind() const override {
    return std::ranges::all_of(parts_, [](const auto& part) { return part->can_rewind(); });
  }

  void rewind() override {
    for (std::size_t i = 0; i < std::min(at_ + 1, parts_.size()); ++i) parts_[i]->rewind();
    at_ = 0;
    block_.reset();
  }

  std::optional<Block<T>> next() override {
    while (!block_ && at_ < parts_.size()) {
      block_ = parts_[at_]->next();
      done_ = 0;
      if (!block_) ++at_;
    }
    if (!block_) return std::nullopt;
    Block<T> out = *block_;
    if (schema_.label.empty()) out.labels = nullptr;
    if (schema_.id.empty()) out.ids = nullptr;
    if (!out.rows.sparse() || schema_.sparse) block_.reset();
    else dense_piece(out);
    return out;
  }

 private:
  Index sum(Index (Source<T>::*count)() const) const {
    Index total = 0;
    for (const auto& part : parts_) total += ((*part).*count)();
    return total;
  }

  /// Sparse rows among dense ones are made dense, a few at a time.
  void dense_piece(Block<T>& out) {
    constexpr Index piece_bytes = Index{8} << 20;
    const Index d = schema_.features, all = block_->rows.rows();
    const Index most = std::max<Index>(1, piece_bytes / (d * static_cast<Index>(sizeof(T))));
    const Rows<T> rows = block_->rows.middle(done_, std::min(most, all - done_));
    const CsrView<T>& csr = rows.csr();
    dense_ = Matrix<T>::Zero(rows.rows(), d);
    for (Index i = 0; i < rows.rows(); ++i)
      for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
        dense_(i, csr.columns[e]) = csr.values[e];
    out.rows = dense_;
    if (!out.weights.empty())
      out.weights = out.weights.subspan(static_cast<std::size_t>(done_),
                                        static_cast<std::size_t>(rows.rows()));
    out.first_label += done_;
    done_ += rows.rows();
    if (done_ == all) block_.reset();
  }

  std::vector<std::unique_ptr<Source<T>>> parts_;
  Schema schema_;
  std::size_t at_ = 0;             // the part that is read
  std::optional<Block<T>> block_;  // of it, when not all of the block is given out
  Index done_ = 0;                 // rows of the block that are
  Matrix<T> dense_;
};

}  // namespace

template <class T>
std::unique_ptr<Source<T>> widened(std::unique_ptr<Source<T>> source, Index features) {
  if (source->schema().features == features) return source;
  return std::make_unique<Widened<T>>(std::move(source), features);
}

template <class T>
std::unique_ptr<Source<T>> concatenated(std::vector<std::unique_ptr<Source<T>>> parts) {
  require(!parts.empty(), Errc::bad_option, "there are no parts to concatenate");
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<Parts<T>>(std::move(parts));
}

#define MERCER_INSTANTIATE(T)                                                     \
  template std::unique_ptr<Source<T>> widened(std::unique_ptr<Source<T>>, Index); \
  template std::unique_ptr<Source<T>> concatenated(std::vector<std::unique_ptr<Source<T>>>);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
