// bench_distributed speeds   seconds of one core per flop, as src/pca/core_speed.hpp has them
// bench_distributed sums rows=N   CPU of the ordered sums of a pass, relative to the pass
// bench_distributed shares rows=N   the largest share of pairs for 2, 4 and 8 processes
// Each prints one line of JSON.
#include "bench.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "operators/kernel_matrix.hpp"
#include "operators/segment_pairs.hpp"
#include "operators/segment_sums.hpp"
#include "pca/core_speed.hpp"
#include "pca/method_cost.hpp"
#include "solvers/krylov.hpp"

#include <mercer/mercer.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

using namespace mercer;
using namespace mercer::bench;

namespace {

constexpr Index columns = 20;

Matrix<double> normal(Index n, Index d) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> draw;
  return Matrix<double>::NullaryExpr(n, d, [&] { return draw(generator); });
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The least CPU time of several calls: others share the machine.
template <class Work>
double least_cpu(int times, const Work& work) {
  double least = 1e300;
  for (int i = 0; i < times; ++i) {
    const double before = cpu_seconds();
    work();
    least = std::min(least, cpu_seconds() - before);
  }
  return least;
}

/// A pass after the first over n rows with b vectors, by one thread.
double pass_seconds(const Kernel& kernel, const Matrix<double>& x, Index b, bool stored) {
  const Rows<double> rows(x);
  KernelMatrix<double> k(kernel_tiles(kernel, rows, true),
                         {.memory = stored ? std::size_t{1} << 40 : 0, .threads = 1});
  const Matrix<double> v = normal(x.rows(), b);
  Matrix<double> out(x.rows(), b);
  k.apply(v, out);
  return least_cpu(3, [&] { k.apply(v, out); });
}

/// A matrix whose products cost next to nothing.
struct Diagonal {
  Vector<double> values;
  Index size() const { return values.size(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) { out = values.asDiagonal() * v; }
};

/// What a Krylov run does with its vectors, by 10·n·m·b flops per pass for half a basis of m.
double vector_seconds() {
  Diagonal a{Vector<double>(100000)};
  for (Index i = 0; i < a.size(); ++i) a.values[i] = std::pow(static_cast<double>(i + 1), -1.5);
  const Completeness complete{.norms = [&] {
    return MatrixNorms{a.values.squaredNorm(), a.values.sum()};
  }};
  const BlockKrylov how{.block = 32, .basis = 10 + 8 * 32};
  double passes = 0;
  const double seconds = least_cpu(
      2, [&] { passes = krylov_pairs(a, 10, how, {.threads = 1, .complete = &complete}).passes; });
  return seconds / passes /
         (10.0 * static_cast<double>(a.size()) * 0.5 * static_cast<double>(how.basis) * 32);
}

nlohmann::ordered_json speeds() {
  const Kernel kernel = kernels::rbf({.gamma = 0.02});
  constexpr Index n_pairs = 16384;  // more than caches hold
  const Matrix<double> x = normal(n_pairs, columns);
  const double pairs = 0.5 * n_pairs * n_pairs, values = kernel.flops_per_pair(columns);
  const double narrow = pass_seconds(kernel, x, 8, false),
               broad = pass_seconds(kernel, x, 32, false);
  const double product = (broad - narrow) / (4 * 24 * pairs);
  const double value = (narrow / pairs - 4 * 8 * product) / values;
  const double stored = pass_seconds(kernel, x, 8, true) / (4 * 8 * pairs);

  const Index n = 200000, d = 64;
  const Matrix<double> tall = normal(n, d);
  const double scatter =
      least_cpu(3, [&] { fit(tall, {.solver = Solver::covariance, .threads = 1}); }) /
      (static_cast<double>(n) * d * d);
  const Index order = 800;
  const Matrix<double> y = normal(order, order), gram = y * y.transpose();
  const BlasThreads one(1);
  const double eigen = least_cpu(3, [&] { symmetric_eigen(gram, order, 1); }) /
                       eigen_flops(static_cast<double>(order));
  const auto both = [](double measured, double said) {
    return nlohmann::ordered_json{{"measured", measured}, {"said", said}};
  };
  return {{"kernel_value", both(value, core_speed::kernel_value)},
          {"product", both(product, core_speed::product)},
          {"stored_product", both(stored, core_speed::stored_product)},
          {"vectors", both(vector_seconds(), core_speed::vectors)},
          {"scatter", both(scatter, core_speed::scatter)},
          {"eigen", both(eigen, core_speed::eigen)}};
}

nlohmann::ordered_json sums_of(Index n) {
  constexpr Index b = 32;
  const RowSegments segments(n);
  const Vector<double> numbers = Vector<double>::Ones(segments.each() * b + 1);
  const double sums = least_cpu(2, [&] {
    SegmentSums all({0, segments.count()}, segments.count());
    for (const auto& [i, j] : pairs_within({0, segments.count()})) {
      all.add(i, {0, j}, numbers.data(), segments.rows(i) * b + 1);
      if (i != j) all.add(j, {0, i}, numbers.data(), segments.rows(j) * b + 1);
    }
  });
  const Matrix<double> x = normal(n, columns);
  const double pass = pass_seconds(kernels::rbf({.gamma = 0.02}), x, b, false);
  return {{"sums", sums}, {"pass", pass}, {"share", sums / pass}};
}

nlohmann::ordered_json shares_of(Index n) {
  nlohmann::ordered_json out;
  for (const int ranks : {2, 4, 8}) {
    double most = 0, all = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const double pairs = KernelMatrix<double>::pairs_of(n, rank, ranks);
      most = std::max(most, pairs);
      all += pairs;
    }
    out[std::to_string(ranks)] = most * ranks / all;
  }
  return out;
}

}  // namespace

int main(int count, char** given) {
  const Words words(count - 1, given + 1);
  const std::string what = words.files.empty() ? "" : words.files[0];
  const Index rows = words.number("rows", 30000);
  nlohmann::ordered_json out;
  if (what == "speeds") out = speeds();
  else if (what == "sums") out = sums_of(rows);
  else if (what == "shares") out = shares_of(rows);
  else return 2;
  std::printf("%s\n", out.dump().c_str());
}
