#pragma once
/// \file
/// Approximate kernel PCA for many rows: features whose inner products approximate the kernel, with
/// an error bound.
///
///     auto model = mercer::fit(x, {.components = 10,
///                                  .kernel = mercer::kernels::rbf(),
///                                  .approx = mercer::Cholesky{.rank = 500}});
///     model.report().approximation->error;                // relative to the trace: exact
///     auto same = mercer::parse_approx("cholesky(rank=500)");
///
/// Cost with N rows of d columns, a kernel value of c flops, and m landmarks or random features, in
/// two to about ten passes over the rows; memory is about 11·m² numbers, for any N:
///
///     m landmarks      2·N·m·c + 2.4·N·m² + 10·m³ flops
///     random features  N·m·d + 1.2·N·m² + 10·m³
///
/// `error` is a limit: a fit whose error (relative to the kernel matrix: the trace norm with
/// landmarks, the Frobenius norm with random features) is larger throws `Errc::not_converged`. 0:
/// no limit.

#include <mercer/matrix.hpp>

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace mercer {

/// How landmarks are selected.
enum class LandmarkChoice {
  uniform,   ///< uniformly at random
  kmeans,    ///< k-means centres of a sample (Zhang, Tsang & Kwok 2008)
  leverage,  ///< rows by their ridge leverage (Alaoui & Mahoney 2015), estimated from a first
             ///< sample
  cholesky,  ///< as in `Cholesky`
};

/// Nyström features: kernel values at landmarks (Williams & Seeger 2001).
struct Nystrom {
  Index landmarks = 1000;
  LandmarkChoice by = LandmarkChoice::uniform;
  double error = 0;
};

/// Randomly pivoted Cholesky: landmarks are drawn sequentially, with probability proportional to
/// the residual diagonal (Chen, Epperly, Tropp & Webber 2022; in blocks with rejection, Epperly,
/// Tropp & Webber 2024).
struct Cholesky {
  Index rank = 0;           ///< 0: determined by the tolerance
  double tolerance = 0.01;  ///< stops at this share of the trace; ignored if there is a rank
  double error = 0;         ///< with a rank: stops at this share of the trace, and must reach it
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

/// `nystrom(landmarks=1000, by=kmeans)`; omitted parameters have their defaults. Throws
/// `Errc::bad_option` with the position.
Approx parse_approx(std::string_view text);

/// Entry in the list of approximations: name, parameters with their defaults, description and an
/// example.
struct ApproxEntry {
  std::string name, parameters, notes, example;
};
std::span<const ApproxEntry> approx_table();

/// Text form, which parses back to the same value.
std::string text_of(const Approx& approx);

/// The largest error that is accepted; 0: any.
double error_limit(const Approx& approx);

}  // namespace mercer
