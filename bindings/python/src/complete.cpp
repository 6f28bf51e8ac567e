#include "complete.hpp"

#include <mercer/error.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace mercer::python {

namespace {

/// The largest that an eigenvalue beyond the first `have` can be.
template <class T>
double most_of_the_rest(const Model<T>& model, Index have) {
  const Report& r = model.report();
  // N rows have rank N at most, and one less about their mean.
  if (r.n_samples > 0 && r.n_samples - (r.centered ? 1 : 0) <= have) return 0;
  // What the others leave of the computed trace holds it, up to the errors of these: residuals, and
  // what a dense solver and the sums round. The distance from the exact matrix counts once (Weyl).
  const double total = r.total_variance * (r.weight - r.ddof);
  const double left = std::max(total - model.eigenvalues().sum(), 0.0);  // none is negative
  const auto d = static_cast<double>(model.map().features()), count = static_cast<double>(have + 1);
  const std::vector<double>& residuals = r.solver.residuals;
  const double computed =
      have > 0 ? model.eigenvalues()[0] * std::accumulate(residuals.begin(), residuals.end(), 0.0) +
                     count * (8 * d + 32) * std::numeric_limits<double>::epsilon() / 2 * total
               : 0.0;
  const double rounding = r.certificate.rounding;
  return left + std::min(count * rounding, rounding + computed);
}

}  // namespace

template <class T>
Model<T> with_components(const Model<T>& model, Index components) {
  const Index have = model.outputs(), d = model.map().features(), more = components - have;
  if (more == 0) return model;
  if (components < 1 || components > d)
    throw Error(Errc::bad_option, "a model has between 1 and as many components as features");
  ModelParts<T> parts = model.parts();
  parts.components.conservativeResize(components, Eigen::NoChange);
  parts.eigenvalues.conservativeResize(components);
  if (!parts.report.solver.residuals.empty())
    parts.report.solver.residuals.resize(static_cast<std::size_t>(components), 0.0);
  Certificate& certificate = parts.report.certificate;
  if (!certificate.low.empty()) {
    certificate.low.resize(static_cast<std::size_t>(components), 0.0);
    certificate.high.resize(static_cast<std::size_t>(components), most_of_the_rest(model, have));
  }
  if (more > 0) {
    // The first columns of Q span the rows of B, the others what is orthogonal to them.
    const Eigen::MatrixXd b = model.components().template cast<double>().transpose();
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(b);
    const Eigen::MatrixXd rest =
        qr.householderQ() * Eigen::MatrixXd::Identity(d, components).rightCols(more);
    parts.components.bottomRows(more) = rest.transpose().cast<T>();
    parts.eigenvalues.tail(more).setZero();
  }
  return Model<T>(std::move(parts));
}

template Model<float> with_components(const Model<float>&, Index);
template Model<double> with_components(const Model<double>&, Index);

}  // namespace mercer::python
