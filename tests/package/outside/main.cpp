// A project that knows Mercer only as an installed package.

#include <mercer/mercer.hpp>

#include <cmath>
#include <iostream>

int main() {
  Eigen::MatrixXd x(4, 2);  // on the line y = 2x
  x << 0, 0, 1, 2, 2, 4, 3, 6;
  const auto model = mercer::fit(x, {.components = 1});
  std::cout << "mercer " << MERCER_VERSION << ": (" << model.components() << "), "
            << model.explained_variance_ratio() << '\n';
  return std::abs(model.components()(0, 1) - 2 / std::sqrt(5.0)) < 1e-12 ? 0 : 1;
}
