// Symmetric? Positive semi-definite? Answered by all eigenvalues of a sample's kernel matrix.
#include "core/monitor.hpp"
#include "core/require.hpp"
#include "kernels/pick_rows.hpp"
#include "linalg/lapack.hpp"

#include <mercer/kernel.hpp>

#include <cmath>
#include <limits>
#include <numeric>

namespace mercer {

namespace {

/// k(x, y) and k(y, x) may differ by this much, relative to the largest |k|: the sums behind them
/// are rounded in another order.
constexpr double symmetry_tolerance = 1e-10;

}  // namespace

MercerCheck check_kernel_matrix(const Matrix<double>& k, const RunOptions& options) {
  require(k.rows() == k.cols(), Errc::bad_data, "a kernel matrix is square, this one is {}×{}",
          k.rows(), k.cols());
  require(k.rows() > 0, Errc::bad_data, "there are no rows to check the kernel on");
  require(k.allFinite(), Errc::bad_data, "the kernel matrix has entries that are not finite");
  MercerCheck check;
  check.rows = check.of = k.rows();
  check.sample.resize(static_cast<std::size_t>(k.rows()));
  std::iota(check.sample.begin(), check.sample.end(), Index{0});
  for (Index i = 0; i < k.rows(); ++i)
    for (Index j = i + 1; j < k.cols(); ++j)
      if (const double difference = std::abs(k(i, j) - k(j, i)); difference > check.asymmetry) {
        check.asymmetry = difference;
        check.row = i;
        check.column = j;
      }
  check.symmetric = check.asymmetry <= symmetry_tolerance * k.cwiseAbs().maxCoeff();

  Reporter report(options.monitor, "eigenvalues", "rows", static_cast<double>(k.rows()));
  report(0);
  // zᵀKz sees only the symmetric part.
  const Matrix<double> half = (k + k.transpose()) / 2;
  const SymmetricEigen pairs = symmetric_eigen(half, k.rows(), options.threads);
  const Vector<double> lowest = pairs.vectors.row(k.rows() - 1);
  check.largest = pairs.values[0];
  check.smallest = pairs.values[k.rows() - 1];
  check.noise = static_cast<double>(k.rows()) * std::numeric_limits<double>::epsilon() *
                std::max(std::abs(check.largest), std::abs(check.smallest));
  check.positive = check.smallest >= -check.noise;
  if (!check.positive) {
    check.witness = lowest.normalized();
    check.smallest = check.witness.dot(half * check.witness);
  }
  return check;
}

template <class T>
MercerCheck check_kernel(const Kernel& kernel, const Rows<T>& x, const CheckOptions& options) {
  require(options.rows >= 1, Errc::bad_option, "a sample of {} rows is too small", options.rows);
  kernel.require_domain(x);
  const std::vector<Index> sample = even_sample(x.rows(), options.rows);
  const PickedRows<double> rows(x, sample);
  const Kernel complete = kernel.completed(x);
  const RunOptions run{options.threads, options.monitor};
  MercerCheck check = check_kernel_matrix(complete.matrix(rows.rows(), rows.rows(), run), run);
  check.of = x.rows();
  check.sample = sample;
  check.row = sample[static_cast<std::size_t>(check.row)];
  check.column = sample[static_cast<std::size_t>(check.column)];
  if (complete.always_valid() && !check.positive) {
    // A theorem outweighs rounding: entries lose digits where rows are huge beside their width.
    check.positive = true;
    check.noise = -check.smallest;
    check.witness.resize(0);
  }
  return check;
}

template MercerCheck check_kernel(const Kernel&, const Rows<float>&, const CheckOptions&);
template MercerCheck check_kernel(const Kernel&, const Rows<double>&, const CheckOptions&);

}  // namespace mercer
