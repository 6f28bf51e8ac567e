#include "maps/expression_map.hpp"

#include "core/require.hpp"
#include "maps/expression_parse.hpp"
#include "maps/finite_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace mercer {

namespace {

constexpr Index chunk = 256;  // rows at a time: the stack stays in the L1 or L2 cache

/// A stack of arrays, of values and of their errors.
class ExpressionStack {
 public:
  ExpressionStack(std::size_t depth, bool errors)
      : values_((depth + 1) * chunk), errors_(errors ? (depth + 1) * chunk : 0) {}

  /// Leaves the result at the bottom. `columns` has chunk numbers for each column, and so has
  /// `cell_errors`, which is null where errors are not asked for.
  void run(const Expression& expression, const double* columns, const double* cell_errors,
           const std::vector<Index>& place, Index n) {
    Index top = 0;
    for (const ExpressionStep& step : expression.steps) {
      if (step.row) {
        top -= step.row->operands - 1;
        apply(step, top - 1, cell_errors != nullptr, n);
        continue;
      }
      const Index from = step.column < 0 ? 0 : place[static_cast<std::size_t>(step.column)] * chunk;
      if (step.column < 0) std::fill_n(value(top), n, step.number);
      else std::copy_n(columns + from, n, value(top));
      // A literal is what its digits are rounded to: pi, 0.1.
      if (cell_errors && step.column < 0) std::fill_n(error(top), n, literal_error(step.number));
      else if (cell_errors) std::copy_n(cell_errors + from, n, error(top));
      ++top;
    }
  }

  double* value(Index slot) { return values_.data() + slot * chunk; }
  double* error(Index slot) { return errors_.data() + slot * chunk; }

 private:
  static double literal_error(double number) {
    return number == std::floor(number) ? 0.0 : 0x1p-53 * std::abs(number);
  }

  void apply(const ExpressionStep& step, Index slot, bool errors, Index n) {
    const bool two = step.row->operands == 2;
    const Operands x{value(slot), two ? value(slot + 1) : value(slot)};
    out_.resize(static_cast<std::size_t>(chunk));
    step.row->values(x, out_.data(), n);
    if (errors) {
      bound_.resize(static_cast<std::size_t>(chunk));
      const Operands e{error(slot), two ? error(slot + 1) : error(slot)};
      step.row->errors(x, e, out_.data(), bound_.data(), n);
      std::copy_n(bound_.data(), n, error(slot));
    }
    std::copy_n(out_.data(), n, value(slot));
  }

  std::vector<double> values_, errors_, out_, bound_;
};

/// The first value of a row that is not finite: "takes the logarithm of -1".
std::string problem_on(const Expression& expression, const std::vector<double>& row) {
  std::vector<double> stack;
  for (const ExpressionStep& step : expression.steps) {
    if (!step.row) {
      stack.push_back(step.column < 0 ? step.number : row[static_cast<std::size_t>(step.column)]);
      continue;
    }
    const double b = stack.back();
    if (step.row->operands == 2) stack.pop_back();
    const double a = stack.back();
    double v = 0;
    step.row->values({&a, &b}, &v, 1);
    if (!std::isfinite(v)) {
      const std::string what = step.row->problem ? step.row->problem(a, b) : "";
      return what.empty() ? "overflows" : what;
    }
    stack.back() = v;
  }
  return {};
}

template <class T>
class ExpressionMap final : public Map<T>,
                            public NamedColumns,
                            public HasWideMap,
                            public ExplainsOverflow<T>,
                            public MeasuresFeatureError {
 public:
  ExpressionMap(std::string_view text, Index inputs, std::vector<std::string> names)
      : inputs_(inputs),
        names_(std::move(names)),
        expressions_(parse_expressions(text, {inputs, names_})),
        place_(static_cast<std::size_t>(inputs), -1) {
    for (const Expression& e : expressions_) {
      depth_ = std::max(depth_, e.stack);
      for (const ExpressionStep& step : e.steps) {
        if (step.row && step.row->partial) partial_ = true;
        if (step.row || step.column < 0) continue;
        Index& place = place_[static_cast<std::size_t>(step.column)];
        if (place >= 0) continue;
        place = static_cast<Index>(used_.size());
        used_.push_back(step.column);
      }
    }
  }

  Index inputs() const override { return inputs_; }
  Index features() const override { return static_cast<Index>(expressions_.size()); }
  std::string text() const override {
    std::string out;
    for (const Expression& e : expressions_) out += (out.empty() ? "" : ", ") + e.text;
    return out;
  }
  std::vector<std::string> feature_names(const std::vector<std::string>&) const override {
    std::vector<std::string> names;
    for (const Expression& e : expressions_) names.push_back(e.text);
    return names;
  }
  const std::vector<std::string>& columns() const override { return names_; }
  std::shared_ptr<const Map<double>> wide() const override {
    return std::make_shared<ExpressionMap<double>>(text(), inputs_, names_);
  }

  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override {
    evaluate(x, nullptr, [&](Index i, Index j, Index n, const double* values, const double*) {
      for (Index r = 0; r < n; ++r) out(i + r, j) = static_cast<T>(values[r]);
    });
  }

  void apply_with_errors(const Rows<double>& x, const CellError& cells,
                         Eigen::Ref<Matrix<double>> out,
                         Eigen::Ref<Matrix<double>> errors) const override {
    if constexpr (std::is_same_v<T, double>)
      evaluate(x, &cells, [&](Index i, Index j, Index n, const double* values, const double* e) {
        for (Index r = 0; r < n; ++r) {
          out(i + r, j) = values[r];
          errors(i + r, j) = e[r];
        }
      });
    else wide_apply(x, cells, out, errors);
  }

  void require_domain(const Rows<T>& x, Index first) const override {
    // Other expressions leave the numbers by overflow only, which their values show.
    if (partial_) require_no_overflow(x, first);
  }

  void require_no_overflow(const Rows<T>& x, Index first) const override {
    Matrix<T> out(std::min(chunk, x.rows()), features());
    for (Index i = 0; i < x.rows(); i += chunk) {
      const Rows<T> part = x.middle(i, std::min(chunk, x.rows() - i));
      apply(part, out.topRows(part.rows()));
      for (Index r = 0; r < part.rows(); ++r)
        for (Index j = 0; j < features(); ++j)
          if (!std::isfinite(out(r, j))) refuse(part.middle(r, 1), first + i + r, j);
    }
  }

  /// Where each column is a feature by itself.
  bool decode(const MatrixRef<T>& features, Eigen::Ref<Matrix<T>> x) const override {
    std::vector<Index> feature_of(static_cast<std::size_t>(inputs_), -1);
    for (std::size_t j = 0; j < expressions_.size(); ++j) {
      const auto& steps = expressions_[j].steps;
      if (steps.size() == 1 && !steps[0].row && steps[0].column >= 0)
        feature_of[static_cast<std::size_t>(steps[0].column)] = static_cast<Index>(j);
    }
    if (std::ranges::find(feature_of, -1) != feature_of.end()) return false;
    for (Index c = 0; c < inputs_; ++c)
      x.col(c) = features.col(feature_of[static_cast<std::size_t>(c)]);
    return true;
  }

 private:
  void wide_apply(const Rows<double>& x, const CellError& cells, Eigen::Ref<Matrix<double>> out,
                  Eigen::Ref<Matrix<double>> errors) const {
    const ExpressionMap<double> map(text(), inputs_, names_);
    map.apply_with_errors(x, cells, out, errors);
  }

  /// `take` receives n values of feature j from row i on, and their errors.
  template <class Take>
  void evaluate(const Rows<T>& x, const CellError* cells, const Take& take) const {
    ExpressionStack stack(depth_, cells != nullptr);
    std::vector<double> columns(std::max<std::size_t>(1, used_.size()) * chunk);
    std::vector<double> errors(cells ? columns.size() : 0);
    Matrix<T> dense;
    for (Index i = 0; i < x.rows(); i += chunk) {
      const Index n = std::min(chunk, x.rows() - i);
      Rows<T> rows = x.middle(i, n);
      if (rows.sparse()) {
        dense.resize(n, inputs_);
        identity_map<T>(inputs_)->apply(rows, dense);
        rows = dense;
      }
      for (std::size_t u = 0; u < used_.size(); ++u) {
        double* const to = columns.data() + u * chunk;
        for (Index r = 0; r < n; ++r) to[r] = static_cast<double>(rows.row(r)[used_[u]]);
        for (Index r = 0; cells && r < n; ++r)
          errors[u * chunk + static_cast<std::size_t>(r)] =
              cells->relative * std::abs(to[r]) + cells->shift;
      }
      for (std::size_t j = 0; j < expressions_.size(); ++j) {
        stack.run(expressions_[j], columns.data(), cells ? errors.data() : nullptr, place_, n);
        take(i, static_cast<Index>(j), n, stack.value(0), cells ? stack.error(0) : nullptr);
      }
    }
  }

  [[noreturn]] void refuse(const Rows<T>& row, Index number, Index feature) const {
    Matrix<T> dense(1, inputs_);
    identity_map<T>(inputs_)->apply(row, dense);
    const std::vector<double> cells(dense.data(), dense.data() + dense.size());
    const Expression& e = expressions_[static_cast<std::size_t>(feature)];
    std::string what = problem_on(e, cells), where;
    if (what.empty()) what = "overflows";  // as a float
    std::vector<Index> shown;
    for (const ExpressionStep& step : e.steps)
      if (!step.row && step.column >= 0 && shown.size() < 8 &&
          std::ranges::find(shown, step.column) == shown.end())
        shown.push_back(step.column);
    for (const Index c : shown) {
      const auto at = static_cast<std::size_t>(c);
      where += fmt::format("{}{} = {}", where.empty() ? ", where " : ", ",
                           names_.empty() ? fmt::format("x{}", c + 1) : names_[at],
                           static_cast<T>(cells[at]));
    }
    fail(Errc::bad_data,
         "row {}: the feature '{}' {}{}; change the expression, or leave out the row", number + 1,
         e.text, what, where);
  }

  Index inputs_;
  std::vector<std::string> names_;
  std::vector<Expression> expressions_;
  std::vector<Index> used_, place_;  // columns in use, and where each of all stands among them
  std::size_t depth_ = 1;
  bool partial_ = false;
};

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> expression_map_of(std::string_view text, Index inputs,
                                                const std::vector<std::string>& names) {
  require(inputs >= 1, Errc::bad_option, "a map of {} columns", inputs);
  return std::make_shared<ExpressionMap<T>>(
      text, inputs,
      static_cast<Index>(names.size()) == inputs ? names : std::vector<std::string>{});
}

template <class T>
std::shared_ptr<const Map<T>> expression_map(std::string_view text,
                                             const std::vector<std::string>& names) {
  return expression_map_of<T>(text, static_cast<Index>(names.size()), names);
}

template <class T>
std::shared_ptr<const Map<T>> expression_map(std::string_view text, Index inputs) {
  return expression_map_of<T>(text, inputs, {});
}

#define MERCER_INSTANTIATE(T)                                                                \
  template std::shared_ptr<const Map<T>> expression_map_of(std::string_view, Index,          \
                                                           const std::vector<std::string>&); \
  template std::shared_ptr<const Map<T>> expression_map(std::string_view,                    \
                                                        const std::vector<std::string>&);    \
  template std::shared_ptr<const Map<T>> expression_map(std::string_view, Index);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
