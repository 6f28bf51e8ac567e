#include "diagnostics/gaussian_limits.hpp"

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "diagnostics/conditional_limits.hpp"
#include "diagnostics/quantiles.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace mercer {

namespace {

constexpr Index most_dense = 1024;        // the smaller side of a simulated sample
constexpr Index most_thinned_leads = 64;  // components that a thinned sample may have
constexpr Index most_entries = Index{1} << 20;
constexpr Index most_kept = 4 * most_entries;  // of all samples; the others are drawn again
constexpr Index most_scaled = 256;             // columns whose scaling is simulated
constexpr Index most_conditional = 128;        // directions of a sample whose rows are left out
constexpr Index spectra = 16;                  // that may belong to what is known of a sample
/// Leading variances, and the spread of the others, that exceed what a flatter population has on
/// average by so many standard deviations count as that: chance makes samples of equal variances
/// look unequal and never the other way, and limits for unequal ones are too wide. Where components
/// stand out by far, limits hardly depend on it. Measured by `./dev calibrate`.
constexpr double shrinkage = 1.5;
constexpr int rounds = 10;  // of matching the population to what was seen
/// A component with so many times the residual variance is separate from the rest for any larger
/// size, and larger ones would reduce the accuracy of the others.
constexpr double most_lead = 1e3;

/// Γ(shape), shape ≥ ½ (Marsaglia and Tsang 2000; below 1 by their power of a uniform number).
double gamma_draw(Random& random, double shape) {
  if (shape < 1)
    return gamma_draw(random, shape + 1) * std::exp(std::log(random.uniform()) / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal(), t = 1 + c * x, v = t * t * t;
    if (v > 0 && std::log(random.uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

/// Sizes of what is simulated: those of the model, or, beyond what is quick, every `thin`-th
/// direction and degree of freedom, which leaves the spectrum of the noise as it is.
struct Shape {
  Index leads, tail, degrees;  // tail: directions left out
  double thin = 1;
  bool scaled = false, cut = false;  // cut: fewer directions left out, with the same sums
  Index directions() const { return leads + tail; }
  bool wide() const { return degrees < directions(); }
};

Shape shape_of(const SampleSpectrum& seen) {
  const Index k = seen.leading.size();
  Shape s{k, seen.directions - k, static_cast<Index>(seen.degrees), 1};
  const Index shorter = std::min(s.directions(), s.degrees);
  if (shorter > most_dense) {
    s.thin = static_cast<double>(shorter) / static_cast<double>(most_dense / 2);
    s.tail = static_cast<Index>(static_cast<double>(s.tail) / s.thin);
    s.degrees = static_cast<Index>(static_cast<double>(s.degrees) / s.thin);
  }
  if (s.wide() && s.directions() * s.degrees > most_entries) {
    s.tail = std::max<Index>(1, most_entries / s.degrees - k);
    s.cut = true;
  }
  s.scaled = seen.scaled && s.directions() <= most_scaled;
  return s;
}

/// A factor F with F Fᵀ Wishart-distributed: Bartlett's triangle, or, for more directions than
/// degrees of freedom, the rows themselves.
Matrix<double> standard_factor(const Shape& s, std::uint64_t seed) {
  Random random(seed);
  const Index d = s.directions(), n = s.degrees;
  Matrix<double> f = Matrix<double>::Zero(d, s.wide() ? n : d);
  for (Index i = 0; i < d; ++i) {
    if (!s.wide()) f(i, i) = std::sqrt(2 * gamma_draw(random, static_cast<double>(n - i) / 2));
    for (Index j = 0; j < (s.wide() ? n : i); ++j) f(i, j) = random.normal();
  }
  return f;
}

/// Variances of the directions left out: a geometric sequence with this mean, whose mean square is
/// `ratio` times the square of its mean.
Vector<double> tail_values(double mean, double ratio, Index count) {
  const auto values = [&](double slope) {
    Vector<double> t(count);
    for (Index i = 0; i < count; ++i)
      t[i] =
          std::exp(-slope * static_cast<double>(i) / std::max(1.0, static_cast<double>(count - 1)));
    return Vector<double>(t / t.mean());
  };
  double low = 0, high = 700;
  if (count > 1 && ratio > 1)
    for (int i = 0; i < 50; ++i) {
      const double middle = (low + high) / 2;
      (values(middle).squaredNorm() < ratio * static_cast<double>(count) ? low : high) = middle;
    }
  return mean * values(low);
}

/// Sums of powers of the weights of a quadratic form in Gaussian numbers.
struct Powers {
  double first = 0, second = 0, third = 0;
};

/// P(form > x): a shifted χ² with the first three cumulants (Hall 1983, Buckley and Eagleson 1988);
/// exact where the weights are equal.
double beyond(const Powers& p, double x) {
  if (!(p.second > 0)) return p.first > x ? 1 : 0;
  const double degrees = p.second * p.second * p.second / (p.third * p.third);
  const double at = degrees + (x - p.first) * std::sqrt(degrees / p.second);
  return at > 0 ? gamma_q(degrees / 2, at / 2) : 1;
}

struct Simulated {
  Vector<double> leading;
  double left = 0, left_squares = 0;
  Powers t2, spe;  // of a new row given this sample
};

/// PCA of one sample of the population: its spectrum, and when `rows` how new rows lie in it.
Simulated simulate(const Shape& s, Matrix<double> f, const Vector<double>& lead,
                   const Vector<double>& tail, bool rows) {
  const Index k = s.leads, d = s.directions();
  Vector<double> deviations(d);
  deviations << lead.cwiseSqrt(), tail.cwiseSqrt();
  f.array().colwise() *= deviations.array();
  const auto degrees = static_cast<double>(s.degrees);
  Matrix<double> scatter =
      s.wide() ? Matrix<double>(f.transpose() * f) : Matrix<double>(f * f.transpose());
  const double trace = scatter.trace() / degrees;
  const double squares = scatter.squaredNorm() / (degrees * degrees);
  const Index asked = std::min(k + 1, scatter.rows());
  const SymmetricEigen pairs = symmetric_eigen(std::move(scatter), asked);
  Simulated out;
  out.leading = pairs.values.head(k) / degrees;
  out.left = trace - out.leading.sum();
  out.left_squares = squares - out.leading.squaredNorm();
  if (!rows) return out;
  Matrix<double> axes = pairs.vectors.topRows(k).transpose();  // d×k
  if (s.wide()) {
    axes = Matrix<double>(f * axes);
    for (Index c = 0; c < k; ++c) axes.col(c).normalize();
  }
  // √L P √L with P = I − UUᵀ, in blocks of leading and other directions, so that the small ones
  // are no differences of large ones.
  const Matrix<double> u = axes.topRows(k);
  const Matrix<double> g = lead.cwiseSqrt().asDiagonal() * u;
  const Matrix<double> h = tail.cwiseSqrt().asDiagonal() * axes.bottomRows(s.tail);
  const Matrix<double> e = lead.cwiseSqrt().asDiagonal() *
                           (Matrix<double>::Identity(k, k) - u * u.transpose()) *
                           lead.cwiseSqrt().asDiagonal();
  const Matrix<double> hh = h.transpose() * h, hlh = h.transpose() * tail.asDiagonal() * h;
  const Matrix<double> hllh = h.transpose() * tail.cwiseAbs2().asDiagonal() * h;
  const Matrix<double> ghhg = g * hh * g.transpose(), hh2 = hh * hh;
  out.spe.first = e.trace() + tail.sum() - hh.trace();
  out.spe.second =
      e.squaredNorm() + 2 * ghhg.trace() + tail.squaredNorm() - 2 * hlh.trace() + hh.squaredNorm();
  out.spe.third = (e * e * e).trace() + 3 * (e * ghhg).trace() +
                  3 * (g * (hlh - hh2) * g.transpose()).trace() + tail.array().cube().sum() -
                  3 * hllh.trace() + 3 * (hlh * hh).trace() - (hh2 * hh).trace();
  const Vector<double> scale = out.leading.cwiseSqrt().cwiseInverse();
  const Matrix<double> w = scale.asDiagonal() * (g.transpose() * g + hh) * scale.asDiagonal();
  const Matrix<double> w2 = w * w;
  out.t2 = {w.trace(), w2.trace(), (w2 * w).trace()};
  return out;
}

/// The smaller variances of one sample, descending: as many as it has beyond the leading ones.
Vector<double> sample_tail(const Shape& s, Matrix<double> f, const Vector<double>& lead,
                           const Vector<double>& tail) {
  Vector<double> deviations(s.directions());
  deviations << lead.cwiseSqrt(), tail.cwiseSqrt();
  f.array().colwise() *= deviations.array();
  const Matrix<double> scatter =
      s.wide() ? Matrix<double>(f.transpose() * f) : Matrix<double>(f * f.transpose());
  const Index size = scatter.rows();
  return symmetric_eigen(scatter, size).values.tail(size - s.leads);
}

/// The same with the sums that were seen: a power of them, none above `most`.
Vector<double> with_sums(const Vector<double>& values, double sum, double squares, double most) {
  const auto powers = [&](double exponent) {
    const Vector<double> p = (values / values[0]).array().max(1e-300).pow(exponent);
    return Vector<double>(p * (sum / p.sum()));
  };
  double exponent = 1;
  if (squares > 0) {
    double low = 0, high = 8;
    for (int i = 0; i < 40; ++i) {
      exponent = (low + high) / 2;
      (powers(exponent).squaredNorm() < squares ? low : high) = exponent;
    }
  }
  Vector<double> out = powers(exponent);
  for (int i = 0; i < 8 && out[0] > most; ++i) {
    out = out.cwiseMin(most);
    out *= sum / out.sum();
  }
  return out;
}

/// Some axes for the columns of z-scores, which the spectrum does not determine.
Matrix<double> random_axes(Index d, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> g(d, d);
  for (Index i = 0; i < g.size(); ++i) g.data()[i] = random.normal();
  return Eigen::HouseholderQR<Eigen::MatrixXd>(g).householderQ() * Eigen::MatrixXd::Identity(d, d);
}

/// The same for z-scores: columns, of variance 1 in the population, have it in the sample, and new
/// rows have more.
Simulated simulate_scaled(const Shape& s, const Matrix<double>& factor, const Matrix<double>& axes,
                          const Vector<double>& lead, const Vector<double>& tail, bool rows) {
  const Index k = s.leads, d = s.directions();
  Vector<double> variances(d);
  variances << lead, tail;
  Matrix<double> root = axes * variances.cwiseSqrt().asDiagonal();
  for (Index j = 0; j < d; ++j) root.row(j).normalize();  // correlations are their products
  Matrix<double> f = root * factor;
  const Vector<double> deviations = f.rowwise().norm() / std::sqrt(static_cast<double>(s.degrees));
  for (Index j = 0; j < d; ++j) f.row(j).normalize();
  const Matrix<double> correlations = f * f.transpose();
  const SymmetricEigen pairs = symmetric_eigen(correlations, k);
  Simulated out;
  out.leading = pairs.values;
  out.left = static_cast<double>(d) - out.leading.sum();
  out.left_squares = correlations.squaredNorm() - out.leading.squaredNorm();
  if (!rows) return out;
  root = deviations.cwiseInverse().asDiagonal() * root;  // of the covariance of new rows
  const Matrix<double> along = pairs.vectors * root,
                       w_root = out.leading.cwiseSqrt().cwiseInverse().asDiagonal() * along;
  const Matrix<double> w = w_root * w_root.transpose(), w2 = w * w;
  out.t2 = {w.trace(), w2.trace(), (w2 * w).trace()};
  const Matrix<double> rest = root - pairs.vectors.transpose() * along;
  const Matrix<double> r = rest * rest.transpose(), r2 = r * r;
  out.spe = {r.trace(), r2.trace(), (r2 * r).trace()};
  return out;
}

/// Where the mean over samples of P(beyond x) is 1 − level; it falls with x.
double crossing_at(double level, double start, const std::function<double(double)>& mean_beyond) {
  double low = std::log(start), high = low;
  while (mean_beyond(std::exp(low)) < 1 - level && low > -600) low -= 1;
  while (mean_beyond(std::exp(high)) > 1 - level && high < 600) high += 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (mean_beyond(std::exp(middle)) > 1 - level ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

}  // namespace

double hotelling_limit(double components, double degrees, double new_row, double level) {
  const double free = degrees - components + 1;
  return new_row * components * degrees / free * f_quantile(level, components, free);
}

bool can_simulate(const SampleSpectrum& seen) {
  const Shape s = shape_of(seen);
  if (s.thin > 1 && s.leads > most_thinned_leads) return false;
  return s.degrees > s.leads;
}

GaussianLimits simulated_limits(const SampleSpectrum& seen, double level, const RunOptions& how) {
  const int threads = thread_count(how.threads);
  SharedReporter report(how.monitor, "control limits", "samples", 0);
  const Shape s = shape_of(seen);
  const Index k = s.leads;
  const auto m = static_cast<double>(s.tail);
  const Index size = std::min(s.directions(), s.degrees);
  const Index samples = std::clamp<Index>((Index{1} << 17) / (size * size), 4, 400);
  const Index kept = std::min(samples, most_kept / (s.directions() * size));
  std::vector<Matrix<double>> factors(static_cast<std::size_t>(samples)), axes(factors.size());
  const auto draw = [&](std::size_t at) { return standard_factor(s, 0x5eed + 2 * at); };
  const auto factor = [&](std::size_t at) {
    return factors[at].size() > 0 ? factors[at] : draw(at);
  };
  const BlasThreads one(1);
  parallel_for(samples, threads, [&](Index b) {
    if (!report.add(1)) return;
    const auto at = static_cast<std::size_t>(b);
    if (b < kept) factors[at] = draw(at);
    if (s.scaled) axes[at] = random_axes(s.directions(), 0x5eed + 2 * at + 1);
  });
  const double left = seen.left / s.thin, squares = seen.left_squares / s.thin;

  const Vector<double> seen_lead = seen.leading.cwiseMin(most_lead * left);
  Vector<double> lead = seen_lead;
  double mean = left / m, ratio = 1;
  std::vector<Simulated> runs;
  const auto run = [&](Index count, bool rows) {
    runs.resize(static_cast<std::size_t>(count));
    const Vector<double> tail = tail_values(mean, ratio, s.tail);
    parallel_for(count, threads, [&](Index b) {
      if (!report.add(1)) return;
      const auto at = static_cast<std::size_t>(b);
      runs[at] = s.scaled ? simulate_scaled(s, factor(at), axes[at], lead, tail, rows)
                          : simulate(s, factor(at), lead, tail, rows);
    });
  };
  const bool conditional = !seen.scaled && s.thin == 1 && !s.cut && size <= most_conditional;
  for (int round = 0; round < rounds; ++round) {
    run(std::max<Index>(4, samples / 4), false);
    Vector<double> leading = Vector<double>::Zero(k), leading_squares = leading;
    double first = 0, shape = 0, shape_squares = 0;
    for (const Simulated& r : runs) {
      leading += r.leading;
      leading_squares += r.leading.cwiseAbs2();
      first += r.left;
      const double spread = r.left_squares / (r.left * r.left);
      shape += spread;
      shape_squares += spread * spread;
    }
    const auto count = static_cast<double>(runs.size());
    const Vector<double> before = lead;
    const double mean_before = mean, ratio_before = ratio;
    // A sum of squares about the mean: rounding may leave it below 0 where all samples are alike.
    const Vector<double> deviations =
        (leading_squares / count - (leading / count).cwiseAbs2()).cwiseMax(0).cwiseSqrt();
    lead.array() *= seen_lead.array() / (leading / count + shrinkage * deviations).array();
    mean *= left * count / first;
    // No spectrum of a population is flatter than a flat one, nor has it more than m directions.
    if (seen.left_squares > 0) {
      const double spread = shape / count,
                   deviation = std::sqrt(std::max(0.0, shape_squares / count - spread * spread));
      ratio =
          std::clamp(ratio * (squares / (left * left)) / (spread + shrinkage * deviation), 1.0, m);
    }
    std::sort(lead.data(), lead.data() + k, std::greater<>());
    lead = lead.cwiseMax(mean);  // the leading directions are those of most variance
    const auto moved = [](double now, double then) { return std::abs(now / then - 1); };
    double most = std::max(moved(mean, mean_before), moved(ratio, ratio_before));
    for (Index c = 0; c < k; ++c) most = std::max(most, moved(lead[c], before[c]));
    if (most < 2e-3) break;  // of less than the limits show
  }
  if (s.cut && ratio <= 1) return {};  // more directions alike than are simulated
  GaussianLimits limits;
  double drawn = level;  // of the SPE limit that was found by drawing rows
  if (conditional) {
    SampleSpectra known{{}, k, s.degrees, seen.new_row > 1};
    const Vector<double> tail = tail_values(mean, ratio, s.tail);
    for (Index b = 0; b < std::min(samples, spectra); ++b) {
      const Vector<double> below =
          with_sums(sample_tail(s, factor(static_cast<std::size_t>(b)), lead, tail), left, squares,
                    seen_lead[k - 1]);
      Vector<double> values(k + below.size());
      values << seen_lead, below;
      // Roots lie between values: none are alike.
      for (Index j = k - 1; j-- > 0;) values[j] = std::max(values[j], values[j + 1] * (1 + 1e-4));
      for (Index j = k; j < values.size(); ++j)
        values[j] = std::min(values[j], values[j - 1] * (1 - 1e-4));
      known.values.emplace_back(values * seen.degrees);
    }
    drawn = std::min(level, highest_conditional_level(known));
    limits.spe = conditional_spe_limit(known, drawn, threads);
  }
  run(samples, true);

  const auto count = static_cast<double>(runs.size());
  // Many z-scores: on average 1/s² is n/(n − 2)/σ².
  const double new_row =
      seen.new_row * (seen.scaled && !s.scaled ? seen.degrees / (seen.degrees - 2) : 1);
  limits.t2 = new_row * crossing_at(level, static_cast<double>(k), [&](double x) {
                double sum = 0;
                for (const Simulated& r : runs) sum += beyond(r.t2, x);
                return sum / count;
              });
  if (s.thin > 1)  // fewer degrees of freedom than there are, beside as many components
    limits.t2 *= hotelling_limit(static_cast<double>(k), seen.degrees, 1, level) /
                 hotelling_limit(static_cast<double>(k), static_cast<double>(s.degrees), 1, level);
  // SPE relative to what the sample left out: its size matters little to that.
  const auto spe_at = [&](double share) {
    return crossing_at(share, 1, [&](double x) {
      double sum = 0;
      for (const Simulated& r : runs) {
        const Powers p{s.thin * r.spe.first, s.thin * r.spe.second, s.thin * r.spe.third};
        sum += beyond(p, x * s.thin * r.left);
      }
      return sum / count;
    });
  };
  if (!conditional) limits.spe = seen.left * seen.new_row * spe_at(level);
  // Too few of the rows that were drawn lie beyond: the tail goes on as that of other samples does.
  else if (drawn < level) limits.spe *= spe_at(level) / spe_at(drawn);
  return limits;
}

}  // namespace mercer
