#include "core/require.hpp"
#include "kernels/formula.hpp"
#include "kernels/formula_error.hpp"
#include "kernels/leaf_gradient.hpp"
#include "kernels/row.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// Rough cost of a function, in multiplications.
double function_flops(Function function) {
  switch (function) {
    case Function::identity:
      return 0;
    case Function::power:
      return 4;
    case Function::reciprocal:
      return 8;
    case Function::rational:
    case Function::tanh:
      return 60;
    default:
      return 20;
  }
}

class Leaf final : public KernelNode {
 public:
  Leaf(const KernelRow& row, std::vector<double> values) : row_(row), values_(std::move(values)) {}

  std::string text() const override {
    return text_of_form(row_.text, values_) + (values_.empty() ? "()" : "");
  }

  bool always_valid() const override { return row_.valid(values_); }
  bool needs_nonnegative() const override { return row_.nonnegative; }
  bool complete() const override {
    return std::none_of(values_.begin(), values_.end(), [](double v) { return std::isnan(v); });
  }

  std::optional<LeafView> leaf() const override { return LeafView{row_, values_}; }

  std::optional<Frequencies> frequencies() const override {
    const FrequencyRow& row = row_.frequency;
    if (!row.scale) return {};
    return Frequencies{
        [scale = row.scale, values = values_](Random& random) { return scale(values, random); },
        row.each_entry};
  }
  std::optional<Polynomial> polynomial() const override {
    const auto [ingredient, f] = row_.form(values_);
    if (ingredient != Ingredient::inner) return {};
    if (f.function != Function::identity && f.function != Function::power) return {};
    return Polynomial{f.a, f.b, f.n};
  }

  std::optional<Gaussian> gaussian() const override {
    const auto [ingredient, f] = row_.form(values_);
    if (ingredient != Ingredient::distances || f.function != Function::exp) return {};
    return Gaussian{f.a};
  }

  bool radial() const override { return row_.form(values_).ingredient == Ingredient::distances; }

  double flops(double d) const override {
    const Form form = row_.form(values_);
    const bool product = form.ingredient < Ingredient::absolute;
    return (form.ingredient == Ingredient::none ? 0
            : product                           ? 2
                                                : 3) *
               d +
           function_flops(form.formula.function);
  }

  void announce(Uses& uses) const override {
    const auto [ingredient, f] = row_.form(values_);
    ++uses.count[static_cast<std::size_t>(ingredient)];
    if (ingredient == Ingredient::distances) uses.scale = std::min(uses.scale, scale_of(f));
  }

  void evaluate(Evaluation& tile, const TileView<double>& out) const override {
    const Form form = row_.form(values_);
    if (!tile.apply_to(form.ingredient, form.formula, out)) refuse_not_finite(*this);
  }

  Vector<double> diagonal(const Rows<double>& x) const override {
    const Form form = row_.form(values_);
    Vector<double> values = diagonal_ingredient(form.ingredient, x);
    const Index n = values.size();
    if (!apply(form.formula, Sweep<double>{1, n, values.data(), n, values.data(), n}))
      refuse_not_finite(*this);
    return values;
  }

  ValueBound bound(const RowExtent& extent) const override {
    const Form form = row_.form(values_);
    return leaf_bound(form.ingredient, form.formula, extent);
  }
  double fallen_error(const RowExtent& extent) const override {
    const Form form = row_.form(values_);
    return mercer::fallen_error(form.ingredient, form.formula, extent);
  }

  std::optional<double> peak() const override {
    const auto [ingredient, f] = row_.form(values_);
    if (ingredient == Ingredient::none) return f.b;
    if (ingredient == Ingredient::distances || ingredient == Ingredient::absolute ||
        ingredient == Ingredient::chi2)
      return 1;
    return {};
  }

  bool of_differences() const override {
    const Ingredient ingredient = row_.form(values_).ingredient;
    return ingredient == Ingredient::distances || ingredient == Ingredient::absolute;
  }

  Moved moved() const override {
    const auto [ingredient, f] = row_.form(values_);
    if (ingredient == Ingredient::none) return Moved::same;
    if (ingredient == Ingredient::distances || ingredient == Ingredient::absolute)
      return Moved::apart;
    const bool linear =
        ingredient == Ingredient::inner &&
        (f.function == Function::identity || (f.function == Function::power && f.n == 1));
    return linear ? Moved::centred : Moved::changes;
  }

  double gradient(std::span<const double> x, std::span<const double> a,
                  std::span<double> slope) const override {
    const Form form = row_.form(values_);
    return leaf_gradient(form.ingredient, form.formula, x, a, slope);
  }

 private:
  const KernelRow& row_;
  std::vector<double> values_;
};

}  // namespace

KernelNode::Pointer make_leaf(const KernelRow& row, std::vector<double> values) {
  require_values(row.text, values);
  return std::make_shared<Leaf>(row, std::move(values));
}

void refuse_not_finite(const KernelNode& node) {
  fail(Errc::bad_data,
       "{} overflows on these rows, or they contain numbers that are not finite; divide the "
       "columns by their standard deviations (fit with `scale=std`) or choose smaller parameters",
       node.text());
}

}  // namespace mercer
