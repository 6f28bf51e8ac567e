#pragma once
/// \file
/// Pre-images: from scores y back to rows x̂ whose φ(x̂) comes near the point P = m + Bᵀy of the
/// feature space that the scores stand for.
///
///     auto model = mercer::fit(x, {.components = 8, .kernel = mercer::kernels::rbf()});
///     auto clean = mercer::preimages(model, model.transform(noisy));
///     clean.rows;                                // N×d
///     clean.distance;                            // how near, a row: what is no pre-image shows
///
/// For a linear model x̂ is exact. In other feature spaces most points are the image of no row, and
/// x̂ is the row that comes near:
///
///     exact        m + Bᵀy, or its coordinates that are x: linear models, maps that hold x
///     ridge        kernel ridge regression of rows on their scores (Bakır et al. 2004)
///     fixed_point  least ‖φ(x̂) − P‖² + λ‖x̂ − x₀‖² from the ridge's x₀ (Mika et al. 1998,
///                  the penalty: Abrahamsen & Hansen 2009): Gaussian kernels
///     distances    by its distances to neighbours (Kwok & Tsang 2004): kernels of ‖x − y‖
///
/// Learning from n rows costs n² kernel values of scores, n·D of rows and n³/3 flops; then a row
/// costs n and D kernel values, and D more for each step of the fixed point.

#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/progress.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class PreImageMethod {
  automatic,    ///< exact where there is one, else fixed point where it is defined, else ridge
  exact,        ///< decode the coordinates of P
  ridge,        ///< a map learned from scores to rows
  fixed_point,  ///< Gaussian kernels: from ridge, penalised
  distances,    ///< kernels of ‖x − y‖ alone: from the distances to neighbours
};

/// Where the fixed point begins, and what its penalty holds it to.
enum class PreImageStart {
  ridge,  ///< what the ridge found
  row,    ///< the row itself, as in Mika et al. 1998; only where there is one, in `denoise`
};

struct PreImageOptions {
  PreImageMethod method = PreImageMethod::automatic;
  /// Ridge: the kernel between scores. None: rbf; its width and `alpha` are then those with the
  /// least leave-one-out error on some rows.
  std::optional<Kernel> kernel{};
  double alpha = 0;  ///< ridge: regularisation; 0: by leave-one-out
  /// At most so many rows are learned from, evenly spaced; 0: 1000, and 4000 for `distances`.
  Index rows = 0;
  PreImageStart start = PreImageStart::ridge;
  double penalty = 0.1;     ///< fixed point: λ, in units of 2γk(x, x); 0: Mika's
  double tolerance = 1e-5;  ///< fixed point: a last step is shorter than this, in widths 1/√γ
  int iterations = 200;     ///< fixed point: at most; rows that need more are `!converged`
  Index neighbours = 10;    ///< distances: to so many rows
  int threads = 0;          ///< 0: one per core
  Monitor monitor{};        ///< of learning and of finding pre-images
};

/// Rows found for scores, and how good they are.
template <class T>
struct PreImages {
  Matrix<T> rows;           ///< x̂, N×d
  Vector<double> distance;  ///< ‖φ(x̂) − P‖ over the root of the total variance of φ
  /// One a row: the fixed point came to an end. Always true of other methods.
  std::vector<std::uint8_t> converged;
  /// One a row: the scores are farther out, or x̂ is farther from P, than any row that was learned
  /// from; without rows: Hotelling's T² is beyond its 99.9 % quantile.
  std::vector<std::uint8_t> outside;

  Index not_converged() const;
  Index outside_rows() const;
};

/// What was learned to find pre-images, once for any number of blocks of scores.
///
///     const mercer::Decoder<double> decoder(model, {.method = mercer::PreImageMethod::ridge});
///     while (auto block = source->next()) use(decoder(scores_of(*block)).rows);
///
/// It keeps what it needs of the model. Refused (`Errc::bad_option`): a method that the model has
/// not, a model of precomputed similarities, and one that kept no rows where rows are needed.
template <class T>
class Decoder {
 public:
  explicit Decoder(const Model<T>& model, const PreImageOptions& options = {});
  ~Decoder();
  Decoder(Decoder&&) noexcept;

  /// In parallel; the same for any number of threads. Scores: N×k, finite.
  PreImages<T> operator()(const MatrixRef<T>& scores) const;

  /// What the components keep of rows: their scores, and back.
  PreImages<T> denoise(const Rows<T>& x, Missing missing = Missing::error) const;

  PreImageMethod method() const;  ///< the one that is used, never `automatic`
  /// It in words: "ridge(rbf(gamma=0.5), alpha=0.01) of 500 rows, then fixed point".
  std::string text() const;

  struct Parts;  // src/preimages

 private:
  std::unique_ptr<const Parts> parts_;
};

/// A decoder for one block of scores.
template <class T>
PreImages<T> preimages(const Model<T>& model, const MatrixRef<T>& scores,
                       const PreImageOptions& options = {}) {
  return Decoder<T>(model, options)(scores);
}
template <class T, class Derived>
PreImages<T> preimages(const Model<T>& model, const Eigen::MatrixBase<Derived>& scores,
                       const PreImageOptions& options = {}) {
  return Decoder<T>(model, options)(scores.derived());
}

/// "auto", "exact", "ridge", "fixed-point", "distances"; and back (`Errc::bad_option`).
std::string_view name_of(PreImageMethod method);
PreImageMethod parse_preimage_method(std::string_view text);

}  // namespace mercer
