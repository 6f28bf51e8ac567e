#include "solvers/tall_block.hpp"

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/tree_sum.hpp"
#include "linalg/blas.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// Numbers of one row: streams of SplitMix64 that begin at states which it has mixed itself.
class RowStreams {
 public:
  explicit RowStreams(RowRandom& random) {
    Random draws(random.seed);
    Random own(draws.bits() + ++random.draw);
    key_ = own.bits();
  }
  Random of(Index row) const {
    Random state(key_ ^ (static_cast<std::uint64_t>(row) * 0xd1342543de82ef95U));
    return Random(state.bits());
  }

 private:
  std::uint64_t key_;
};

}  // namespace

TallBlocks::TallBlocks(Index n, Team& team, int threads)
    : team_(team),
      threads_(threads),
      segments_(n),
      own_(segments_of(segments_.count(), team.rank(), team.size())),
      mine_(segments_.rows_of(own_)) {}

/// Segments that make a millisecond of work, more or less, at so many flops per row.
Index TallBlocks::grain(Index work) const {
  return std::max<Index>(1, 4'000'000 / std::max<Index>(1, work * segments_.each()));
}

/// Runs body(first, rows) for each segment; rows are counted from the first of this rank.
void TallBlocks::over_segments(Index work, const std::function<void(Index, Index)>& body) const {
  const BlasThreads one(1);
  const Index each = grain(work);
  parallel_for((own_.size() + each - 1) / each, threads_, [&](Index task) {
    const Index from = own_.first + task * each;
    for (Index s = from; s < std::min(own_.end, from + each); ++s)
      body(segments_.first(s) - mine_.first, segments_.rows(s));
  });
}

Matrix<double> TallBlocks::inner(MatrixRef<double> a, MatrixRef<double> b) const {
  const BlasThreads one(1);
  const Index m = a.cols(), k = b.cols();
  const auto of_segment = [&](Index s, double* sum) {
    const Index i = segments_.first(s) - mine_.first, count = segments_.rows(s);
    transposed_times(a.middleRows(i, count), b.middleRows(i, count), sum);
  };
  const Vector<double> sum =
      ordered_sum(team_, segments_.count(), m * k,
                  sum_segments(own_, m * k, grain(m * k), threads_, of_segment));
  return Eigen::Map<const Matrix<double>>(sum.data(), m, k);
}

Matrix<double> TallBlocks::inner_of(
    Index columns, const std::function<void(Index first, TallOut rows)>& write) const {
  const BlasThreads one(1);
  const Index width = columns * columns;
  const auto of_segment = [&](Index s, double* sum) {
    const Index count = segments_.rows(s);
    Matrix<double> e(count, columns);
    write(segments_.first(s) - mine_.first, e);
    multiply_tall(e.data(), count, columns, columns, e.data(), columns, columns, sum, columns);
  };
  const Vector<double> sum =
      ordered_sum(team_, segments_.count(), width,
                  sum_segments(own_, width, grain(width), threads_, of_segment));
  return Eigen::Map<const Matrix<double>>(sum.data(), columns, columns);
}

void TallBlocks::times(MatrixRef<double> a, MatrixRef<double> b, TallOut c, bool add) const {
  over_segments(a.cols() * b.cols(), [&](Index i, Index count) {
    times_small(a.middleRows(i, count), b, c.middleRows(i, count), add);
  });
}

void TallBlocks::rotate(Matrix<double>& q, const Matrix<double>& t) const {
  constexpr Index panel = 1024;
  over_segments(t.rows() * t.cols(), [&](Index first, Index count) {
    for (Index i = first; i < first + count; i += panel) {
      const Index rows = std::min(panel, first + count - i);
      Matrix<double> rotated(rows, t.cols());
      multiply(q.row(i).data(), rows, t.rows(), q.cols(), t.data(), t.cols(), t.cols(),
               rotated.data(), t.cols());
      q.block(i, 0, rows, t.cols()) = rotated;
    }
  });
}

Matrix<double> TallBlocks::combined(const Matrix<double>& y, MatrixRef<double> q) const {
  Matrix<double> out(y.rows(), rows());
  over_segments(y.size(), [&](Index i, Index count) {
    multiply_transposed(y.data(), y.rows(), y.cols(), y.cols(), q.row(i).data(), count,
                        q.outerStride(), out.data() + i, out.cols());
  });
  return out;
}

Vector<double> TallBlocks::norms(MatrixRef<double> w) const {
  const Index b = w.cols();
  const auto of_segment = [&](Index s, double* sum) {
    const Index first = segments_.first(s) - mine_.first;
    std::fill_n(sum, b, 0.0);
    for (Index i = first; i < first + segments_.rows(s); ++i)
      for (Index j = 0; j < b; ++j) sum[j] += w(i, j) * w(i, j);
  };
  return ordered_sum(team_, segments_.count(), b,
                     sum_segments(own_, b, grain(b), threads_, of_segment))
      .cwiseSqrt();
}

Vector<double> TallBlocks::largest(MatrixRef<double> w) const {
  Matrix<double> most = Matrix<double>::Zero(1, w.cols());
  for (Index i = 0; i < w.rows(); ++i) most = most.cwiseMax(w.row(i).cwiseAbs());
  const Matrix<double> all = gather_rows(team_, most);
  if (team_.rank() == 0) most = all.colwise().maxCoeff();
  from_root(team_, most);
  return most.transpose();
}

void TallBlocks::fill_random(Matrix<double>& w, Index from, RowRandom& random) const {
  if (from == w.cols()) return;
  const double length = std::sqrt(3.0 / static_cast<double>(std::max<Index>(size(), 1)));
  const RowStreams streams(random);
  for (Index i = 0; i < w.rows(); ++i) {
    Random numbers = streams.of(mine_.first + i);
    for (Index j = from; j < w.cols(); ++j) w(i, j) = length * (2 * numbers.uniform() - 1);
  }
}

void TallBlocks::fill_normal(Matrix<double>& w, RowRandom& random) const {
  const RowStreams streams(random);
  for (Index i = 0; i < w.rows(); ++i) {
    Random numbers = streams.of(mine_.first + i);
    for (Index j = 0; j < w.cols(); ++j) w(i, j) = numbers.normal();
  }
}

SymmetricEigen TallBlocks::eigen(Matrix<double> a, Index k) const {
  SymmetricEigen pairs;
  on_root(team_, [&] { pairs = symmetric_eigen(std::move(a), k, threads_); });
  from_root(team_, pairs.values);
  from_root(team_, pairs.vectors);
  return pairs;
}

Matrix<double> TallBlocks::gather(const Matrix<double>& vectors) const {
  if (team_.size() == 1) return vectors;
  Matrix<double> all = gather_rows(team_, vectors.transpose());
  from_root(team_, all);
  return all.transpose();
}

}  // namespace mercer
