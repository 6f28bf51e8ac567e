#include "learn/run/learn_space.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "core/roundoff.hpp"
#include "kernels/pick_rows.hpp"
#include "kernels/weighted_width.hpp"
#include "model/parts.hpp"
#include "solvers/dense.hpp"

#include <mercer/kernel_hebbian.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace mercer {

namespace {

class Replayed final : public ForwardingSource<double> {
 public:
  Replayed(Matrix<double> first, std::vector<double> weights, Source<double>& rest)
      : ForwardingSource<double>(rest), first_(std::move(first)), weights_(std::move(weights)) {}
  std::optional<Block<double>> next() override {
    if (std::exchange(given_, true)) return source_.next();
    return Block<double>{Rows<double>(first_), weights_};
  }
  bool can_rewind() const override { return false; }

 private:
  Matrix<double> first_;
  std::vector<double> weights_;
  bool given_ = false;
};

}  // namespace

LearnSpace::LearnSpace(std::shared_ptr<const Map<double>> map) : map_(std::move(map)) {}

LearnSpace::LearnSpace(const Kernel& kernel, Matrix<double> landmarks)
    : map_(landmark_map(kernel, std::move(landmarks))), kernel_(kernel) {
  assert(kernel.complete());
}

Matrix<double> LearnSpace::features(const Rows<double>& rows, const Standard* standard,
                                    int threads) const {
  // Pieces of a fixed size: the last bits of a product depend on its shape, and may not depend on
  // the threads.
  constexpr Index piece = 64;
  const Index n = rows.rows();
  Matrix<double> out(n, map_->features());
  if (!standard) map_->require_domain(rows, 0);
  parallel_for((n + piece - 1) / piece, thread_count(threads), [&](Index i) {
    const Index first = i * piece, count = std::min(piece, n - first);
    const Rows<double> part = rows.middle(first, count);
    const Matrix<double> copy = standard ? (*standard)(part) : Matrix<double>();
    map_->apply(standard ? Rows<double>(copy) : part, out.middleRows(first, count));
  });
  return out;
}

ModelParts<double> LearnSpace::finished(ModelParts<double> parts, const Standard* standard,
                                        const Vector<double>& input_mean) const {
  const bool scaled = standard != nullptr && standard->scale.size() > 0;
  // A learner that knew of the landmarks has done this itself.
  if (const LinearMap<double>* linear = map_->linear(); linear && parts.map->is_identity()) {
    parts.map = linear->inner;
    parts.components = parts.components * linear->a;
    parts.mean = linear->inverse * parts.mean;
    parts.mean_rest.resize(0);
    fix_signs(parts.components);
  }
  if (!parts.map->is_identity()) {
    if (scaled) store(*standard, parts);
    else if (input_mean.size() > 0) parts.input_mean = input_mean;
  } else if (scaled) {
    Vector<double> more = standard->scale.cwiseProduct(parts.mean);
    if (standard->rest.size() > 0) more += standard->rest;
    parts.mean_rest = lost_by_sum(standard->mean, more);
    parts.mean = standard->mean + more;
    parts.scale = standard->scale;
  }
  return parts;
}

double LearnSpace::left_out(const Rows<double>& rows, const double* weights,
                            const Standard* standard, int threads) const {
  constexpr Index piece = 1024;
  double left = 0, all = 0;
  for (Index first = 0; first < rows.rows(); first += piece) {
    const Rows<double> part = rows.middle(first, std::min(piece, rows.rows() - first));
    const Matrix<double> phi = features(part, standard, threads);
    const Matrix<double> copy = standard ? (*standard)(part) : Matrix<double>();
    const Vector<double> whole = kernel_->diagonal(standard ? Rows<double>(copy) : part);
    for (Index i = 0; i < part.rows(); ++i) {
      const double w = weights ? weights[first + i] : 1;
      left += w * (whole[i] - phi.row(i).squaredNorm());
      all += w * whole[i];
    }
  }
  // Eigenvalues of k(L, L) down to 10·m·ε of the largest are inverted, so the last features are
  // right to about √(mε) of a row's length.
  const double rounding = std::sqrt(static_cast<double>(map_->linear()->inner->features()) *
                                    std::numeric_limits<double>::epsilon());
  require(left >= -rounding * all, Errc::not_converged,
          "the landmarks explain {:.3g} of the kernel's trace, which is impossible; use fewer "
          "landmarks",
          1 - left / all);
  // A trace of 0 or more, to within its rounding.
  return std::max(0.0, left) + rounding * all;
}

Kernel with_width(const Kernel& kernel, const Rows<double>& rows, const Standard* standard,
                  const double* weights) {
  if (kernel.complete()) return kernel;
  const CountedRows some = even_rows(weights, rows.rows(), width_rows);
  const Matrix<double> seen = chosen_rows(rows, some.rows, standard);
  return completed_for(kernel, Rows<double>(seen), some.counts);
}

Matrix<double> landmark_rows(const Rows<double>& rows, Index count, const Standard* standard,
                             const double* weights) {
  std::vector<Index> counted;
  for (Index i = 0; i < rows.rows(); ++i)
    if (!weights || weights[i] > 0) counted.push_back(i);
  std::vector<Index> chosen = even_sample(static_cast<Index>(counted.size()), count);
  for (Index& i : chosen) i = counted[static_cast<std::size_t>(i)];
  return chosen_rows(rows, chosen, standard);
}

Matrix<double> chosen_rows(const Rows<double>& rows, const std::vector<Index>& chosen,
                           const Standard* standard) {
  const auto count = static_cast<Index>(chosen.size());
  Matrix<double> out(count, rows.cols());
  for (Index i = 0; i < count; ++i) {
    const Rows<double> row = rows.middle(chosen[static_cast<std::size_t>(i)], 1);
    if (standard) out.row(i) = (*standard)(row);
    else if (!row.sparse()) out.row(i) = row.dense();
    else {
      out.row(i).setZero();
      for (std::int64_t e = row.csr().offsets[0]; e < row.csr().offsets[1]; ++e)
        out(i, row.csr().columns[e]) = row.csr().values[e];
    }
  }
  return out;
}

std::unique_ptr<Source<double>> replayed(Matrix<double> first, std::vector<double> weights,
                                         Source<double>& rest) {
  return std::make_unique<Replayed>(std::move(first), std::move(weights), rest);
}

}  // namespace mercer
