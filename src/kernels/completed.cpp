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
  explicit Medians(const PickedRows<double>& rows) : rows_(rows.rows()) {}
  double squared() override { return median(squared_, Ingredient::distances); }
  double absolute() override { return median(absolute_, Ingredient::absolute); }

 private:
  /// Of all pairs of different rows.
  double median(double& known, Ingredient ingredient) {
    if (known > 0) return known;
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
    require(!distances.empty(), Errc::bad_data,
            "all rows are equal, so no width can be chosen from them; give it: rbf(gamma=1)");
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return known = *middle;
  }

  Rows<double> rows_;
  double squared_ = 0, absolute_ = 0;
};

}  // namespace

template <class T>
Kernel Kernel::completed(const Rows<T>& x) const {
  if (complete()) return *this;
  const PickedRows<double> rows(x, even_sample(x.rows(), most_rows));
  Medians medians(rows);
  return Kernel(node_->completed(medians));
}

template Kernel Kernel::completed(const Rows<float>&) const;
template Kernel Kernel::completed(const Rows<double>&) const;

}  // namespace mercer
