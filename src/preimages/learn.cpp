#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "kernels/row.hpp"
#include "linalg/blas.hpp"
#include "preimages/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// Rows from which the usual distance of pre-images from P, and its limit, are estimated.
constexpr Index looked_at = 256;
constexpr double slack = 1.1;

void validate(const PreImageOptions& o) {
  const auto check = [](bool holds, const char* name, double value, const char* bound) {
    require(holds, Errc::bad_option, "pre-images: `{}={}` must be {}", name, value, bound);
  };
  check(o.alpha >= 0 && std::isfinite(o.alpha), "alpha", o.alpha, "0 or a positive number");
  check(o.penalty >= 0 && std::isfinite(o.penalty), "penalty", o.penalty, "0 or more");
  check(o.tolerance > 0, "tolerance", o.tolerance, "greater than 0");
  check(o.iterations >= 1, "iterations", o.iterations, "at least 1");
  check(o.neighbours >= 2, "neighbours", static_cast<double>(o.neighbours), "at least 2");
  check(o.rows == 0 || o.rows >= 2, "rows", static_cast<double>(o.rows), "0 or at least 2");
}

/// The 99.9 % quantile of χ² with k degrees of freedom (Wilson & Hilferty 1931).
double chi_squared_limit(Index k) {
  const double degrees = static_cast<double>(k), part = 2 / (9 * degrees);
  return degrees * std::pow(1 - part + 3.0902 * std::sqrt(part), 3);
}

/// At most `most` rows, evenly spaced, dense.
template <class T>
Matrix<T> even_rows(const Rows<T>& all, Index most) {
  const Index count = std::min(all.rows(), most);
  require(static_cast<double>(count) * static_cast<double>(all.cols()) < 1e9, Errc::out_of_memory,
          "pre-images: {} rows of {} columns do not fit in memory; use fewer", count, all.cols());
  const auto copy = identity_map<T>(all.cols());
  Matrix<T> out(count, all.cols());
  for (Index i = 0; i < count; ++i)
    copy->apply(all.middle(i * all.rows() / count, 1), out.middleRows(i, 1));
  return out;
}

/// The kernel between rows that φ stands for, when it has one.
template <class T>
std::optional<Kernel> kernel_of(const Map<T>& map) {
  const std::string text = map.kernel();
  if (text.empty() || text.starts_with("function(")) return {};
  return Kernel::parse(text);
}

}  // namespace

template <class T>
Decoder<T>::Parts::Parts(const Model<T>& from, const PreImageOptions& how)
    : model(from), options(how), method(how.method) {
  validate(options);
  choose_method();
  const bool linear = model.map().is_identity();
  if (!linear) {
    const BlasThreads one(1);
    space.emplace(model, options.threads);
    learn();
  }
  limits.t_squared = chi_squared_limit(model.outputs());
  if (!learned) return;
  limits.t_squared = slack * t_squared(learned->images.scores).maxCoeff();
  const Index n = learned->z.rows(), count = std::min(n, looked_at);
  Matrix<T> some(count, model.outputs());
  for (Index i = 0; i < count; ++i)
    some.row(i) = learned->images.scores.row(i * n / count).template cast<T>();
  constexpr Index step = 64;
  Vector<double> all(count);
  const BlasThreads one(1);
  SharedReporter report(options.monitor, "pre-images", "rows", static_cast<double>(count));
  parallel_for((count + step - 1) / step, options.threads, [&](Index block) {
    const Index first = block * step, size = std::min(step, count - first);
    const FeaturePoints points = space->points(some.middleRows(first, size));
    std::vector<std::uint8_t> converged;
    all.segment(first, size) = distances(decoded(points, nullptr, converged), points);
    report.add(static_cast<double>(size));
  });
  limits.distance = slack * all.maxCoeff() + std::sqrt(std::numeric_limits<T>::epsilon());
}

template <class T>
void Decoder<T>::Parts::choose_method() {
  const Map<T>& map = model.map();
  require(map.space() != Space::precomputed, Errc::bad_option,
          "a model of a kernel matrix has no pre-images: it does not contain the rows");
  const bool kernels = map.space() == Space::kernel;
  const std::optional<Kernel> kernel = kernel_of(map);
  if (kernel) {
    gaussian = kernel->node()->gaussian();
    nonnegative = kernel->node()->needs_nonnegative();
  }
  const std::optional<Polynomial> polynomial =
      kernels && kernel ? kernel->node()->polynomial() : std::nullopt;
  const bool linear = polynomial && polynomial->degree == 1;
  Matrix<T> none(0, map.inputs());
  const bool holds_x = kernels ? linear || (polynomial && polynomial->coef0 > 0)
                               : map.decode(Matrix<T>(0, map.features()), none);
  const std::string what = kernel ? kernel->text() : map.text();
  if (method == PreImageMethod::automatic) {
    method = (kernels ? linear : holds_x) ? PreImageMethod::exact
             : kernels && gaussian        ? PreImageMethod::fixed_point
                                          : PreImageMethod::ridge;
    if (method == PreImageMethod::ridge)
      why = gaussian ? "the fixed point takes a kernel and its anchors, not random features"
                     : fmt::format("the fixed point is for Gaussian kernels, not for {}", what);
  }
  require(method != PreImageMethod::exact || holds_x, Errc::bad_option,
          "{} has no exact inverse: most points of its feature space are not the image of any row; "
          "use ridge",
          what);
  require(
      method != PreImageMethod::fixed_point || (kernels && gaussian), Errc::bad_option,
      "the fixed point is for models of Gaussian kernels (rbf) and their anchors, not for {} {}; "
      "use ridge",
      kernels ? "the kernel" : map.text(), kernel ? kernel->text() : "");
  if (method == PreImageMethod::distances) {
    require(kernel && kernel->node()->radial(), Errc::bad_option,
            "distances needs a kernel that decreases with |x - y| ({}), not {}; use ridge",
            radial_kernels(), what);
    input_distances.emplace(*kernel);
  }
  require(options.start == PreImageStart::ridge || method == PreImageMethod::fixed_point,
          Errc::bad_option, "only the fixed point can start from rows, not {}", name_of(method));
  const bool has_rows = kernels || model.rows().rows() > 0;
  require(method == PreImageMethod::exact || (has_rows && !map.is_identity()), Errc::bad_option,
          "{}",
          map.is_identity()
              ? "a linear model has exact pre-images, and stores no rows for other methods"
              : "the model stores no rows for pre-images; fit it with `keep_rows=1000`");
}

template <class T>
void Decoder<T>::Parts::learn() {
  const Map<T>& map = model.map();
  const bool kernels = map.space() == Space::kernel;
  const Rows<T> kept = model.rows().rows() > 0 ? Rows<T>(model.rows())
                       : kernels               ? map.anchors()
                                               : Rows<T>();
  if (kept.rows() > 0) {
    const Index most = options.rows > 0                      ? options.rows
                       : method == PreImageMethod::distances ? 4000
                                                             : 1000;
    const Matrix<T> z = even_rows(kept, most);
    std::optional<RowImages> known;
    if (model.rows().rows() == 0) known = space->known(z);
    learned.emplace(LearnedRows{z.template cast<double>(),
                                known ? *std::move(known) : space->see(z, options.threads)});
    // Where features are read off, the map says which of several rows is meant.
    if (method != PreImageMethod::distances && !(method == PreImageMethod::exact && kernels))
      ridge.emplace(learned->images.scores, learned->z, options);
  }
  const bool uses_anchors =
      method == PreImageMethod::fixed_point || (method == PreImageMethod::exact && kernels);
  if (!uses_anchors) return;
  fixed_point.anchors = even_rows(map.anchors(), map.anchors().rows()).template cast<double>();
  fixed_point.penalty = options.penalty;
  fixed_point.tolerance = options.tolerance;
  fixed_point.iterations = options.iterations;
  if (gaussian) fixed_point.gamma = gaussian->gamma;
}

template <class T>
Vector<double> Decoder<T>::Parts::t_squared(const Matrix<double>& scores) const {
  Vector<double> precision = model.explained_variance();
  for (double& v : precision) v = v > 0 ? 1 / v : 0;
  return scores.array().square().matrix() * precision;
}

template struct Decoder<float>::Parts;
template struct Decoder<double>::Parts;

}  // namespace mercer
