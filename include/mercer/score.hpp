#pragma once
/// \file
/// How well a model fits new rows, and which of them are outliers:
///
///     T²  = Σ y_c² / λ_c                    distance within the principal subspace
///     SPE = ‖φ(x) − m‖² − ‖y‖²              distance from the subspace (Q)
///
///     mercer::Scorer scorer(model);
///     auto rows = scorer(x);                              // rows.t2, rows.spe
///     auto limits = scorer.limits(0.99);                  // one row in a hundred is outside each
///     auto flags = mercer::flagged(rows, limits);
///     mercer::ScoreTotals totals;
///     totals.add(rows);
///     totals.explained();                                 // share of the variance of these rows
///
/// For linear PCA SPE is the squared reconstruction error, in units of z-scores if the model
/// scales. For kernels it is a squared distance in feature space, which needs the mean there: that
/// of all training rows if the model stores them, or its projection onto the landmarks. Costs a
/// transform, for linear PCA two.
///
/// Control limits hold for new rows. If there are too few rows for the level, there is no limit,
/// and the reason states the number needed. In this order:
/// - rows that are known to be good and were not in the fit: `limits_of`, for any distribution;
///   needs level/(1 − level) rows.
/// - models that store at least 200 training rows, and 2/(1 − level) (exact kernel PCA;
///   `FitOptions::keep_rows`): leave-one-out quantiles of these rows, times a factor that
///   random halves of them determine. Of more than 1,000 rows, 1,000 are used.
/// - linear models of 27 and −20·log10(1 − level) rows or more, 3 more than components: limits of
///   Gaussian rows, by simulation of samples whose expected spectrum is that of the model. SPE
///   needs `Report::total_squares`. If all directions are kept: Hotelling's T².

#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/progress.hpp>
#include <mercer/rows.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

/// Scores and distances of each row.
struct RowScores {
  Matrix<double> scores;  ///< y, N×k
  Vector<double> t2;
  Vector<double> spe;   ///< empty if not available: `Scorer::no_spe`
  Vector<double> size;  ///< ‖φ(x) − m‖²; empty like `spe`

  /// y²/μ, N×k: the share of each row in the components; those of the training rows add up to 1.
  Matrix<double> contributions(const Vector<double>& eigenvalues) const;
  /// y²/‖φ(x) − m‖², N×k: the share of each row that the components explain. Empty like `spe`.
  Matrix<double> cos2() const;
};

/// Control limits: a row outside them is an outlier.
struct ScoreLimits {
  double level = 0.99;          ///< confidence level: share of ordinary rows within each limit
  std::optional<double> t2{};   ///< none: unknown
  std::optional<double> spe{};  ///< none: unknown
  std::string t2_from{};        ///< how it was computed, or why there is none
  std::string spe_from{};
};

enum class Flag { none = 0, t2 = 1, spe = 2, both = 3 };

/// Sums over rows, with the same bits however the rows are cut into blocks.
struct ScoreTotals {
  Index rows = 0;
  double weight = 0;                  ///< total weight; without weights, the number of rows
  double spe = 0, size = 0;           ///< sums
  Vector<double> squares;             ///< Σ y² of each component
  bool complete = true;               ///< all rows had SPE
  std::vector<std::int64_t> exact{};  ///< the sums before they are rounded

  /// `weights`: one per row, as if rows were repeated.
  void add(const RowScores& rows, Weights weights = {});
  /// Those of other rows.
  void add(const ScoreTotals& others);
  double mean_spe() const;   ///< mean squared reconstruction error of a row
  double explained() const;  ///< 1 − ΣSPE/Σ‖φ(x) − m‖²: about the model's mean
};

template <class T>
class Scorer {
 public:
  /// Borrows the model, which must outlive it.
  explicit Scorer(const Model<T>& model, const RunOptions& options = {});
  ~Scorer();
  Scorer(Scorer&&) noexcept;

  /// Why there is no SPE; empty if there is.
  const std::string& no_spe() const;

  /// Throws what `Model::transform` throws. Missing values are replaced by the mean, or with `em`
  /// by their least-squares reconstruction (linear models): they add nothing to SPE.
  RowScores operator()(const Rows<T>& x, Missing missing = Missing::error) const;

  /// Limits from the model alone. Throws `Errc::bad_option` unless 0 < level < 1.
  ScoreLimits limits(double level = 0.99) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// Quantiles of rows that are known to be good and were not in the fit: for any distribution, a new
/// row is within each limit with probability at least `level`. With fewer than level/(1 − level)
/// rows there are none.
ScoreLimits limits_of(const RowScores& good, double level = 0.99);

/// Which rows are outside which limit.
std::vector<Flag> flagged(const RowScores& rows, const ScoreLimits& limits);

/// The error of the scores of new rows, as a sentence, where rounding leaves less than half of the
/// digits of the model's precision: kernels that are nearly constant on the rows, components of
/// little variance, nearly dependent landmarks. Empty elsewhere.
template <class T>
std::string lost_digits(const Model<T>& model);

}  // namespace mercer
