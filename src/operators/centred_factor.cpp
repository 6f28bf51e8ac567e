#include "operators/centred_factor.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "linalg/stacked_qr.hpp"
#include "operators/centred.hpp"
#include "operators/leaf_plan.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mercer {

namespace {

constexpr double roundoff = std::numeric_limits<double>::epsilon() / 2;
/// Cholesky is used where the inverse of the correlations is at most so many times as large as that
/// of uncorrelated columns: it costs three digits of the smallest variances at most.
constexpr double well_conditioned = 1e3;

/// What Householder reflections of m×d numbers do to a column, relative to its length (Higham 2002,
/// theorem 19.4, with 10 for the constant of one reflection).
double householder_share(Index m, Index d) {
  return 10 * roundoff * static_cast<double>(m) * static_cast<double>(d);
}

/// R and the share that it may be off by, from AᵀA; false when its correlations are too strong.
bool leaf_cholesky(const Matrix<double>& rows, Index count, Matrix<double>& r, double& share) {
  const Index d = rows.cols();
  Matrix<double> s = Matrix<double>::Zero(d, d);
  add_inner_products(rows.data(), count, d, d, s);
  Vector<double> length = s.diagonal().cwiseSqrt();
  if (!length.allFinite()) return false;
  // A column without spread has a zero column in R and is independent of all.
  Vector<double> inverse = length;
  for (Index j = 0; j < d; ++j) inverse[j] = length[j] > 0 ? 1 / length[j] : 0;
  for (Index i = 0; i < d; ++i)
    for (Index j = i; j < d; ++j) s(i, j) = i == j ? 1.0 : s(i, j) * inverse[i] * inverse[j];
  const Eigen::LLT<Eigen::Ref<Matrix<double>>, Eigen::Upper> factor(s);
  if (factor.info() != Eigen::Success) return false;
  const Matrix<double> inverted =
      factor.matrixU().solve(Matrix<double>(Matrix<double>::Identity(d, d)));
  const double squares = inverted.squaredNorm();
  if (!(squares <= well_conditioned * static_cast<double>(d))) return false;
  // |δC_ij| ≤ (count + d + 8)u for sums, scaling and factorisation (Higham, theorem 10.3), so
  // ‖δC‖ ≤ d times that, relative to C itself in every direction by ‖C⁻¹‖ ≤ ‖U⁻¹‖_F².
  share = 1.01 * roundoff * static_cast<double>(count + d + 8) * static_cast<double>(d) * squares;
  r = s.triangularView<Eigen::Upper>();
  r.array().rowwise() *= length.transpose().array();
  return true;
}

}  // namespace

void CentredFactor::Node::merge(const Node& later) {
  const Index d = r.cols();
  const double all = weight + later.weight;
  Vector<double> apart = (later.mean - mean) + (later.rest - rest);
  rest += apart * (later.weight / all);
  apart *= std::sqrt(weight / all * later.weight);
  Matrix<double> copy = later.r;
  stack_triangle(r, copy);
  stack_rows(r, apart.data(), 1);
  weight = all;
  share = std::max(share, later.share);
  turned = std::max(turned, later.turned) + householder_share(2 * d + 1, d);
}

CentredFactor::CentredFactor(Index features)
    : d_(features), leaf_rows_(qr_leaf_rows(features)), tree_(features <= 128 ? 2 : 16) {}

CentredFactor::Node CentredFactor::leaf(Matrix<double>& rows, const Vector<double>& weights,
                                        Index count) const {
  Node out;
  auto x = rows.topRows(count);
  for (Index i = 0; i < count; ++i) out.weight += weights[i];
  // The mean about the first row, then what its rounding left.
  out.mean = x.row(0).transpose();
  for (int step = 0; step < 2; ++step) {
    Vector<double> sum = Vector<double>::Zero(d_);
    const Vector<double> about = step == 0 ? out.mean : Vector<double>(Vector<double>::Zero(d_));
    for (Index i = 0; i < count; ++i) sum += weights[i] * (x.row(i).transpose() - about);
    sum /= out.weight;
    if (step == 0) {
      out.mean += sum;
      x.rowwise() -= out.mean.transpose();
    } else {
      out.rest = sum;
      x.rowwise() -= sum.transpose();
    }
  }
  for (Index i = 0; i < count; ++i)
    if (weights[i] != 1) x.row(i) *= std::sqrt(weights[i]);
  if (leaf_cholesky(rows, count, out.r, out.share)) return out;
  out.share = 0;
  out.r.setZero(d_, d_);
  stack_rows(out.r, rows.data(), count);
  out.turned = householder_share(count, d_);
  return out;
}

template <class T>
void CentredFactor::add(const Rows<T>& given, const double* weights, int threads) {
  const BlasThreads one(1);
  const Vector<double> zero = Vector<double>::Zero(d_);
  const int workers = thread_count(threads);
  std::vector<Matrix<double>> rooms(1);
  std::vector<Vector<double>> counts(1);
  rooms[0].swap(waiting_);
  counts[0].swap(weights_);
  for (Index i = 0; i < given.rows();) {
    Index used = waiting_rows_;
    const auto leaves = plan_leaves(weights, given.rows(), leaf_rows_, workers, i, used);
    while (rooms.size() < leaves.size()) {
      rooms.emplace_back();
      counts.emplace_back();
    }
    const auto count = static_cast<Index>(leaves.size());
    const Index full = used == leaf_rows_ ? count : count - 1;
    std::vector<Node> nodes(static_cast<std::size_t>(full));
    parallel_for(count, given.rows() * d_ * d_ < 1000000 ? 1 : workers, [&](Index l) {
      const auto at = static_cast<std::size_t>(l);
      if (rooms[at].rows() < leaf_rows_) {
        rooms[at].conservativeResize(leaf_rows_, d_);
        counts[at].conservativeResize(leaf_rows_);
      }
      for (const LeafPiece& piece : leaves[at]) {
        centred_block(given.middle(piece.from, piece.count), 0, d_, {.centre = zero.data()},
                      rooms[at].row(piece.to).data(), d_);
        for (Index r = 0; r < piece.count; ++r)
          counts[at][piece.to + r] = weights ? weights[piece.from + r] : 1.0;
      }
      if (l < full) nodes[at] = leaf(rooms[at], counts[at], leaf_rows_);
    });
    for (Node& node : nodes) tree_.push(node);
    waiting_rows_ = full < count ? used : 0;
    if (full < count && full > 0) {
      rooms[0].swap(rooms[static_cast<std::size_t>(full)]);
      counts[0].swap(counts[static_cast<std::size_t>(full)]);
    }
  }
  waiting_.swap(rooms[0]);
  weights_.swap(counts[0]);
}

CentredFactor::Node CentredFactor::result() const {
  const BlasThreads one(1);
  Node all;
  if (waiting_rows_ > 0) {
    Matrix<double> rows = waiting_.topRows(waiting_rows_);
    all = leaf(rows, weights_, waiting_rows_);
  }
  const auto before = [&](const Node& earlier) {
    Node both = earlier;
    if (all.weight > 0) both.merge(all);
    all = std::move(both);
  };
  tree_.from_last(before);
  if (merged_.weight > 0) before(merged_);
  return all;
}

void CentredFactor::merge(const CentredFactor& other) {
  Node ours = result(), theirs = other.result();
  if (theirs.weight == 0) return;
  if (ours.weight > 0) ours.merge(theirs);
  else ours = std::move(theirs);
  *this = CentredFactor(d_);
  merged_ = std::move(ours);
}

namespace {

void write_node(const CentredFactor::Node& node, std::vector<double>& out) {
  const Index d = node.r.cols();
  out.insert(out.end(), {node.weight, node.share, node.turned});
  out.insert(out.end(), node.mean.data(), node.mean.data() + d);
  out.insert(out.end(), node.rest.data(), node.rest.data() + d);
  for (Index i = 0; i < d; ++i) out.insert(out.end(), &node.r(i, i), &node.r(i, i) + (d - i));
}

}  // namespace

std::vector<double> CentredFactor::state() const {
  std::vector<double> out{
      static_cast<double>(d_), merged_.weight > 0 ? 1.0 : 0.0, static_cast<double>(tree_.leaves()),
      static_cast<double>(tree_.levels().size()), static_cast<double>(waiting_rows_)};
  if (merged_.weight > 0) write_node(merged_, out);
  for (const auto& level : tree_.levels()) {
    out.push_back(level.count);
    if (level.count > 0) write_node(level.sum, out);
  }
  out.insert(out.end(), waiting_.data(), waiting_.data() + waiting_rows_ * d_);
  out.insert(out.end(), weights_.data(), weights_.data() + waiting_rows_);
  return out;
}

bool CentredFactor::restore(const double* state, std::size_t size) {
  const double* const end = state + size;
  const auto left = [&] { return static_cast<Index>(end - state); };
  const auto whole = [](double x, double most) {
    return x >= 0 && x <= most && x == std::floor(x);
  };
  if (left() < 5 || state[0] != static_cast<double>(d_) || !whole(state[1], 1) ||
      !whole(state[2], 9e15) || !whole(state[3], 64) ||
      !whole(state[4], static_cast<double>(leaf_rows_ - 1)))
    return false;
  const bool merged = state[1] != 0;
  const auto leaves = static_cast<std::int64_t>(state[2]);
  std::vector<Segments<Node>::Level> levels(static_cast<std::size_t>(state[3]));
  const auto waiting = static_cast<Index>(state[4]);
  state += 5;
  const auto read = [&](Node& node) {
    if (left() < 3 + 2 * d_ + d_ * (d_ + 1) / 2) return false;
    node.weight = state[0];
    node.share = state[1];
    node.turned = state[2];
    node.mean = Eigen::Map<const Vector<double>>(state + 3, d_);
    node.rest = Eigen::Map<const Vector<double>>(state + 3 + d_, d_);
    state += 3 + 2 * d_;
    node.r.setZero(d_, d_);
    for (Index i = 0; i < d_; ++i) {
      std::copy_n(state, d_ - i, &node.r(i, i));
      state += d_ - i;
    }
    return node.weight > 0;
  };
  Node node;
  if (merged && !read(node)) return false;
  for (auto& level : levels) {
    if (left() < 1 || !whole(state[0], tree_.radix() - 1)) return false;
    level.count = static_cast<int>(*state++);
    if (level.count > 0 && !read(level.sum)) return false;
  }
  if (left() != waiting * (d_ + 1)) return false;
  merged_ = std::move(node);
  tree_.restore(std::move(levels), leaves);
  waiting_rows_ = waiting;
  if (waiting > 0) {
    waiting_.resize(leaf_rows_, d_);
    weights_.resize(leaf_rows_);
    std::copy_n(state, waiting * d_, waiting_.data());
    std::copy_n(state + waiting * d_, waiting, weights_.data());
  }
  return true;
}

template void CentredFactor::add(const Rows<float>&, const double*, int);
template void CentredFactor::add(const Rows<double>&, const double*, int);

}  // namespace mercer
