#include <mercer/score.hpp>

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "diagnostics/limits.hpp"
#include "diagnostics/mapped_rows.hpp"
#include "kernels/pick_rows.hpp"
#include "linalg/blas.hpp"

#include <mercer/kernel.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// Training rows that stand for all when limits are their quantiles.
constexpr Index most_training_rows = 2000;
/// Landmarks whose kernel matrix is formed to find what the mean is to them.
constexpr Index most_landmarks = 8192;

/// Does the model keep every row of its fit, with the mean of all similarities?
template <class T>
bool keeps_rows(const Model<T>& model) {
  const Report& r = model.report();
  return model.map().space() == Space::kernel && r.method == "kernel-pca" && !r.approximation &&
         !r.weighted && model.map().anchors().rows() == r.n_samples;
}

}  // namespace

template <class T>
struct Scorer<T>::State {
  const Model<T>& model;
  int threads;
  Matrix<double> basis;     // B
  Vector<double> variance;  // λ
  std::string no_spe{};
  std::optional<Kernel> kernel{};     // where ‖φ(x)‖² is k(x, x)
  Vector<double> mean_weights{};      // m = Σ c_i φ(a_i)
  double mean_square = 0;             // ‖m‖²
  Eigen::LLT<Matrix<double>> gram{};  // of the components, where they are not orthonormal
  bool orthonormal = true;

  State(const Model<T>& of, int how_many)
      : model(of),
        threads(how_many),
        basis(of.components().template cast<double>()),
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
        no_spe = "the model was fitted to a kernel matrix, and k(x, x) of a new row is not in it";
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
    try {
      kernel = Kernel::parse(model.map().kernel());
    } catch (const Error&) {
      no_spe = "k(x, x) of a kernel that is a function of a program is not known here";
      return;
    }
    if (keeps_rows(model)) {
      if (!model.report().centered) return;
      mean_weights = Vector<double>::Constant(n, 1 / static_cast<double>(n));
      mean_square = model.mean().template cast<double>().mean();
      return;
    }
    if (n > most_landmarks) {
      no_spe =
          fmt::format("what the mean is to {} landmarks takes more memory than is sensible", n);
      return;
    }
    const PickedRows<double> rows(anchors, even_sample(n, n));  // in double, sparse as they are
    Matrix<double> k = kernel->matrix(rows.rows(), threads);
    take_gram(basis * k * basis.transpose());
    if (!model.report().centered || !no_spe.empty()) return;
    // Landmarks that hardly add anything may make K singular; the mean lies in its range.
    k.diagonal().array() += 1e-13 * static_cast<double>(n) * k.diagonal().maxCoeff();
    const Vector<double> mean = model.mean().template cast<double>();
    const Eigen::LLT<Matrix<double>> factor(k);
    mean_weights = factor.solve(mean);
    mean_square = mean_weights.dot(mean);
    if (factor.info() != Eigen::Success || !std::isfinite(mean_square))
      no_spe = "the kernel matrix of the model's landmarks is not positive definite";
  }

  /// ‖projection‖² of each row of scores.
  Vector<double> projected(const Matrix<double>& y) const {
    if (orthonormal) return y.rowwise().squaredNorm();
    return y.cwiseProduct(gram.solve(y.transpose()).transpose()).rowwise().sum();
  }

  /// Statistics of a block of rows as φ takes them.
  void score(const Rows<T>& z, Index first, RowScores& out) const {
    const Index n = z.rows();
    const Matrix<double> phi = centred_features(model, z);
    const Matrix<double> y = phi * basis.transpose();
    require(y.allFinite(), Errc::bad_data, "a score near row {} is too large for a number",
            first + 1);
    out.scores.middleRows(first, n) = y;
    out.t2.segment(first, n).setZero();
    for (Index c = 0; c < y.cols(); ++c)
      if (variance[c] > 0)
        out.t2.segment(first, n).array() += y.col(c).array().square() / variance[c];
    if (!no_spe.empty()) return;
    Vector<double> size;
    if (!kernel) {
      size = phi.rowwise().squaredNorm();
      Matrix<double> rest = phi;
      if (orthonormal) rest.noalias() -= y * basis;
      else rest.noalias() -= gram.solve(y.transpose()).transpose() * basis;
      // Where all is kept, what is left is rounding.
      constexpr double rounding = 1e3 * std::numeric_limits<T>::epsilon();
      const Vector<double> left = rest.rowwise().squaredNorm();
      out.spe.segment(first, n) =
          (left.array() > rounding * rounding * size.array()).select(left, 0.0);
    } else {
      size = kernel->diagonal(z).template cast<double>();
      if (mean_weights.size() > 0) {
        // k(x, x) − 2 φ(x)·m + ‖m‖², and φ − m is what `phi` holds.
        const double offset = mean_weights.dot(model.mean().template cast<double>());
        size.array() += mean_square - 2 * offset;
        size -= 2 * (phi * mean_weights);
      }
      size = size.cwiseMax(0);
      out.spe.segment(first, n) = (size - projected(y)).cwiseMax(0);
    }
    out.size.segment(first, n) = size;
  }

  RowScores empty(Index rows) const {
    const Index known = no_spe.empty() ? rows : 0;
    return {Matrix<double>(rows, basis.rows()), Vector<double>(rows), Vector<double>(known),
            Vector<double>(known)};
  }

  /// Blocks begin at the same rows whatever the number of threads.
  template <class Inputs>
  RowScores run(const Rows<T>& x, const Inputs& inputs) const {
    RowScores out = empty(x.rows());
    const Index step = block_rows(model), blocks = (x.rows() + step - 1) / step;
    const BlasThreads one(1);
    parallel_for(blocks, thread_count(threads), [&](Index b) {
      const Index first = b * step, n = std::min(step, x.rows() - first);
      Matrix<T> buffer;
      score(inputs(x.middle(first, n), first, buffer), first, out);
    });
    return out;
  }
};

template <class T>
Scorer<T>::Scorer(const Model<T>& model, int threads)
    : state_(std::make_unique<const State>(model, threads)) {}
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
  return state_->run(x, [&](const Rows<T>& rows, Index first, Matrix<T>& buffer) {
    return map_inputs(state_->model, rows, missing, first, buffer);
  });
}

template <class T>
ScoreLimits Scorer<T>::limits(double level) const {
  require_level(level);
  const Model<T>& model = state_->model;
  if (state_->no_spe.empty() && keeps_rows(model)) {
    const Rows<T> anchors = model.map().anchors();
    const PickedRows<T> some(
        anchors, even_sample(anchors.rows(), std::min(anchors.rows(), most_training_rows)));
    const RowScores training =
        state_->run(some.rows(), [](const Rows<T>& z, Index, Matrix<T>&) { return z; });
    return left_out_limits(model.report(), training, level);
  }
  // Rows that the model has kept are a sample of those of the fit, and assume nothing either.
  const Index kept = model.rows().rows();
  if (state_->no_spe.empty() && static_cast<double>(kept) * (1 - level) >= level) {
    const RowScores training =
        state_->run(Rows<T>(model.rows()), [](const Rows<T>& z, Index, Matrix<T>&) { return z; });
    return left_out_limits(model.report(), training, level);
  }
  ScoreLimits limits =
      gaussian_limits(model.report(), state_->variance, model.map().features(), level);
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

void ScoreTotals::add(const RowScores& block, const double* weights) {
  const Index n = block.scores.rows();
  const Vector<double> w = weights ? Vector<double>(Eigen::Map<const Vector<double>>(weights, n))
                                   : Vector<double>(Vector<double>::Ones(n));
  if (squares.size() == 0) squares = Vector<double>::Zero(block.scores.cols());
  rows += n;
  weight += w.sum();
  squares += block.scores.cwiseAbs2().transpose() * w;
  if (block.spe.size() == n) {
    spe += block.spe.dot(w);
    size += block.size.dot(w);
  }
  complete = complete && block.spe.size() == block.scores.rows();
}

double ScoreTotals::mean_spe() const { return weight > 0 ? spe / weight : 0; }

double ScoreTotals::explained() const { return size > 0 ? 1 - spe / size : 0; }

template class Scorer<float>;
template class Scorer<double>;

}  // namespace mercer
