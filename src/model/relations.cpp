#include "model/relations.hpp"

#include "core/require.hpp"
#include "maps/graded.hpp"

#include <mercer/relations.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mercer {

namespace {

/// √mean(f²) of each column; 1 for columns of zeros.
Vector<double> sizes_of(const AllDirections& all) {
  // The diagonal of RᵀR: below 0 by rounding only, and no result but a size to divide by.
  Vector<double> squares =
      all.scatter.cwiseMax(0).cwiseProduct(all.divisors.cwiseAbs2()) / all.weight +
      all.mean.cwiseAbs2();
  return squares.unaryExpr([](double s) { return s > 0 ? std::sqrt(s) : 1.0; });
}

/// Names of the terms: monomials without their weights.
template <class T>
std::vector<std::string> terms_named(const Map<T>& map, const std::vector<std::string>& columns) {
  const auto* graded = dynamic_cast<const GradedMap<T>*>(&map);
  return graded ? graded->monomial_names(columns) : map.feature_names(columns);
}

/// φ_j is so many times its term: weights of monomials.
template <class T>
Vector<double> factors_of(const Map<T>& map) {
  Vector<double> factors = Vector<double>::Ones(map.features());
  if (!dynamic_cast<const GradedMap<T>*>(&map)) return factors;
  const Matrix<T> ones = Matrix<T>::Ones(1, map.inputs());
  Matrix<T> weights(1, map.features());
  map.apply(Rows<T>(ones), weights);
  return weights.row(0).transpose().template cast<double>();
}

}  // namespace

double largest_coefficient(const Relation& r) {
  // The first of those that are equal but for rounding.
  double largest = 0;
  for (const double c : r.coefficients)
    if (std::abs(c) > (1 + 1e-9) * std::abs(largest)) largest = c;
  return largest;
}

void normalize(Relation& r) {
  if (r.constant == 1) return;
  const double by = largest_coefficient(r);
  for (double& c : r.coefficients) c /= by;
  if (r.constant != 0) r.constant /= by;
  r.deviation /= std::abs(by);
}

template <class T>
void name_terms(std::vector<Relation>& relations, const Map<T>& map) {
  if (relations.empty()) return;
  const Vector<double> factors = factors_of(map);
  const std::vector<std::string> names =
      terms_named(map, std::vector<std::string>(static_cast<std::size_t>(map.inputs()), "x"));
  std::erase_if(relations, [&](const Relation& r) {
    for (std::size_t j = 0; j < names.size(); ++j)
      if (r.coefficients[j] != 0 && names[j] != "1") return false;
    return true;
  });
  for (Relation& r : relations) {
    for (Index j = 0; j < factors.size(); ++j)
      r.coefficients[static_cast<std::size_t>(j)] *= factors[j];
    normalize(r);
  }
}

template <class T>
std::vector<std::string> term_names(const Model<T>& model, std::vector<std::string> columns) {
  if (columns.empty()) columns = model.feature_names();
  if (columns.empty())
    for (Index j = 1; j <= model.inputs(); ++j) columns.push_back(fmt::format("x{}", j));
  return terms_named(model.map(), columns);
}

namespace {

/// Standard errors of coefficients c = a∘q/ℓ(q), where the normaliser ℓ is q·m or q_J: to first
/// order, q moves along every other direction v_i with the variance λλ_i/(n(λ − λ_i)²), and the
/// mean along q with λ/n.
std::vector<double> errors_of(const AllDirections& all, const Vector<double>& a, Index last,
                              const Vector<double>& normalizer, bool by_mean, double rows) {
  const Vector<double> q = all.components.row(last).transpose();
  const double l = q.dot(normalizer), own = all.eigenvalues[last] / all.weight;
  Vector<double> variance = Vector<double>::Zero(q.size());
  for (Index i = 0; i < all.components.rows(); ++i) {
    if (i == last) continue;
    const double other = all.eigenvalues[i] / all.weight;
    const Vector<double> v = all.components.row(i).transpose();
    const Vector<double> slope = a.cwiseProduct(v / l - q * (v.dot(normalizer) / (l * l)));
    variance += slope.cwiseAbs2() * (own * other / (rows * (other - own) * (other - own)));
  }
  if (by_mean) variance += a.cwiseProduct(q / (l * l)).cwiseAbs2() * (own / rows);
  std::vector<double> out;
  for (const double v : variance) out.push_back(std::sqrt(v));
  return out;
}

/// Whether some column is below the rounding of another one.
template <class T>
bool differ_too_much(const Model<T>& model) {
  const Vector<double>& variance = model.column_variance();
  return model.report().rank == model.map().features() && variance.size() > 0 &&
         model.scale().size() == 0 && variance.minCoeff() < 1e-28 * variance.maxCoeff();
}

}  // namespace

template <class T>
Relation smallest_relation(const Model<T>& model) {
  const Space space = model.map().space();
  const Index d = model.map().features(), last = model.outputs() - 1;
  require(space == Space::input || space == Space::features, Errc::bad_option,
          "relations are between columns or features: the model has a kernel");
  const std::int64_t needed = d + (model.report().centered ? 1 : 0);
  require(model.outputs() == d || model.report().n_samples >= needed, Errc::bad_option,
          "{} row{} of {} features satisfy relations because they are few; fit at least {} rows",
          model.report().n_samples, model.report().n_samples == 1 ? "" : "s", d, needed);
  require(model.outputs() == d || !differ_too_much(model), Errc::bad_option,
          "the columns differ too much in scale to compute all of their components; fit with "
          "`scale=std`");
  require(model.outputs() == d, Errc::bad_option,
          "the model has {} of {} components, and the direction of least variance is not among "
          "them; fit with `components=all_components()`{}",
          model.outputs(), d,
          model.report().rank > 0 && model.report().rank < d ? " and `keep_null`" : "");
  const Matrix<double> components = model.components().template cast<double>();
  AllDirections all{.components = components,
                    .eigenvalues = model.eigenvalues(),
                    .rank = last,
                    .weight = model.report().weight,
                    .mean = model.mean().template cast<double>(),
                    .divisors = Vector<double>::Ones(d),
                    .scatter = components.cwiseAbs2().transpose() * model.eigenvalues()};
  if (model.mean_rest().size() > 0) all.mean += model.mean_rest().template cast<double>();
  const bool scaled = model.map().is_identity() && model.scale().size() > 0;
  if (scaled) all.divisors = model.scale().template cast<double>();
  const Vector<double> factors = factors_of(model.map());
  const Vector<double> a = factors.cwiseQuotient(all.divisors), sizes = sizes_of(all);
  const Vector<double> q = components.row(last).transpose();
  Vector<double> c = q.cwiseQuotient(all.divisors);
  Relation out;
  out.constant = c.dot(all.mean);
  out.deviation = std::sqrt(model.eigenvalues()[last] / all.weight);
  out.residual = out.deviation / c.cwiseProduct(sizes).norm();
  // A constant within its own error is 0.
  const double rows = static_cast<double>(model.report().n_samples);
  const bool by_mean = std::abs(out.constant) > 8 * out.deviation / std::sqrt(rows) &&
                       std::abs(out.constant) > 1e-12 * c.cwiseProduct(sizes).lpNorm<1>();
  Vector<double> normalizer = all.mean.cwiseQuotient(all.divisors);
  c = c.cwiseProduct(factors);
  if (!by_mean) {
    out.constant = 0;
    Index largest = 0;
    c.cwiseAbs().maxCoeff(&largest);
    normalizer = Vector<double>::Unit(d, largest) * a[largest];
  }
  out.coefficients.assign(c.data(), c.data() + d);
  out.errors = errors_of(all, a, last, normalizer, by_mean, rows);
  if (by_mean) {
    for (double& x : out.coefficients) x /= out.constant;
    out.deviation /= std::abs(out.constant);
    out.constant = 1;
  }
  normalize(out);
  return out;
}

std::string to_text(const Relation& relation, const std::vector<std::string>& names, int digits) {
  std::string out;
  for (std::size_t j = 0; j < relation.coefficients.size(); ++j) {
    const double c = relation.coefficients[j];
    if (c == 0) continue;
    const bool sum = names[j].find_first_of("+- ") != std::string::npos;
    out += out.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
    out += fmt::format("{:#.{}g}·{}{}{}", std::abs(c), digits, sum ? "(" : "", names[j],
                       sum ? ")" : "");
  }
  if (relation.constant == 0) return out + " = 0";
  return out + fmt::format(" = {:#.{}g}", relation.constant, digits);
}

#define MERCER_INSTANTIATE(T)                                                              \
  template void name_terms(std::vector<Relation>&, const Map<T>&);                         \
  template std::vector<std::string> term_names(const Model<T>&, std::vector<std::string>); \
  template Relation smallest_relation(const Model<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
