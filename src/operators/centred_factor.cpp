#include "operators/centred_factor.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "linalg/blas.hpp"
#include "linalg/stacked_qr.hpp"
#include "operators/centred.hpp"
#include "operators/leaf_plan.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
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

/// Rows of a leaf that are checked first, and by how much these few may exceed `well_conditioned`.
Index looked_at(Index d) { return 2 * d + 32; }
constexpr double of_few_rows = 4;
/// How much larger squares about the origin may be than those within leaves.
constexpr double largest_spread_of_means = 16;

/// A leaf takes this many rows: many times the triangle, so that looking at it costs little, but no
/// more than 64 MiB.
Index factor_leaf_rows(Index d) {
  const Index most = (Index{8} << 20) / std::max<Index>(d, 1);
  return std::max<Index>(std::min(std::max<Index>(40 * d, 4096), most), 256);
}

/// Σ w (x − centre) and Σ w (x − centre)² of four rows: one read and write of the sums for all.
void add_four_rows(const double* x, const double* w, const Vector<double>& centre,
                   Vector<double>& sum, Vector<double>& squares) {
  const Index d = centre.size();
  const double *x1 = x + d, *x2 = x1 + d, *x3 = x2 + d, *c = centre.data();
  double *s = sum.data(), *q = squares.data();
  for (Index j = 0; j < d; ++j) {
    const double a = x[j] - c[j], b = x1[j] - c[j], e = x2[j] - c[j], f = x3[j] - c[j];
    const double wa = w[0] * a, wb = w[1] * b, we = w[2] * e, wf = w[3] * f;
    s[j] += (wa + wb) + (we + wf);
    q[j] += (wa * a + wb * b) + (we * e + wf * f);
  }
}

/// Rows as doubles, one behind the other.
template <class T>
void copy_rows(const Rows<T>& rows, const Vector<double>& zero, double* to) {
  if constexpr (std::is_same_v<T, double>)
    if (!rows.sparse() && rows.stride() == rows.cols()) {
      std::copy_n(rows.row(0), rows.rows() * rows.cols(), to);
      return;
    }
  centred_block(rows, 0, rows.cols(), {.centre = zero.data()}, to, rows.cols());
}

/// Squares of smaller deviations lose digits to underflow.
constexpr double least_deviation = 1e-138;

/// From the upper triangle of S = DCD to U, UᵀU = C; ‖U⁻¹‖² in the Frobenius norm, or infinity
/// where C is not positive definite or not known. A column with D = 0 is independent of all.
double factor_correlations(Matrix<double>& s, const Vector<double>& deviations) {
  const Index d = s.cols();
  for (const double deviation : deviations)
    if (deviation > 0 && deviation < least_deviation)
      return std::numeric_limits<double>::infinity();
  Vector<double> inverse = deviations;
  for (Index j = 0; j < d; ++j) inverse[j] = deviations[j] > 0 ? 1 / deviations[j] : 0;
  for (Index i = 0; i < d; ++i)
    for (Index j = i; j < d; ++j) s(i, j) *= inverse[i] * inverse[j];
  for (Index j = 0; j < d; ++j)
    if (!(deviations[j] > 0)) s(j, j) = 1;
  const Eigen::LLT<Eigen::Ref<Matrix<double>>, Eigen::Upper> factor(s);
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  const Matrix<double> inverted =
      factor.matrixU().solve(Matrix<double>(Matrix<double>::Identity(d, d)));
  return inverted.squaredNorm();
}

/// R and the share that it may be off by, from AᵀA; false when its correlations are too strong.
bool leaf_cholesky(const Matrix<double>& rows, Index count, Matrix<double>& r, double& share) {
  const Index d = rows.cols();
  Matrix<double> s = Matrix<double>::Zero(d, d);
  add_inner_products(rows.data(), count, d, d, s);
  const Vector<double> length = s.diagonal().cwiseSqrt();
  if (!length.allFinite()) return false;
  const double squares = factor_correlations(s, length);
  if (!(squares <= well_conditioned * static_cast<double>(d))) return false;
  // |δC_ij| ≤ (count + d + 8)u for sums, scaling and factorisation (Higham, theorem 10.3), so
  // ‖δC‖ ≤ d times that, relative to C itself in every direction by ‖C⁻¹‖ ≤ ‖U⁻¹‖_F².
  share = 1.01 * roundoff * static_cast<double>(count + d + 8) * static_cast<double>(d) * squares;
  r = s.triangularView<Eigen::Upper>();
  r.array().rowwise() *= length.transpose().array();
  return true;
}

/// Whether the correlations of `count` rows of a leaf, evenly spaced, are well conditioned beside
/// the deviations of all. Only in doubt all rows are asked.
bool well_conditioned_rows(const Matrix<double>& rows, const Vector<double>& weights,
                           const Vector<double>& within, Index count, double limit) {
  const Index n = rows.rows(), d = rows.cols();
  Matrix<double> some(count, d);
  Vector<double> mean = Vector<double>::Zero(d);
  double weight = 0;
  for (Index i = 0; i < count; ++i) {
    const Index at = i * n / count;
    some.row(i) = rows.row(at) - rows.row(0);
    mean += weights[at] * some.row(i).transpose();
    weight += weights[at];
  }
  mean /= weight;
  for (Index i = 0; i < count; ++i)
    some.row(i) = std::sqrt(weights[i * n / count]) * (some.row(i) - mean.transpose());
  Matrix<double> s = Matrix<double>::Zero(d, d);
  add_inner_products(some.data(), count, d, d, s);
  const double part = static_cast<double>(count) / static_cast<double>(n);
  const Vector<double> deviations = (within * part).cwiseSqrt();
  return factor_correlations(s, deviations) <= limit * static_cast<double>(d);
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
    : d_(features),
      leaf_rows_(factor_leaf_rows(features)),
      before_(features),
      tree_(features <= 128 ? 2 : 16) {}

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

CentredFactor::Look CentredFactor::look_at(const Matrix<double>& rows,
                                           const Vector<double>& weights) const {
  Look out;
  out.first = rows.row(0).transpose();
  Vector<double> sum = Vector<double>::Zero(d_), squares = sum;
  for (Index i = 0; i < leaf_rows_; i += 4) {
    const Index count = std::min<Index>(4, leaf_rows_ - i);
    for (Index r = 0; r < count; ++r) out.weight += weights[i + r];
    if (count == 4) add_four_rows(rows.row(i).data(), &weights[i], out.first, sum, squares);
    else
      for (Index r = 0; r < count; ++r) {
        const Vector<double> x = rows.row(i + r).transpose() - out.first;
        sum += weights[i + r] * x;
        squares += weights[i + r] * x.cwiseAbs2();
      }
  }
  out.offset = sum / out.weight;
  out.within = squares - sum.cwiseProduct(out.offset);
  if (!out.within.allFinite()) return out;
  // A first row that lies far away has cost the digits of a column.
  for (Index j = 0; j < d_; ++j)
    if (squares[j] > 0 && !(out.within[j] > 1e-6 * squares[j])) return out;
  const Index few = std::min(leaf_rows_, looked_at(d_));
  out.good =
      well_conditioned_rows(rows, weights, out.within, few, of_few_rows * well_conditioned) ||
      well_conditioned_rows(rows, weights, out.within, leaf_rows_, well_conditioned);
  return out;
}

bool CentredFactor::pass(const Look& look) {
  if (!look.good) return false;
  if (origin_.size() == 0) {
    origin_ = from_zero_ ? Vector<double>(Vector<double>::Zero(d_)) : look.first;
    offsets_ = within_ = about_ = Vector<double>::Zero(d_);
  }
  const Vector<double> offset = (look.first - origin_) + look.offset;
  const Vector<double> within = within_ + look.within;
  const Vector<double> about = about_ + look.within + look.weight * offset.cwiseAbs2();
  for (Index j = 0; j < d_; ++j)
    if (!(about[j] <= largest_spread_of_means * within[j])) return false;
  within_ = within;
  about_ = about;
  offsets_ += look.weight * offset;
  return true;
}

CentredFactor::Node CentredFactor::squared(const Moments& moments) const {
  Node out;
  out.weight = moments.weight();
  if (moments.rows() == 0) return out;
  out.mean = origin_;
  out.rest = offsets_ / out.weight;
  Matrix<double> s = moments.scatter();
  // A column that is constant stays so: what the sums have there is rounding.
  Vector<double> deviations = Vector<double>::Zero(d_);
  for (Index j = 0; j < d_; ++j)
    if (within_[j] > 0) deviations[j] = std::sqrt(s(j, j));
  const double squares = factor_correlations(s, deviations);
  // Proven for leaves that passed. NaN, from a column below 0, must fail too.
  require(deviations.allFinite() && std::isfinite(squares), Errc::not_converged,
          "the scatter matrix of a stream whose parts are well conditioned is not; please report "
          "this");
  const Vector<double> errors = moments.rounding().cwiseAbs2();  // |δS_ij| ≤ √(e_i e_j)
  double lost = roundoff * static_cast<double>((d_ + 8) * d_);
  for (Index j = 0; j < d_; ++j)
    if (deviations[j] > 0) lost += errors[j] / (deviations[j] * deviations[j]);
  out.share = 1.01 * lost * squares;
  out.r = s.triangularView<Eigen::Upper>();
  out.r.array().rowwise() *= deviations.transpose().array();
  return out;
}

template <class T>
void CentredFactor::add(const Rows<T>& given, const double* weights, int threads,
                        Moments* moments) {
  const BlasThreads one(1);
  const Vector<double> zero = Vector<double>::Zero(d_);
  const int workers = thread_count(threads);
  if (!moments) passing_ = false;
  if (origin_.size() == 0 && waiting_rows_ == 0) from_zero_ = given.sparse();
  std::vector<Matrix<double>> rooms(1);
  std::vector<Vector<double>> counts(1);
  rooms[0].swap(waiting_);
  counts[0].swap(weights_);
  Index added = 0;  // rows that the moments have
  const auto add_moments = [&](Index end) {
    if (!moments || end == added) return;
    moments->add(given.middle(added, end - added),
                 as_weights(weights ? weights + added : nullptr, end - added), {threads, {}});
    added = end;
  };
  // Small batches fill the memory already allocated; more would cost more than threads gain.
  const int at_once = given.rows() < 2 * leaf_rows_ ? 1 : workers;
  bool passed = false;  // a leaf of this call; the moments end with it then
  for (Index i = 0; i < given.rows();) {
    Index used = waiting_rows_;
    const auto leaves = plan_leaves(weights, given.rows(), leaf_rows_, at_once, i, used);
    while (rooms.size() < leaves.size()) {
      rooms.emplace_back();
      counts.emplace_back();
    }
    const auto count = static_cast<Index>(leaves.size());
    const Index full = used == leaf_rows_ ? count : count - 1;
    const int useful =
        full > 1 ? workers : 1;  // a thread for copying alone costs more than it brings
    std::vector<Look> looks(static_cast<std::size_t>(passing_ ? full : 0));
    parallel_for(count, useful, [&](Index l) {
      const auto at = static_cast<std::size_t>(l);
      if (rooms[at].rows() < leaf_rows_) {
        rooms[at].conservativeResize(leaf_rows_, d_);
        counts[at].conservativeResize(leaf_rows_);
      }
      for (const LeafPiece& piece : leaves[at]) {
        copy_rows(given.middle(piece.from, piece.count), zero, rooms[at].row(piece.to).data());
        for (Index r = 0; r < piece.count; ++r)
          counts[at][piece.to + r] = weights ? weights[piece.from + r] : 1.0;
      }
      if (passing_ && l < full) looks[at] = look_at(rooms[at], counts[at]);
    });
    Index first = 0;  // leaf that gets a factor
    for (; first < full && passing_; ++first) {
      const auto at = static_cast<std::size_t>(first);
      if (!pass(looks[at])) {
        passing_ = false;
        merged_ = squared(passed ? *moments : before_);
        before_ = Moments(d_);
        break;
      }
      add_moments(leaves[at].back().from + leaves[at].back().count);
      passed = true;
    }
    std::vector<Node> nodes(static_cast<std::size_t>(full));
    parallel_for(full - first, useful, [&](Index l) {
      const auto at = static_cast<std::size_t>(first + l);
      nodes[at] = leaf(rooms[at], counts[at], leaf_rows_);
    });
    for (Index l = first; l < full; ++l) tree_.push(nodes[static_cast<std::size_t>(l)]);
    waiting_rows_ = full < count ? used : 0;
    if (full < count && full > 0) {
      rooms[0].swap(rooms[static_cast<std::size_t>(full)]);
      counts[0].swap(counts[static_cast<std::size_t>(full)]);
    }
  }
  if (passing_ && passed) before_ = *moments;
  add_moments(given.rows());
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
  if (passing_ && before_.rows() > 0) before(squared(before_));
  if (merged_.weight > 0) before(merged_);
  return all;
}

void CentredFactor::merge(const CentredFactor& other) {
  const BlasThreads one(1);  // the same bits for any number of threads
  Node ours = result();
  const Node theirs = other.result();
  if (theirs.weight == 0) return;
  if (ours.weight == 0) {
    *this = other;
    return;
  }
  ours.merge(theirs);
  *this = CentredFactor(d_);
  passing_ = false;  // the rows of the two are in one factor now
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
  std::vector<double> out{static_cast<double>(d_),
                          merged_.weight > 0 ? 1.0 : 0.0,
                          static_cast<double>(tree_.leaves()),
                          static_cast<double>(tree_.levels().size()),
                          static_cast<double>(waiting_rows_),
                          passing_ ? (from_zero_ ? 3.0 : 1.0) : 0.0};
  const std::vector<double> before =
      passing_ && before_.rows() > 0 ? before_.save_state() : std::vector<double>();
  out.push_back(static_cast<double>(before.size()));
  out.insert(out.end(), before.begin(), before.end());
  if (!before.empty())
    for (const Vector<double>* v : {&origin_, &offsets_, &within_, &about_})
      out.insert(out.end(), v->data(), v->data() + d_);
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
  if (left() < 7 || state[0] != static_cast<double>(d_) || !whole(state[1], 1) ||
      !whole(state[2], 9e15) || !whole(state[3], 64) ||
      !whole(state[4], static_cast<double>(leaf_rows_ - 1)) || !whole(state[5], 3) ||
      !whole(state[6], static_cast<double>(left())))
    return false;
  const bool merged = state[1] != 0;
  const auto leaves = static_cast<std::int64_t>(state[2]);
  std::vector<Segments<Node>::Level> levels(static_cast<std::size_t>(state[3]));
  const auto waiting = static_cast<Index>(state[4]);
  const auto flags = static_cast<int>(state[5]);
  const auto moments = static_cast<Index>(state[6]);
  state += 7;
  if (left() < moments + (moments > 0 ? 4 * d_ : 0)) return false;
  CentredFactor next(d_);
  next.passing_ = (flags & 1) != 0;
  next.from_zero_ = (flags & 2) != 0;
  if (moments > 0) {
    next.before_.load_state({state, state + moments});
    state += moments;
    for (Vector<double>* v : {&next.origin_, &next.offsets_, &next.within_, &next.about_}) {
      *v = Eigen::Map<const Vector<double>>(state, d_);
      state += d_;
    }
  }
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
  *this = std::move(next);
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

template void CentredFactor::add(const Rows<float>&, const double*, int, Moments*);
template void CentredFactor::add(const Rows<double>&, const double*, int, Moments*);

}  // namespace mercer
