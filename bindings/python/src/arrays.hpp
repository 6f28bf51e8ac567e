#pragma once
// NumPy arrays and SciPy's CSR parts as `Rows`, and matrices as arrays; without copies where the
// layout allows.

#include <mercer/error.hpp>
#include <mercer/matrix.hpp>
#include <mercer/rows.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace mercer::python {

namespace py = pybind11;

using Offsets = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using ColumnNumbers = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>;
template <class T>
using Flat = py::array_t<T, py::array::c_style | py::array::forcecast>;

/// Rows that a Python object holds: a two-dimensional array, or the tuple
/// (indptr, indices, data, columns) of a CSR matrix. Arrays of another layout are copied once.
template <class T>
class HeldRows {
 public:
  explicit HeldRows(const py::object& x);
  const Rows<T>& rows() const { return rows_; }

 private:
  py::object a_, b_, c_;  // keep the memory alive
  Rows<T> rows_;
};

/// Are these single-precision numbers?
bool is_float(const py::object& x);

/// The matrix as an array that owns it.
template <class T>
py::array array_of(Matrix<T>&& matrix) {
  auto* held = new Matrix<T>(std::move(matrix));
  const py::capsule owner(held, [](void* p) { delete static_cast<Matrix<T>*>(p); });
  return py::array_t<T>({held->rows(), held->cols()}, held->data(), owner);
}

template <class T>
py::array array_of(const Vector<T>& vector) {
  return py::array_t<T>(vector.size(), vector.data());
}

/// A read-only view; `owner` keeps the numbers alive.
template <class T>
py::array view_of(const T* data, Index rows, Index cols, Index stride, const py::object& owner) {
  constexpr auto size = static_cast<py::ssize_t>(sizeof(T));
  py::array_t<T> out({rows, cols}, {stride * size, size}, data, owner);
  py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return out;
}

}  // namespace mercer::python
