#include "lectures/nearest.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace mercer::cli {

double nearest_accuracy(const Matrix<double>& train, const std::vector<std::string>& train_labels,
                        const Matrix<double>& test, const std::vector<std::string>& test_labels,
                        int neighbours) {
  const auto count = static_cast<std::size_t>(train.rows());
  std::vector<std::size_t> order(count);
  Index right = 0;
  for (Index i = 0; i < test.rows(); ++i) {
    const Vector<double> distance = (train.rowwise() - test.row(i)).rowwise().squaredNorm();
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + std::min<std::ptrdiff_t>(neighbours, train.rows());
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
      const double da = distance[static_cast<Index>(a)], db = distance[static_cast<Index>(b)];
      return da != db ? da < db : a < b;
    });
    std::map<std::string, int> votes;
    for (auto at = order.begin(); at != end; ++at) ++votes[train_labels[*at]];
    int most = 0;
    for (const auto& [label, n] : votes) most = std::max(most, n);
    const auto winner = std::find_if(
        order.begin(), end, [&](std::size_t at) { return votes[train_labels[at]] == most; });
    right += train_labels[*winner] == test_labels[static_cast<std::size_t>(i)];
  }
  return static_cast<double>(right) / static_cast<double>(test.rows());
}

}  // namespace mercer::cli
