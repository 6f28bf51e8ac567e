// Sums, products, scales and powers. They are put into one form as they are built (sums in sums
// and products in products are flat, a factor stands in front of all else), so that the text of
// what a text parses to is stable.
#include "core/require.hpp"
#include "kernels/node_of.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

using Pointer = KernelNode::Pointer;

/// One with several children.
template <class Node, bool product>
class Several : public NodeOf<Node> {
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
  Pointer completed(MedianDistances& medians) const override {
    Pointer all;
    for (const Pointer& child : children_) {
      const Pointer next = child->completed(medians);
      all = !all ? next : product ? product_of(all, next) : sum_of(all, next);
    }
    return all;
  }

  template <class T>
  void run(Evaluation<T>& tile, const TileView<T>& out) const {
    children_.front()->evaluate(tile, out);
    const Scratch<T> scratch(out.rows * out.cols);
    const Sweep<T> sweep{out.rows, out.cols, scratch.data(), out.cols, out.data, out.stride};
    for (std::size_t i = 1; i < children_.size(); ++i) {
      children_[i]->evaluate(tile, {scratch.data(), out.rows, out.cols, out.cols});
      if (!(product ? multiply_tile(sweep) : add_tile(sweep))) refuse_not_finite(*this);
    }
  }
  template <class T>
  Vector<T> diagonal_of(const Rows<T>& x) const {
    Vector<T> all = children_.front()->diagonal(x);
    for (std::size_t i = 1; i < children_.size(); ++i) {
      const Vector<T> next = children_[i]->diagonal(x);
      if (product) all.array() *= next.array();
      else all += next;
    }
    if (!all.allFinite()) refuse_not_finite(*this);
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

class Sum final : public Several<Sum, false> {
  using Several::Several;
};
class Product final : public Several<Product, true> {
  using Several::Several;
};

/// One with a child whose values go through a formula.
template <class Node>
class Single : public NodeOf<Node> {
 public:
  explicit Single(Pointer child) : child_(std::move(child)) {}
  const Pointer& child() const { return child_; }

  bool always_valid() const override { return child_->always_valid(); }
  bool complete() const override { return child_->complete(); }
  bool needs_nonnegative() const override { return child_->needs_nonnegative(); }
  bool radial() const override { return child_->radial(); }
  double flops(double d) const override { return child_->flops(d) + 2; }
  void announce(Uses& uses) const override { child_->announce(uses); }

  template <class T>
  void run(Evaluation<T>& tile, const TileView<T>& out) const {
    child_->evaluate(tile, out);
    change<T>({out.rows, out.cols, out.data, out.stride, out.data, out.stride});
  }
  template <class T>
  Vector<T> diagonal_of(const Rows<T>& x) const {
    Vector<T> values = child_->diagonal(x);
    const Index n = values.size();
    change<T>({1, n, values.data(), n, values.data(), n});
    return values;
  }

 private:
  template <class T>
  void change(const Sweep<T>& sweep) const {
    if (!apply(static_cast<const Node&>(*this).template formula<T>(), sweep))
      refuse_not_finite(*this);
  }
  Pointer child_;
};

class Scale final : public Single<Scale> {
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
  Pointer completed(MedianDistances& medians) const override {
    return scaled(factor_, child()->completed(medians));
  }
  template <class T>
  Formula<T> formula() const {
    return {Function::power, static_cast<T>(factor_), T(0), 1};
  }

 private:
  template <class Known>
  std::optional<Known> times(std::optional<Known> known) const {
    if (known) known->factor *= factor_;
    return known;
  }
  double factor_;
};

class Power final : public Single<Power> {
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
  Pointer completed(MedianDistances& medians) const override {
    return power_of(child()->completed(medians), n_);
  }
  template <class T>
  Formula<T> formula() const {
    return {Function::power, T(1), T(0), n_};
  }

 private:
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
          "the exponent {} of {} must be a whole number from 1 to 1000", n, a->text());
  if (n == 1) return a;
  if (const auto* inner = dynamic_cast<const Power*>(a.get());
      inner && inner->exponent() * n <= 1000)
    return std::make_shared<Power>(inner->child(), inner->exponent() * n);
  return std::make_shared<Power>(a, n);
}

}  // namespace mercer
