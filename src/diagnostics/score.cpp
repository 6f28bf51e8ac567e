#include <mercer/score.hpp>

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "diagnostics/limits.hpp"
#include "diagnostics/mapped_rows.hpp"
#include "kernels/pick_rows.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "model/score_errors.hpp"
#include "simd/strip_products.hpp"

#include <mercer/kernel.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// Training rows that stand for all when limits are their quantiles: their matrix is formed, and
/// where they are all rows, all its eigenpairs are found.
constexpr Index most_training_rows = 1000;
/// And that are split into halves to correct the limits.
constexpr Index most_split_rows = 500;
/// Landmarks whose kernel matrix is formed to find what the mean is to them.
constexpr Index most_landmarks = 8192;

/// Does the model contain every row of its fit, with the mean of all kernel values?
template <class T>
bool keeps_rows(const Model<T>& model) {
  const Report& r = model.report();
  return model.map().space() == Space::kernel && r.method == "kernel-pca" && !r.approximation &&
         !r.weighted && model.map().anchors().rows() == r.n_samples;
}

/// None: it is defined by the user.
template <class T>
std::optional<Kernel> kernel_of(const Model<T>& model) {
  try {
    return Kernel::parse(model.map().kernel());
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// ABᵀ. Unlike with BLAS, the bits of a row of A do not depend on the rows beside it.
Matrix<double> row_products(const Matrix<double>& a, const Matrix<double>& b) {
  const Index d = a.cols();
  Matrix<double> out = Matrix<double>::Zero(a.rows(), b.rows());
  for (Index p = 0; p < d; p += strip_depth)
    add_row_products({a.data() + p, d, 1}, a.rows(), std::min(strip_depth, d - p),
                     {b.data() + p, d, 1}, b.rows(), out.data(), out.cols());
  return out;
}

/// A − YB, likewise.
Matrix<double> rest_of_rows(Matrix<double> a, const Matrix<double>& y, const Matrix<double>& b) {
  const Index k = y.cols(), d = b.cols();
  for (Index p = 0; p < k; p += strip_depth)
    subtract_row_products({y.data() + p, k, 1}, a.rows(), std::min(strip_depth, k - p),
                          {b.row(p).data(), 1, d}, d, a.data(), d);
  return a;
}

/// Of each row, summed in one order wherever the row lies in memory.
Vector<double> squared_lengths(const Matrix<double>& a) {
  Vector<double> out(a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    const double* const row = a.row(i).data();
    double sums[4] = {};
    for (Index j = 0; j < a.cols(); ++j) sums[j % 4] += row[j] * row[j];
    out[i] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  return out;
}

}  // namespace

template <class T>
struct Scorer<T>::State {
  const Model<T>& model;
  RunOptions options;
  Matrix<double> basis;       // B
  Vector<double> basis_norm;  // of its rows
  Vector<double> variance;    // λ
  std::string no_spe{};
  std::optional<Kernel> kernel{};     // where ‖φ(x)‖² is k(x, x)
  Vector<double> mean_weights{};      // m = Σ c_i φ(a_i)
  double mean_square = 0;             // ‖m‖²
  double ridge = 0;                   // added to the kernel matrix that `mean_weights` solves with
  Eigen::LLT<Matrix<double>> gram{};  // of the components, where they are not orthonormal
  bool orthonormal = true;

  State(const Model<T>& of, const RunOptions& how)
      : model(of),
        options(how),
        basis(of.components().template cast<double>()),
        basis_norm(basis.rowwise().norm()),
        variance(of.explained_variance()) {
    switch (model.map().space()) {
      case Space::input:  // orthonormal, or there would be no model
        break;
      case Space::features:
        take_gram(basis * basis.transpose());
        break;
      case Space::kernel:
        prepare_kernel();
        break;
      case Space::precomputed:
        no_spe = "the model was fitted to a kernel matrix, so k(x, x) of a new row is unknown";
    }
  }

  void take_gram(const Matrix<double>& g) {
    orthonormal = (g - Matrix<double>::Identity(g.rows(), g.cols())).cwiseAbs().maxCoeff() < 1e-6;
    if (orthonormal) return;
    gram.compute(g);
    if (gram.info() != Eigen::Success) no_spe = "the model's components are not independent";
  }

  void prepare_kernel() {
    const Rows<T> anchors = model.map().anchors();
    const Index n = anchors.rows();
    kernel = kernel_of(model);
    if (!kernel) {
      no_spe = "k(x, x) of a user-defined kernel is unknown";
      return;
    }
    if (keeps_rows(model)) {
      if (!model.report().centered) return;
      mean_weights = Vector<double>::Constant(n, 1 / static_cast<double>(n));
      mean_square = model.mean().template cast<double>().mean();
      return;
    }
    if (n > most_landmarks) {
      no_spe = fmt::format("the kernel mean at {} landmarks needs too much memory", n);
      return;
    }
    const PickedRows<double> rows(anchors, even_sample(n, n));  // in double, sparse as they are
    Matrix<double> k = kernel->matrix(rows.rows(), options);
    take_gram(basis * k * basis.transpose());
    if (!model.report().centered || !no_spe.empty()) return;
    // Landmarks that hardly add anything may make K singular; the mean lies in its range.
    ridge = 1e-13 * static_cast<double>(n) * k.diagonal().maxCoeff();
    k.diagonal().array() += ridge;
    const Vector<double> mean = model.mean().template cast<double>();
    const Eigen::LLT<Matrix<double>> factor(k);
    mean_weights = factor.solve(mean);
    mean_square = mean_weights.dot(mean);
    if (factor.info() != Eigen::Success || !std::isfinite(mean_square))
      no_spe = "the kernel matrix of the model's landmarks is not positive definite";
  }

  /// Rows of scores in coordinates of the components; one at a time, so that others change no bit.
  Matrix<double> coordinates(const Matrix<double>& y) const {
    if (orthonormal) return y;
    Matrix<double> out(y.rows(), y.cols());
    for (Index i = 0; i < y.rows(); ++i)
      out.row(i) = gram.solve(Vector<double>(y.row(i).transpose())).transpose();
    return out;
  }

  /// ‖projection‖² of each row of scores.
  Vector<double> projected(const Matrix<double>& y) const {
    if (orthonormal) return squared_lengths(y);
    const Matrix<double> c = coordinates(y);
    Vector<double> out = Vector<double>::Zero(y.rows());
    for (Index j = 0; j < y.cols(); ++j) out += y.col(j).cwiseProduct(c.col(j));
    return out;
  }

  static void require_squares(const Eigen::Ref<const Vector<double>>& squares, Index first) {
    for (Index i = 0; i < squares.size(); ++i)
      require(std::isfinite(squares[i]), Errc::bad_data,
              "row {}: the square of its distance from the mean overflows; scale "
              "the row down, or leave it out",
              first + i + 1);
  }

  /// Of a row far beyond those of the fit, ‖φ(x) − m‖² − ‖y‖² may be rounding that hides as much as
  /// rows of the fit leave out: no number is better than 0 for it.
  void require_seen(const Vector<double>& left, const Vector<double>& size,
                    const Vector<double>& rounding, Index first) const {
    constexpr double far = 1e4;
    const double total = model.report().total_variance, usual = total - variance.sum();
    for (Index i = 0; i < left.size(); ++i)
      require(!(size[i] > far * total && rounding[i] > usual && left[i] < rounding[i]),
              Errc::bad_data,
              "row {}: it is {:.1e} times as far from the mean as rows of the fit, and its SPE is "
              "lost in rounding ({:.2g}); leave the row out, or use a linear model",
              first + i + 1, std::sqrt(size[i] / total), rounding[i]);
  }

  /// Statistics of a block of rows as φ takes them.
  void score(const Rows<T>& z, Missing missing, Index first, RowScores& out) const {
    const Index n = z.rows();
    const Matrix<double> phi = centred_features(model, z, missing, first);
    const Matrix<double> y = row_products(phi, basis);
    require(y.allFinite(), Errc::bad_data, "a score near row {} overflows", first + 1);
    out.scores.middleRows(first, n) = y;
    out.t2.segment(first, n).setZero();
    for (Index c = 0; c < y.cols(); ++c)
      if (variance[c] > 0)
        out.t2.segment(first, n).array() += y.col(c).array().square() / variance[c];
    require_squares(out.t2.segment(first, n), first);
    if (!no_spe.empty()) return;
    Vector<double> size;
    if (!kernel) {
      size = squared_lengths(phi);
      require_squares(size, first);
      // Where all is kept, what is left is rounding.
      constexpr double rounding = 1e3 * std::numeric_limits<T>::epsilon();
      const Vector<double> left = squared_lengths(rest_of_rows(phi, coordinates(y), basis));
      out.spe.segment(first, n) =
          (left.array() > rounding * rounding * size.array()).select(left, 0.0);
    } else {
      size = kernel->diagonal(z).template cast<double>();
      if (mean_weights.size() > 0) {
        // k(x, x) − 2 φ(x)·m + ‖m‖², and φ − m is what `phi` holds.
        const double offset = mean_weights.dot(model.mean().template cast<double>());
        size.array() += mean_square - 2 * offset;
        size -= 2 * row_products(phi, mean_weights.transpose()).col(0);
      }
      const Vector<double> left = size - projected(y), rounding = rounding_of(phi, y, size);
      for (Index i = 0; i < n; ++i)
        require(size[i] >= -rounding[i] && left[i] >= -rounding[i], Errc::invalid_kernel,
                "row {}: its components have a squared length of {:g}, the row itself {:g}, beyond "
                "rounding ({:g}): the kernel is not positive semi-definite on this row",
                first + i + 1, size[i] - left[i], size[i], rounding[i]);
      require_seen(left, size, rounding, first);
      // Neither is negative, so 0 is nearer to the truth than what rounding left of it.
      size = size.cwiseMax(0);
      out.spe.segment(first, n) = left.cwiseMax(0);
    }
    out.size.segment(first, n) = size;
  }

  /// Bound on the rounding of ‖φ(x) − m‖² − ‖y‖² by a kernel: of the kernel's values and sums, of B
  /// as it is stored (rows of norm 1/√μ), and of components that are orthonormal to the tolerance.
  Vector<double> rounding_of(const Matrix<double>& phi, const Matrix<double>& y,
                             const Vector<double>& size) const {
    constexpr double epsilon = std::numeric_limits<T>::epsilon();
    const Vector<double>& mu = model.eigenvalues();
    const double anchors = std::sqrt(static_cast<double>(phi.cols()));
    const double skew = model.report().solver.tolerance * static_cast<double>(mu.size()) *
                        std::max(1.0, mu[0] / mu[mu.size() - 1]);
    Vector<double> out(y.rows());
    for (Index i = 0; i < y.rows(); ++i) {
      const double scale =
          std::abs(size[i]) + std::abs(mean_square) + 2 * phi.row(i).cwiseAbs().maxCoeff();
      const double length = 64 * epsilon * (phi.row(i).norm() + anchors * scale);
      // The ridge moves ‖m‖² by at most itself times Σ wᵢ² ≤ 1, and φ(x)·m likewise.
      double bound = 64 * epsilon * anchors * scale + skew * y.row(i).squaredNorm() + 4 * ridge;
      for (Index c = 0; c < y.cols(); ++c) {
        const double error = length * basis_norm[c];
        bound += error * (2 * std::abs(y(i, c)) + error);
      }
      out[i] = bound;
    }
    return out;
  }

  /// Inner products of φ(x) − m of some rows.
  Matrix<double> centred_gram(const Rows<T>& z) const {
    const Matrix<double> phi = centred_features(model, z);
    if (!kernel) return phi * phi.transpose();
    const PickedRows<double> rows(z, even_sample(z.rows(), z.rows()));
    Matrix<double> products = kernel->matrix(rows.rows(), options);
    if (mean_weights.size() == 0) return products;
    const double offset = mean_weights.dot(model.mean().template cast<double>());
    const Vector<double> along = (phi * mean_weights).array() + offset;
    products.colwise() -= along;
    products.rowwise() -= along.transpose();
    products.array() += mean_square;
    return products;
  }

  /// Rows of the fit for `left_out_scores`; `all`: there are no others.
  FittedRows fitted(const Rows<T>& z, bool all) const {
    const Report& r = model.report();
    const Matrix<double> products = centred_gram(z);
    const Index n = z.rows();
    FittedRows out;
    out.components = basis.rows();
    out.rows = static_cast<double>(r.n_samples);
    out.centered = r.centered;
    out.ddof = r.ddof;
    out.precision = std::numeric_limits<T>::epsilon();
    if (all) {  // on one thread, as the others would change digits
      SymmetricEigen pairs = symmetric_eigen(products, n, 1);
      // Of n rows and their centring: n entries in a row, each off by a few ε of the largest; the
      // mean is as exact as the model.
      const double rounding = 64 * static_cast<double>(n) * std::numeric_limits<T>::epsilon() *
                              std::max(pairs.values[0], products.diagonal().cwiseAbs().maxCoeff());
      require(pairs.values[n - 1] >= -rounding, Errc::invalid_kernel,
              "the kernel matrix of the model's rows has an eigenvalue of {:g}, beyond rounding "
              "({:g}): the kernel is not positive semi-definite; use limits of good rows",
              pairs.values[n - 1], rounding);
      // What is negative now is rounding, so 0 is nearer to the truth.
      out.eigenvalues = pairs.values.cwiseMax(0);
      out.squares = (out.eigenvalues.asDiagonal() * pairs.vectors.cwiseAbs2()).transpose();
      return out;
    }
    const RowScores rows =
        run(z, Missing::mean, [](const Rows<T>& x, Index, Matrix<T>&) { return x; });
    out.eigenvalues = model.eigenvalues();
    out.squares = rows.scores.cwiseAbs2();
    out.rest = rows.spe;
    out.rest_eigenvalue.resize(n);
    const double others = n > 1 ? (out.rows - 1) / static_cast<double>(n - 1) : 0;
    const double last = out.eigenvalues[out.components - 1];
    for (Index i = 0; i < n; ++i) {
      const double own = products(i, i) * products(i, i);
      const double along = own + others * (products.row(i).squaredNorm() - own) -
                           out.squares.row(i).dot(out.eigenvalues);
      // The row itself is in the scatter matrix; orthogonal to the components nothing exceeds the
      // last of them. `along` is an estimate where the sample is not all rows.
      out.rest_eigenvalue[i] =
          std::min(last, out.rest[i] > 0 ? std::max(out.rest[i], along / out.rest[i]) : 0.0);
    }
    return out;
  }

  /// Why Gaussian limits are not for this model; empty when they are.
  std::string not_gaussian() const {
    const Report& r = model.report();
    if (model.map().space() == Space::precomputed)
      return "a kernel matrix has no rows to leave out";
    if (!model.map().is_identity()) return "features are not Gaussian";
    if (r.method != "pca") return "learned components are not those of a sample";
    if (r.weighted) return "rows of different weights are not a sample of one distribution";
    if (r.imputation) return "the fit imputed missing values";
    return {};
  }

  RowScores empty(Index rows) const {
    const Index known = no_spe.empty() ? rows : 0;
    return {Matrix<double>(rows, basis.rows()), Vector<double>(rows), Vector<double>(known),
            Vector<double>(known)};
  }

  /// Blocks begin at the same rows for any number of threads.
  template <class Inputs>
  RowScores run(const Rows<T>& x, Missing missing, const Inputs& inputs) const {
    RowScores out = empty(x.rows());
    const Index step = block_rows(model), blocks = (x.rows() + step - 1) / step;
    const BlasThreads one(1);
    SharedReporter report(options.monitor, "scoring", "rows", static_cast<double>(x.rows()));
    parallel_for(blocks, options.threads, [&](Index b) {
      const Index first = b * step, n = std::min(step, x.rows() - first);
      Matrix<T> buffer;
      score(inputs(x.middle(first, n), first, buffer), missing, first, out);
      report.add(static_cast<double>(n));
    });
    return out;
  }
};

template <class T>
Scorer<T>::Scorer(const Model<T>& model, const RunOptions& options)
    : state_(std::make_unique<const State>(model, options)) {
  // A variance of exactly 0 is left out of T2; one that is rounding is not.
  const Index rank = model.report().rank;
  Index null = rank > 0 ? std::max<Index>(model.outputs() - rank, 0) : 0;
  // Columns that are far smaller than others have a rank, and no variance that could be computed.
  const double least = 16 * std::pow(std::numeric_limits<double>::epsilon(), 2);
  while (rank > 0 && null < model.outputs() &&
         !(model.eigenvalues()[model.outputs() - 1 - null] > least * model.eigenvalues()[0]))
    ++null;
  require(null <= 0 || (model.eigenvalues().tail(null).array() == 0).all(), Errc::bad_option,
          "the model has {} component{} of zero variance (`keep_null`), by which T2 cannot divide: "
          "score rows by a model fitted without it",
          null, null == 1 ? "" : "s");
}
template <class T>
Scorer<T>::~Scorer() = default;
template <class T>
Scorer<T>::Scorer(Scorer&&) noexcept = default;

template <class T>
const std::string& Scorer<T>::no_spe() const {
  return state_->no_spe;
}

template <class T>
RowScores Scorer<T>::operator()(const Rows<T>& x, Missing missing) const {
  require(x.cols() == state_->model.inputs(), Errc::bad_data,
          "rows have {} columns, the model was fitted to {}", x.cols(), state_->model.inputs());
  return state_->run(x, missing, [&](const Rows<T>& rows, Index first, Matrix<T>& buffer) {
    return map_inputs(state_->model, rows, missing, first, buffer);
  });
}

template <class T>
ScoreLimits Scorer<T>::limits(double level) const {
  require_level(level);
  const Model<T>& model = state_->model;
  // Rows that the model has are rows of the fit, and assume nothing of their distribution.
  const bool keeps = keeps_rows(model);
  const Rows<T> kept = keeps ? model.map().anchors() : Rows<T>(model.rows());
  const Index needed = rows_for_left_out_limits(level);
  if (state_->no_spe.empty() && !model.report().weighted && kept.rows() >= needed) {
    const PickedRows<T> some(kept, even_sample(kept.rows(), std::max(needed, most_training_rows)));
    const bool all = some.rows().rows() == model.report().n_samples;
    const FittedRows fitted = state_->fitted(some.rows(), all);
    const PickedRows<T> split(kept, even_sample(kept.rows(), most_split_rows));
    const LimitFactors factors =
        factors_by_halves(state_->centred_gram(split.rows()), fitted, level, state_->options);
    return left_out_limits(left_out_scores(fitted, state_->options), factors, level);
  }
  const std::string reason = state_->not_gaussian();
  if (!reason.empty()) {
    ScoreLimits none = no_limits(level, reason);
    if (state_->no_spe.empty() && !model.report().weighted && kept.rows() > 0)
      none = no_limits(level, fmt::format("{}, and {:g} % needs {} rows of the fit in the model, "
                                          "there are {}",
                                          reason, 100 * level, needed, kept.rows()));
    if (!state_->no_spe.empty()) none.spe_from = "there is no SPE: " + state_->no_spe;
    return none;
  }
  ScoreLimits limits = gaussian_limits(model.report(), state_->variance, model.map().features(),
                                       model.scale().size() > 0, level, state_->options);
  if (!state_->no_spe.empty()) {
    limits.spe.reset();
    limits.spe_from = "there is no SPE: " + state_->no_spe;
  }
  return limits;
}

Matrix<double> RowScores::contributions(const Vector<double>& eigenvalues) const {
  Matrix<double> out = scores.cwiseAbs2();
  for (Index c = 0; c < out.cols(); ++c) out.col(c) *= eigenvalues[c] > 0 ? 1 / eigenvalues[c] : 0;
  return out;
}

Matrix<double> RowScores::cos2() const {
  if (size.size() == 0) return {};
  Matrix<double> out = scores.cwiseAbs2();
  for (Index i = 0; i < out.rows(); ++i) out.row(i) *= size[i] > 0 ? 1 / size[i] : 0;
  return out;
}

template <class T>
std::string lost_digits(const Model<T>& model) {
  std::optional<Kernel> kernel;
  if (model.map().space() == Space::kernel) kernel = kernel_of(model);
  return lost_digits(model.parts(), kernel ? &*kernel : nullptr);
}

template std::string lost_digits(const Model<float>&);
template std::string lost_digits(const Model<double>&);
template class Scorer<float>;
template class Scorer<double>;

}  // namespace mercer
