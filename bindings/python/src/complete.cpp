#include "complete.hpp"

#include <mercer/error.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <utility>

namespace mercer::python {

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
    // Eigenvalues that were not kept share what the others leave of the trace.
    const Report& report = parts.report;
    const double left =
        report.total_variance * (report.weight - report.ddof) - model.eigenvalues().sum();
    const double most = std::max(left, 0.0) + static_cast<double>(have + 1) * certificate.rounding;
    certificate.low.resize(static_cast<std::size_t>(components), 0.0);
    certificate.high.resize(static_cast<std::size_t>(components), most);
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
