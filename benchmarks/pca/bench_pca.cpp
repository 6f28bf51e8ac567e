// bench_pca make DIR            writes the data sets
// bench_pca fit FILE K [REPS]   best time of mercer::fit on the rows in memory
// bench_pca syrk FILE [REPS]    best time of one SYRK of the smaller side
// bench_pca gemm                best speed of a large GEMM
// bench_pca transform FILE K [REPS]  best time of Model::transform into memory that is there, and
//                                    into a new matrix ("fresh")
// Each prints one line of JSON.
#include "bench.hpp"

#include <mercer/mercer.hpp>

#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

using namespace mercer;
using namespace mercer::bench;

namespace {

/// Gaussian × diag(1/i) × rotation by Householder reflections, mean 3: "decay".
Matrix<double> decay(Index n, Index d) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  Matrix<double> x(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j) x(i, j) = normal(generator) / static_cast<double>(j + 1);
  for (int r = 0; r < 3; ++r) {
    const Vector<double> v =
        Vector<double>::NullaryExpr(d, [&] { return normal(generator); }).normalized();
    const Vector<double> along = x * v;
    x.noalias() -= 2 * along * v.transpose();
  }
  x.array() += 3;
  return x;
}

/// Rank 200 factors with scale 1/i plus noise of 0.01: "wide".
Matrix<double> wide(Index n, Index d) {
  std::mt19937_64 generator(2);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(generator); };
  Matrix<double> scores = Matrix<double>::NullaryExpr(n, 200, draw);
  for (Index j = 0; j < 200; ++j) scores.col(j) /= static_cast<double>(j + 1);
  const Matrix<double> axes = Matrix<double>::NullaryExpr(200, d, draw);
  Matrix<double> x = scores * axes;
  for (Index i = 0; i < x.size(); ++i) x.data()[i] += 0.01 * normal(generator);
  return x;
}

void write(const std::string& path, const Matrix<double>& x) {
  Sink<double> sink(path, std::vector<std::string>(static_cast<std::size_t>(x.cols()), "x"));
  sink.write(x);
  sink.close();
}

/// The file's rows in fresh memory, with huge pages like any large NumPy array has.
Matrix<double> load(const std::string& path) {
  auto source = open<double>(path);
  return read_all(*source).x;
}

void syrk(const Matrix<double>& x, int repetitions) {
  const bool tall = x.rows() >= x.cols();
  const auto side = static_cast<blasint>(std::min(x.rows(), x.cols()));
  const auto depth = static_cast<blasint>(std::max(x.rows(), x.cols()));
  Matrix<double> c(side, side);
  openblas_set_num_threads(static_cast<int>(std::thread::hardware_concurrency()));
  const double seconds = best(repetitions, [&] {
    cblas_dsyrk(CblasRowMajor, CblasUpper, tall ? CblasTrans : CblasNoTrans, side, depth, 1.0,
                x.data(), static_cast<blasint>(x.cols()), 0.0, c.data(), side);
  });
  fmt::print("{{\"seconds\": {}, \"values\": []}}\n", seconds);
}

void gemm() {
  const Index n = 2048;
  const Matrix<double> a = Matrix<double>::Random(n, n);
  Matrix<double> c(n, n);
  const auto size = static_cast<blasint>(n);
  openblas_set_num_threads(static_cast<int>(std::thread::hardware_concurrency()));
  const double seconds = best(5, [&] {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1.0, a.data(), size,
                a.data(), size, 0.0, c.data(), size);
  });
  fmt::print("{{\"seconds\": {}, \"gflops\": {}}}\n", seconds,
             2e-9 * std::pow(2048.0, 3) / seconds);
}

void fit_file(const Matrix<double>& x, Index k, int repetitions) {
  Vector<double> values;
  const double seconds =
      best(repetitions, [&] { values = fit(x, {.components = k}).explained_variance(); });
  fmt::print("{{\"seconds\": {}, \"values\": [{}]}}\n", seconds, fmt::join(values, ", "));
}

void transform_file(const Matrix<double>& x, Index k, int repetitions) {
  const auto model = fit(x, {.components = k});
  Matrix<double> scores(x.rows(), k), product(x.rows(), k);
  const double seconds = best(repetitions, [&] { model.transform(Rows<double>(x), scores); });
  const double fresh = best(repetitions, [&] { model.transform(Rows<double>(x)); });
  const auto size = [](Index n) { return static_cast<blasint>(n); };
  openblas_set_num_threads(static_cast<int>(std::thread::hardware_concurrency()));
  const double alone = best(repetitions, [&] {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, size(x.rows()), size(k), size(x.cols()),
                1.0, x.data(), size(x.cols()), model.components().data(), size(x.cols()), 0.0,
                product.data(), size(k));
  });
  fmt::print("{{\"seconds\": {}, \"fresh\": {}, \"gemm\": {}, \"values\": []}}\n", seconds, fresh,
             alone);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "make" && argc == 3) {
    const std::string folder = std::string(argv[2]) + "/";
    write(folder + "tall.npy", decay(1000000, 64));
    write(folder + "wide.npy", wide(500, 100000));
    return 0;
  }
  if (what == "gemm") return gemm(), 0;
  if (argc < 3) return 2;
  const Matrix<double> x = load(argv[2]);
  if (what == "syrk") syrk(x, argc > 3 ? std::atoi(argv[3]) : 3);
  else if (what == "fit" && argc > 3)
    fit_file(x, std::atoi(argv[3]), argc > 4 ? std::atoi(argv[4]) : 3);
  else if (what == "transform" && argc > 3)
    transform_file(x, std::atoi(argv[3]), argc > 4 ? std::atoi(argv[4]) : 3);
  else return 2;
} catch (const Error& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
