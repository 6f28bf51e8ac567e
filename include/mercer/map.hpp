#pragma once
/// \file
/// `Map<T>`: the φ of every model y = B (φ(x) − m).
///
///     auto phi = mercer::identity_map<double>(4);      // linear PCA
///     mercer::Matrix<double> f(x.rows(), phi->features());
///     phi->apply(x, f);                                // f = φ(x), one row a sample
///
/// Linear PCA uses the identity; kernels, feature maps and random features are other maps. A new
/// map is one new file and a row in the table that reads it back from a model file.
///
///     auto conics = mercer::monomial_map<double>(2, 2);      // (x₁², √2·x₁x₂, x₂²)
///     auto radius = mercer::function_map<double>("radius", 2, 1, [](auto x, auto f) {
///       f[0] = std::hypot(x[0], x[1]);                       // a map of your own
///     });
///
///     auto sections = mercer::kernel_map(mercer::kernels::rbf({.gamma = 0.1}), anchors);
///                                                            // (k(x, a₁), …, k(x, a_N))
///
/// Explicit maps cost N·D to apply and PCA then N·D² or N²·D, so D, which grows like d^degree, is
/// what decides; `features()` is known before anything of that size is allocated.

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

/// Where the components of a model live: what they are combinations of.
enum class Space {
  input,       ///< columns of x
  features,    ///< explicit features of x
  kernel,      ///< similarities of x to the anchors
  precomputed  ///< similarities that were computed elsewhere
};

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

  /// The numbers that a model file holds of φ: the rows that x is compared with (`Space::kernel`),
  /// or what was drawn at random; none for most maps.
  virtual Rows<T> anchors() const { return {}; }
  /// The text of the kernel that φ evaluates or approximates; empty for most maps.
  virtual std::string kernel() const { return {}; }

  /// Names of φ₁ … φ_D, given those of the inputs: `x1^2`, `x1·x2`. By default f1 … fD.
  virtual std::vector<std::string> feature_names(const std::vector<std::string>& inputs) const;

  /// Throws `Errc::bad_data` naming the first entry that φ is not made for; rows are numbered from
  /// `first` + 1.
  virtual void require_domain(const Rows<T>& /*x*/, Index /*first*/) const {}

  /// out = φ(x), x.rows() × features(). Single-threaded: callers split rows over threads.
  virtual void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const = 0;

  /// How many features are best made at a time: all of them, unless each can be made by itself.
  virtual Index strip() const { return features(); }
  /// out = features `first` … `first` + out.cols() − 1 of φ(x). Maps with a smaller `strip()` can
  /// do any of them; the others only the whole.
  virtual void apply_strip(const Rows<T>& x, Index first, Eigen::Ref<Matrix<T>> out) const;

  /// Features back into x, where they can be read off: φ holds x itself, or its squares. `x` comes
  /// with a guess, which decides between several x of the same features. False: they cannot, and x
  /// is as it was.
  virtual bool decode(const MatrixRef<T>& /*features*/, Eigen::Ref<Matrix<T>> /*x*/) const {
    return false;
  }

  /// When φ is a linear function of a map that model files can name: that function; a model is then
  /// made of the other map. Null for most maps.
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

/// `plain(degree=p)`: x₁, …, x_d, x₁², x₁x₂, …: all monomials of degree 1 to p as they are, without
/// the constant (which has no variance), D = C(p+d, d) − 1.
template <class T>
std::shared_ptr<const Map<T>> plain_map(Index inputs, int degree);

/// `squares`: (x₁², …, x_d²).
template <class T>
std::shared_ptr<const Map<T>> squares_map(Index inputs);

/// φ(x) = (k(x, a₁), …, k(x, a_N)): similarities to the anchors, which the map keeps. Its text form
/// is `kernel`. Refused while the kernel leaves a parameter to the data (`Errc::bad_option`), and
/// when the anchors are outside its domain or no sparse rows (`Errc::bad_data`).
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
/// are orthogonal to each other, d at a time, which makes errors smaller; the laplacian kernel,
/// which is not the same in all directions, has independent ones always. The same seed gives the
/// same map on every machine, up to rounding. Refused (`Errc::bad_option`): other kernels, those
/// that leave a parameter to the data, and an odd D.
///
/// The map keeps its frequencies, and a model file holds them: `anchors()`, D/2 × d. `memory`:
/// bytes that they may take; 0: half of what is free.
/// Costs N·D·d multiplications and N·D/2 pairs of cosine and sine.
template <class T>
std::shared_ptr<const Map<T>> fourier_map(const Kernel& kernel, Index inputs, Index features,
                                          bool orthogonal = true, std::uint64_t seed = default_seed,
                                          std::size_t memory = 0);
/// The same with frequencies of your own, one a row.
template <class T>
std::shared_ptr<const Map<T>> fourier_map(const Kernel& kernel, Matrix<T> frequencies);

/// `tensorsketch(features=D)`: φ(x)·φ(y) estimates (γ x·y + c)^p without bias, with a variance of
/// at most 3^p/D·((γ‖x‖² + c)(γ‖y‖² + c))^p: the circular convolution of p count sketches of (√γ x,
/// √c) (Pham and Pagh 2013). For linear and poly with c ≥ 0, powers and positive multiples of them
/// (otherwise refused, `Errc::bad_option`); D is a power of two, at most 2²⁰.
///
///     auto kernel = mercer::kernels::poly({.degree = 4});
///     auto phi = mercer::tensor_sketch_map<double>(kernel, 50, 1024);
///
/// The map keeps its hash functions, and a model file holds them: `anchors()`, p × (d + 1), entries
/// ±(bucket + 1); `memory` as above. A row costs p additions an entry (stored ones only when
/// sparse) and p/2 + 1 Fourier transforms, whatever d^p is.
template <class T>
std::shared_ptr<const Map<T>> tensor_sketch_map(const Kernel& kernel, Index inputs, Index features,
                                                std::uint64_t seed = default_seed,
                                                std::size_t memory = 0);
/// The same with hash functions of your own.
template <class T>
std::shared_ptr<const Map<T>> tensor_sketch_map(const Kernel& kernel, Index features,
                                                Matrix<T> hashes);

/// `precomputed`: x is the row of n similarities itself.
template <class T>
std::shared_ptr<const Map<T>> precomputed_map(Index n);

/// What a list of maps shows of one: text form, formula, and an example that fits any rows.
struct MapEntry {
  std::string text, formula, example;
};
/// The maps that text alone describes (`mercer fit --map`).
std::span<const MapEntry> map_table();

/// A map of your own: `function` fills the features of one row, and may be called from several
/// threads at once. `name` is letters, digits and `_`. The text form is `function(name)`; a file
/// cannot hold the function itself, so a model with such a map is of use to your program only.
template <class T>
std::shared_ptr<const Map<T>> function_map(
    std::string name, Index inputs, Index features,
    std::function<void(std::span<const T> x, std::span<T> phi)> function);

}  // namespace mercer
