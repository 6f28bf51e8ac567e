// The library's inner loops one by one, with their flops or bytes a second.
#include <mercer/mercer.hpp>

#include <benchmark/benchmark.h>

namespace mercer {
namespace {

Matrix<double> rows_for(const benchmark::State& state) {
  std::srand(1);
  return Matrix<double>::Random(state.range(0), state.range(1));
}

void count_flops(benchmark::State& state, double flops) {
  state.counters["flops"] = benchmark::Counter(
      flops * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
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
