// How far a kernel Hebbian learner has come, and its state as bytes.
#include "core/require.hpp"
#include "learn/rules/kernel_hebbian_state.hpp"
#include "learn/theory/certify.hpp"
#include "learn/theory/convergence.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace mercer {

namespace {

/// On combinations of rows: w = Σ a_i Φ̃(x_i) has the outputs aK̃ and Rw = Σ s_i y_i Φ̃(x_i).
template <class State>
class KernelMoment final : public Moment {
 public:
  explicit KernelMoment(const State& state) : s_(state) {}
  Matrix<double> dual(const Matrix<double>& v) override { return s_.outputs_of(v); }
  bool euclidean() const override { return false; }
  Matrix<double> times(const Matrix<double>&, const Matrix<double>& dual) override {
    return dual * s_.share.asDiagonal();
  }
  double trace() override { return s_.squares.dot(s_.share); }

 private:
  const State& s_;
};

/// The squared length of weights, of which rounding may leave less than nothing.
double square_of(double sum, double scale) {
  require(
      std::isfinite(sum), Errc::not_converged,
      "the weights diverge: they are too long to be squared; use a smaller rate, or `rate=auto`");
  require(sum >= -1e-9 * scale, Errc::not_converged,
          "a weight vector has the squared length {:.3g}: the kernel is not positive semidefinite "
          "on these rows",
          sum);
  return std::abs(sum);
}

}  // namespace

double KernelHebbian::norm() const {
  State& s = *state_;
  if (s.first_square < 0) {
    const Matrix<double> first = s.a.topRows(1), y = s.outputs_of(first);
    s.first_square = square_of(y.row(0).dot(first.row(0)), y.row(0).norm() * first.row(0).norm());
  }
  return std::sqrt(s.first_square);
}

Convergence KernelHebbian::look() {
  State& s = *state_;
  const bool compared = s.looked_at.size() > 0;
  // Small turns by the step δ = w − w_old itself: as a difference of angles they would drown.
  const Matrix<double> step = compared ? Matrix<double>(s.a - s.looked_at) : s.a;
  const Matrix<double> y = s.outputs_of(s.a), stepped = s.outputs_of(step);
  Convergence c;
  if (compared) c.angle_change = 0;
  for (Index j = 0; j < s.a.rows(); ++j) {
    const double square =
        square_of(y.row(j).dot(s.a.row(j)), y.row(j).norm() * s.a.row(j).norm());  // ‖w‖²
    require(square > 0, Errc::not_converged, "the weights of component {} are all 0", j + 1);
    const double along = stepped.row(j).dot(s.a.row(j));  // ⟨δ, w⟩
    // ‖δ‖² sin², of which rounding may leave less than nothing when δ is along w.
    const double across = std::abs(stepped.row(j).dot(step.row(j)) - along * along / square);
    if (compared)
      c.angle_change = std::max(
          c.angle_change,
          std::atan2(std::sqrt(across), std::abs(square - along) / std::sqrt(square)) * 180 / M_PI);
    c.norm_error = std::max(c.norm_error, std::abs(std::sqrt(square) - 1));
    const double quotient = y.row(j).cwiseAbs2().dot(s.share) / square;
    if (quotient > 0)
      c.variance_error = std::max(c.variance_error, std::abs(s.covariance(j, j) / quotient - 1));
  }
  c.correlation = largest_correlation(s.covariance);
  Verdict verdict;
  if (s.steps > 0) {
    const State::Components found = s.components();
    c.explained = found.variances.sum() / s.squares.dot(s.weights);
    if (compared && c.angle_change <= converged_degrees) {
      KernelMoment<State> moment(s);
      verdict = certify(moment, found.b, converged_degrees, s.options.seed);
    }
  }
  judge(c, compared, verdict);
  s.looked_at = s.a;
  return c;
}

std::string KernelHebbian::save_state() const {
  const State& s = *state_;
  std::vector<double> all = {static_cast<double>(s.steps),
                             s.time,
                             s.eta,
                             std::bit_cast<double>(s.random.state()),
                             s.learned,
                             s.first_square};
  const auto add = [&](const double* data, Index size) {
    all.insert(all.end(), data, data + size);
  };
  const std::vector<double> rate = s.rate.state();
  add(rate.data(), static_cast<Index>(rate.size()));
  add(s.covariance.data(), s.covariance.size());
  add(s.a.data(), s.a.size());
  add(s.looked_at.data(), s.looked_at.size());
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(double)};
}

void KernelHebbian::load_state(const std::string& bytes) {
  State& s = *state_;
  std::vector<double> rate = s.rate.state(), head(6);
  const auto least = static_cast<std::size_t>(6 + static_cast<Index>(rate.size()) +
                                              s.covariance.size() + s.a.size()) *
                     sizeof(double);
  const std::size_t looked = static_cast<std::size_t>(s.a.size()) * sizeof(double);
  require(bytes.size() == least || bytes.size() == least + looked, Errc::bad_file,
          "this is not the state of a kernel Hebbian learner with {} components of {} rows",
          s.a.rows(), s.n());
  const char* at = bytes.data();
  const auto take = [&](double* data, Index size) {
    if (size > 0) std::memcpy(data, at, static_cast<std::size_t>(size) * sizeof(double));
    at += static_cast<std::size_t>(size) * sizeof(double);
  };
  take(head.data(), 6);
  take(rate.data(), static_cast<Index>(rate.size()));
  take(s.covariance.data(), s.covariance.size());
  take(s.a.data(), s.a.size());
  s.looked_at.resize(bytes.size() > least ? s.a.rows() : 0, s.n());
  take(s.looked_at.data(), s.looked_at.size());
  s.rate.restore(rate);
  s.steps = static_cast<std::int64_t>(head[0]);
  s.time = head[1];
  s.eta = head[2];
  s.random = Random(std::bit_cast<std::uint64_t>(head[3]));
  s.learned = head[4];
  s.first_square = head[5];
}

}  // namespace mercer
