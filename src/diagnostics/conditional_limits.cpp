#include "diagnostics/conditional_limits.hpp"

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "diagnostics/secular.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace mercer {

namespace {

constexpr double secular_tolerance = 1e-7;  // of what a limit shows: three digits
constexpr Index most_even = 40;             // dimensions of an evenly spread sequence
constexpr int turns = 2;

/// Quantiles of Beta(a/2, b/2): x = sin²θ, and the density of θ is smooth for a, b ≥ 1. b = 0: 1.
class BetaTable {
 public:
  BetaTable(double a, double b) : constant_(!(b > 0)) {
    if (constant_) return;
    const double middle = std::atan2(std::sqrt(a), std::sqrt(b)), width = 8 / std::sqrt(a + b);
    low_ = std::max(0.0, middle - width);
    const double high = std::min(half_turn / 2, middle + width);
    step_ = (high - low_) / intervals;
    const auto log_density = [&](double angle) {
      return (a - 1) * std::log(std::sin(angle)) + (b - 1) * std::log(std::cos(angle));
    };
    std::vector<double> logs;
    for (int i = 0; i < intervals; ++i) logs.push_back(log_density(low_ + (i + 0.5) * step_));
    const double most = *std::max_element(logs.begin(), logs.end());
    below_.push_back(0);
    for (const double log : logs) below_.push_back(below_.back() + std::exp(log - most));
    total_ = below_.back();
  }
  double operator()(double u) const {
    if (constant_) return 1;
    const auto at = std::upper_bound(below_.begin() + 1, below_.end() - 1, u * total_);
    const auto i = static_cast<std::size_t>(at - below_.begin());
    const double part = (u * total_ - below_[i - 1]) / (below_[i] - below_[i - 1]);
    const double sine = std::sin(low_ + step_ * (static_cast<double>(i - 1) + part));
    return sine * sine;
  }

 private:
  static constexpr int intervals = 1024;
  static constexpr double half_turn = 3.141592653589793;
  bool constant_;
  double low_ = 0, step_ = 0, total_ = 0;
  std::vector<double> below_;
};

/// Points of a cube that are spread more evenly than random ones: multiples of √primes, modulo 1.
class EvenPoint {
 public:
  explicit EvenPoint(std::uint64_t index)
      : at_(static_cast<double>(index) + 0.5), random_(0x5eed ^ index) {}
  double next() {
    static const std::vector<double> roots = prime_roots();
    if (dimension_ == roots.size()) return random_.uniform();
    const double x = at_ * roots[dimension_++];
    return std::clamp(x - std::floor(x), 1e-12, 1 - 1e-12);  // open, as logarithms want it
  }

 private:
  static std::vector<double> prime_roots() {
    std::vector<double> roots;
    for (int p = 2; roots.size() < most_even; ++p) {
      bool prime = true;
      for (int q = 2; q * q <= p; ++q) prime = prime && p % q != 0;
      if (prime) roots.push_back(std::sqrt(p));
    }
    return roots;
  }
  double at_;
  std::size_t dimension_ = 0;
  Random random_;
};

/// A point that is uniform on a sphere: squares of its coordinates, which add up to `size`.
void spread(EvenPoint& point, double size, double* squares, Index count) {
  double sum = 0;
  for (Index i = 0; i < count; i += 2) {
    const double radius = -2 * std::log(point.next()), angle = 6.283185307179586 * point.next();
    const double cosine = std::cos(angle), sine = std::sin(angle);
    squares[i] = radius * cosine * cosine;
    sum += squares[i];
    if (i + 1 == count) break;
    squares[i + 1] = radius * sine * sine;
    sum += squares[i + 1];
  }
  for (Index i = 0; i < count; ++i) squares[i] *= size / sum;
}

/// Rows of samples with so many directions: squares of their coordinates relative to Λ.
class RowDraws {
 public:
  RowDraws(Index leads, Index tail, Index degrees)
      : leads_(leads),
        tail_(tail),
        size_(static_cast<double>(tail), static_cast<double>(degrees - tail)),
        split_(static_cast<double>(leads), static_cast<double>(degrees - leads - tail)) {}

  void draw(std::uint64_t index, std::vector<double>& squares) const {
    EvenPoint point(index);
    squares.resize(static_cast<std::size_t>(leads_ + tail_));
    const double others = size_(point.next()), lead = (1 - others) * split_(point.next());
    spread(point, lead, squares.data(), leads_);
    spread(point, others, squares.data() + leads_, tail_);
  }

 private:
  Index leads_, tail_;
  BetaTable size_, split_;
};

/// A sample: its spectrum and how many rows it is of.
struct Spectrum {
  std::vector<double> values;
  double rows, degrees;
  bool centered;
  double share() const { return centered ? 1 - 1 / rows : 1; }  // of a row's squares, at most
  double rho() const { return centered ? rows / (rows - 1) : 1; }
};

/// The coordinates of a row of the sample, ready for the secular equation.
const SecularRow& row_of(const Spectrum& s, const std::vector<double>& shares, SecularRow& row) {
  row.values = s.values;
  row.values.push_back(0);  // so that each has one below it
  row.squares.assign(row.values.size(), 0);
  for (std::size_t j = 0; j < s.values.size(); ++j)
    row.squares[j] = s.share() * s.values[j] * shares[j];
  return row;
}

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// SPE of a row of the sample in a fit without it.
double left_out_spe(const Spectrum& s, const SecularRow& row, Index k) {
  const double rho = s.rho();
  double kept = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j)
    kept += 1 / secular_sum<2>(row, j, step_down(row, j, rho, secular_tolerance));
  return rho * rho * total(row.squares) - kept;
}

/// A new row in the coordinates of a fit: squares along its directions, and beyond them.
struct NewRow {
  std::vector<double> squares;
  double beyond = 0;
};

/// As a row of the sample lies in a fit without it, so does a new row in that of the sample.
NewRow new_row_of(const Spectrum& s, const SecularRow& row) {
  const double rho = s.rho();
  const auto r = s.values.size();
  const bool full = static_cast<double>(r) >= s.degrees;  // without a row there is one less
  NewRow out;
  double kept = 0;
  for (std::size_t j = 0; j + (full ? 1 : 0) < r; ++j) {
    const double step = step_down(row, j, rho, secular_tolerance);
    out.squares.push_back(1 / secular_sum<2>(row, j, step));
    kept += out.squares.back();
  }
  if (full) {
    out.squares.push_back(0);
    // Not negative but for the tolerance of the roots.
    out.beyond = std::max(0.0, rho * rho * total(row.squares) - kept);
  }
  return out;
}

/// The sample with a further row.
Spectrum joined(const Spectrum& s, const NewRow& x) {
  const double rho = s.centered ? s.rows / (s.rows + 1) : 1;
  // Λ + ρxxᵀ = −(−Λ − ρxxᵀ).
  SecularRow row;
  if (x.beyond > 0) {
    row.values.push_back(0);
    row.squares.push_back(x.beyond);
  }
  for (std::size_t j = s.values.size(); j-- > 0;) {
    row.values.push_back(-s.values[j]);
    row.squares.push_back(x.squares[j]);
  }
  row.values.push_back(row.values.back() - 2 * rho * total(row.squares));
  row.squares.push_back(0);
  Spectrum out{{}, s.rows + 1, s.degrees + 1, s.centered};
  for (std::size_t j = row.values.size() - 1; j-- > 0;) {
    const bool moves = row.squares[j] > 0 && row.values[j] > row.values[j + 1];
    out.values.push_back(
        -(row.values[j] - (moves ? step_down(row, j, rho, secular_tolerance) : 0)));
  }
  return out;
}

/// The row with this SPE, otherwise as it is.
NewRow at_limit(NewRow x, Index k, double limit) {
  double now = x.beyond;
  for (auto j = static_cast<std::size_t>(k); j < x.squares.size(); ++j) now += x.squares[j];
  for (auto j = static_cast<std::size_t>(k); j < x.squares.size(); ++j) x.squares[j] *= limit / now;
  x.beyond *= limit / now;
  return x;
}

/// Between the values, each the middle of an equal share.
double quantile_between(std::vector<double>& values, double level) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  const double at = std::clamp(level * n - 0.5, 0.0, n - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - std::floor(at)) * (values[above] - values[below]);
}

/// One limit for samples that would have one each: as many new rows are beyond it as are on average
/// beyond these. The distributions are taken as alike up to their size, which fewer values tell.
double common_limit(const std::vector<std::vector<double>>& found, double beyond) {
  constexpr double share_for_size = 0.15;
  std::vector<double> sizes, all;
  double log_mean = 0;
  for (std::vector<double> values : found) {
    sizes.push_back(quantile_between(values, 1 - std::max(beyond, share_for_size)));
    log_mean += std::log(sizes.back()) / static_cast<double>(found.size());
  }
  for (std::size_t m = 0; m < found.size(); ++m) {
    sizes[m] /= std::exp(log_mean);
    for (const double value : found[m]) all.push_back(value / sizes[m]);
  }
  const double typical = quantile_between(all, 1 - beyond);
  double share = 0;
  for (const double size : sizes)
    share +=
        static_cast<double>(all.end() - std::upper_bound(all.begin(), all.end(), size * typical));
  return quantile_between(all, 1 - share / static_cast<double>(sizes.size() * all.size()));
}

/// Rows drawn for each sample.
Index draws_of(const SampleSpectra& seen) {
  const Index k = seen.components, r = seen.values[0].size();
  return std::clamp<Index>((Index{1} << 19) / (k * (r + 4)), 512, 4096) /
             static_cast<Index>(seen.values.size()) +
         1;
}

}  // namespace

double highest_conditional_level(const SampleSpectra& seen) {
  constexpr double least_beyond = 4;
  return 1 - least_beyond /
                 static_cast<double>(draws_of(seen) * static_cast<Index>(seen.values.size()));
}

double conditional_spe_limit(const SampleSpectra& seen, double level, int threads) {
  const Index k = seen.components, r = seen.values[0].size();
  std::vector<Spectrum> samples;
  std::vector<NewRow> rows;
  std::vector<double> shares;
  SecularRow row;
  const RowDraws typical(k, r - k, seen.degrees);
  for (const Vector<double>& values : seen.values) {
    samples.push_back({{values.begin(), values.end()},
                       static_cast<double>(seen.degrees + (seen.centered ? 1 : 0)),
                       static_cast<double>(seen.degrees),
                       seen.centered});
    typical.draw(rows.size(), shares);
    rows.push_back(new_row_of(samples.back(), row_of(samples.back(), shares, row)));
  }
  const Index most = draws_of(seen);
  std::vector<std::vector<double>> found(samples.size());
  const auto limit_of = [&](const std::vector<Spectrum>& of, Index draws) {
    const RowDraws source(k, static_cast<Index>(of[0].values.size()) - k,
                          static_cast<Index>(of[0].degrees));
    parallel_for(static_cast<Index>(of.size()), thread_count(threads), [&](Index m) {
      const Spectrum& s = of[static_cast<std::size_t>(m)];
      std::vector<double>& values = found[static_cast<std::size_t>(m)];
      values.clear();
      std::vector<double> own_shares;
      SecularRow own_row;
      for (Index i = m * draws; i < (m + 1) * draws; ++i) {
        source.draw(static_cast<std::uint64_t>(i), own_shares);
        values.push_back(left_out_spe(s, row_of(s, own_shares, own_row), k));
      }
    });
    return common_limit(found, 1 - level);
  };
  // Where the limit given the sample with a row on it is that of the row; the one depends little on
  // the other.
  double limit = limit_of(samples, most / 4 + 1);
  for (int turn = 0; turn < turns; ++turn) {
    std::vector<Spectrum> with;
    for (std::size_t m = 0; m < samples.size(); ++m)
      with.push_back(joined(samples[m], at_limit(rows[m], k, limit)));
    limit = limit_of(with, most);
  }
  return limit;
}

}  // namespace mercer
