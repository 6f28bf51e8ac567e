// Three clusters in the plane and the first eight components of kernel PCA, after the toy example
// of Schölkopf, Smola and Müller, Neural Computation 10 (1998): k(x, y) = exp(−‖x−y‖²/0.1).
//
// The first two components separate the clusters; the next three split each of them in halves,
// and the last three once more, at right angles to that.

#include <mercer/mercer.hpp>

#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

int main() {
  constexpr mercer::Index each = 30;
  const double centres[3][2] = {{-0.5, -0.2}, {0, 0.6}, {0.5, 0}};
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 0.1);
  mercer::Matrix<double> x(3 * each, 2);
  std::vector<std::string> labels;
  for (mercer::Index i = 0; i < x.rows(); ++i) {
    for (mercer::Index j = 0; j < 2; ++j) x(i, j) = centres[i / each][j] + normal(random);
    labels.push_back("cluster " + std::to_string(i / each + 1));
  }

  const auto model =
      mercer::fit(x, {.components = 8, .kernel = mercer::kernels::rbf({.gamma = 1 / 0.1})});
  std::cout << "eigenvalues " << model.eigenvalues().transpose() << "\nratios "
            << model.explained_variance_ratio().transpose() << '\n';

  std::ofstream svg("three_clusters.svg");
  svg << mercer::contour_svg(model, {.points = x, .labels = labels});
  svg.close();
  std::cout << "three_clusters.svg\n";

  // In the plane of the first two scores, every row is nearest to the mean of its cluster.
  const mercer::Matrix<double> scores = model.transform(x).leftCols(2);
  mercer::Matrix<double> means(3, 2);
  for (mercer::Index c = 0; c < 3; ++c)
    means.row(c) = scores.middleRows(c * each, each).colwise().mean();
  mercer::Index right = 0;
  for (mercer::Index i = 0; i < x.rows(); ++i) {
    mercer::Index nearest = 0;
    (means.rowwise() - scores.row(i)).rowwise().squaredNorm().minCoeff(&nearest);
    right += nearest == i / each;
  }
  std::cout << right << " of " << x.rows() << " rows are nearest to their own cluster\n";
  return svg.good() && right == x.rows() ? 0 : 1;
}
