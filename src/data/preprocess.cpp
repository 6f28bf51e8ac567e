#include "data/preprocess.hpp"

#include <cmath>

namespace mercer {

template <class Out, class T>
void Preprocess::apply(const Rows<T>& rows, Eigen::Ref<Matrix<Out>> out) const {
  const Index d = rows.cols();
  const Vector<double> left = rest.size() > 0 ? rest : Vector<double>(Vector<double>::Zero(d));
  const double *const m = mean.data(), *const r = left.data(), *const s = scale.data();
  const auto change = [&](const auto* x, Out* z) {
    for (Index j = 0; j < d; ++j) {
      const auto value = static_cast<double>(x[j]);
      if (scale.size() > 0)
        z[j] = static_cast<Out>(std::isnan(value) ? 0.0 : ((value - m[j]) - r[j]) / s[j]);
      else z[j] = static_cast<Out>(std::isnan(value) && mean.size() > 0 ? m[j] : value);
    }
  };
  for (Index i = 0; i < rows.rows(); ++i) {
    Out* const z = out.row(i).data();
    if (!rows.sparse()) {
      change(rows.row(i), z);
      continue;
    }
    out.row(i).setZero();
    const CsrView<T>& csr = rows.csr();
    for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      z[csr.columns[e]] += static_cast<Out>(csr.values[e]);
    change(z, z);
  }
}

template <class T>
void Preprocess::undo(Eigen::Ref<Matrix<T>> z) const {
  if (scale.size() == 0) return;
  for (Index i = 0; i < z.rows(); ++i)
    for (Index j = 0; j < z.cols(); ++j)
      z(i, j) = static_cast<T>(
          mean[j] + ((rest.size() > 0 ? rest[j] : 0.0) + scale[j] * static_cast<double>(z(i, j))));
}

template void Preprocess::apply<float>(const Rows<float>&, Eigen::Ref<Matrix<float>>) const;
template void Preprocess::apply<double>(const Rows<float>&, Eigen::Ref<Matrix<double>>) const;
template void Preprocess::apply<double>(const Rows<double>&, Eigen::Ref<Matrix<double>>) const;
template void Preprocess::undo<float>(Eigen::Ref<Matrix<float>>) const;
template void Preprocess::undo<double>(Eigen::Ref<Matrix<double>>) const;

}  // namespace mercer
