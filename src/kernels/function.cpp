#include "core/require.hpp"
#include "kernels/node_of.hpp"

#include <cmath>

namespace mercer {

namespace {

using Callable = std::function<double(std::span<const double>, std::span<const double>)>;

/// Rows as the function wants them.
template <class T>
Scratch<double> dense_doubles(const Rows<T>& x) {
  Scratch<double> out(x.rows() * x.cols());
  Eigen::Map<Matrix<double>> rows(out.data(), x.rows(), x.cols());
  if (!x.sparse()) {
    rows = x.dense().template cast<double>();
    return out;
  }
  rows.setZero();
  const CsrView<T>& csr = x.csr();
  for (Index i = 0; i < x.rows(); ++i)
    for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      rows(i, csr.columns[e]) = static_cast<double>(csr.values[e]);
  return out;
}

class FunctionNode final : public NodeOf<FunctionNode> {
 public:
  FunctionNode(std::string name, Callable k) : name_(std::move(name)), k_(std::move(k)) {}

  std::string text() const override { return fmt::format("function({})", name_); }
  bool always_valid() const override { return false; }
  double flops(double d) const override { return 10 * d; }
  void announce(Uses&) const override {}

  template <class T>
  void run(Evaluation<T>& tile, const TileView<T>& out) const {
    const Scratch<double> x = dense_doubles(tile.x()), y = dense_doubles(tile.y());
    const Index d = tile.x().cols();
    for (Index i = 0; i < out.rows; ++i)
      for (Index j = 0; j < out.cols; ++j)
        out.data[i * out.stride + j] = value<T>(x.data() + i * d, y.data() + j * d, d);
  }
  template <class T>
  Vector<T> diagonal_of(const Rows<T>& rows) const {
    Vector<T> values(rows.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
      const Scratch<double> x = dense_doubles(rows.middle(i, 1));
      values[i] = value<T>(x.data(), x.data(), rows.cols());
    }
    return values;
  }

 private:
  template <class T>
  T value(const double* x, const double* y, Index d) const {
    const auto size = static_cast<std::size_t>(d);
    const T k = static_cast<T>(k_({x, size}, {y, size}));
    if (!std::isfinite(k)) refuse_not_finite(*this);
    return k;
  }
  std::string name_;
  Callable k_;
};

}  // namespace

Kernel Kernel::function(std::string name, Callable k) {
  require(static_cast<bool>(k), Errc::bad_option, "the kernel function '{}' is empty", name);
  return Kernel(std::make_shared<FunctionNode>(std::move(name), std::move(k)));
}

}  // namespace mercer
