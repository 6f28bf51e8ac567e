#pragma once
/// \file
/// How well a model fits rows that it has not seen, and which of them are unlike those it has:
///
///     T²  = Σ y_c² / λ_c                    how far out a row lies within the principal subspace
///     SPE = ‖φ(x) − m‖² − ‖y‖²              how far it lies from the subspace (Q)
///
///     mercer::Scorer scorer(model);
///     auto rows = scorer(x);                              // rows.t2, rows.spe
///     auto limits = scorer.limits(0.99);                  // one row in a hundred is beyond each
///     auto flags = mercer::flagged(rows, limits);
///     mercer::ScoreTotals totals;
///     totals.add(rows);
///     totals.explained();                                 // share of the variance of these rows
///
/// For linear PCA SPE is the squared reconstruction error, in the units of the z-scores where the
/// model scales. For kernels it is a squared distance in feature space, which needs the mean there:
/// of all training rows where the model keeps them, of what landmarks see of it where it keeps
/// those. Costs a transform, for linear PCA two.
///
/// Limits are for rows that were not in the fit. Where the rows cannot carry the level there is
/// none, and the reason has the number that would. In this order:
/// - rows that are known to be good, and were not in the fit, need no assumption: `limits_of`;
///   level/(1 − level) of them or more.
/// - models that have at least 200 rows of their fit, and 2/(1 − level) (exact kernel PCA;
///   `FitOptions::keep_rows`): quantiles of what these have, each as if it had been left out of the
///   fit. Of more than 1,000 rows, 1,000 are taken.
/// - linear models of −20·log10(1 − level) rows or more, at least 3 more than components: limits of
///   Gaussian rows, by simulation of samples whose spectra are on average that of the model. SPE
///   needs `Report::total_squares`. A model of all directions has Hotelling's T².

#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/progress.hpp>
#include <mercer/rows.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

/// What is known of each row.
struct RowScores {
  Matrix<double> scores;  ///< y, N×k
  Vector<double> t2;
  Vector<double> spe;   ///< empty where the model cannot tell: `Scorer::no_spe`
  Vector<double> size;  ///< ‖φ(x) − m‖²; empty like `spe`

  /// y²/μ, N×k: the share of each row in the components; those of the training rows add up to 1.
  Matrix<double> contributions(const Vector<double>& eigenvalues) const;
  /// y²/‖φ(x) − m‖², N×k: the share of each row that the components show. Empty like `spe`.
  Matrix<double> cos2() const;
};

/// Beyond these a row is unlike those of the fit.
struct ScoreLimits {
  double level = 0.99;          ///< the share of ordinary rows within each of them
  std::optional<double> t2{};   ///< none: not known
  std::optional<double> spe{};  ///< none: not known
  std::string t2_from{};        ///< how it was found, or why it was not, in a few words
  std::string spe_from{};
};

enum class Flag { none = 0, t2 = 1, spe = 2, both = 3 };

/// Sums over rows, block by block.
struct ScoreTotals {
  Index rows = 0;
  double weight = 0;         ///< of the rows; without weights their number
  double spe = 0, size = 0;  ///< sums
  Vector<double> squares;    ///< Σ y² of each component
  bool complete = true;      ///< all rows had SPE

  /// `weights`: one per row, as if rows were repeated.
  void add(const RowScores& rows, Weights weights = {});
  double mean_spe() const;   ///< mean squared reconstruction error of a row
  double explained() const;  ///< 1 − ΣSPE/Σ‖φ(x) − m‖²: about the model's mean
};

template <class T>
class Scorer {
 public:
  /// Borrows the model, which must live as long.
  explicit Scorer(const Model<T>& model, const RunOptions& options = {});
  ~Scorer();
  Scorer(Scorer&&) noexcept;

  /// Why there is no SPE; empty when there is.
  const std::string& no_spe() const;

  /// Throws what `Model::transform` throws. Missing cells lie on the mean, or with `em` where the
  /// least-squares scores of the other cells put them (linear models): they add nothing to SPE.
  RowScores operator()(const Rows<T>& x, Missing missing = Missing::error) const;

  /// By what the model alone tells. Throws `Errc::bad_option` unless 0 < level < 1.
  ScoreLimits limits(double level = 0.99) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// Quantiles of rows that are known to be good: whatever their distribution, a further row of it is
/// within each limit with probability `level` or more when they were not in the fit. Fewer than
/// level/(1 − level) rows give none.
ScoreLimits limits_of(const RowScores& good, double level = 0.99);

/// Which rows are beyond which limit.
std::vector<Flag> flagged(const RowScores& rows, const ScoreLimits& limits);

}  // namespace mercer
