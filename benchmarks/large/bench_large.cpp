// bench_large make FILE.npy rows=N cols=D            decay data
// bench_large fit FILE.npy [k=20 solver=randomized tolerance=1e-6 precision=double reps=3]
// bench_large sparse STEM [k=20 tolerance=1e-6 center=yes reps=3]
// bench_large incremental FILE.npy [k=16 batch=1000 reps=2]
// bench_large pass FILE.npy [vectors=32 reps=3]      limit: the two GEMMs of one pass
// Each prints one line of JSON.
#include "bench.hpp"

#include <mercer/mercer.hpp>

#include <cblas.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <thread>

using namespace mercer;
using namespace mercer::bench;

namespace {

/// Gaussian × diag(1/i) × rotation by Householder reflections, mean 3; written in blocks.
void make(const Words& words) {
  const Index n = words.number("rows", 100000), d = words.number("cols", 1000), block = 1000;
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  Matrix<double> axes(3, d);
  for (Index r = 0; r < 3; ++r)
    axes.row(r) = Vector<double>::NullaryExpr(d, [&] { return normal(generator); }).normalized();
  Sink<double> sink(words.files.at(0), std::vector<std::string>(static_cast<std::size_t>(d), "x"));
  for (Index i = 0; i < n; i += block) {
    Matrix<double> x(std::min(block, n - i), d);
    for (Index r = 0; r < x.rows(); ++r)
      for (Index j = 0; j < d; ++j) x(r, j) = normal(generator) / static_cast<double>(j + 1);
    for (Index r = 0; r < 3; ++r) {
      const Vector<double> along = x * axes.row(r).transpose();
      x.noalias() -= 2 * along * axes.row(r);
    }
    x.array() += 3;
    sink.write(x);
  }
  sink.close();
}

template <class T>
Matrix<T> load(const std::string& path) {
  return read<T>(path).x;
}

FitOptions options_of(const Words& words) {
  FitOptions options{.components = words.number("k", 20)};
  options.solver = words.is("solver", "covariance") ? Solver::covariance
                   : words.is("solver", "auto")     ? Solver::automatic
                                                    : Solver::randomized;
  options.tolerance = std::stod(words.text("tolerance", "1e-6"));
  options.center = !words.is("center", "no");
  return options;
}

template <class T>
void report(double seconds, const Model<T>& model) {
  const auto& solver = model.report().solver;
  double worst = 0;
  for (const double r : solver.residuals) worst = std::max(worst, r);
  fmt::print(
      "{{\"seconds\": {}, \"solver\": \"{}\", \"passes\": {}, \"residual\": {}, \"values\": "
      "[{}]}}\n",
      seconds, solver.name, solver.passes, worst, fmt::join(model.explained_variance(), ", "));
}

template <class T>
void fit_rows(const Rows<T>& rows, const Words& words) {
  std::optional<Model<T>> model;
  const double seconds =
      best(words.number("reps", 3), [&] { model = fit(rows, options_of(words)); });
  report(seconds, *model);
}

Csr<double> load_sparse(const std::string& stem, Index cols) {
  const Matrix<double> offsets = load<double>(stem + "-offsets.npy");
  const Matrix<double> columns = load<double>(stem + "-columns.npy");
  const Matrix<double> values = load<double>(stem + "-values.npy");
  Csr<double> out;
  out.cols = cols;
  out.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  out.columns.assign(columns.data(), columns.data() + columns.size());
  out.values.assign(values.data(), values.data() + values.size());
  return out;
}

void incremental(const Words& words) {
  const Matrix<double> x = load<double>(words.files.at(0));
  const Index batch = words.number("batch", 1000);
  std::optional<Model<double>> model;
  const double seconds = best(words.number("reps", 2), [&] {
    IncrementalPca<double> pca(x.cols(), {.components = words.number("k", 16)});
    for (Index i = 0; i < x.rows(); i += batch)
      pca.update(Rows<double>(x).middle(i, std::min(batch, x.rows() - i)));
    model = pca.model();
  });
  report(seconds, *model);
}

/// Y = XV and XᵀY by BLAS alone, neither centred nor checked.
void pass(const Words& words) {
  const Matrix<double> x = load<double>(words.files.at(0));
  const Index b = words.number("vectors", 32);
  const Matrix<double> v = Matrix<double>::Random(x.cols(), b);
  Matrix<double> y(x.rows(), b), z(x.cols(), b);
  const auto n = static_cast<blasint>(x.rows()), d = static_cast<blasint>(x.cols()),
             k = static_cast<blasint>(b);
  openblas_set_num_threads(static_cast<int>(std::thread::hardware_concurrency()));
  const double seconds = best(words.number("reps", 3), [&] {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, k, d, 1.0, x.data(), d, v.data(), k,
                0.0, y.data(), k);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, d, k, n, 1.0, x.data(), d, y.data(), k,
                0.0, z.data(), k);
  });
  fmt::print("{{\"seconds\": {}, \"values\": []}}\n", seconds);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  const Words words(argc - 2, argv + 2);
  if (what.empty() || words.files.empty()) return 2;
  const std::string& file = words.files.front();
  if (what == "make") make(words);
  else if (what == "fit" && words.is("precision", "float"))
    fit_rows<float>(load<float>(file), words);
  else if (what == "fit") fit_rows<double>(load<double>(file), words);
  else if (what == "sparse")
    fit_rows<double>(load_sparse(file, words.number("cols", 20000)), words);
  else if (what == "incremental") incremental(words);
  else if (what == "pass") pass(words);
  else return 2;
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
