// Sums over rows that are scored.
#include "core/exact_sum.hpp"
#include "core/weights.hpp"

#include <mercer/score.hpp>

namespace mercer {

namespace {

// The sums: weight, SPE, ‖φ(x) − m‖², then y² of each component.
enum : Index { of_weight, of_spe, of_size, of_squares };

}  // namespace

void ScoreTotals::add(const RowScores& block, Weights given) {
  const double* weights = weights_of(given, block.t2.size());
  const Index n = block.scores.rows(), k = block.scores.cols();
  ExactSums sums(of_squares + k);
  for (Index i = 0; i < n; ++i) {
    const double w = weights ? weights[i] : 1;
    sums.add(of_weight, w);
    if (block.spe.size() == n) {
      sums.add(of_spe, w * block.spe[i]);
      sums.add(of_size, w * block.size[i]);
    }
    for (Index c = 0; c < k; ++c)
      sums.add(of_squares + c, w * (block.scores(i, c) * block.scores(i, c)));
  }
  ScoreTotals these;
  these.rows = n;
  these.complete = block.spe.size() == n;
  these.exact = sums.digits();
  add(these);
}

void ScoreTotals::add(const ScoreTotals& others) {
  rows += others.rows;
  complete = complete && others.complete;
  if (others.exact.empty()) return;
  ExactSums sums(others.exact);
  if (!exact.empty()) sums.add(ExactSums(exact));
  exact = sums.digits();
  weight = sums.value(of_weight);
  spe = sums.value(of_spe);
  size = sums.value(of_size);
  squares.resize(sums.count() - of_squares);
  for (Index c = 0; c < squares.size(); ++c) squares[c] = sums.value(of_squares + c);
}

double ScoreTotals::mean_spe() const { return weight > 0 ? spe / weight : 0; }

double ScoreTotals::explained() const { return size > 0 ? 1 - spe / size : 0; }

}  // namespace mercer
