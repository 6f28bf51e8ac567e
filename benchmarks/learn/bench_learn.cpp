// bench_learn make FILE rows=N cols=D decay=0.85|1/j       writes a data set of falling variances
// bench_learn rows FILE rows=N k=K [centre=running]        sample-by-sample gha
// bench_learn batch FILE rule=ccipca k=K batch=B           one pass in mini-batches
// bench_learn quality CSV label=L rule=R rate=T seeds=S epochs=E
//                                                          angles to the true directions, z-scores
// bench_learn clusters FILE rows=N cols=D                  rows for kernel Hebbian learning
// bench_learn kernel FILE gamma=G k=K epochs=E             and how far it is from exact kernel PCA
// More words: reps=3. Each prints one line of JSON.
#include "bench.hpp"

#include <mercer/mercer.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using namespace mercer;
using namespace mercer::bench;

namespace {

/// Variances 0.85^j along 64 random directions, much like those of small images, or 1/j along as
/// many as there are columns, where neighbours are hard to part; and noise of variance 0.001 in
/// all.
void make(const Words& words) {
  const bool slow = words.text("decay", "0.85") == "1/j";
  const Index n = words.number("rows", 1000), d = words.number("cols", 784), rank = slow ? d : 64;
  std::mt19937_64 generator(static_cast<std::uint64_t>(words.number("seed", 1)));
  std::normal_distribution<double> normal;
  Matrix<double> axes = Matrix<double>::NullaryExpr(rank, d, [&] { return normal(generator); });
  for (Index j = 0; j < rank; ++j)
    axes.row(j) *=
        std::sqrt(slow ? 1 / static_cast<double>(j + 1) : std::pow(0.85, static_cast<double>(j))) /
        axes.row(j).norm();
  Sink<double> sink(words.files[0], std::vector<std::string>(static_cast<std::size_t>(d), "x"));
  for (Index i = 0; i < n; i += 1000) {
    const Index count = std::min<Index>(1000, n - i);
    Matrix<double> z = Matrix<double>::NullaryExpr(count, rank, [&] { return normal(generator); });
    Matrix<double> x = z * axes;
    for (Index e = 0; e < x.size(); ++e) x.data()[e] += 0.03 * normal(generator);
    sink.write(x);
  }
  sink.close();
}

/// Share of the variance of x that the rows of b explain.
double explained(const Matrix<double>& x, const Vector<double>& mean, const Matrix<double>& b) {
  double kept = 0, all = 0;
  for (Index i = 0; i < x.rows(); i += 1000) {
    const Matrix<double> part =
        x.middleRows(i, std::min<Index>(1000, x.rows() - i)).rowwise() - mean.transpose();
    kept += (part * b.transpose()).squaredNorm();
    all += part.squaredNorm();
  }
  return kept / all;
}

void by_rows(const Words& words) {
  const Matrix<double> x = read<double>(words.files[0]).x.topRows(words.number("rows", 20000));
  const LearnedMean centre =
      words.text("centre", "none") == "none" ? LearnedMean::none : LearnedMean::running;
  Matrix<double> w;
  const double seconds = best(words.number("reps", 3), [&] {
    Hebbian gha(identity_map<double>(x.cols()), {.rule = "gha",
                                                 .components = words.number("k", 16),
                                                 .rate = Rate::constant(0.01),
                                                 .centre = centre});
    gha.update(x);
    w = gha.weights();
  });
  fmt::print("{{\"seconds\": {}, \"values\": [{}]}}\n", seconds,
             fmt::join((w.rowwise().norm()).eval(), ", "));
}

void by_batches(const Words& words) {
  const Matrix<double> x = read<double>(words.files[0]).x;
  Matrix<double> b;
  Vector<double> mean;
  const double seconds = best(words.number("reps", 3), [&] {
    Hebbian learner(identity_map<double>(x.cols()),
                    {.rule = words.text("rule", "block-oja"),
                     .components = words.number("k", 16),
                     .rate = Rate::parse(words.text("rate", "auto")),
                     .batch = words.number("batch", 1000),
                     .threads = static_cast<int>(words.number("threads", 0))});
    learner.update(x);
    const auto model = learner.model();
    b = model.components();
    mean = model.mean();
  });
  const long long peak = peak_bytes();
  fmt::print("{{\"seconds\": {}, \"explained\": {}, \"peak_bytes\": {}}}\n", seconds,
             explained(x, mean, b), peak);
}

double degrees(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
  const Eigen::RowVectorXd u = a / a.norm(), v = (a.dot(b) < 0 ? -b : b) / b.norm();
  return 2 * std::atan2((u - v).norm(), (u + v).norm()) * 180 / M_PI;
}

void quality(const Words& words) {
  Table<double> table = read<double>(words.files[0], {.label = words.text("label", "")});
  Matrix<double> x = table.x;
  x.rowwise() -= x.colwise().mean().eval();
  for (Index j = 0; j < x.cols(); ++j) {
    const double s = std::sqrt(x.col(j).squaredNorm() / static_cast<double>(x.rows() - 1));
    if (s > 1e-12) x.col(j) /= s;
  }
  const Index d = x.cols(), k = std::min<Index>(words.number("k", 3), d);
  const auto model = fit(x, {.components = std::min(k + 1, d)});
  const Vector<double> values = model.explained_variance();
  const Index seeds = words.number("seeds", 20), epochs = words.number("epochs", 100);
  std::vector<std::vector<double>> angles(static_cast<std::size_t>(k));
  int diverged = 0;
  for (Index seed = 1; seed <= seeds; ++seed) {
    LearnerOptions options{.rule = words.text("rule", "gha"),
                           .components = k,
                           .rate = Rate::parse(words.text("rate", "auto")),
                           .batch = words.number("batch", 1),
                           .centre = LearnedMean::running,
                           .seed = static_cast<std::uint64_t>(seed)};
    Hebbian learner(identity_map<double>(d), options);
    std::mt19937_64 generator(static_cast<std::uint64_t>(seed));
    std::vector<Index> order(static_cast<std::size_t>(x.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    Matrix<double> shuffled(x.rows(), d);
    try {
      for (Index e = 0; e < epochs; ++e) {
        std::shuffle(order.begin(), order.end(), generator);
        for (Index i = 0; i < x.rows(); ++i)
          shuffled.row(i) = x.row(order[static_cast<std::size_t>(i)]);
        learner.update(shuffled);
      }
    } catch (const Error&) {
      ++diverged;
    }
    const Matrix<double> found =
        learner.weights().allFinite() ? learner.model().components() : Matrix<double>();
    for (Index j = 0; j < k; ++j)
      angles[static_cast<std::size_t>(j)].push_back(
          found.size() > 0 ? degrees(found.row(j), model.components().row(j)) : 90);
  }
  std::string list;
  for (Index j = 0; j < k; ++j) {
    auto& a = angles[static_cast<std::size_t>(j)];
    std::sort(a.begin(), a.end());
    const double gap =
        j + 1 < values.size() ? (values[j] - values[j + 1]) / values[0] : values[j] / values[0];
    list += fmt::format("{}{{\"gap\": {:.4f}, \"median\": {:.3f}, \"worst\": {:.3f}}}",
                        j > 0 ? ", " : "", gap, 0.5 * (a[(a.size() - 1) / 2] + a[a.size() / 2]),
                        a.back());
  }
  fmt::print("{{\"diverged\": {}, \"directions\": [{}]}}\n", diverged, list);
}

/// Three clusters of different sizes, noise in all columns.
void clusters(const Words& words) {
  const Index n = words.number("rows", 1000), d = words.number("cols", 50);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  Matrix<double> x = Matrix<double>::NullaryExpr(n, d, [&] { return 0.4 * normal(generator); });
  for (Index i = 0; i < n; ++i) x(i, i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2) += 4;
  Sink<double> sink(words.files[0], std::vector<std::string>(static_cast<std::size_t>(d), "x"));
  sink.write(x);
  sink.close();
}

void by_kernel(const Words& words) {
  const Matrix<double> x = read<double>(words.files[0]).x;
  const Kernel kernel = kernels::rbf({.gamma = std::stod(words.text("gamma", "0.02"))});
  const Index k = words.number("k", 2), epochs = words.number("epochs", 20);
  Matrix<double> b;
  const double seconds = best(words.number("reps", 3), [&] {
    KernelHebbian learner(kernel, x, {.components = k});
    for (Index e = 0; e < epochs; ++e) learner.epoch();
    b = learner.model().components();
  });
  const Matrix<double> gram = kernel.matrix(Rows<double>(x));
  const Matrix<double> exact = fit(x, {.components = k, .kernel = kernel}).components();
  double worst = 0;
  for (Index j = 0; j < k; ++j) {
    const Eigen::RowVectorXd u = b.row(j), v = exact.row(j), kv = v * gram;
    const double cosine = std::abs(u.dot(kv)) / std::sqrt(u.dot(u * gram) * v.dot(kv));
    worst = std::max(worst, std::acos(std::min(1.0, cosine)) * 180 / M_PI);
  }
  fmt::print("{{\"seconds\": {}, \"degrees\": {}, \"steps\": {}}}\n", seconds, worst,
             epochs * x.rows());
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  const Words words(std::max(0, argc - 2), argv + 2);
  if (words.files.size() != 1) return 2;
  if (what == "make") make(words);
  else if (what == "rows") by_rows(words);
  else if (what == "batch") by_batches(words);
  else if (what == "quality") quality(words);
  else if (what == "clusters") clusters(words);
  else if (what == "kernel") by_kernel(words);
  else return 2;
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
