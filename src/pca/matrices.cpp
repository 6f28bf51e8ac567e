#include <mercer/matrices.hpp>

#include "core/closest_name.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "operators/gram.hpp"
#include "pca/linear/column_moments.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"
#include "pca/standard.hpp"
#include "pca/validate.hpp"

#include <mercer/data.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

const std::vector<DataMatrixEntry>& matrix_entries() {
  static const std::vector<DataMatrixEntry> all = {
      {"covariance", DataMatrix::covariance, "of the columns, over N - ddof"},
      {"correlation", DataMatrix::correlation, "of the columns; its diagonal is 1"},
      {"scatter", DataMatrix::scatter, "sums of products of the centred columns"},
      {"gram", DataMatrix::gram, "N x N: inner products of the centred rows"}};
  return all;
}

/// Sums of threads and levels of a tree, as the covariance solver has them; a Gram matrix and its
/// tiles.
double matrix_bytes(DataMatrix what, Index rows, Index columns, const FitOptions& options) {
  const double t = thread_count(options.threads), n = static_cast<double>(rows),
               d = static_cast<double>(columns);
  if (what == DataMatrix::gram)
    return 8 * (n * n * (2 + (n <= 256 ? 8 * t : n <= 1024 ? t : 1)) + t * n * 512);
  return 8 * (d * d * (5 + (d <= 512 ? t + 3 : 3)) + t * 65536);
}

void require_matrix_room(const std::string& what, double bytes, const FitOptions& options) {
  require(bytes <= static_cast<double>(options.memory), Errc::out_of_memory,
          "the matrix ({}) needs {}, and {} are allowed; use a larger `memory` or fewer columns or "
          "rows",
          what, format_least_bytes(bytes), format_bytes(static_cast<double>(options.memory)));
}

/// 2^-2e of a matrix of rows that were multiplied by 2^e.
Matrix<double> restored(Matrix<double> s, int exponent, const std::string& name) {
  if (exponent == 0) return s;
  const double before = s.cwiseAbs().maxCoeff();
  for (Index i = 0; i < s.size(); ++i) s.data()[i] = std::ldexp(s.data()[i], -2 * exponent);
  const double largest = s.cwiseAbs().maxCoeff();
  require(std::isfinite(largest) && (before == 0 || largest >= std::numeric_limits<double>::min()),
          Errc::bad_data,
          "{} contains numbers too {} to square; multiply all numbers by a constant, or use "
          "`scale=std`",
          Input(name), std::isfinite(largest) ? "small" : "large");
  return s;
}

void mirror_upper(Matrix<double>& s) { s.triangularView<Eigen::StrictlyLower>() = s.transpose(); }

/// s_ij / √(s_ii s_jj).
void correlate(Matrix<double>& s, const Vector<double>& noise, const Vector<double>& mean,
               const std::string& name) {
  const Vector<double> own = s.diagonal();
  require_squares(own, mean);
  for (Index j = 0; j < own.size(); ++j)
    require(own[j] > noise[j], Errc::bad_data,
            "{}: column {} is constant up to rounding and has no correlation; `exclude` it",
            Input(name), j + 1);
  const Vector<double> roots = own.cwiseSqrt();
  for (Index i = 0; i < s.rows(); ++i) {
    s(i, i) = 1;
    for (Index j = i + 1; j < s.cols(); ++j) s(i, j) = s(i, j) / roots[i] / roots[j];
  }
  mirror_upper(s);
}

template <class T>
Matrix<double> of_columns(Passes<T>& passes, DataMatrix what, const FitOptions& options) {
  const Preprocess at =
      options.missing == Missing::mean ? mean_of_columns(passes, options) : Preprocess{};
  const Moments moments = column_moments(passes, options, at);
  Matrix<double> s = moments.scatter(options.center);
  const Vector<double> mean =
      options.center ? moments.mean() : Vector<double>(Vector<double>::Zero(s.cols()));
  const Vector<double> noise = noise_of_columns<T>(s.diagonal(), mean, moments.weight());
  if (what == DataMatrix::correlation) {
    correlate(s, noise, mean, passes.name());
    return s;
  }
  if (options.scale == Scale::std) {
    const bool apart = !options.center && moments.cancellation() > dense_cancellation;
    const Vector<double> divisors = apart ? find_standard(passes, options).scale
                                    : options.center
                                        ? scales<T>(s.diagonal(), mean, moments.weight(), options)
                                        : scales<T>(moments.scatter_diagonal(true), moments.mean(),
                                                    moments.weight(), options, passes.exponent());
    // Columns that vary by no more than their rounding are not scaled up to anything.
    for (Index i = 0; i < s.rows(); ++i)
      for (Index j = i; j < s.cols(); ++j) {
        const bool varies = s(i, i) > noise[i] && s(j, j) > noise[j];
        if (i != j) s(i, j) = varies ? s(i, j) / divisors[i] / divisors[j] : 0;
      }
    for (Index j = 0; j < s.cols(); ++j)
      s(j, j) = s(j, j) > noise[j] ? s(j, j) / divisors[j] / divisors[j] : 0;
    mirror_upper(s);
  } else {
    s = restored(std::move(s), passes.exponent(), passes.name());
  }
  if (what == DataMatrix::covariance) s /= denominator(passes.weight(), options);
  return s;
}

template <class T>
Matrix<double> of_rows(Passes<T>& passes, const FitOptions& options) {
  Spectrum s = begun(passes, options);
  const CentredRows<T> a = centred_rows(passes, s, options);
  Matrix<double> g = gram(a, options.threads, options.monitor).products;
  mirror_upper(g);
  if (options.scale == Scale::std) return g;
  return restored(std::move(g), passes.exponent(), passes.name());
}

/// Rows whose squares a double cannot hold are multiplied by a power of two, as in `fit`.
template <class T>
Matrix<double> either(Passes<T>& passes, DataMatrix what, const FitOptions& options) {
  const auto once = [&] {
    return what == DataMatrix::gram ? of_rows(passes, options) : of_columns(passes, what, options);
  };
  try {
    return once();
  } catch (const OutOfRange&) {
    passes.normalize();
  }
  return once();
}

FitOptions checked(const FitOptions& given) {
  FitOptions options = settled(given);
  validate(options);
  require(options.missing != Missing::em, Errc::bad_option,
          "`missing=em` imputes in a fit; a matrix of the data takes `missing=mean`");
  return options;
}

template <class T>
Matrix<double> of_all(const Rows<T>& x, const double* weights, DataMatrix what,
                      const FitOptions& options) {
  require_weights(weights, x.rows());
  require(x.rows() > 0, Errc::bad_data, "the data have no rows");
  require(x.cols() > 0, Errc::bad_data, "the data have no columns");
  Passes<T> passes(x, weights, options.monitor);
  return either(passes, what, options);
}

}  // namespace

std::span<const DataMatrixEntry> data_matrix_table() { return matrix_entries(); }

DataMatrix parse_data_matrix(std::string_view name) {
  std::vector<std::string> names;
  for (const DataMatrixEntry& entry : matrix_entries()) {
    if (entry.name == name) return entry.matrix;
    names.push_back(entry.name);
  }
  const std::string* close = closest_name(name, names);
  fail(Errc::bad_option, "there is no matrix '{}' of data; {}use {}", name,
       close ? fmt::format("did you mean {}? ", *close) : "", fmt::join(names, ", "));
}

template <class T>
Matrix<double> data_matrix(const Rows<T>& x, DataMatrix what, const FitOptions& given,
                           Weights weights) {
  const FitOptions options = checked(given);
  require_matrix_room(matrix_entries()[static_cast<std::size_t>(what)].name,
                      matrix_bytes(what, x.rows(), x.cols(), options), options);
  return of_all(x, weights_of(weights, x.rows()), what, options);
}

template <class T>
Matrix<double> data_matrix(Source<T>& source, DataMatrix what, const FitOptions& given) {
  const FitOptions options = checked(given);
  if (const auto all = source.whole())
    return data_matrix(all->rows, what, options, Weights(all->weights));
  if (what == DataMatrix::gram) {
    const Table<T> table = read_all(source, options.memory / 2);
    return data_matrix(table.rows(), what, options,
                       Weights(std::span<const double>(table.weights)));
  }
  require_matrix_room(matrix_entries()[static_cast<std::size_t>(what)].name,
                      matrix_bytes(what, 0, source.schema().features, options), options);
  Passes<T> passes(source);
  return either(passes, what, options);
}

#define MERCER_INSTANTIATE(T)                                                     \
  template Matrix<double> data_matrix(Source<T>&, DataMatrix, const FitOptions&); \
  template Matrix<double> data_matrix(const Rows<T>&, DataMatrix, const FitOptions&, Weights);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
