#pragma once
// Rows as doubles: kernels of float rows are evaluated in double, too.

#include "kernels/scratch.hpp"

#include <mercer/rows.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mercer {

/// Borrowed doubles as they are; floats in a copy.
template <class T>
class WideRows;

template <>
class WideRows<double> {
 public:
  explicit WideRows(const Rows<double>& x) : rows_(x) {}
  const Rows<double>& rows() const { return rows_; }

 private:
  Rows<double> rows_;
};

template <>
class WideRows<float> {
 public:
  explicit WideRows(const Rows<float>& x) : values_(x.entries()) {
    if (!x.sparse()) {
      Eigen::Map<Matrix<double>>(values_.data(), x.rows(), x.cols()) =
          x.dense().template cast<double>();
      rows_ = Rows<double>(values_.data(), x.rows(), x.cols(), x.cols());
      return;
    }
    const CsrView<float>& csr = x.csr();
    const std::int64_t begin = csr.offsets[0];
    for (Index i = 0; i <= x.rows(); ++i) offsets_.push_back(csr.offsets[i] - begin);
    std::copy_n(csr.values + begin, x.entries(), values_.data());
    rows_ = Rows<double>(CsrView<double>{offsets_.data(), csr.columns + begin, values_.data()},
                         x.rows(), x.cols());
  }
  WideRows(const WideRows&) = delete;
  WideRows& operator=(const WideRows&) = delete;
  const Rows<double>& rows() const { return rows_; }

 private:
  Scratch<double> values_;
  std::vector<std::int64_t> offsets_;
  Rows<double> rows_;
};

}  // namespace mercer
