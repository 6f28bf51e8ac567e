// Rows that never lie in memory together: written, fitted and transformed in blocks.

#include <mercer/mercer.hpp>

#include <cmath>
#include <iostream>
#include <random>

namespace {

constexpr mercer::Index columns = 32;

/// The next rows of a stream: column j has variance 1/(j+1)² around a mean of 100.
mercer::Matrix<double> draw(mercer::Index rows, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  mercer::Matrix<double> block(rows, columns);
  for (mercer::Index i = 0; i < rows; ++i)
    for (mercer::Index j = 0; j < columns; ++j)
      block(i, j) = 100 + normal(random) / static_cast<double>(j + 1);
  return block;
}

}  // namespace

int main() {
  std::mt19937_64 random(2);
  mercer::Sink<double> rows("rows.npy", {});
  for (int block = 0; block < 20; ++block) rows.write(draw(5000, random));
  rows.close();

  // 25 MiB of rows, 8 MiB to work in: the file is streamed, once.
  const auto source = mercer::open<double>("rows.npy", {.block_bytes = 1 << 20});
  const auto model = mercer::fit(*source, {.components = 3, .memory = 8 << 20});
  std::cout << model.report().n_samples << " rows in " << model.report().solver.passes
            << " pass(es), variances " << model.explained_variance().transpose() << '\n';

  mercer::Sink<double> scores("scores.npy", {});
  source->rewind();
  while (const auto block = source->next()) scores.write(model.transform(block->rows));
  scores.close();

  const auto all = mercer::read<double>("scores.npy");
  const auto variance = all.x.array().square().colwise().mean();
  std::cout << "scores have    " << variance << '\n';
  const bool as_expected = all.x.rows() == 100000 && std::abs(variance(0) - 1) < 0.02 &&
                           std::abs(variance(1) - 1. / 4) < 0.01 &&
                           std::abs(variance(2) - 1. / 9) < 0.01;
  return as_expected ? 0 : 1;
}
