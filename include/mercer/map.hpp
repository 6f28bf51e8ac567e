#pragma once
/// \file
/// `Map<T>`: the φ of every model y = B (φ(x) − m).
///
///     auto phi = mercer::identity_map<double>(4);      // linear PCA
///     mercer::Matrix<double> f(x.rows(), phi->features());
///     phi->apply(x, f);                                // f = φ(x), one row per sample
///
/// Linear PCA uses the identity; kernels, feature maps and random features are other maps. A new
/// map is one new file and a row in the table by which model files are loaded.
///
///     auto conics = mercer::monomial_map<double>(2, 2);      // (x₁², √2·x₁x₂, x₂²)
///     auto radius = mercer::function_map<double>("radius", 2, 1, [](auto x, auto f) {
///       f[0] = std::hypot(x[0], x[1]);                       // a user-defined map
///     });
///
///     auto sections = mercer::kernel_map(mercer::kernels::rbf({.gamma = 0.1}), anchors);
///                                                            // (k(x, a₁), …, k(x, a_N))
///
/// Explicit maps cost N·D to apply and PCA then N·D² or N²·D, so the cost is dominated by D, which
/// grows like d^degree; `features()` is known before anything of that size is allocated.

#include <mercer/kernel.hpp>
#include <mercer/rows.hpp>
#include <mercer/seed.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mercer {

/// The space of the components of a model.
enum class Space {
  input,       ///< columns of x
  features,    ///< explicit features of x
  kernel,      ///< kernel values of x and the anchors
  precomputed  ///< kernel values computed by the caller
};
/// As reports and JSON spell it: "input", "features", "kernel", "precomputed".
const char* name_of(Space space);

template <class T>
struct LinearMap;

template <class T>
class Map {
 public:
  virtual ~Map() = default;

  /// d, the length of x.
  virtual Index inputs() const = 0;
  /// D, the length of φ(x).
  virtual Index features() const = 0;
  /// Text form: `identity`, `monomials(degree=2)`.
  virtual std::string text() const = 0;
  /// φ(x) = x: sparse rows then need not be made dense, and decoding is exact.
  virtual bool is_identity() const { return false; }
  virtual Space space() const { return Space::features; }

  /// The parameters of φ in a model file: the rows a_i of k(x, a_i) (`Space::kernel`), or random
  /// numbers; none for most maps.
  virtual Rows<T> anchors() const { return {}; }
  /// The text of the kernel that φ evaluates or approximates; empty for most maps.
  virtual std::string kernel() const { return {}; }

  /// Names of φ₁ … φ_D, given those of the inputs: `x1^2`, `sqrt(2)*x1*x2`. By default f1 … fD.
  virtual std::vector<std::string> feature_names(const std::vector<std::string>& inputs) const;

  /// Throws `Errc::bad_data` naming the first entry outside the domain of φ; rows are numbered from
  /// `first` + 1.
  virtual void require_domain(const Rows<T>& /*x*/, Index /*first*/) const {}

  /// out = φ(x), x.rows() × features(). Single-threaded: callers split rows over threads.
  virtual void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const = 0;

  /// Preferred number of features per call: all, unless each can be computed separately.
  virtual Index strip() const { return features(); }
  /// out = features `first` … `first` + out.cols() − 1 of φ(x). Maps with a smaller `strip()`
  /// support any range, the others only all features.
  virtual void apply_strip(const Rows<T>& x, Index first, Eigen::Ref<Matrix<T>> out) const;

  /// Inverts φ where that is possible: if φ includes x itself, or its squares. On input, `x` is a
  /// guess that selects between several x with the same features. Returns false, with x unchanged,
  /// if there is no inverse.
  virtual bool decode(const MatrixRef<T>& /*features*/, Eigen::Ref<Matrix<T>> /*x*/) const {
    return false;
  }

  /// If φ is a linear function of a map that model files can store: that function; the model then
  /// uses the other map. Null for most maps.
  virtual const LinearMap<T>* linear() const { return nullptr; }
};

/// φ(x) = A·ψ(x), and a right inverse of A: B(φ − m) = BA(ψ − A⁺m).
template <class T>
struct LinearMap {
  std::shared_ptr<const Map<T>> inner;  ///< ψ
  Matrix<T> a, inverse;
};

/// φ(x) = x.
template <class T>
std::shared_ptr<const Map<T>> identity_map(Index features);

/// `monomials(degree=M)`: all monomials of degree exactly M, D = C(M+d−1, M), weighted so that
/// φ(x)·φ(y) = (x·y)^M. d = 2, M = 2: (x₁², √2·x₁x₂, x₂²).
template <class T>
std::shared_ptr<const Map<T>> monomial_map(Index inputs, int degree);

/// `polynomial(degree=p)`: all monomials of degree at most p, the constant included, D = C(p+d, d),
/// weighted so that φ(x)·φ(y) = (1 + x·y)^p.
template <class T>
std::shared_ptr<const Map<T>> polynomial_map(Index inputs, int degree);

/// `plain(degree=p)`: x₁, …, x_d, x₁², x₁x₂, …: all unweighted monomials of degree 1 to p, without
/// the constant (which has no variance), D = C(p+d, d) − 1.
template <class T>
std::shared_ptr<const Map<T>> plain_map(Index inputs, int degree);
/// `plain(degree=p, exactly=yes, constant=yes)`: only the monomials of degree p, or with the
/// constant 1 in front.
struct PlainMapOptions {
  bool exactly = false, constant = false;
};
template <class T>
std::shared_ptr<const Map<T>> plain_map(Index inputs, int degree, const PlainMapOptions& options);

/// `squares`: (x₁², …, x_d²).
template <class T>
std::shared_ptr<const Map<T>> squares_map(Index inputs);

/// φ(x) = (k(x, a₁), …, k(x, a_N)): kernel values at the anchors, which the map stores. Its text
/// form is `kernel`. Throws `Errc::bad_option` if a parameter of the kernel is open, and
/// `Errc::bad_data` if the anchors are outside its domain or are not valid sparse rows.
template <class T>
std::shared_ptr<const Map<T>> kernel_map(Kernel kernel, Matrix<T> anchors);
template <class T>
std::shared_ptr<const Map<T>> kernel_map(Kernel kernel, Csr<T> anchors);

/// `fourier`, random Fourier features: φ(x) = √(2/D)·(cos ω₁·x, sin ω₁·x, cos ω₂·x, …) with D/2
/// frequencies ω drawn so that E φ(x)·φ(y) = k(x, y); φ(x)·φ(x) = k(x, x) exactly. Errors are about
/// 1/√D.
///
///     auto phi = mercer::fourier_map<double>(mercer::kernels::rbf({.gamma = 0.1}), 50, 1024);
///
/// For rbf, laplacian, exponential and matern, and these times a factor. `orthogonal`: frequencies
/// are orthogonal to each other, d at a time, which reduces errors; the laplacian kernel, which is
/// not isotropic, always uses independent ones. The same seed gives the same map on every machine,
/// up to rounding. Throws `Errc::bad_option` for other kernels, for open parameters and for an odd
/// D.
///
/// The map stores its frequencies, and so does a model file: `anchors()`, D/2 × d. Costs N·D·d
/// multiplications and N·D/2 pairs of cosine and sine.
struct FourierMapOptions {
  bool orthogonal = true;
  std::uint64_t seed = default_seed;
  std::size_t memory = 0;  ///< budget in bytes; 0: half of the free memory
};
template <class T>
std::shared_ptr<const Map<T>> fourier_map(const Kernel& kernel, Index inputs, Index features,
                                          const FourierMapOptions& options = {});
/// The same with given frequencies, one per row.
template <class T>
std::shared_ptr<const Map<T>> fourier_map(const Kernel& kernel, Matrix<T> frequencies);

/// `tensorsketch(features=D)`: φ(x)·φ(y) estimates (γ x·y + c)^p without bias, with a variance of
/// at most 3^p/D·((γ‖x‖² + c)(γ‖y‖² + c))^p: the circular convolution of p count sketches of (√γ x,
/// √c) (Pham and Pagh 2013). For linear and poly with c ≥ 0, powers and positive multiples of them
/// (otherwise throws `Errc::bad_option`); D is a power of two, at most 2²⁰.
///
///     auto kernel = mercer::kernels::poly({.degree = 4});
///     auto phi = mercer::tensor_sketch_map<double>(kernel, 50, 1024);
///
/// The map stores its hash functions, and so does a model file: `anchors()`, p × (d + 1), entries
/// ±(bucket + 1). A row costs p additions per entry (stored ones only when sparse) and p/2 + 1
/// Fourier transforms, independent of d^p.
struct TensorSketchMapOptions {
  std::uint64_t seed = default_seed;
  std::size_t memory = 0;  ///< budget in bytes; 0: half of the free memory
};
template <class T>
std::shared_ptr<const Map<T>> tensor_sketch_map(const Kernel& kernel, Index inputs, Index features,
                                                const TensorSketchMapOptions& options = {});
/// The same with given hash functions.
template <class T>
std::shared_ptr<const Map<T>> tensor_sketch_map(const Kernel& kernel, Index features,
                                                Matrix<T> hashes);

/// `precomputed`: x is a row of n kernel values.
template <class T>
std::shared_ptr<const Map<T>> precomputed_map(Index n);

/// `operator`: the n rows of an operator (fit_operator.hpp) of which nothing else is known. A model
/// with this map has scores of those rows only; `apply` throws `Errc::bad_option`.
template <class T>
std::shared_ptr<const Map<T>> operator_map(Index n);

/// Entry in the list of maps: text form, formula, and an example that fits any rows.
struct MapEntry {
  std::string text, formula, example;
};
/// The maps that are defined by their text form (`mercer fit --map`).
std::span<const MapEntry> map_table();

/// A user-defined map: `function` fills the features of one row, and may be called from several
/// threads at once. `name` is letters, digits and `_`. The text form is `function(name)`; a file
/// contains that name and not the function itself, which is passed to `Model::load`
/// (`LoadOptions`).
template <class T>
std::shared_ptr<const Map<T>> function_map(
    std::string name, Index inputs, Index features,
    std::function<void(std::span<const T> x, std::span<T> phi)> function);

}  // namespace mercer
