// Widths that are left to the data: the median heuristic.
#include "core/require.hpp"
#include "kernels/distance_tile.hpp"
#include "kernels/node.hpp"
#include "kernels/pick_rows.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

namespace {

constexpr Index most_rows = 1000;
constexpr Index block = 256;

class Medians final : public MedianDistances {
 public:
  Medians(const PickedRows<double>& rows, bool all) : rows_(rows.rows()), all_(all) {}
  double squared() override { return median(squared_, Ingredient::distances); }
  double absolute() override { return median(absolute_, Ingredient::absolute); }

 private:
  /// Of all pairs of different rows.
  double median(double& known, Ingredient ingredient) {
    if (known > 0) return known;
    std::vector<double> distances = positive(ingredient);
    if (distances.empty()) refuse(ingredient);
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return known = *middle;
  }

  std::vector<double> positive(Ingredient ingredient) const {
    const Index n = rows_.rows();
    std::vector<double> distances;
    distances.reserve(static_cast<std::size_t>(n * (n - 1) / 2));
    for (Index i = 0; i < n; i += block)
      for (Index j = i; j < n; j += block) {
        const Index rows = std::min(block, n - i), cols = std::min(block, n - j);
        Matrix<double> tile(rows, cols);
        const bool finite =
            distance_tile(ingredient, rows_.middle(i, rows), rows_.middle(j, cols), tile);
        require(finite, Errc::bad_data,
                "distances between the rows overflow; divide the columns by their deviations "
                "(fit --scale std)");
        for (Index p = 0; p < rows; ++p)
          for (Index q = i == j ? p + 1 : 0; q < cols; ++q)
            if (tile(p, q) > 0) distances.push_back(tile(p, q));
      }
    return distances;
  }

  [[noreturn]] void refuse(Ingredient ingredient) const {
    if (ingredient == Ingredient::distances && !positive(Ingredient::absolute).empty())
      fail(Errc::bad_data,
           "squared distances between the rows are below the smallest number there is, so no width "
           "can be chosen from them; divide the columns by their deviations (fit --scale std)");
    if (all_)
      fail(Errc::bad_data,
           "all rows are equal: no width can be chosen from them, and with any width, as in "
           "rbf(gamma=1), there is no variance to explain");
    fail(Errc::bad_data,
         "{} rows, evenly spaced, are all equal, so no width can be chosen from them; give it: "
         "rbf(gamma=1)",
         rows_.rows());
  }

  Rows<double> rows_;
  bool all_;  // these are all rows, not a sample
  double squared_ = 0, absolute_ = 0;
};

}  // namespace

template <class T>
Kernel Kernel::completed(const Rows<T>& x) const {
  if (complete()) return *this;
  const PickedRows<double> rows(x, even_sample(x.rows(), most_rows));
  Medians medians(rows, x.rows() <= most_rows);
  return Kernel(node_->completed(medians));
}

template Kernel Kernel::completed(const Rows<float>&) const;
template Kernel Kernel::completed(const Rows<double>&) const;

}  // namespace mercer
