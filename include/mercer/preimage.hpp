#pragma once
/// \file
/// Pre-images: rows x̂ whose image φ(x̂) is close to the point P = m + Bᵀy in feature space that
/// the scores y represent.
///
///     auto model = mercer::fit(x, {.components = 8, .kernel = mercer::kernels::rbf()});
///     auto clean = mercer::preimages(model, model.transform(noisy));
///     clean.rows;                                // N×d
///     clean.distance;                            // per row: ‖φ(x̂) − P‖, relative
///
/// For a linear model x̂ is exact. In other feature spaces most points are not the image of any
/// row, and x̂ is an approximation:
///
///     exact        m + Bᵀy, or its coordinates x: linear models, maps that include x
///     ridge        kernel ridge regression of rows on their scores (Bakır et al. 2004)
///     fixed_point  minimises ‖φ(x̂) − P‖² + λ‖x̂ − x₀‖², x₀ from ridge (Mika et al. 1998,
///                  the penalty: Abrahamsen & Hansen 2009): Gaussian kernels
///     distances    from its distances to neighbours (Kwok & Tsang 2004): kernels of ‖x − y‖
///
/// Training on n rows costs n² kernel values of scores, n·D of rows and n³/3 flops; then each row
/// costs n and D kernel values, and D more per step of the fixed point.

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
  automatic,    ///< exact if possible, else fixed point if defined, else ridge
  exact,        ///< decode the coordinates of P
  ridge,        ///< regression of rows on scores
  fixed_point,  ///< Gaussian kernels: from ridge, penalised
  distances,    ///< kernels of ‖x − y‖: from the distances to neighbours
};

/// Start of the fixed-point iteration, and centre of its penalty.
enum class PreImageStart {
  ridge,  ///< the ridge estimate
  row,    ///< the row itself, as in Mika et al. 1998; only in `denoise`
};

struct PreImageOptions {
  PreImageMethod method = PreImageMethod::automatic;
  /// Ridge: the kernel between scores. None: rbf; its width and `alpha` then minimise the
  /// leave-one-out error on some rows.
  std::optional<Kernel> kernel{};
  double alpha = 0;  ///< ridge: regularisation; 0: by leave-one-out
  /// Largest number of training rows, evenly spaced; 0: 1000, and 4000 for `distances`.
  Index rows = 0;
  PreImageStart start = PreImageStart::ridge;
  double penalty = 0.1;     ///< fixed point: λ, in units of 2γk(x, x); 0: Mika's
  double tolerance = 1e-5;  ///< fixed point: length of the last step, in widths 1/√γ
  int iterations = 200;     ///< fixed point: at most; rows that need more are `!converged`
  Index neighbours = 10;    ///< distances: number of rows
  int threads = 0;          ///< 0: one per core
  Monitor monitor{};        ///< of learning and of finding pre-images
};

/// Pre-images and their quality.
template <class T>
struct PreImages {
  Matrix<T> rows;           ///< x̂, N×d
  Vector<double> distance;  ///< ‖φ(x̂) − P‖ divided by the square root of the total variance of φ
  /// One per row: the fixed point converged. Always true for other methods.
  std::vector<std::uint8_t> converged;
  /// One per row: T² of the scores, or the distance of x̂ from P, is larger than for any training
  /// row; without rows: Hotelling's T² is above its 99.9 % quantile.
  std::vector<std::uint8_t> outside;

  Index not_converged() const;
  Index outside_rows() const;
};

/// Computes pre-images; trained once for any number of blocks of scores.
///
///     const mercer::Decoder<double> decoder(model, {.method = mercer::PreImageMethod::ridge});
///     while (auto block = source->next()) use(decoder(scores_of(*block)).rows);
///
/// It copies what it needs from the model. Throws `Errc::bad_option` for a method that the model
/// does not support, for a model of precomputed kernel values, and if rows are needed but not
/// stored.
template <class T>
class Decoder {
 public:
  explicit Decoder(const Model<T>& model, const PreImageOptions& options = {});
  ~Decoder();
  Decoder(Decoder&&) noexcept;

  /// Parallel; the result does not depend on the number of threads. Scores: N×k, finite.
  PreImages<T> operator()(const MatrixRef<T>& scores) const;

  /// Projects rows onto the components: their scores, and back.
  PreImages<T> denoise(const Rows<T>& x, Missing missing = Missing::error) const;

  PreImageMethod method() const;  ///< the method in use, never `automatic`
  /// Description: "ridge(rbf(gamma=0.5), alpha=0.01) of 500 rows, then fixed point".
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
