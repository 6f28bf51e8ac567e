// The library's inner loops one by one, with their flops or bytes a second.
#include "linalg/blas.hpp"
#include "simd/elementwise.hpp"

#include <mercer/mercer.hpp>

#include <benchmark/benchmark.h>

namespace mercer {
namespace {

Matrix<double> rows_for(const benchmark::State& state) {
  std::srand(1);
  return Matrix<double>::Random(state.range(0), state.range(1));
}

void count_flops(benchmark::State& state, double flops) {
  state.counters["flops"] = benchmark::Counter(flops * static_cast<double>(state.iterations()),
                                               benchmark::Counter::kIsRate);
}

void moments(benchmark::State& state) {
  const Matrix<double> x = rows_for(state);
  for (auto _ : state) {
    Moments m(x.cols());
    m.add(Rows<double>(x));
    benchmark::DoNotOptimize(m.weight());
  }
  const double d = static_cast<double>(x.cols());
  count_flops(state, static_cast<double>(x.rows()) * d * (d + 1));
}
BENCHMARK(moments)->Args({100000, 16})->Args({100000, 64})->Args({20000, 400})->UseRealTime();

void fit_by(benchmark::State& state, Solver solver) {
  const Matrix<double> x = rows_for(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(fit(x, {.components = 5, .solver = solver}).eigenvalues()[0]);
}
BENCHMARK_CAPTURE(fit_by, covariance, Solver::covariance)->Args({20000, 50})->UseRealTime();
BENCHMARK_CAPTURE(fit_by, gram, Solver::gram)->Args({300, 20000})->UseRealTime();
BENCHMARK_CAPTURE(fit_by, svd, Solver::svd)->Args({20000, 50})->UseRealTime();

void transform(benchmark::State& state) {
  const Matrix<double> x = rows_for(state);
  const auto model = fit(x, {.components = static_cast<Index>(state.range(2))});
  Matrix<double> scores(x.rows(), model.outputs());
  for (auto _ : state) {
    model.transform(Rows<double>(x), scores);
    benchmark::DoNotOptimize(scores.data());
  }
  count_flops(state, 2.0 * static_cast<double>(x.size()) * static_cast<double>(model.outputs()));
}
BENCHMARK(transform)->Args({100000, 64, 10})->Args({20000, 400, 50})->UseRealTime();

/// A Gaussian tile beside its parts: the matrix product alone, and the exponentials alone.
template <class T>
void rbf_tile(benchmark::State& state) {
  const Matrix<T> x = rows_for(state).cast<T>();
  const Kernel k = kernels::rbf({.gamma = 0.1});
  Matrix<T> out(x.rows(), x.rows());
  const BlasThreads one(1);
  for (auto _ : state) {
    k.tile<T>(x, x, out);
    benchmark::DoNotOptimize(out.data());
  }
}
template <class T>
void tile_product(benchmark::State& state) {
  const Matrix<T> x = rows_for(state).cast<T>();
  Matrix<T> out(x.rows(), x.rows());
  const BlasThreads one(1);
  for (auto _ : state) {
    multiply_transposed(x.data(), x.rows(), x.cols(), x.cols(), x.data(), x.rows(), x.cols(),
                        out.data(), x.rows());
    benchmark::DoNotOptimize(out.data());
  }
  count_flops(state, 2.0 * static_cast<double>(x.rows()) * static_cast<double>(x.size()));
}
template <class T>
void tile_exp(benchmark::State& state) {
  const Index n = state.range(0);
  const Matrix<T> in = Matrix<T>::Random(n, n).cwiseAbs();
  Matrix<T> out(n, n);
  for (auto _ : state) {
    apply<T>({Function::exp, T(0.1)}, {n, n, in.data(), n, out.data(), n});
    benchmark::DoNotOptimize(out.data());
  }
}
template <class T>
void laplacian_tile(benchmark::State& state) {
  const Matrix<T> x = rows_for(state).cast<T>();
  const Kernel k = kernels::laplacian({.gamma = 0.1});
  Matrix<T> out(x.rows(), x.rows());
  for (auto _ : state) {
    k.tile<T>(x, x, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(rbf_tile<double>)->Args({256, 50})->Args({256, 784});
BENCHMARK(tile_product<double>)->Args({256, 50})->Args({256, 784});
BENCHMARK(tile_exp<double>)->Args({256, 50});
BENCHMARK(rbf_tile<float>)->Args({256, 50})->Args({256, 784});
BENCHMARK(tile_product<float>)->Args({256, 50})->Args({256, 784});
BENCHMARK(tile_exp<float>)->Args({256, 50});
BENCHMARK(laplacian_tile<double>)->Args({256, 50});
BENCHMARK(laplacian_tile<float>)->Args({256, 50});

void save_and_load(benchmark::State& state) {
  const auto model = fit(rows_for(state), {.components = 20});
  for (auto _ : state) {
    const std::string bytes = model.serialize();
    benchmark::DoNotOptimize(Model<double>::deserialize(bytes).outputs());
    state.SetBytesProcessed(state.bytes_processed() + static_cast<std::int64_t>(bytes.size()));
  }
}
BENCHMARK(save_and_load)->Args({1000, 500});

}  // namespace
}  // namespace mercer
