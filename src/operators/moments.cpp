#include <mercer/moments.hpp>

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "core/roundoff.hpp"
#include "core/weights.hpp"
#include "operators/moments_impl.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// Both triangles from the upper one.
void make_symmetric(Matrix<double>& a) { a.triangularView<Eigen::StrictlyLower>() = a.transpose(); }

}  // namespace

Moments::Moments(Index features) : impl_(std::make_unique<Impl>(features)) {}

Moments::Moments(Vector<double> centre, Vector<double> rest) : Moments(centre.size()) {
  require(rest.size() == 0 || rest.size() == centre.size(), Errc::bad_option,
          "a centre of {} numbers and the rest of it, {}, differ in length", centre.size(),
          rest.size());
  impl_->shift = std::move(centre);
  impl_->shifted = true;
  impl_->missing = rest.size() > 0 ? std::move(rest) : Vector<double>::Zero(features());
}

Moments::Moments(const Moments& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Moments::Moments(Moments&& other) noexcept = default;
Moments& Moments::operator=(const Moments& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}
Moments& Moments::operator=(Moments&& other) noexcept = default;
Moments::~Moments() = default;

Index Moments::features() const { return impl_->leaves.columns; }
std::int64_t Moments::rows() const { return impl_->rows; }
double Moments::weight() const { return impl_->weight.value(); }

template <class T>
void Moments::add(const Rows<T>& rows, Weights weights, const RunOptions& options) {
  require(rows.cols() == features(), Errc::bad_data, "rows have {} columns, not {}", rows.cols(),
          features());
  const double* w = weights_of(weights, rows.rows());
  const double d = static_cast<double>(features());
  in_pieces(rows.rows(), d * d, options.monitor, "moments", [&](Index first, Index count) {
    impl_->add(rows.middle(first, count), w ? w + first : nullptr, options.threads);
  });
}

void Moments::merge(const Moments& other) {
  require(other.features() == features(), Errc::bad_data,
          "moments of {} columns cannot be merged with those of {}", other.features(), features());
  if (other.rows() == 0) return;
  // Rows of weight 0 leave no sums and choose no shift: only their number counts.
  if (other.weight() == 0) {
    impl_->rows += other.rows();
    return;
  }
  if (weight() == 0) {
    const std::int64_t before = rows();
    *this = other;
    impl_->rows += before;
    return;
  }
  // Their sums about our shift: x − s = (x − s') + δ with δ = s' − s.
  const Impl& theirs = *other.impl_;
  const Vector<double> ours_shift = impl_->shift_now(), their_shift = theirs.shift_now();
  const Vector<double> delta = their_shift - ours_shift;
  const double their_weight = other.weight();
  LeafSum sum = impl_->total();
  const LeafSum more = theirs.total();
  Vector<double> carried = impl_->rounding_squares(sum) + theirs.rounding_squares(more);
  // Seven roundings of terms of this size, δ's own among them.
  for (Index j = 0; j < delta.size(); ++j)
    carried[j] += 4 * std::numeric_limits<double>::epsilon() *
                  std::pow(std::sqrt(impl_->squares(sum, j)) + std::sqrt(theirs.squares(more, j)) +
                               std::sqrt(their_weight) * std::abs(delta[j]),
                           2);
  sum.second.topLeftCorner(features(), features()).noalias() +=
      more.first * delta.transpose() + delta * more.first.transpose() +
      their_weight * (delta * delta.transpose());
  sum.merge(more);
  sum.first += their_weight * delta;

  Impl next(features());
  next.shift = ours_shift;
  next.shifted = true;
  next.missing = impl_->missing;
  next.merged = std::move(sum);
  next.carried = std::move(carried);
  next.rows = impl_->rows + theirs.rows;
  next.weight = impl_->weight;
  next.weight.add(their_weight);
  *impl_ = std::move(next);
}

Vector<double> Moments::mean() const {
  return impl_->shift_now() + impl_->total().first / weight();
}

Vector<double> Moments::mean_rest() const {
  return lost_by_sum(impl_->shift_now(), impl_->total().first / weight());
}

Matrix<double> Moments::scatter(bool centred) const {
  const LeafSum sum = impl_->total();
  const Vector<double> shift = impl_->shift_now();
  Matrix<double> out = sum.second.topLeftCorner(features(), features());
  if (centred) {
    out.noalias() -= sum.first * (sum.first / weight()).transpose();
  } else {
    out.noalias() += sum.first * shift.transpose() + shift * sum.first.transpose() +
                     weight() * (shift * shift.transpose());
  }
  make_symmetric(out);
  return out;
}

Vector<double> Moments::scatter_diagonal(bool centred) const {
  const LeafSum sum = impl_->total();
  const Vector<double> shift = impl_->shift_now();
  Vector<double> out = sum.second.diagonal().head(features());
  if (centred) out.array() -= sum.first.array() * (sum.first / weight()).array();
  else out.array() += 2 * sum.first.array() * shift.array() + weight() * shift.array().square();
  if (!(out.array() < 0).any()) return out;
  // A sum of squares is not negative, and no further than r² from the number computed: 0 is then
  // nearer to it than what rounding made of it.
  const Vector<double> bound = impl_->rounding_squares(sum, centred);
  for (Index j = 0; j < out.size(); ++j) {
    if (!(out[j] < 0)) continue;
    require(out[j] >= -bound[j], Errc::not_converged,
            "the scatter of column {} is {:g}, below 0 by more than rounding ({:g}); please report "
            "this",
            j + 1, out[j], bound[j]);
    out[j] = 0;
  }
  return out;
}

double Moments::cancellation() const {
  const Vector<double> second = impl_->total().second.diagonal().head(features());
  const Vector<double> centred = scatter_diagonal();
  double worst = 1;
  for (Index j = 0; j < features(); ++j)
    if (second[j] > 0)
      worst = std::max(
          worst, centred[j] > 0 ? second[j] / centred[j] : std::numeric_limits<double>::infinity());
  return worst;
}

double Moments::rounding_constant() const { return impl_->rounding_constant(impl_->total()); }

Vector<double> Moments::rounding(bool centred) const {
  return impl_->rounding_squares(impl_->total(), centred).cwiseSqrt();
}

std::vector<double> Moments::save_state() const { return impl_->state(); }

void Moments::load_state(const std::vector<double>& state) {
  Impl next(features());
  require(next.restore(state), Errc::bad_data,
          "these {} numbers are not the state of moments of {} columns", state.size(), features());
  *impl_ = std::move(next);
}

template void Moments::add(const Rows<float>&, Weights, const RunOptions&);
template void Moments::add(const Rows<double>&, Weights, const RunOptions&);

}  // namespace mercer
