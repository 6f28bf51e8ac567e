#include "data/sparse_table.hpp"

#include "data/shortest.hpp"
#include "data/unnamed.hpp"
#include "data/unusable.hpp"

#include <cmath>

namespace mercer {

namespace {

template <class T>
class Finisher {
 public:
  Finisher(Table<T>& table, const ReadOptions& options, const std::string& file)
      : table_(table),
        missing_(options.missing),
        file_(file),
        plan_(plan_unnamed(table.sparse.cols, options, file)) {
    if (!plan_) return;
    renumbered_.assign(plan_->roles.size(), -1);
    for (std::size_t j = 0; j < plan_->features.size(); ++j)
      renumbered_[static_cast<std::size_t>(plan_->features[j])] = static_cast<std::int32_t>(j);
  }

  void run() {
    const bool own_labels = !table_.schema.label.empty();
    Csr<T>& x = table_.sparse;
    TextColumn labels;
    Index rows = 0;
    std::int64_t begin = 0;
    for (Index r = 0; r < x.rows(); ++r) {
      // Rows are written over those already read: never more, so the end has to be saved first.
      const std::int64_t end = x.offsets[static_cast<std::size_t>(r) + 1];
      if (take(r, begin, end, x.offsets[static_cast<std::size_t>(rows)])) {
        x.offsets[static_cast<std::size_t>(++rows)] = filled_;
        if (own_labels) labels.push_back(table_.labels[static_cast<std::size_t>(r)]);
        else if (plan_ && !plan_->schema.label.empty()) push_shortest(labels, label_);
        if (plan_ && !plan_->schema.id.empty()) push_shortest(table_.ids, id_);
        if (plan_ && plan_->schema.weighted) table_.weights.push_back(weight_);
      }
      begin = end;
    }
    if (missing_ == Missing::error && found_ > 0) fail_missing(file_, first_, found_);
    if (rows == 0) fail_all_dropped(file_);
    if (keeps_holes(missing_)) table_.missing_cells = found_;
    else table_.dropped_rows = x.rows() - rows;
    x.offsets.resize(static_cast<std::size_t>(rows) + 1);
    x.columns.resize(static_cast<std::size_t>(x.offsets.back()));
    x.values.resize(static_cast<std::size_t>(x.offsets.back()));
    table_.labels = std::move(labels);
    complete_schema(own_labels);
  }

 private:
  /// Moves the features of a row to `to`; false when the row is to be left out.
  bool take(Index row, std::int64_t begin, std::int64_t end, std::int64_t to) {
    label_ = id_ = 0;
    weight_ = 0;
    Index gone = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int32_t column = table_.sparse.columns[static_cast<std::size_t>(i)];
      const T value = table_.sparse.values[static_cast<std::size_t>(i)];
      const Role role = plan_ ? plan_->roles[static_cast<std::size_t>(column)] : Role::feature;
      if (role == Role::label) label_ = value;
      if (role == Role::id) id_ = value;
      if (role == Role::weight) {
        weight_ = static_cast<double>(value);
        check_weight(weight_, file_, place(row, column));
      }
      if (role != Role::feature) continue;
      if (std::isnan(value) && found_ + ++gone == 1) first_ = place(row, column);
      table_.sparse.columns[static_cast<std::size_t>(to)] =
          plan_ ? renumbered_[static_cast<std::size_t>(column)] : column;
      table_.sparse.values[static_cast<std::size_t>(to)] = value;
      ++to;
    }
    filled_ = to;
    found_ += gone;
    return gone == 0 || missing_ != Missing::drop;
  }

  void complete_schema(bool own_labels) {
    Schema& schema = table_.schema;
    const std::string label = schema.label;
    if (plan_) schema = plan_->schema;
    else schema.features = table_.sparse.cols;
    if (own_labels) schema.label = label;
    schema.sparse = true;
    table_.sparse.cols = schema.features;
  }

  static std::string place(Index row, Index column) {
    return fmt::format("row {}, column {}", row + 1, column + 1);
  }

  Table<T>& table_;
  Missing missing_;
  const std::string& file_;
  std::optional<ColumnPlan> plan_;
  std::vector<std::int32_t> renumbered_;  // file column → feature

  T label_ = 0, id_ = 0;  // of the row just taken
  double weight_ = 0;
  std::int64_t filled_ = 0;  // where its entries end
  Index found_ = 0;          // missing cells
  std::string first_;        // place of the first
};

}  // namespace

template <class T>
void finish_sparse(Table<T>& table, const ReadOptions& options, const std::string& file) {
  Finisher<T>(table, options, file).run();
}

template void finish_sparse(Table<float>&, const ReadOptions&, const std::string&);
template void finish_sparse(Table<double>&, const ReadOptions&, const std::string&);

}  // namespace mercer
