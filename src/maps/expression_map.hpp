#pragma once
// What other modules need to know of maps written as expressions.

#include "kernels/entry_error.hpp"

#include <mercer/expression.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mercer {

/// The names that expressions use, which a model file has to hold.
class NamedColumns {
 public:
  virtual ~NamedColumns() = default;
  virtual const std::vector<std::string>& columns() const = 0;  ///< empty: x1 … xd
};

/// A map of floats that has the same map of doubles.
class HasWideMap {
 public:
  virtual ~HasWideMap() = default;
  virtual std::shared_ptr<const Map<double>> wide() const = 0;
};

/// A map that bounds the error of every feature while it computes them, for cells that are off by
/// `cells` themselves: infinity where there is no bound.
class MeasuresFeatureError {
 public:
  virtual ~MeasuresFeatureError() = default;
  virtual void apply_with_errors(const Rows<double>& x, const CellError& cells,
                                 Eigen::Ref<Matrix<double>> out,
                                 Eigen::Ref<Matrix<double>> errors) const = 0;
};

/// The names are those of the columns, or none.
template <class T>
std::shared_ptr<const Map<T>> expression_map_of(std::string_view text, Index inputs,
                                                const std::vector<std::string>& names);

}  // namespace mercer
