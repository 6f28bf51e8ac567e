#include <mercer/mercer.hpp>

#include <iostream>

int main(int, char** argv) {
  // 178 wines, 13 measurements in different units: z-scores make them comparable.
  const auto wine = mercer::read<double>(argv[1], {.label = "cultivar"});
  const auto model = mercer::fit(wine.rows(), {.components = 0.9, .scale = mercer::Scale::std});

  std::cout << model.outputs() << " components keep "
            << 100 * model.explained_variance_ratio().sum() << " % of the variance\n";

  const mercer::Matrix<double> scores = model.transform(wine.rows());
  std::cout << wine.labels[0] << ": " << scores.row(0).head(2) << '\n';

  model.save("wine.st");
  const auto same = mercer::Model<double>::load("wine.st");
  return same.transform(wine.rows()) == scores ? 0 : 1;
}
