#pragma once
/// \file
/// `Model<T>`: what every method of this library finds, the affine map
///
///     y = B (φ(x) − m)          B: k×D with orthonormal rows, m: the mean of φ over the data
///
///     auto model = mercer::fit(x, {.components = 2});
///     mercer::Matrix<double> y = model.transform(x);    // N×2 scores
///     mercer::Matrix<double> x2 = model.inverse(y);     // back in the input space
///     model.save("model.st");
///     auto same = mercer::Model<double>::load("model.st");
///
/// With scaling, φ works on z-scores: x is divided by `scale` after its mean is taken off.
/// Transform costs 2·N·D·k flops at GEMM speed plus the map; rows are taken in blocks, in parallel,
/// and features in strips: memory does not grow with either, and scores not change with the
/// threads.

#include <mercer/map.hpp>
#include <mercer/matrix.hpp>
#include <mercer/rows.hpp>
#include <mercer/source.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mercer {

/// How the eigenpairs were found.
struct SolverReport {
  std::string name;               ///< "covariance", "gram", "svd"
  std::string why;                ///< why this one, in a sentence
  int passes = 0;                 ///< passes over the data
  std::vector<double> residuals;  ///< ‖A q − μ q‖ / μ₁ for each component
  double tolerance = 0;           ///< what the residuals had to reach
  bool converged = false;         ///< always true in a model that exists
};

/// How far an approximate kernel PCA may be off. The true eigenvalue μ of each component lies in
/// [μ̂ − below, μ̂ + above].
struct Approximation {
  std::string name;  ///< "nystrom", "cholesky", "fourier", "tensorsketch"
  std::string text;  ///< with its parameters; parses back
  Index rank = 0;    ///< features that the rows were mapped to
  double error = 0;  ///< trace norm of K − K̂, or Frobenius norm when `estimated`, over that of K
  double spread = 0;       ///< standard error of `error`; 0 where that is exact
  bool estimated = false;  ///< from pairs of a sample: random features have no exact one
  double below = 0, above = 0;
};

/// What is certain of the eigenvalues μ of the problem itself: of the exact centred scatter or
/// kernel matrix of the given numbers, not of that matrix as it was rounded.
struct Certificate {
  /// μ_j lies in [low_j, high_j], one pair for each component; empty: not known, see `reason`.
  std::vector<double> low, high;
  double rounding =
      0;  ///< bound on the 2-norm of what rounding did to the matrix; in each interval
  double confidence = 1;  ///< 1: proven; less: each interval holds with this probability
  std::string reason;     ///< why there are none, or what `confidence` rests on
};

/// What is known of a model that was made of others.
struct MergeReport {
  int models = 0;               ///< how many; 0: the model was fitted to rows
  double missing_variance = 0;  ///< each true variance lies in [λ, λ + this]; 0: exact to rounding
};

/// Why a model has as many components as it has, where that was not the caller's choice.
struct ComponentChoice {
  std::string method;            ///< "parallel analysis", "gavish-donoho", "minka"
  std::string reason;            ///< in a sentence
  int permutations = 0;          ///< of the columns
  std::int64_t rows = 0;         ///< that were looked at
  std::vector<double> p_values;  ///< of each component looked at, the kept ones first; may be empty
  double excess = 0;  ///< share of the variance that the kept ones have beyond what chance has
};

/// What was put into missing cells.
struct Imputation {
  std::int64_t cells = 0;
  int iterations = 0;
  double change = 0;  ///< how far cells still are from their limit, in deviations of their columns
};

/// A method, and what it was expected to cost before the fit (see plan.hpp).
struct PlannedMethod {
  std::string method;  ///< "covariance", "krylov", "cholesky(rank=500)", …
  std::string why;     ///< it was chosen, or rejected
  double bytes = 0;    ///< beside rows that are in memory already; model files leave it out
  double passes = 0;   ///< over the rows, or over the kernel matrix; 0: not known
  double flops = 0;    ///< 0: not known
};

/// What was planned before a fit.
struct PlanReport {
  PlannedMethod chosen;
  std::string rows;  ///< "in memory", "streamed" or "read once"
  std::vector<PlannedMethod> rejected;
};

/// How a model was found: everything but the map itself.
struct Report {
  std::string method = "pca";  ///< "pca"
  SolverReport solver;
  Certificate certificate;
  std::optional<Approximation> approximation{};  ///< of a kernel; none: exact
  std::int64_t n_samples = 0;                    ///< rows that entered the fit
  double weight = 0;                             ///< sum of row weights; n_samples without weights
  bool weighted = false;
  bool centered = true;
  int ddof = 1;                             ///< variance = eigenvalue / (weight − ddof)
  double total_variance = 0;                ///< of all directions, not only the kept ones
  double total_squares = 0;                 ///< Σλ² of all directions; 0: not known
  MergeReport merged;                       ///< see merge.hpp
  std::optional<ComponentChoice> chosen{};  ///< see significance.hpp
  std::optional<PlanReport> plan{};         ///< none: merged, learned or made by hand
  std::optional<Imputation> imputation{};   ///< see impute.hpp
  double seconds = 0;
  std::int64_t peak_memory_bytes = 0;
};

/// Everything a model consists of; `Model` checks it and adds behaviour.
template <class T>
struct ModelParts {
  std::shared_ptr<const Map<T>> map;
  Matrix<T> components;  ///< B, k×D; rows orthonormal but for kernels (Λ^-½ Uᵀ J)
  Vector<T> mean;        ///< m; zeros when not centred
  Vector<T> scale;       ///< divisor of each input column; empty: none
  /// Mean of each input column; empty for the identity map, where it is m. Other maps take
  /// z = (x − input_mean)/scale when there is a scale, and x otherwise; missing cells are filled
  /// with it before that.
  Vector<T> input_mean;
  /// Some rows of the data as φ gets them, to learn pre-images from (`FitOptions::keep_rows`);
  /// mostly none. Kernel models have their anchors for that.
  Matrix<T> rows;
  Vector<double> eigenvalues;  ///< μ of the centred scatter matrix, descending
  /// Variance of each input column as the components see it (after scaling), with the report's
  /// ddof; linear models. Empty: not known.
  Vector<double> column_variance;
  std::vector<std::string> feature_names;  ///< of the input columns; empty: unnamed
  std::string label_column;                ///< carried through at transform; empty: none
  std::string id_column;
  Report report;
};

struct TransformOptions {
  int threads = 0;  ///< 0: one per core
  /// NaN cells: an error; `mean`, the model's; or for linear models `em`, least-squares scores from
  /// the cells that are there
  Missing missing = Missing::error;
};

template <class T>
class Model {
 public:
  /// Throws `Errc::bad_data` when the parts do not fit together.
  explicit Model(ModelParts<T> parts);

  /// Scores of rows, N×k.
  Matrix<T> transform(const Rows<T>& x, const TransformOptions& options = {}) const;
  /// The same into memory the caller owns (N×k).
  void transform(const Rows<T>& x, Eigen::Ref<Matrix<T>> scores,
                 const TransformOptions& options = {}) const;
  template <class Derived>
  Matrix<T> transform(const Eigen::MatrixBase<Derived>& x,
                      const TransformOptions& options = {}) const {
    const MatrixRef<T> rows(x.derived());
    return transform(Rows<T>(rows), options);
  }

  /// Scores of the rows that the model was found from, where its eigenvectors hold them: exact
  /// kernel PCA of rows that weigh the same. Nothing of the kernel is computed again; they agree
  /// with `transform` to the residuals of the fit. Other models: empty.
  Matrix<T> training_scores() const;

  /// x̂ = m + Bᵀy, N×d: the point of the principal subspace with these scores. Only of the identity
  /// map; `Errc::bad_option` otherwise: see preimage.hpp.
  Matrix<T> inverse(const MatrixRef<T>& scores, int threads = 0) const;

  Index inputs() const { return parts_.map->inputs(); }       ///< d
  Index outputs() const { return parts_.components.rows(); }  ///< k

  const Map<T>& map() const { return *parts_.map; }
  const Matrix<T>& components() const { return parts_.components; }
  const Vector<T>& mean() const { return parts_.mean; }
  const Vector<T>& scale() const { return parts_.scale; }
  const Vector<T>& input_mean() const { return parts_.input_mean; }
  const Matrix<T>& rows() const { return parts_.rows; }
  const Vector<double>& eigenvalues() const { return parts_.eigenvalues; }
  const Vector<double>& column_variance() const { return parts_.column_variance; }
  const std::vector<std::string>& feature_names() const { return parts_.feature_names; }
  const std::string& label_column() const { return parts_.label_column; }
  const std::string& id_column() const { return parts_.id_column; }
  const Report& report() const { return parts_.report; }
  const ModelParts<T>& parts() const { return parts_; }

  /// λ = μ / (weight − ddof).
  Vector<double> explained_variance() const;
  /// λ / total variance.
  Vector<double> explained_variance_ratio() const;

  /// Writes the model whole or not at all. Safetensors layout; see docs/model-file.md.
  void save(const std::string& path) const;
  /// Reads what `save` wrote, in either precision. A damaged, hostile or newer file is an
  /// `Errc::bad_file`.
  static Model load(const std::string& path);

  /// The bytes of the file, and back.
  std::string serialize() const;
  static Model deserialize(std::string_view bytes, const std::string& name = "model");

 private:
  ModelParts<T> parts_;
  Matrix<T> encoder_;  // B in the form that transform multiplies with; empty: as it is
};

/// The keys of `mercer inspect --json`, as JSON text.
template <class T>
std::string to_json(const Model<T>& model, int indent = 2);

/// A model in the precision its file was written in; the path is opened once, so a pipe will do.
///
///     std::visit([&](const auto& model) { use(model); }, mercer::load_any("model.st"));
using AnyModel = std::variant<Model<float>, Model<double>>;
AnyModel load_any(const std::string& path);

}  // namespace mercer
