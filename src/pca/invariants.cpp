#include "pca/invariants.hpp"

#include "core/require.hpp"

#include <cmath>

namespace mercer {

namespace {

/// `what` went wrong: with digits enough to see it again.
template <class... Args>
void require_invariant(bool holds, std::string_view method, fmt::format_string<Args...> what,
                       Args&&... args) {
  if (holds) [[likely]]
    return;
  fail(Errc::not_converged,
       "{}: {}; this is a bug in Mercer: please report it with the command, the data and this line",
       method, fmt::format(what, std::forward<Args>(args)...));
}

}  // namespace

void require_invariants(const ReportedEigenvalues& e, std::string_view method) {
  const Index k = e.values.size();
  const bool intervals = static_cast<Index>(e.low.size()) == k && e.high.size() == e.low.size();
  double sum = 0;
  for (Index j = 0; j < k; ++j) {
    const double value = e.values[j];
    const double low = intervals ? e.low[static_cast<std::size_t>(j)] : value - e.error;
    const double high = intervals ? e.high[static_cast<std::size_t>(j)] : value + e.error;
    require_invariant(value >= 0 && std::isfinite(value), method, "eigenvalue {} is {:.17g}", j + 1,
                      value);
    require_invariant(low <= value && value <= high, method,
                      "eigenvalue {}, {:.17g}, lies outside its interval [{:.17g}, {:.17g}]", j + 1,
                      value, low, high);
    require_invariant(j == 0 || value <= e.values[j - 1], method,
                      "eigenvalue {}, {:.17g}, exceeds the one before it, {:.17g}", j + 1, value,
                      j == 0 ? 0.0 : e.values[j - 1]);
    sum += low;
    // The sums here are of at most k roundings, which the intervals do not include.
    const double most = (e.total + e.error) * (1 + 1e-15 * static_cast<double>(k + 1));
    require_invariant(low <= most, method,
                      "eigenvalue {}, {:.17g}, exceeds the trace {:.17g} by more than the rounding "
                      "error {:.1e}",
                      j + 1, value, e.total, e.error);
    require_invariant(sum <= most, method,
                      "the first {} eigenvalues exceed the trace {:.17g} by more than the rounding "
                      "error {:.1e}",
                      j + 1, e.total, e.error);
  }
}

void require_fraction(const Vector<double>& values, Index count, double fraction, double total,
                      double error, std::string_view method) {
  const double sum = values.head(count).sum();
  require_invariant(sum + error >= fraction * total * (1 - 1e-11), method,
                    "{} components explain {:.17g} of the trace {:.17g}, not the fraction {}",
                    count, sum, total, fraction);
}

}  // namespace mercer
