#include <mercer/kernel.hpp>

#include "core/require.hpp"
#include "kernels/evaluate_tile.hpp"
#include "kernels/node.hpp"
#include "linalg/blas.hpp"

namespace mercer {

namespace {

template <class T>
void require_usable(const Kernel& kernel, const Rows<T>& x) {
  require(kernel.complete(), Errc::bad_option,
          "the width of {} is open; estimate it from the data first", kernel.text());
  require(x.cols() > 0, Errc::bad_data, "the rows have no columns");
}

}  // namespace

std::string Kernel::text() const { return node_->text(); }
bool Kernel::complete() const { return node_->complete(); }
bool Kernel::always_valid() const { return node_->always_valid(); }
double Kernel::flops_per_pair(double d) const { return node_->flops(d); }

template <class T>
void Kernel::require_domain(const Rows<T>& x, Index first) const {
  if (!node_->needs_nonnegative()) return;
  const auto refuse = [&](Index row, Index column, T value) {
    fail(Errc::bad_data, "row {}, column {} is {}: {} needs numbers of at least 0, such as counts",
         first + row + 1, column + 1, value, text());
  };
  if (!x.sparse()) {
    const auto rows = x.dense();
    for (Index i = 0; i < x.rows(); ++i) {
      if (rows.row(i).minCoeff() >= 0) continue;
      for (Index j = 0; j < x.cols(); ++j)
        if (rows(i, j) < 0) refuse(i, j, rows(i, j));
    }
    return;
  }
  const CsrView<T>& csr = x.csr();
  for (Index i = 0; i < x.rows(); ++i)
    for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      if (csr.values[e] < 0) refuse(i, csr.columns[e], csr.values[e]);
}

template <class T>
void Kernel::tile(const Rows<T>& x, const Rows<T>& y, Eigen::Ref<Matrix<T>> out) const {
  require_usable(*this, x);
  require(x.cols() == y.cols(), Errc::bad_data, "rows of {} columns against rows of {} columns",
          x.cols(), y.cols());
  require(out.rows() == x.rows() && out.cols() == y.rows(), Errc::bad_option,
          "the tile is {}×{} and the rows are {} and {}", out.rows(), out.cols(), x.rows(),
          y.rows());
  if (out.size() == 0) return;
  require_domain(x);
  require_domain(y);
  const BlasThreads one(1);
  evaluate_tile(*node_, x, y, out);
}

template <class T>
Vector<T> Kernel::diagonal(const Rows<T>& x) const {
  require_usable(*this, x);
  require_domain(x);
  const WideRows<T> wide(x);
  Vector<T> values = node_->diagonal(wide.rows()).template cast<T>();
  if (!values.allFinite()) refuse_not_finite(*node_);
  return values;
}

Kernel operator+(const Kernel& a, const Kernel& b) { return Kernel(sum_of(a.node_, b.node_)); }
Kernel operator*(const Kernel& a, const Kernel& b) { return Kernel(product_of(a.node_, b.node_)); }
Kernel operator*(const Kernel& k, double factor) { return factor * k; }

Kernel operator*(double factor, const Kernel& k) { return Kernel(scaled(factor, k.node_)); }
Kernel pow(const Kernel& k, int n) { return Kernel(power_of(k.node_, n)); }

template void Kernel::require_domain(const Rows<float>&, Index) const;
template void Kernel::require_domain(const Rows<double>&, Index) const;
template void Kernel::tile(const Rows<float>&, const Rows<float>&, Eigen::Ref<Matrix<float>>) const;
template void Kernel::tile(const Rows<double>&, const Rows<double>&,
                           Eigen::Ref<Matrix<double>>) const;
template Vector<float> Kernel::diagonal(const Rows<float>&) const;
template Vector<double> Kernel::diagonal(const Rows<double>&) const;

}  // namespace mercer
