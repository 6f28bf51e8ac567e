#pragma once
/// \file
/// `Model<T>`: the result of every method of this library, the affine map
///
///     y = B (φ(x) − m)          B: k×D with orthonormal rows, m: the mean of φ over the data
///
///     auto model = mercer::fit(x, {.components = 2});
///     mercer::Matrix<double> y = model.transform(x);    // N×2 scores
///     mercer::Matrix<double> x2 = model.inverse(y);     // back in the input space
///     model.save("model.st");
///     auto same = mercer::Model<double>::load("model.st");
///
/// With scaling, φ is applied to z-scores: the mean of x is subtracted, then x is divided by
/// `scale`. Transform costs 2·N·D·k flops at GEMM speed plus the map. Rows are processed in blocks,
/// in parallel, and features in strips: memory grows with neither, and scores do not depend on the
/// number of threads.

#include <mercer/map.hpp>
#include <mercer/matrix.hpp>
#include <mercer/progress.hpp>
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

/// How the eigenpairs were computed.
struct SolverReport {
  std::string name;               ///< "covariance", "gram", "svd"
  std::string why;                ///< reason for the choice, one sentence
  int passes = 0;                 ///< passes over the data
  std::vector<double> residuals;  ///< ‖A q − μ q‖ / μ₁ for each component
  double tolerance = 0;           ///< upper bound of the residuals
  bool converged = false;         ///< always true in a model that exists
};

/// Error of approximate kernel PCA. The true eigenvalue μ of each component lies in [μ̂ − below, μ̂
/// + above].
struct Approximation {
  std::string name;  ///< such as "nystrom"
  std::string text;  ///< with its parameters; parses back
  Index rank = 0;    ///< number of features
  double error = 0;  ///< trace norm of K − K̂, or Frobenius norm when `estimated`, over that of K
  double spread = 0;       ///< standard error of `error`; 0 if exact
  bool estimated = false;  ///< from a sample of pairs (random features)
  double below = 0, above = 0;
};

/// Bounds on the eigenvalues μ of the exact problem: of the exact centred scatter or kernel matrix
/// of the given numbers, not of the rounded matrix.
struct Certificate {
  /// μ_j lies in [low_j, high_j], one pair per component; empty: unknown, see `reason`.
  std::vector<double> low, high;
  double rounding =
      0;  ///< bound on the 2-norm of the rounding of the matrix; part of each interval
  double confidence = 1;  ///< 1: proven; less: each interval holds with this probability
  std::string reason;     ///< why there are none, or the basis of `confidence`
};

/// Report of a merged model.
struct MergeReport {
  int models = 0;               ///< number of models; 0: not merged
  double missing_variance = 0;  ///< each true variance lies in [λ, λ + this]; 0: exact to rounding
};

/// How the number of components was selected, if not given by the caller.
struct ComponentChoice {
  std::string method;            ///< "parallel analysis", "gavish-donoho", "minka"
  std::string reason;            ///< one sentence
  int permutations = 0;          ///< of the columns
  std::int64_t rows = 0;         ///< rows in the sample
  std::vector<double> p_values;  ///< of the tested components, kept ones first; may be empty
  double excess = 0;             ///< explained variance ratio of the kept ones above that of chance
};

/// Report of an imputation.
struct Imputation {
  std::int64_t cells = 0;
  int iterations = 0;
  double change = 0;  ///< distance to the limit, in standard deviations of the columns
};

/// A method and its expected cost, computed before the fit (see plan.hpp).
struct PlannedMethod {
  std::string method;  ///< "covariance", "krylov", "cholesky(rank=500)", …
  std::string why;     ///< the reason why it was chosen or rejected
  double bytes = 0;    ///< excluding rows already in memory; not in model files
  double passes = 0;   ///< over the rows, or over the kernel matrix; 0: unknown
  double flops = 0;    ///< 0: unknown
};

/// The plan of a fit.
struct PlanReport {
  PlannedMethod chosen;
  std::string rows;  ///< "in memory", "streamed" or "read once"
  std::vector<PlannedMethod> rejected;
};

/// A linear relation that the rows satisfy: Σ coefficients_j·f_j = constant, where f_j are the
/// columns, or the terms that `Map::feature_names` names (relations.hpp).
struct Relation {
  std::vector<double> coefficients;  ///< 0 for terms that do not take part
  double constant = 0;               ///< 1, or 0, or what its digits allow (relations.hpp)
  double deviation = 0;              ///< root mean square of Σ − constant over the rows
  double residual = 0;               ///< `deviation` over √Σ coefficients_j²·mean(f_j²)
  std::vector<double> errors;        ///< standard errors of noisy coefficients; empty: exact
};

/// How a model was fitted.
struct Report {
  std::string method = "pca";  ///< "pca"
  SolverReport solver;
  Certificate certificate;
  std::optional<Approximation> approximation{};  ///< of a kernel; none: exact
  std::int64_t n_samples = 0;                    ///< rows of the fit
  double weight = 0;                             ///< sum of row weights; n_samples without weights
  bool weighted = false;
  bool centered = true;
  int ddof = 1;                             ///< variance = eigenvalue / (weight − ddof)
  double total_variance = 0;                ///< of all directions, not only the kept ones
  double total_squares = 0;                 ///< Σλ² of all directions; 0: unknown
  MergeReport merged;                       ///< see merge.hpp
  std::optional<ComponentChoice> chosen{};  ///< see significance.hpp
  std::optional<PlanReport> plan{};         ///< none: merged, learned or constructed
  std::optional<Imputation> imputation{};   ///< see impute.hpp
  /// Directions that vary by more than rounding; 0: not all were computed, or the rows are too few.
  Index rank = 0;
  std::vector<Relation> relations{};  ///< of the other directions, at most 20 of 200 features
  double seconds = 0;
  std::int64_t peak_memory_bytes = 0;
};

/// Everything a model consists of; `Model` checks it and adds behaviour.
template <class T>
struct ModelParts {
  std::shared_ptr<const Map<T>> map;
  Matrix<T> components;  ///< B, k×D; rows orthonormal except for kernels (Λ^-½ Uᵀ J)
  Vector<T> mean;        ///< m; zeros when not centred
  /// What m lost when it was rounded to T: the mean is m + mean_rest. For rows or features far from
  /// 0, whose scores would be off by it; empty: negligible.
  Vector<T> mean_rest;
  Vector<T> scale;  ///< divisor of each input column; empty: none
  /// Mean of each input column; empty for the identity map, where it is m. Other maps take z = (x −
  /// input_mean − input_rest)/scale if there is a scale, 0 for a missing value; otherwise x, and
  /// input_mean for a missing value.
  Vector<T> input_mean;
  Vector<T> input_rest;  ///< what input_mean lost when it was rounded to T; empty: nothing
  /// Some rows of the data after scaling, for pre-images (`FitOptions::keep_rows`); usually none.
  /// Kernel models use their anchors instead.
  Matrix<T> rows;
  Vector<double> eigenvalues;  ///< μ of the centred scatter matrix, descending
  /// Variance of each input column after scaling, with the report's ddof; linear models. Empty:
  /// unknown.
  Vector<double> column_variance;
  std::vector<std::string> feature_names;  ///< of the input columns; empty: unnamed
  std::string label_column;                ///< copied to the output of transform; empty: none
  std::string id_column;
  Report report;
};

struct TransformOptions {
  int threads = 0;  ///< 0: one per core
  /// NaN: an error; `mean`, the model's; or for linear models `em`, least-squares scores from the
  /// observed values
  Missing missing = Missing::error;
  Monitor monitor{};
};

/// Functions of this program that a model file names and cannot hold. Each is found by its name;
/// those that a file does not name are of no consequence.
///
///     auto mine = mercer::Kernel::function("mine", [](auto a, auto b) { return a[0] * b[0]; });
///     mercer::fit(x, {.components = 1, .kernel = mine}).save("mine.st");
///     auto same = mercer::Model<double>::load("mine.st", {.kernels = {mine}});
template <class T>
struct LoadOptions {
  std::vector<Kernel> kernels{};                      ///< made by `Kernel::function`
  std::vector<std::shared_ptr<const Map<T>>> maps{};  ///< made by `function_map`
};

template <class T>
class Model {
 public:
  /// Throws `Errc::bad_data` if the parts are inconsistent.
  explicit Model(ModelParts<T> parts);

  /// Scores of rows, N×k.
  Matrix<T> transform(const Rows<T>& x, const TransformOptions& options = {}) const;
  /// The same into memory the caller owns (N×k).
  void transform(const Rows<T>& x, Eigen::Ref<Matrix<T>> scores,
                 const TransformOptions& options = {}) const;

  /// Scores of the training rows, if the eigenvectors contain them: exact kernel PCA of rows of
  /// equal weight. No kernel values are recomputed; the scores agree with `transform` up to the
  /// residuals of the fit. Other models: empty.
  Matrix<T> training_scores() const;

  /// x̂ = m + Bᵀy, N×d: the point of the principal subspace with these scores. Only for the
  /// identity map; throws `Errc::bad_option` otherwise: see preimage.hpp.
  Matrix<T> inverse(const MatrixRef<T>& scores, const RunOptions& options = {}) const;

  Index inputs() const { return parts_.map->inputs(); }       ///< d
  Index outputs() const { return parts_.components.rows(); }  ///< k

  const Map<T>& map() const { return *parts_.map; }
  const Matrix<T>& components() const { return parts_.components; }
  const Vector<T>& mean() const { return parts_.mean; }
  const Vector<T>& mean_rest() const { return parts_.mean_rest; }
  const Vector<T>& scale() const { return parts_.scale; }
  const Vector<T>& input_mean() const { return parts_.input_mean; }
  const Vector<T>& input_rest() const { return parts_.input_rest; }
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

  /// Writes the model atomically. Safetensors layout; see docs/model-file.md.
  void save(const std::string& path) const;
  /// Reads a file of `save`, in either precision. A damaged, malicious or newer file is an
  /// `Errc::bad_file`; so is one that names a function which is not among the options.
  static Model load(const std::string& path, const LoadOptions<T>& options = {});

  /// The bytes of the file, and back.
  std::string serialize() const;
  static Model deserialize(std::string_view bytes, const std::string& name = "model",
                           const LoadOptions<T>& options = {});

 private:
  ModelParts<T> parts_;
  Matrix<T> encoder_;  // B in the form that transform multiplies with; empty: as it is
};

/// The keys of `mercer inspect --json`, as JSON text.
template <class T>
std::string to_json(const Model<T>& model, int indent = 2);

/// A model in the precision of its file; the path is opened once, so it may be a pipe.
///
///     std::visit([&](const auto& model) { use(model); }, mercer::load_any("model.st"));
using AnyModel = std::variant<Model<float>, Model<double>>;
AnyModel load_any(const std::string& path, const std::vector<Kernel>& kernels = {});

}  // namespace mercer
