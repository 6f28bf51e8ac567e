#pragma once
/// \file
/// Kernel PCA of more rows than N² allows: features whose inner products come near the kernel, and
/// how near they come.
///
///     auto model = mercer::fit(x, {.components = 10,
///                                  .kernel = mercer::kernels::rbf(),
///                                  .approx = mercer::Cholesky{.rank = 500}});
///     model.report().approximation->error;                // of the kernel's trace: exact
///     auto same = mercer::parse_approx("cholesky(rank=500)");
///
/// Cost with N rows and m landmarks or features: N·m kernel values and 1 to 2.5·N·m² flops, in two
/// to about ten passes over the rows; memory some 11·m² numbers, whatever N.
///
/// `error` is a limit in each: a fit whose error (relative to the kernel matrix: the trace norm
/// with landmarks, the Frobenius norm with random features) is larger is refused with
/// `Errc::not_converged`. 0: none.

#include <mercer/matrix.hpp>

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace mercer {

/// Where landmarks come from.
enum class LandmarkChoice {
  uniform,   ///< any row as likely as any other
  kmeans,    ///< centres of clusters of a sample (Zhang, Tsang & Kwok 2008)
  leverage,  ///< rows by their ridge leverage (Alaoui & Mahoney 2015), estimated from a first draw
  cholesky,  ///< as in `Cholesky`
};

/// Similarities to landmarks (Williams & Seeger 2001).
struct Nystrom {
  Index landmarks = 1000;
  LandmarkChoice by = LandmarkChoice::uniform;
  double error = 0;
};

/// Randomly pivoted Cholesky: landmarks one after the other, each row as likely as what the others
/// leave unexplained of it (Chen, Epperly, Tropp & Webber 2022; in blocks with rejection, Epperly,
/// Tropp & Webber 2024).
struct Cholesky {
  Index rank = 0;  ///< 0: as many as the tolerance asks for
  double tolerance =
      0.01;          ///< stops at this share of the trace; not looked at when there is a rank
  double error = 0;  ///< with a rank: stops at this share of the trace, and must reach it
};

/// Random Fourier features (Rahimi & Recht 2007; orthogonal: Yu et al. 2016): rbf, laplacian,
/// exponential, matern.
struct Fourier {
  Index features = 2000;
  bool orthogonal = true;
  double error = 0;
};

/// Sketches of polynomial kernels (Pham & Pagh 2013).
struct TensorSketch {
  Index features = 2048;
  double error = 0;
};

using Approx = std::variant<Nystrom, Cholesky, Fourier, TensorSketch>;

/// `nystrom(landmarks=1000, by=kmeans)`, `cholesky(tolerance=0.01)`, `fourier(features=2000,
/// orthogonal=no)`, `tensorsketch(features=2048)`, each with an `error=0.05`; what is left out has
/// its default.
/// Throws `Errc::bad_option` with the position.
Approx parse_approx(std::string_view text);

/// What a list of approximations shows of one: name, parameters with their defaults, what it
/// computes, and an example.
struct ApproxEntry {
  std::string name, parameters, notes, example;
};
std::span<const ApproxEntry> approx_table();

/// Parses back to the same.
std::string text_of(const Approx& approx);

/// The largest error that is accepted; 0: any.
double error_limit(const Approx& approx);

}  // namespace mercer
