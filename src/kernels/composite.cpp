// Sums, products, scales and powers. They are put into one form as they are built (sums in sums
// and products in products are flat, a factor stands in front of all else), so that the text of
// what a text parses to is stable.
#include "core/require.hpp"
#include "kernels/node.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

using Pointer = KernelNode::Pointer;

/// One with several children.
template <bool product>
class Several : public KernelNode {
 public:
  explicit Several(std::vector<Pointer> children) : children_(std::move(children)) {}
  const std::vector<Pointer>& children() const { return children_; }

  std::string text() const override {
    std::string all;
    for (const Pointer& child : children_)
      all += fmt::format("{}{}",
                         all.empty() ? ""
                         : product   ? "*"
                                     : " + ",
                         bound_text(*child, product ? Binding::power : Binding::product));
    return all;
  }
  Binding binding() const override { return product ? Binding::product : Binding::sum; }
  bool always_valid() const override {
    return every([](const KernelNode& c) { return c.always_valid(); });
  }
  bool complete() const override {
    return every([](const KernelNode& c) { return c.complete(); });
  }
  bool needs_nonnegative() const override {
    return !every([](const KernelNode& c) { return !c.needs_nonnegative(); });
  }
  bool radial() const override {
    return every([](const KernelNode& c) { return c.radial(); });
  }
  double flops(double d) const override {
    double total = 0;
    for (const Pointer& child : children_) total += child->flops(d) + 1;
    return total;
  }
  void announce(Uses& uses) const override {
    for (const Pointer& child : children_) child->announce(uses);
  }
  Pointer with_leaves(const std::function<Pointer(const KernelNode&)>& change) const override {
    Pointer all;
    for (const Pointer& child : children_) {
      const Pointer next = child->with_leaves(change);
      all = !all ? next : product ? product_of(all, next) : sum_of(all, next);
    }
    return all;
  }

  void evaluate(Evaluation& tile, const TileView<double>& out) const override {
    children_.front()->evaluate(tile, out);
    const Scratch<double> scratch(out.rows * out.cols);
    const Sweep<double> sweep{out.rows, out.cols, scratch.data(), out.cols, out.data, out.stride};
    for (std::size_t i = 1; i < children_.size(); ++i) {
      children_[i]->evaluate(tile, {scratch.data(), out.rows, out.cols, out.cols});
      if (!(product ? multiply_tile(sweep) : add_tile(sweep))) refuse_not_finite(*this);
    }
  }
  Vector<double> diagonal(const Rows<double>& x) const override {
    Vector<double> all = children_.front()->diagonal(x);
    for (std::size_t i = 1; i < children_.size(); ++i) {
      const Vector<double> next = children_[i]->diagonal(x);
      if (product) all.array() *= next.array();
      else all += next;
    }
    if (!all.allFinite()) refuse_not_finite(*this);
    return all;
  }

  ValueBound bound(const RowExtent& extent) const override {
    ValueBound all = children_.front()->bound(extent);
    for (std::size_t i = 1; i < children_.size(); ++i) {
      const ValueBound next = children_[i]->bound(extent);
      all = product ? product_bound(all, next) : sum_bound(all, next);
    }
    return all;
  }
  std::optional<double> peak() const override {
    if (product) return {};  // a product's fall is not the sum of falls
    double all = 0;
    for (const Pointer& child : children_) {
      const std::optional<double> one = child->peak();
      if (!one) return {};
      all += *one;
    }
    return all;
  }
  double fallen_error(const RowExtent& extent) const override {
    double most = 0;  // no fall is positive: relative errors do not grow in a sum
    for (const Pointer& child : children_) most = std::max(most, child->fallen_error(extent));
    return most + static_cast<double>(children_.size()) * unit_roundoff;
  }
  bool of_differences() const override {
    return std::ranges::any_of(children_, [](const Pointer& c) { return c->of_differences(); });
  }
  Moved moved() const override {
    Moved least = Moved::same, most = Moved::changes;
    for (const Pointer& child : children_) {
      const Moved one = child->moved();
      least = std::min(least, one);
      if (one != Moved::same) most = std::max(most, one);
    }
    if (product) return least > Moved::apart && least < Moved::same ? Moved::changes : least;
    const bool inner = most == Moved::exactly || most == Moved::centred;
    return least == Moved::apart && inner ? Moved::exactly : least;
  }
  bool differentiable() const override {
    return every([](const KernelNode& c) { return c.differentiable(); });
  }
  double gradient(std::span<const double> x, std::span<const double> a,
                  std::span<double> slope) const override {
    double all = children_.front()->gradient(x, a, slope);
    const Scratch<double> scratch(static_cast<Index>(x.size()));
    const std::span<double> next(scratch.data(), x.size());
    for (std::size_t i = 1; i < children_.size(); ++i) {
      const double one = children_[i]->gradient(x, a, next);
      for (std::size_t j = 0; j < x.size(); ++j)
        slope[j] = product ? slope[j] * one + all * next[j] : slope[j] + next[j];
      all = product ? all * one : all + one;
    }
    return all;
  }

 private:
  template <class Test>
  bool every(Test test) const {
    return std::all_of(children_.begin(), children_.end(),
                       [&](const Pointer& child) { return test(*child); });
  }
  std::vector<Pointer> children_;
};

class Sum final : public Several<false> {
  using Several::Several;
};
class Product final : public Several<true> {
  using Several::Several;
};

/// One with a child whose values go through a formula.
class Single : public KernelNode {
 public:
  explicit Single(Pointer child) : child_(std::move(child)) {}
  const Pointer& child() const { return child_; }

  bool always_valid() const override { return child_->always_valid(); }
  bool complete() const override { return child_->complete(); }
  bool needs_nonnegative() const override { return child_->needs_nonnegative(); }
  bool radial() const override { return child_->radial(); }
  double flops(double d) const override { return child_->flops(d) + 2; }
  void announce(Uses& uses) const override { child_->announce(uses); }

  bool differentiable() const override { return child_->differentiable(); }

  void evaluate(Evaluation& tile, const TileView<double>& out) const override {
    child_->evaluate(tile, out);
    change({out.rows, out.cols, out.data, out.stride, out.data, out.stride});
  }
  Vector<double> diagonal(const Rows<double>& x) const override {
    Vector<double> values = child_->diagonal(x);
    const Index n = values.size();
    change({1, n, values.data(), n, values.data(), n});
    return values;
  }

 protected:
  virtual Formula<double> formula() const = 0;

 private:
  void change(const Sweep<double>& sweep) const {
    if (!apply(formula(), sweep)) refuse_not_finite(*this);
  }
  Pointer child_;
};

class Scale final : public Single {
 public:
  Scale(double factor, Pointer child) : Single(std::move(child)), factor_(factor) {}
  double factor() const { return factor_; }

  std::string text() const override {
    return fmt::format("{}*{}", factor_, bound_text(*child(), Binding::product));
  }
  Binding binding() const override { return Binding::product; }
  std::optional<Frequencies> frequencies() const override { return times(child()->frequencies()); }
  std::optional<Polynomial> polynomial() const override { return times(child()->polynomial()); }
  std::optional<Gaussian> gaussian() const override { return times(child()->gaussian()); }
  Pointer with_leaves(const std::function<Pointer(const KernelNode&)>& change) const override {
    return scaled(factor_, child()->with_leaves(change));
  }
  ValueBound bound(const RowExtent& extent) const override {
    return scaled_bound(factor_, child()->bound(extent));
  }
  std::optional<double> peak() const override {
    const std::optional<double> one = child()->peak();
    return one ? factor_ * *one : one;
  }
  double fallen_error(const RowExtent& extent) const override {
    return child()->fallen_error(extent) + 2 * unit_roundoff;
  }
  bool of_differences() const override { return child()->of_differences(); }
  Moved moved() const override { return child()->moved(); }
  double gradient(std::span<const double> x, std::span<const double> a,
                  std::span<double> slope) const override {
    const double one = child()->gradient(x, a, slope);
    for (double& s : slope) s *= factor_;
    return factor_ * one;
  }

 private:
  Formula<double> formula() const override { return {Function::power, factor_, 0, 1}; }
  template <class Known>
  std::optional<Known> times(std::optional<Known> known) const {
    if (known) known->factor *= factor_;
    return known;
  }
  double factor_;
};

class Power final : public Single {
 public:
  Power(Pointer child, int n) : Single(std::move(child)), n_(n) {}
  int exponent() const { return n_; }

  std::string text() const override {
    return fmt::format("{}^{}", bound_text(*child(), Binding::atom), n_);
  }
  Binding binding() const override { return Binding::power; }
  std::optional<Polynomial> polynomial() const override {
    std::optional<Polynomial> known = child()->polynomial();
    if (known) known->degree *= n_, known->factor = std::pow(known->factor, n_);
    return known;
  }
  std::optional<Gaussian> gaussian() const override {
    std::optional<Gaussian> known = child()->gaussian();
    if (known) known->gamma *= n_, known->factor = std::pow(known->factor, n_);
    return known;
  }
  Pointer with_leaves(const std::function<Pointer(const KernelNode&)>& change) const override {
    return power_of(child()->with_leaves(change), n_);
  }
  ValueBound bound(const RowExtent& extent) const override {
    const ValueBound one = child()->bound(extent);
    ValueBound all = one;
    for (int i = 1; i < n_; ++i) all = product_bound(all, one);
    all.nonnegative = all.nonnegative || n_ % 2 == 0;
    return all;
  }
  bool of_differences() const override { return child()->of_differences(); }
  Moved moved() const override {
    return child()->moved() == Moved::same ? Moved::same : Moved::changes;
  }
  double gradient(std::span<const double> x, std::span<const double> a,
                  std::span<double> slope) const override {
    const double one = child()->gradient(x, a, slope), below = std::pow(one, n_ - 1);
    for (double& s : slope) s *= n_ * below;
    return below * one;
  }

 private:
  Formula<double> formula() const override { return {Function::power, 1, 0, n_}; }
  int n_;
};

/// The children of `a` when it is a `Node` itself.
template <class Node>
void append(std::vector<Pointer>& list, const Pointer& a) {
  if (const auto* same = dynamic_cast<const Node*>(a.get()))
    list.insert(list.end(), same->children().begin(), same->children().end());
  else list.push_back(a);
}

}  // namespace

Pointer sum_of(const Pointer& a, const Pointer& b) {
  std::vector<Pointer> all;
  append<Sum>(all, a);
  append<Sum>(all, b);
  return std::make_shared<Sum>(std::move(all));
}

Pointer product_of(const Pointer& a, const Pointer& b) {
  if (const auto* scale = dynamic_cast<const Scale*>(a.get()))
    return scaled(scale->factor(), product_of(scale->child(), b));
  if (const auto* scale = dynamic_cast<const Scale*>(b.get()))
    return scaled(scale->factor(), product_of(a, scale->child()));
  std::vector<Pointer> all;
  append<Product>(all, a);
  append<Product>(all, b);
  return std::make_shared<Product>(std::move(all));
}

Pointer scaled(double factor, const Pointer& a) {
  require(factor > 0 && std::isfinite(factor), Errc::bad_option,
          "the factor {} before {} must be greater than 0 and finite: a Mercer kernel stays one "
          "only under positive factors",
          factor, a->text());
  if (factor == 1) return a;
  if (const auto* inner = dynamic_cast<const Scale*>(a.get()))
    return scaled(factor * inner->factor(), inner->child());
  return std::make_shared<Scale>(factor, a);
}

Pointer power_of(const Pointer& a, int n) {
  require(n >= 1 && n <= 1000, Errc::bad_option,
          "the exponent {} of {} must be an integer from 1 to 1000", n, a->text());
  if (n == 1) return a;
  if (const auto* inner = dynamic_cast<const Power*>(a.get());
      inner && inner->exponent() * n <= 1000)
    return std::make_shared<Power>(inner->child(), inner->exponent() * n);
  return std::make_shared<Power>(a, n);
}

}  // namespace mercer
