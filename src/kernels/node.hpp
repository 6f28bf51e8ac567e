#pragma once
// What a kernel expression is made of: leaves, and sums, products, scales and powers of others.

#include "core/random.hpp"
#include "kernels/entry_error.hpp"
#include "kernels/evaluation.hpp"

#include <mercer/kernel.hpp>

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace mercer {

/// How tightly a node's text binds: a sum in a product needs parentheses.
enum class Binding { sum, product, power, atom };

/// Typical distances in the data, for parameters that are left to them. Computed when asked for.
class MedianDistances {
 public:
  virtual ~MedianDistances() = default;
  virtual double squared() = 0;
  virtual double absolute() = 0;
};

/// k(x, y) = factor·E cos ω·(x − y) over random frequencies ω: standard normal vectors times a
/// random scale, drawn once for a vector (k depends on ‖x−y‖ then), or for each of its entries.
struct Frequencies {
  std::function<double(Random&)> scale;
  bool each_entry = false;
  double factor = 1;
};

/// k(x, y) = factor·(gamma x·y + coef0)^degree.
struct Polynomial {
  double gamma = 1, coef0 = 0;
  int degree = 1;
  double factor = 1;
};

/// k(x, y) = factor·exp(−gamma ‖x − y‖²).
struct Gaussian {
  double gamma = 1, factor = 1;
};

/// What becomes of k when all rows move by the same vector.
enum class Moved {
  changes,
  apart,    ///< the same while the move rounds nothing: functions of x − y
  exactly,  ///< the same once it is centred, while the move rounds nothing: x·y beside those
  centred,  ///< the same once it is centred: x·y, whose own rounding is larger than the move's
  same,     ///< constants
};

struct KernelRow;  // kernels/row.hpp

/// A named kernel with its numbers; open ones are NaN.
struct LeafView {
  const KernelRow& row;
  std::span<const double> values;
};

class detail::KernelNode : public std::enable_shared_from_this<KernelNode> {
 public:
  using Pointer = std::shared_ptr<const KernelNode>;

  virtual ~KernelNode() = default;
  virtual std::string text() const = 0;
  virtual Binding binding() const { return Binding::atom; }
  virtual bool always_valid() const = 0;
  virtual double flops(double d) const = 0;

  virtual bool complete() const { return true; }
  /// Of named kernels, which are the leaves of an expression; a user-defined function has none.
  virtual std::optional<LeafView> leaf() const { return {}; }
  /// The same expression of other leaves: `change` of each, from left to right.
  virtual Pointer with_leaves(const std::function<Pointer(const KernelNode&)>& change) const {
    return change(*this);
  }

  /// Only of complete kernels.
  virtual std::optional<Frequencies> frequencies() const { return {}; }
  virtual std::optional<Polynomial> polynomial() const { return {}; }
  virtual std::optional<Gaussian> gaussian() const { return {}; }
  /// k falls with ‖x − y‖ and depends on nothing else.
  virtual bool radial() const { return false; }

  /// The rows must have no negative entry.
  virtual bool needs_nonnegative() const { return false; }
  /// Tells the evaluation which ingredients will be asked for, and how often.
  virtual void announce(Uses& uses) const = 0;

  /// out(i, j) = k(x_i, y_j).
  virtual void evaluate(Evaluation& tile, const TileView<double>& out) const = 0;
  /// k(x_i, x_i).
  virtual Vector<double> diagonal(const Rows<double>& x) const = 0;

  /// How far computed values may be off on rows of this extent, and how large they are.
  virtual ValueBound bound(const RowExtent& extent) const = 0;

  /// k(x, x) when it is the same for every x and k(x, y) − k(x, x) has all its digits however small
  /// it is (`Evaluation`, `fallen`); nothing for other kernels.
  virtual std::optional<double> peak() const { return {}; }
  /// Relative error of k(x, y) − k(x, x) where there is a peak.
  virtual double fallen_error(const RowExtent&) const { return 0; }
  /// Moving all rows by one vector changes k(x, y) by no more than f(x) + g(y), or not at all.
  virtual Moved moved() const { return Moved::changes; }

  /// Whether some part of k may see by how little rows differ, however narrow it is.
  virtual bool of_differences() const { return false; }

  /// False for functions of a program.
  virtual bool differentiable() const { return true; }
  /// slope = ∂k(x, a)/∂x; returns k(x, a). Where |x_j − a_j| or ‖x − a‖ has its kink, the mean of
  /// both sides.
  virtual double gradient(std::span<const double> x, std::span<const double> a,
                          std::span<double> slope) const = 0;

 protected:
  KernelNode() = default;
};

/// The text of a child, in parentheses when it binds less tightly than `least`.
inline std::string bound_text(const KernelNode& child, Binding least) {
  return child.binding() < least ? fmt::format("({})", child.text()) : child.text();
}

/// A result or an input is not finite.
[[noreturn]] void refuse_not_finite(const KernelNode& node);

KernelNode::Pointer sum_of(const KernelNode::Pointer& a, const KernelNode::Pointer& b);
KernelNode::Pointer product_of(const KernelNode::Pointer& a, const KernelNode::Pointer& b);
KernelNode::Pointer scaled(double factor, const KernelNode::Pointer& a);
KernelNode::Pointer power_of(const KernelNode::Pointer& a, int n);

}  // namespace mercer
