// bench_kernel make FILE shape=mix|flat rows=N cols=D seed=S  writes a data set
// bench_kernel fit FILE rows=N cols=D k=K        best time of mercer::fit, rbf with γ = 1/d
// bench_kernel alone FILE rows=N block=B         what a fit cannot do without, alone
// bench_kernel transform FILE NEW rows=N k=K     best time of Model::transform of NEW
// bench_kernel landmarks FILE rows=N landmarks=M  SYRK, GEMM and exps of M landmarks, alone
// More words: approx=cholesky(rank=500), seed=1, reps=3, memory=BYTES, precision=float. Each prints
// one line of JSON.
#include "bench.hpp"
#include "simd/elementwise.hpp"

#include <mercer/mercer.hpp>

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

using namespace mercer;
using namespace mercer::bench;

namespace {

int cores() { return static_cast<int>(std::thread::hardware_concurrency()); }
blasint size_of(Index n) { return static_cast<blasint>(n); }

/// "mix": five Gaussian clusters, column j scaled by j^-½. "flat": one isotropic Gaussian.
Matrix<double> make(bool flat, Index n, Index d, std::uint64_t seed) {
  std::mt19937_64 clusters(1), generator(seed);
  std::normal_distribution<double> normal;
  Matrix<double> centres = Matrix<double>::NullaryExpr(5, d, [&] { return 2 * normal(clusters); });
  normal.reset();
  Matrix<double> x(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j)
      x(i, j) =
          flat ? normal(generator)
               : (centres(i % 5, j) + normal(generator)) / std::sqrt(static_cast<double>(j + 1));
  return x;
}

template <class T>
Matrix<T> load(const std::string& path, Index rows, Index cols = 0) {
  const Matrix<double> all = read<double>(path).x;
  return all
      .topLeftCorner(rows > 0 ? std::min(rows, all.rows()) : all.rows(),
                     cols > 0 ? std::min(cols, all.cols()) : all.cols())
      .template cast<T>();
}

void syrk(const Matrix<double>& x, Matrix<double>& c) {
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, size_of(x.rows()), size_of(x.cols()), 1.0,
              x.data(), size_of(x.cols()), 0.0, c.data(), size_of(c.cols()));
}
void syrk(const Matrix<float>& x, Matrix<float>& c) {
  cblas_ssyrk(CblasRowMajor, CblasUpper, CblasNoTrans, size_of(x.rows()), size_of(x.cols()), 1.0F,
              x.data(), size_of(x.cols()), 0.0F, c.data(), size_of(c.cols()));
}
void gemm(CBLAS_TRANSPOSE turn, Index m, Index n, Index k, const double* a, Index lda,
          const double* b, Index ldb, double* c, Index ldc) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, turn, size_of(m), size_of(n), size_of(k), 1.0, a,
              size_of(lda), b, size_of(ldb), 0.0, c, size_of(ldc));
}
void gemm(CBLAS_TRANSPOSE turn, Index m, Index n, Index k, const float* a, Index lda,
          const float* b, Index ldb, float* c, Index ldc) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, turn, size_of(m), size_of(n), size_of(k), 1.0F, a,
              size_of(lda), b, size_of(ldb), 0.0F, c, size_of(ldc));
}

/// Seconds for `count` exponentials by our own pass, on every core, from cache to cache.
template <class T>
double exp_alone(double count) {
  static constexpr Index side = 128;
  const double tiles = std::min(count, 2e8) / (side * side);  // long enough to measure
  const auto work = [tiles] {
    Matrix<T> in = (Matrix<T>::Random(side, side).array() + 1) / 2, out(side, side);
    const Sweep<T> sweep{side, side, in.data(), side, out.data(), side};
    for (double t = 0; t < tiles / cores(); ++t)
      mercer::apply(Formula<T>{Function::exp, T(0.5)}, sweep);
  };
  const double seconds = best(3, [&] {
    std::vector<std::thread> others;
    for (int i = 1; i < cores(); ++i) others.emplace_back(work);
    work();
    for (std::thread& t : others) t.join();
  });
  return seconds * count / (tiles * side * side);
}

template <class T>
Model<T> fitted(const Matrix<T>& x, const Words& words) {
  FitOptions options{.components = words.number("k", 10),
                     .kernel = kernels::rbf({.gamma = 1.0 / static_cast<double>(x.cols())}),
                     .tolerance = 1e-8};
  options.memory = static_cast<std::size_t>(words.number("memory", 0));
  options.seed = static_cast<std::uint64_t>(words.number("seed", 1));
  if (const std::string approx = words.text("approx", ""); !approx.empty())
    options.approx = parse_approx(approx);
  return fit(x, options);
}

template <class T>
void fit_file(const Words& words) {
  const Matrix<T> x = load<T>(words.files[0], words.number("rows", 0), words.number("cols", 0));
  Report report;
  Vector<double> values;
  const double seconds = best(words.number("reps", 3), [&] {
    const auto model = fitted(x, words);
    report = model.report();
    values = model.eigenvalues();
  });
  const auto& residuals = report.solver.residuals;
  fmt::print(
      "{{\"seconds\": {}, \"passes\": {}, \"solver\": \"{}\", \"why\": \"{}\", \"residual\": {}, "
      "\"peak_bytes\": {}, \"error\": {}, \"values\": [{}]}}\n",
      seconds, report.solver.passes, report.solver.name, report.solver.why,
      residuals.empty() ? 0.0 : *std::max_element(residuals.begin(), residuals.end()), peak_bytes(),
      report.approximation ? report.approximation->error : 0.0, fmt::join(values, ", "));
}

/// What M landmarks cannot do without: the products of the rows with them, N·M exponentials, and
/// one SYRK of the similarities.
template <class T>
void landmarks_alone(const Words& words) {
  const Matrix<T> x = load<T>(words.files[0], words.number("rows", 0));
  const Index n = x.rows(), d = x.cols(), m = words.number("landmarks", 1000), strip = 4096;
  const double strips = static_cast<double>(n) / static_cast<double>(strip);
  Matrix<T> sections(strip, m);
  Matrix<T> c(m, m);
  openblas_set_num_threads(cores());
  const double inner =
      strips *
      best(5, [&] { gemm(CblasTrans, strip, m, d, x.data(), d, x.data(), d, sections.data(), m); });
  Matrix<T> turned = sections.transpose();
  const double square = strips * best(5, [&] { syrk(turned, c); });
  fmt::print("{{\"seconds\": {}, \"gemm\": {}, \"exp\": {}, \"syrk\": {}}}\n", 0.0, inner,
             exp_alone<T>(static_cast<double>(n) * static_cast<double>(m)), square);
}

/// One SYRK of the rows, N²/2 exponentials, and the product of the N×N matrix with a block. Beyond
/// 20,000 rows the products are those of a strip, scaled.
template <class T>
void alone(const Words& words) {
  const Matrix<T> x = load<T>(words.files[0], words.number("rows", 0));
  const Index n = x.rows(), d = x.cols(), block = words.number("block", 8);
  const Index reps = words.number("reps", 3), strip = n > 20'000 ? 2000 : n;
  const double strips = static_cast<double>(n) / static_cast<double>(strip);
  Matrix<T> k(strip, n);
  k.setZero();
  openblas_set_num_threads(cores());
  const double inner = best(reps, [&] {
    if (strip == n) syrk(x, k);
    else gemm(CblasTrans, strip, n, d, x.data(), d, x.data(), d, k.data(), n);
  });
  const Matrix<T> v = Matrix<T>::Random(n, block);
  Matrix<T> out(strip, block);
  const double tall = best(reps, [&] {
    gemm(CblasNoTrans, strip, block, n, k.data(), n, v.data(), block, out.data(), block);
  });
  // The same product with the vectors as rows: OpenBLAS is faster at one or the other.
  const double flat = best(reps, [&] {
    gemm(CblasTrans, block, strip, n, v.data(), n, k.data(), n, out.data(), strip);
  });
  const double product = std::min(tall, flat);
  const double half = static_cast<double>(n) * static_cast<double>(n) / 2;
  fmt::print("{{\"syrk\": {}, \"exp\": {}, \"gemm\": {}}}\n",
             strip == n ? inner : inner * strips / 2, exp_alone<T>(half), product * strips);
}

template <class T>
void transform_file(const Words& words) {
  const Matrix<T> x = load<T>(words.files[0], words.number("rows", 0));
  const Matrix<T> fresh = load<T>(words.files[1], words.number("new", 0));
  const Index n = x.rows(), d = x.cols(), m = fresh.rows();
  const auto model = fitted(x, words);
  const Index k = model.outputs(), reps = words.number("reps", 3);
  Matrix<T> scores(m, k);
  const long long before = peak_bytes();
  const double seconds = best(reps, [&] { model.transform(Rows<T>(fresh), scores); });
  const long long extra = peak_bytes() - before;

  const Index strip = std::min<Index>(2000, m);
  const double strips = static_cast<double>(m) / static_cast<double>(strip);
  Matrix<T> sections(strip, n), product(strip, k);
  openblas_set_num_threads(cores());
  const double inner =
      strips * best(5, [&] {
        gemm(CblasTrans, strip, n, d, fresh.data(), d, x.data(), d, sections.data(), n);
      });
  const double outer = strips * best(5, [&] {
                         gemm(CblasTrans, strip, k, n, sections.data(), n,
                              model.components().data(), n, product.data(), k);
                       });
  const double exps = exp_alone<T>(static_cast<double>(m) * static_cast<double>(n));
  const Vector<double> squares =
      scores.template cast<double>().array().square().colwise().mean().transpose();
  fmt::print(
      "{{\"seconds\": {}, \"gemm_kernel\": {}, \"exp\": {}, \"gemm_scores\": {}, "
      "\"extra_bytes\": {}, \"values\": [{}]}}\n",
      seconds, inner, exps, outer, extra, fmt::join(squares, ", "));
}

template <class T>
int run(const std::string& what, const Words& words) {
  if (what == "fit" && words.files.size() == 1) fit_file<T>(words);
  else if (what == "alone" && words.files.size() == 1) alone<T>(words);
  else if (what == "landmarks" && words.files.size() == 1) landmarks_alone<T>(words);
  else if (what == "transform" && words.files.size() == 2) transform_file<T>(words);
  else return 2;
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  const Words words(std::max(0, argc - 2), argv + 2);
  if (what == "make" && words.files.size() == 1) {
    const Matrix<double> x =
        make(words.is("shape", "flat"), words.number("rows", 1000), words.number("cols", 50),
             static_cast<std::uint64_t>(words.number("seed", 1)));
    Sink<double> sink(words.files[0],
                      std::vector<std::string>(static_cast<std::size_t>(x.cols()), "x"));
    sink.write(x);
    sink.close();
    return 0;
  }
  return words.is("precision", "float") ? run<float>(what, words) : run<double>(what, words);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
