#include "maps/graded.hpp"

#include "core/require.hpp"
#include "maps/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// A monomial and the square of its weight, |a|!/∏ a_i!: exact up to 2⁵³.
struct NamedMonomial {
  std::string name{};
  double square = 1;
};

/// `sqrt(2)*x1*x2`, `2*x1`, `x1`, and `1` for the constant.
std::string weighted_name(const std::string& monomial, double square) {
  const double root = std::round(std::sqrt(square));
  const std::string weight =
      root * root == square ? fmt::format("{:.17g}", root) : fmt::format("sqrt({:.17g})", square);
  if (monomial.empty()) return weight;
  return weight == "1" ? monomial : fmt::format("{}*{}", weight, monomial);
}

}  // namespace

template <class T>
GradedMap<T>::GradedMap(std::string name, Index inputs, int lowest, int highest, bool divided,
                        std::vector<double> scale, bool constant, std::string more)
    : name_(std::move(name)),
      more_(std::move(more)),
      inputs_(inputs),
      lowest_(lowest),
      highest_(highest),
      constant_(constant),
      scale_(scale.begin(), scale.end()) {
  require(inputs >= 1, Errc::bad_option, "{} of {} columns", text(), inputs);
  for (int degree = 0; degree <= highest; ++degree) {
    const Index here = binomial(degree + inputs - 1, degree);
    Index& sum = has_degree(degree) ? features_ : lower_;
    sum = here < too_many - sum ? sum + here : too_many;
  }
  require(features_ < too_many, Errc::out_of_memory,
          "{} of {} columns has more than {:.1e} features; use a smaller degree, or a polynomial "
          "kernel, which needs none",
          text(), inputs, static_cast<double>(too_many));
  for (int degree = 0; degree <= highest; ++degree)
    for (Index variable = 0; variable <= inputs; ++variable)
      counts_.push_back(degree == 0 ? 1 : binomial(degree + inputs - variable - 1, degree));
  for (int e = 0; e <= highest; ++e)
    divisors_.push_back(divided ? static_cast<T>(std::sqrt(factorial(e))) : T(1));
}

template <class T>
std::string GradedMap<T>::text() const {
  return fmt::format("{}(degree={}{})", name_, highest_, more_);
}

template <class T>
void GradedMap<T>::apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const {
  std::vector<T> below(static_cast<std::size_t>(lower_)), row(static_cast<std::size_t>(inputs_));
  std::vector<T> powers(static_cast<std::size_t>(highest_ + 1));
  std::vector<T*> levels;
  for (Index i = 0; i < x.rows(); ++i) {
    levels.clear();
    T* low = below.data();
    T* high = out.row(i).data();
    for (int degree = 0; degree <= highest_; ++degree) {
      T*& next = has_degree(degree) ? high : low;
      levels.push_back(next);
      next += count(degree, 0);
    }
    if (x.sparse()) {
      const CsrView<T>& csr = x.csr();
      std::fill(row.begin(), row.end(), T(0));
      for (std::int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
        row[static_cast<std::size_t>(csr.columns[e])] = csr.values[e];
    }
    apply_row(x.sparse() ? row.data() : x.row(i), powers.data(), levels.data());
  }
}

template <class T>
void GradedMap<T>::apply_row(const T* x, T* powers, T* const* levels) const {
  using Segment = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
  *levels[0] = 1;
  for (int degree = 1; degree <= highest_; ++degree) {
    T* to = levels[degree];
    const T last = degree == highest_ ? scale_[static_cast<std::size_t>(degree)] : T(1);
    for (Index v = 0; v < inputs_; ++v) {
      powers[0] = 1;
      for (int e = 1; e <= degree; ++e) powers[e] = powers[e - 1] * x[v];
      for (int e = degree; e >= 1; --e) {
        const Index size = count(degree - e, v + 1);
        // The weights first: where they cancel, as in √2/√2·x², nothing is rounded.
        const T factor = last / divisors_[static_cast<std::size_t>(e)] * powers[e];
        Segment(to, size) = factor * Segment(levels[degree - e] + start(degree - e, v + 1), size);
        to += size;
      }
    }
  }
  for (int degree = lowest_; degree < highest_; ++degree)
    Segment(levels[degree], count(degree, 0)) *= scale_[static_cast<std::size_t>(degree)];
}

// x^a passes |a| − 1 roundings in its products. Weights add, for each of its variables, a root, a
// quotient and a product, and for all of them the root of a quotient; where factorials are rounded
// too, half of that.
template <class T>
FeatureError GradedMap<T>::feature_error() const {
  constexpr double half_ulp = std::numeric_limits<T>::epsilon() / 2.0;
  const bool weighted = std::ranges::any_of(divisors_, [](T d) { return d != 1; });
  const double variables = static_cast<double>(std::min<Index>(highest_, inputs_));
  double roundings = highest_ - 1;
  if (weighted) roundings += 3 * variables + 4 + (highest_ > 22 ? 4 * variables + 8 : 0);
  return {.relative = 1.001 * roundings * half_ulp,
          .absolute = (roundings + 1) * static_cast<double>(std::numeric_limits<T>::denorm_min()),
          .degree = highest_};
}

// The monomials of degree 1 are x itself, after the constant if there is one.
template <class T>
bool GradedMap<T>::decode(const MatrixRef<T>& features, Eigen::Ref<Matrix<T>> x) const {
  if (lowest_ > 1) return false;
  if (features.rows() > 0)
    x = features.middleCols(has_degree(0) ? 1 : 0, inputs_) / (scale_[1] / divisors_[1]);
  return true;
}

// Written so that a map expression reads them back: sqrt(2)*x1*x2. The square of a weight is an
// integer: |a|!/∏ a_i!, times C(highest, |a|) if lower degrees are features too.
template <class T>
std::vector<std::string> GradedMap<T>::feature_names(const std::vector<std::string>& inputs) const {
  return names(inputs, std::ranges::any_of(divisors_, [](T d) { return d != 1; }));
}

template <class T>
std::vector<std::string> GradedMap<T>::monomial_names(
    const std::vector<std::string>& inputs) const {
  return names(inputs, false);
}

template <class T>
std::vector<std::string> GradedMap<T>::names(const std::vector<std::string>& inputs,
                                             bool weighted) const {
  std::vector<std::vector<NamedMonomial>> levels{{NamedMonomial{}}};
  for (int degree = 1; degree <= highest_; ++degree) {
    std::vector<NamedMonomial> here;
    for (Index v = 0; v < inputs_; ++v)
      for (int e = degree; e >= 1; --e) {
        const std::string& input = inputs[static_cast<std::size_t>(v)];
        const std::string power = e == 1 ? input : fmt::format("{}^{}", input, e);
        const auto& later = levels[static_cast<std::size_t>(degree - e)];
        for (Index j = start(degree - e, v + 1); j < count(degree - e, 0); ++j) {
          const NamedMonomial& rest = later[static_cast<std::size_t>(j)];
          here.push_back({rest.name.empty() ? power : fmt::format("{}*{}", power, rest.name),
                          rest.square * static_cast<double>(binomial(degree, e))});
        }
      }
    levels.push_back(std::move(here));
  }
  std::vector<std::string> out;
  for (int degree = 0; degree <= highest_; ++degree) {
    if (!has_degree(degree)) continue;
    const double lower = static_cast<double>(binomial(highest_, degree));
    for (const NamedMonomial& m : levels[static_cast<std::size_t>(degree)])
      out.push_back(weighted_name(m.name, weighted ? m.square * lower : 1));
  }
  return out;
}

int checked_degree(std::string_view map, int degree) {
  const double value[] = {static_cast<double>(degree)};
  require_values({map, degree_parameters}, value);
  return degree;
}

template class GradedMap<float>;
template class GradedMap<double>;

}  // namespace mercer
