#include "map_of.hpp"

#include "arrays.hpp"

#include <mercer/error.hpp>
#include <mercer/features.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace mercer::python {

namespace {

/// What Python evaluates, a block of rows at a time. A file has its name.
template <class T>
class PythonMap final : public Map<T> {
 public:
  PythonMap(std::string name, const py::object& function, Index inputs, Index features)
      : name_(std::move(name)),
        function_(new py::object(function),
                  [](py::object* held) {  // a model may end where the interpreter is released
                    const py::gil_scoped_acquire acquire;
                    delete held;
                  }),
        inputs_(inputs),
        features_(features) {}

  Index inputs() const override { return inputs_; }
  Index features() const override { return features_; }
  std::string text() const override { return fmt::format("function({})", name_); }

  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override {
    Matrix<T> rows(x.rows(), inputs_);
    identity_map<T>(inputs_)->apply(x, rows);
    const py::gil_scoped_acquire acquire;
    const Flat<T> image = (*function_)(py::array_t<T>({rows.rows(), rows.cols()}, rows.data()));
    if (image.ndim() != 2 || image.shape(0) != x.rows() || image.shape(1) != features_)
      throw Error(
          Errc::bad_data,
          fmt::format(
              "the map {} returned an array of shape ({}) for {} rows; it must return one "
              "of shape ({}, {})",
              name_,
              fmt::join(std::vector<py::ssize_t>(image.shape(), image.shape() + image.ndim()),
                        ", "),
              x.rows(), x.rows(), features_));
    out = Eigen::Map<const Matrix<T>>(image.data(), x.rows(), features_);
  }

 private:
  std::string name_;
  std::shared_ptr<py::object> function_;
  Index inputs_, features_;
};

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> map_of(const py::object& map, Index inputs,
                                     const std::vector<std::string>& columns) {
  if (py::isinstance<py::str>(map)) {
    const auto text = map.cast<std::string>();
    return text.empty() ? nullptr : parse_map<T>(text, inputs, columns);
  }
  const auto given = map.cast<py::tuple>();
  return std::make_shared<PythonMap<T>>(given[0].cast<std::string>(), py::object(given[1]), inputs,
                                        given[2].cast<Index>());
}

template std::shared_ptr<const Map<float>> map_of(const py::object&, Index,
                                                  const std::vector<std::string>&);
template std::shared_ptr<const Map<double>> map_of(const py::object&, Index,
                                                   const std::vector<std::string>&);

}  // namespace mercer::python
