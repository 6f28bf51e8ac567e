// Intervals of random features: how often they miss the eigenvalue of the exact kernel matrix.
#include "calibrate.hpp"

#include <mercer/fit.hpp>
#include <mercer/kernel.hpp>

#include <Eigen/Eigenvalues>

namespace calibrate {

namespace {

constexpr Index rows = 150, kept = 3;

Matrix<double> gaussian_rows(Draw& draw) { return draw.normal(rows, 4); }

Matrix<double> three_clusters(Draw& draw) {
  Matrix<double> x = draw.normal(rows, 3);
  for (Index i = 0; i < rows; ++i) x.row(i).array() += 6 * draw.below(3);
  return x;
}

/// Three rows that carry almost everything.
Matrix<double> dominant(Draw& draw) {
  Matrix<double> x = gaussian_rows(draw);
  x.topRows(3) *= 10;
  return x;
}

/// The formulas, written out.
Matrix<double> rbf_matrix(const Matrix<double>& x, double gamma) {
  Matrix<double> k(rows, rows);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < rows; ++j)
      k(i, j) = std::exp(-gamma * (x.row(i) - x.row(j)).squaredNorm());
  return k;
}
Matrix<double> poly_matrix(const Matrix<double>& x) {
  return ((x * x.transpose()).array() + 1).square();
}

struct Features {
  const char* name;
  Matrix<double> (*make)(Draw&);
  const char* kernel;
  double gamma;  // 0: polynomial
  mercer::Approx approx;
};

std::vector<double> missed(const Features& f, std::uint64_t seed) {
  Draw draw(seed);
  const Matrix<double> x = f.make(draw);
  mercer::FitOptions options{.components = kept, .kernel = mercer::Kernel::parse(f.kernel)};
  options.approx = f.approx;
  options.seed = seed;
  options.threads = 1;
  const mercer::Certificate given = mercer::fit(x, options).report().certificate;
  if (given.low.empty()) return {refused};
  Matrix<double> k = f.gamma > 0 ? rbf_matrix(x, f.gamma) : poly_matrix(x);
  k.rowwise() -= k.colwise().mean().eval();
  k.colwise() -= k.rowwise().mean().eval();
  const Vector<double> exact =
      Eigen::SelfAdjointEigenSolver<Matrix<double>>(k, Eigen::EigenvaluesOnly).eigenvalues();
  double count = 0;
  for (std::size_t j = 0; j < given.low.size(); ++j) {
    const double value = exact[rows - 1 - static_cast<Index>(j)];
    count += value < given.low[j] || value > given.high[j];
  }
  return {count / static_cast<double>(given.low.size())};
}

}  // namespace

std::vector<Case> interval_cases() {
  const char* poly = "poly(degree=2, coef0=1, gamma=1)";
  const Features all[] = {
      {"Fourier, 300 features, Gaussian rows", gaussian_rows, "rbf(gamma=0.2)", 0.2,
       mercer::Fourier{.features = 300}},
      {"Fourier, 300 features, clusters", three_clusters, "rbf(gamma=0.05)", 0.05,
       mercer::Fourier{.features = 300}},
      {"TensorSketch, 256 features, Gaussian rows", gaussian_rows, poly, 0,
       mercer::TensorSketch{.features = 256}},
      {"TensorSketch, 256 features, three dominant rows", dominant, poly, 0,
       mercer::TensorSketch{.features = 256}},
  };
  std::vector<Case> out;
  for (const Features& f : all)
    out.push_back({"intervals", f.name, {{f.name, Judge::at_most, 0.05}}, [f](std::uint64_t seed) {
                     return missed(f, seed);
                   }});
  return out;
}

}  // namespace calibrate
