#include "core/require.hpp"
#include "kernels/node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

using Callable = std::function<double(std::span<const double>, std::span<const double>)>;

/// Rows as arguments of the function.
Scratch<double> dense_doubles(const Rows<double>& x) {
  Scratch<double> out(x.rows() * x.cols());
  Eigen::Map<Matrix<double>> rows(out.data(), x.rows(), x.cols());
  if (!x.sparse()) {
    rows = x.dense();
    return out;
  }
  rows.setZero();
  const CsrView<double>& csr = x.csr();
  for (Index i = 0; i < x.rows(); ++i)
    for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      rows(i, csr.columns[e]) = csr.values[e];
  return out;
}

class FunctionNode final : public KernelNode {
 public:
  FunctionNode(std::string name, Callable k) : name_(std::move(name)), k_(std::move(k)) {}

  std::string text() const override { return fmt::format("function({})", name_); }
  bool always_valid() const override { return false; }
  double flops(double d) const override { return 10 * d; }
  void announce(Uses&) const override {}

  void evaluate(Evaluation& tile, const TileView<double>& out) const override {
    const Scratch<double> x = dense_doubles(tile.x()), y = dense_doubles(tile.y());
    const Index d = tile.x().cols();
    for (Index i = 0; i < out.rows; ++i)
      for (Index j = 0; j < out.cols; ++j)
        out.data[i * out.stride + j] = value(x.data() + i * d, y.data() + j * d, d);
  }
  Vector<double> diagonal(const Rows<double>& rows) const override {
    Vector<double> values(rows.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
      const Scratch<double> x = dense_doubles(rows.middle(i, 1));
      values[i] = value(x.data(), x.data(), rows.cols());
    }
    return values;
  }

  /// Taken to be right to four units in the last place, and no larger off the diagonal than on it.
  ValueBound bound(const RowExtent& extent) const override {
    return {{8 * unit_roundoff, 0, 0}, extent.largest_diagonal(*this), false, true};
  }
  bool of_differences() const override { return true; }
  bool differentiable() const override { return false; }
  double gradient(std::span<const double> x, std::span<const double> a,
                  std::span<double> slope) const override {
    std::fill(slope.begin(), slope.end(), std::numeric_limits<double>::quiet_NaN());
    return value(x.data(), a.data(), static_cast<Index>(x.size()));
  }

 private:
  double value(const double* x, const double* y, Index d) const {
    const auto size = static_cast<std::size_t>(d);
    const double k = k_({x, size}, {y, size});
    if (!std::isfinite(k)) refuse_not_finite(*this);
    return k;
  }
  std::string name_;
  Callable k_;
};

}  // namespace

Kernel Kernel::function(std::string name, Callable k) {
  require(static_cast<bool>(k), Errc::bad_option, "the kernel function '{}' is empty", name);
  require(!name.empty() && name.find_first_of("()") == std::string::npos, Errc::bad_option,
          "'{}' is not a valid name of a kernel function: use one without parentheses", name);
  return Kernel(std::make_shared<FunctionNode>(std::move(name), std::move(k)));
}

}  // namespace mercer
