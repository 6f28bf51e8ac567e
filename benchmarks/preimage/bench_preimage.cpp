// bench_preimage FILE NEW method=ridge k=K reps=3: best time of fit and pre-images of the
// scores of the rows of FILE (rbf, γ = 1/d), and the mean squared error of these and of the rows of
// NEW. One line of JSON.
#include "bench.hpp"

#include <mercer/mercer.hpp>

#include <fmt/format.h>

#include <algorithm>

using namespace mercer;
using namespace mercer::bench;

int main(int argc, char** argv) try {
  const Words words(std::max(0, argc - 1), argv + 1);
  if (words.files.size() != 2) return 2;
  const Matrix<double> x = read<double>(words.files[0]).x, fresh = read<double>(words.files[1]).x;
  const PreImageOptions how{.method = parse_preimage_method(words.text("method", "auto"))};
  const FitOptions options{.components = words.number("k", 10),
                           .kernel = kernels::rbf({.gamma = 1.0 / static_cast<double>(x.cols())}),
                           .tolerance = 1e-8};
  Matrix<double> again;
  const double seconds = best(words.number("reps", 3), [&] {
    const auto model = fit(x, options);
    again = preimages(model, model.training_scores(), how).rows;  // as scikit-learn's job has them
  });
  const auto model = fit(x, options);
  const Decoder<double> decoder(model, how);
  const auto mean_square = [](const Matrix<double>& off) {
    return off.squaredNorm() / static_cast<double>(off.size());
  };
  fmt::print(
      "{{\"seconds\": {}, \"peak_bytes\": {}, \"error\": {}, \"fresh_error\": {}, \"text\": "
      "\"{}\"}}\n",
      seconds, peak_bytes(), mean_square(again - x),
      mean_square(decoder(model.transform(fresh)).rows - fresh), decoder.text());
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
