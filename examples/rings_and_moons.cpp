// Two rings and two moons: no line in the plane separates the classes, nor does linear PCA help,
// which only turns the plane. The first two scores of kernel PCA do separate them.
//
//     rings_and_moons data/rings.csv data/moons.csv

#include <mercer/mercer.hpp>

#include <Eigen/QR>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

/// The share of rows on the right side of the least-squares line between two classes.
double separated(const mercer::Matrix<double>& scores, const mercer::TextColumn& labels) {
  const mercer::Index n = scores.rows();
  Eigen::MatrixXd a(n, 3);
  a << Eigen::VectorXd::Ones(n), scores;
  Eigen::VectorXd side(n);
  for (mercer::Index i = 0; i < n; ++i)
    side[i] = labels[static_cast<std::size_t>(i)] == labels[0] ? 1 : -1;
  const Eigen::VectorXd line = a.colPivHouseholderQr().solve(side);
  return static_cast<double>(((a * line).array() * side.array() > 0).count()) /
         static_cast<double>(n);
}

/// Does kernel PCA of this width separate all rows, and linear PCA not?
bool compare(const std::string& path, double gamma, const std::string& picture) {
  const auto table = mercer::read<double>(path, {.label = "class"});
  const auto linear = mercer::fit(table.rows(), {.components = 2});
  const auto kernel = mercer::fit(
      table.rows(), {.components = 2, .kernel = mercer::kernels::rbf({.gamma = gamma})});
  const double before = separated(linear.transform(table.rows()), table.labels);
  const double after = separated(kernel.transform(table.rows()), table.labels);
  std::cout << path << ": a line separates " << 100 * before << " % on linear scores, "
            << 100 * after << " % on those of rbf(gamma=" << gamma << ")\n";

  std::vector<std::string> labels;
  for (std::size_t i = 0; i < table.labels.size(); ++i) labels.emplace_back(table.labels[i]);
  std::ofstream(picture) << mercer::contour_svg(kernel, {.points = table.x, .labels = labels});
  return before < 0.95 && after == 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool rings = compare(argv[1], 0.5, "rings.svg");
  const bool moons = compare(argv[2], 15, "moons.svg");
  return rings && moons ? 0 : 1;
}
