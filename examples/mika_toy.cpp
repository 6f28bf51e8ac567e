// Eleven Gaussians in ten dimensions: denoising by linear and by kernel PCA, as in table 1 of Mika,
// Schölkopf, Smola, Müller, Scholz & Rätsch, "Kernel PCA and De-Noising in Feature Spaces" (NIPS
// 1998).
//
//     example_mika_toy [train] [test]      rows of each Gaussian; the paper has 100 and 33
//
// Shown is by how much the mean squared distance to the true centre is smaller with kernel PCA.
#include <mercer/mercer.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace mercer;

namespace {

constexpr Index centres = 11, columns = 10, most_components = 9;

double mean_square(const Matrix<double>& off) {
  return off.squaredNorm() / static_cast<double>(off.rows());
}

}  // namespace

int main(int argc, char** argv) {
  const Index train = argc > 1 ? std::atol(argv[1]) : 20, test = argc > 2 ? std::atol(argv[2]) : 7;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  const Matrix<double> centre =
      Matrix<double>::NullaryExpr(centres, columns, [&] { return uniform(generator); });
  const auto rows_about = [&](Index each, double sigma, Matrix<double>& truth) {
    truth.resize(centres * each, columns);
    for (Index i = 0; i < truth.rows(); ++i) truth.row(i) = centre.row(i / each);
    return Matrix<double>(truth + sigma * Matrix<double>::NullaryExpr(truth.rows(), columns, [&] {
                                    return normal(generator);
                                  }));
  };

  std::printf("%zd + %zd rows of each of %zd Gaussians\n\n| sigma |", train, test, centres);
  for (Index k = 1; k <= most_components; ++k) std::printf(" k = %zd |", k);
  std::printf("\n|---|");
  for (Index k = 1; k <= most_components; ++k) std::printf("---|");
  bool better = true;
  for (const double sigma : {0.05, 0.1, 0.2, 0.4, 0.8}) {
    Matrix<double> learned, truth;
    const Matrix<double> x = rows_about(train, sigma, learned),
                         noisy = rows_about(test, sigma, truth);
    std::printf("\n| %g |", sigma);
    // Rows of one Gaussian are 20σ² apart, on average, squared: they look alike, others do not.
    const Kernel kernel = kernels::rbf({.gamma = 1 / (20 * sigma * sigma)});
    const auto all = fit(x, {.components = most_components, .kernel = kernel});
    const auto linear = fit(x, {.components = most_components});
    for (Index k = 1; k <= most_components; ++k) {
      ModelParts<double> first = all.parts();  // the first k components of the same model
      first.components = all.components().topRows(k).eval();
      first.eigenvalues = all.eigenvalues().head(k).eval();
      first.report.solver.residuals.resize(static_cast<std::size_t>(k));
      first.report.certificate = {};
      const Decoder<double> decoder(
          Model<double>(first), {.start = PreImageStart::row, .penalty = 0, .iterations = 1000});
      const Matrix<double> scores = linear.transform(noisy).leftCols(k);
      const double ratio = mean_square(linear.inverse(scores) - truth) /
                           mean_square(decoder.denoise(noisy).rows - truth);
      std::printf(" %.2f |", ratio);
      better = better && (sigma > 0.1 || ratio > 1);
    }
  }
  std::printf("\n");
  return better ? 0 : 1;
}
