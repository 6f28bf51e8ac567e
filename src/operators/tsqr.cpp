#include "operators/tsqr.hpp"

#include "core/parallel.hpp"
#include "core/team_nodes.hpp"
#include "linalg/blas.hpp"
#include "linalg/stacked_qr.hpp"
#include "operators/centred.hpp"
#include "operators/leaf_plan.hpp"

#include <algorithm>
#include <utility>

namespace mercer {

void StreamedQr::Factor::merge(const Factor& later) {
  Matrix<double> copy = later.r;
  stack_triangle(r, copy);
}

StreamedQr::StreamedQr(Vector<double> mean, int threads)
    : mean_(std::move(mean)),
      threads_(thread_count(threads)),
      leaf_rows_(qr_leaf_rows(mean_.size())),
      tree_(mean_.size() <= 128 ? 2 : 16) {}

template <class T>
void StreamedQr::add(const Rows<T>& rows, const double* weights) {
  const BlasThreads one(1);
  const Index d = mean_.size(), n = rows.rows();
  std::vector<Factor> factors(static_cast<std::size_t>(threads_));
  for (Index i = 0; i < n;) {
    Index used = waiting_;
    const auto leaves = plan_leaves(weights, n, leaf_rows_, threads_, i, used);
    while (rooms_.size() < leaves.size()) rooms_.emplace_back(leaf_rows_, d);
    const Index count = static_cast<Index>(leaves.size());
    const Index full = used == leaf_rows_ ? count : count - 1;
    parallel_for(count, n * d * d < 1000000 ? 1 : threads_, [&](Index leaf) {
      Matrix<double>& room = rooms_[static_cast<std::size_t>(leaf)];
      for (const LeafPiece& piece : leaves[static_cast<std::size_t>(leaf)])
        centred_block(rows.middle(piece.from, piece.count), 0, d,
                      {.centre = mean_.data(), .weights = weights ? weights + piece.from : nullptr},
                      room.row(piece.to).data(), d);
      if (leaf >= full) return;
      Matrix<double>& r = factors[static_cast<std::size_t>(leaf)].r;
      r.setZero(d, d);
      stack_rows(r, room.data(), leaf_rows_);
    });
    for (Index leaf = 0; leaf < full; ++leaf) tree_.push(factors[static_cast<std::size_t>(leaf)]);
    waiting_ = full < count ? used : 0;
    if (full < count && full > 0) rooms_[0].swap(rooms_[static_cast<std::size_t>(full)]);
  }
}

void StreamedQr::collect(Team& team) {
  const Index d = mean_.size();
  collect_nodes(
      team, tree_, [](const Factor& f) { return Numbers(f.r.data(), f.r.data() + f.r.size()); },
      [&](const Numbers& numbers) {
        return Factor{Eigen::Map<const Matrix<double>>(numbers.data(), d, d)};
      });
  collect_rest(
      team,
      [&] {
        if (waiting_ == 0) return Numbers();
        const double* const rows = rooms_[0].data();
        return Numbers(rows, rows + waiting_ * d);
      },
      [&](const Numbers& numbers) {
        if (rooms_.empty()) rooms_.emplace_back(leaf_rows_, d);
        waiting_ = static_cast<Index>(numbers.size()) / d;
        std::copy(numbers.begin(), numbers.end(), rooms_[0].data());
      });
}

Matrix<double> StreamedQr::factor() {
  const BlasThreads one(1);
  const Index d = mean_.size();
  Matrix<double> r = Matrix<double>::Zero(d, d);
  if (waiting_ > 0) stack_rows(r, rooms_[0].data(), waiting_);
  rooms_.clear();
  tree_.from_last([&](const Factor& earlier) {
    Matrix<double> both = earlier.r;
    stack_triangle(both, r);
    r.swap(both);
  });
  tree_ = Segments<Factor>(tree_.radix());
  return r;
}

template void StreamedQr::add(const Rows<float>&, const double*);
template void StreamedQr::add(const Rows<double>&, const double*);

}  // namespace mercer
