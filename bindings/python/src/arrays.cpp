#include "arrays.hpp"

namespace mercer::python {

namespace {

/// Rows may lie further apart than their length, but in order, and numbers next to each other.
template <class T>
bool borrowable(const py::array& x) {
  constexpr auto size = static_cast<py::ssize_t>(sizeof(T));
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data()) % alignof(T) == 0;
  const bool tight = x.shape(1) <= 1 || x.strides(1) == size;
  const bool ordered =
      x.shape(0) <= 1 || (x.strides(0) % size == 0 && x.strides(0) >= x.shape(1) * size);
  return aligned && tight && ordered;
}

}  // namespace

template <class T>
HeldRows<T>::HeldRows(const py::object& x) {
  if (py::isinstance<py::tuple>(x)) {
    const auto parts = x.cast<py::tuple>();
    const Offsets offsets(parts[0]);
    const ColumnNumbers columns(parts[1]);
    const Flat<T> values(parts[2]);
    rows_ = Rows<T>(CsrView<T>{offsets.data(), columns.data(), values.data()}, offsets.size() - 1,
                    parts[3].cast<Index>());
    a_ = offsets, b_ = columns, c_ = values;
    return;
  }
  py::array array = x.cast<py::array>();
  if (array.ndim() != 2) throw py::value_error("rows are a two-dimensional array");
  if (!py::isinstance<py::array_t<T>>(array) || !borrowable<T>(array))
    array = py::array_t<T, py::array::c_style | py::array::forcecast>(array);
  const Index stride =
      array.shape(0) > 1 ? array.strides(0) / static_cast<py::ssize_t>(sizeof(T)) : array.shape(1);
  rows_ = Rows<T>(static_cast<const T*>(array.data()), array.shape(0), array.shape(1), stride);
  a_ = std::move(array);
}

bool is_float(const py::object& x) {
  const py::object values = py::isinstance<py::tuple>(x) ? x.cast<py::tuple>()[2] : x;
  return py::isinstance<py::array_t<float>>(values);
}

template class HeldRows<float>;
template class HeldRows<double>;

}  // namespace mercer::python
