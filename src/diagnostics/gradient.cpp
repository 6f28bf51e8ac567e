#include <mercer/gradient.hpp>

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "diagnostics/mapped_rows.hpp"
#include "kernels/node.hpp"
#include "linalg/blas.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace mercer {

namespace {

/// Anchors that are made dense at a time: so many numbers.
constexpr Index most_numbers = Index{1} << 16;

/// The kernel whose derivative is known by its formula; nothing for explicit maps and for functions
/// of a program.
std::optional<Kernel> known_kernel(const Map<double>& map) {
  if (map.space() != Space::kernel || map.kernel().find("function(") != std::string::npos)
    return {};
  return Kernel::parse(map.kernel());
}

[[noreturn]] void refuse_edge(Index row, Index column, const std::string& what) {
  fail(Errc::bad_data,
       "row {} has no gradient in column {}: it is on the boundary of the domain of {}", row + 1,
       column + 1, what);
}

/// Σ_i b_i ∂k(z, a_i)/∂z at every row of z.
Matrix<double> kernel_gradient(const Kernel& kernel, const Rows<double>& anchors,
                               const Eigen::RowVectorXd& weights, const Matrix<double>& z,
                               const RunOptions& options) {
  const Index d = z.cols();
  if (kernel.node()->needs_nonnegative())
    for (Index i = 0; i < z.rows(); ++i)
      for (Index j = 0; j < d; ++j)
        if (z(i, j) == 0) refuse_edge(i, j, kernel.text());
  Matrix<double> out = Matrix<double>::Zero(z.rows(), d);
  const Index step = std::max<Index>(1, most_numbers / d);
  const auto size = static_cast<std::size_t>(d);
  Matrix<double> some(std::min(step, anchors.rows()), d);
  SharedReporter report(options.monitor, "gradient", "pairs",
                        static_cast<double>(anchors.rows()) * static_cast<double>(z.rows()));
  for (Index first = 0; first < anchors.rows(); first += step) {
    const Index n = std::min(step, anchors.rows() - first);
    identity_map<double>(d)->apply(anchors.middle(first, n), some.topRows(n));
    parallel_for(z.rows(), options.threads, [&](Index i) {
      Vector<double> slope(d);
      for (Index a = 0; a < n; ++a) {
        kernel.node()->gradient({z.row(i).data(), size}, {some.row(a).data(), size},
                                {slope.data(), size});
        out.row(i) += weights[first + a] * slope.transpose();
      }
      report.add(static_cast<double>(n));
    });
  }
  for (Index i = 0; i < z.rows(); ++i)
    if (out.row(i).array().isNaN().any() && !(z.row(i).squaredNorm() > 0))
      refuse_edge(i, 0, kernel.text());  // the direction of a row of zeros
  return out;
}

/// No feature moves by more than this share of the largest within a step.
constexpr double most_move = 0.05;
constexpr int most_halvings = 200;
/// Steps h, h/2, …, from which the derivative at h = 0 is extrapolated.
constexpr Index levels = 4;

/// Features made at a time: columns are taken together as far as these are few.
constexpr Index most_features = Index{1} << 20;

/// y_c and φ around one row of z-scores.
class Neighbourhood {
 public:
  Neighbourhood(const Map<double>& map, const Eigen::RowVectorXd& weights, const double* z)
      : map_(map), weights_(weights), z_(Eigen::Map<const Eigen::RowVectorXd>(z, map.inputs())) {
    centre_ = features(z_);
  }

  /// ∂y/∂z, from steps that begin with these. Rows are numbered in messages.
  Vector<double> slopes(Vector<double> steps, Index row) const {
    Vector<double> out(z_.size());
    const Index most = std::max<Index>(1, most_features / (2 * map_.features()));
    for (Index first = 0; first < z_.size(); first += most) {
      std::vector<Index> columns;
      for (Index j = first; j < std::min(first + most, z_.size()); ++j) columns.push_back(j);
      shorten(columns, steps, row);
      extrapolate(columns, steps, out);
    }
    return out;
  }

 private:
  using Columns = std::vector<Index>;

  Matrix<double> features(const Matrix<double>& rows) const {
    Matrix<double> out(rows.rows(), map_.features());
    map_.apply(Rows<double>(rows), out);
    return out;
  }

  /// Two rows per column: a step ahead and a step back.
  Matrix<double> pairs(const Columns& columns, const Vector<double>& steps) const {
    Matrix<double> rows = z_.replicate(2 * static_cast<Index>(columns.size()), 1);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Index j = columns[i], at = 2 * static_cast<Index>(i);
      rows(at, j) += steps[j];
      rows(at + 1, j) -= steps[j];
    }
    return rows;
  }

  bool inside(const Matrix<double>& rows) const {
    try {
      map_.require_domain(Rows<double>(rows), 0);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  /// Are these features all near those of the row itself?
  bool near(const Eigen::Ref<const Matrix<double>>& phi) const {
    if (!phi.allFinite()) return false;
    const double largest = std::max(phi.cwiseAbs().maxCoeff(), centre_.cwiseAbs().maxCoeff());
    return (phi.rowwise() - centre_.row(0)).cwiseAbs().maxCoeff() <= most_move * largest;
  }

  /// Halves steps until no feature moves far.
  void shorten(Columns columns, Vector<double>& steps, Index row) const {
    for (int i = 0; i < most_halvings && !columns.empty(); ++i) {
      const Matrix<double> rows = pairs(columns, steps);
      const bool all_inside = inside(rows);
      const Matrix<double> phi = all_inside ? features(rows) : Matrix<double>();
      Columns longer;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const Index j = columns[c], at = 2 * static_cast<Index>(c);
        const Matrix<double> pair = rows.middleRows(at, 2);
        const bool moves = pair(0, j) != z_[j] && pair(1, j) != z_[j];
        const bool fits = moves && (all_inside ? near(phi.middleRows(at, 2))
                                               : inside(pair) && near(features(pair)));
        if (fits) continue;
        steps[j] /= 2;
        longer.push_back(j);
      }
      columns = std::move(longer);
    }
    if (columns.empty()) return;
    refuse_edge(row, columns[0], map_.kernel().empty() ? map_.text() : map_.kernel());
  }

  /// Neville's scheme in h²: each level takes two more orders off.
  void extrapolate(const Columns& columns, Vector<double> steps, Vector<double>& out) const {
    Matrix<double> d(levels, static_cast<Index>(columns.size()));
    for (Index level = 0; level < levels; ++level, steps /= 2) {
      const Matrix<double> rows = pairs(columns, steps), phi = features(rows);
      for (Index c = 0; c < d.cols(); ++c) {
        const Index j = columns[static_cast<std::size_t>(c)];
        // The difference first: what the two sides share is not to be rounded.
        d(level, c) = (phi.row(2 * c) - phi.row(2 * c + 1)).dot(weights_) /
                      (rows(2 * c, j) - rows(2 * c + 1, j));
      }
    }
    double power = 1;
    for (Index order = 1; order < levels; ++order) {
      power *= 4;
      for (Index i = levels - 1; i >= order; --i)
        d.row(i) += (d.row(i) - d.row(i - 1)) / (power - 1);
    }
    for (Index c = 0; c < d.cols(); ++c)
      out[columns[static_cast<std::size_t>(c)]] = d(levels - 1, c);
  }

  const Map<double>& map_;
  const Eigen::RowVectorXd& weights_;
  Eigen::RowVectorXd z_;
  Matrix<double> centre_;
};

/// The length that a step begins with: that of what the map has seen, or of the point itself.
Vector<double> first_steps(const Map<double>& map, const Matrix<double>& z) {
  Vector<double> steps = z.cwiseAbs().colwise().maxCoeff().transpose();
  if (const Rows<double> anchors = map.anchors(); map.space() == Space::kernel) {
    const Index step = std::max<Index>(1, 4096 / std::max<Index>(1, map.inputs()));
    Matrix<double> some(std::min(step, anchors.rows()), map.inputs());
    for (Index first = 0; first < anchors.rows(); first += step) {
      const Index n = std::min(step, anchors.rows() - first);
      identity_map<double>(map.inputs())->apply(anchors.middle(first, n), some.topRows(n));
      steps = steps.cwiseMax(some.topRows(n).cwiseAbs().colwise().maxCoeff().transpose());
    }
  }
  for (Index j = 0; j < steps.size(); ++j)
    if (!(steps[j] > 0)) steps[j] = 1;
  return steps;
}

Matrix<double> mapped_gradient(const Model<double>& model, const Rows<double>& x, Index component,
                               const RunOptions& options) {
  Matrix<double> buffer;
  const Rows<double> given = map_inputs(model, x, Missing::error, 0, buffer);
  Matrix<double> z(x.rows(), x.cols());
  identity_map<double>(x.cols())->apply(given, z);
  const Eigen::RowVectorXd weights = model.components().row(component);
  Matrix<double> out(x.rows(), x.cols());
  const BlasThreads one(1);
  model.map().require_domain(Rows<double>(z), 0);
  if (const std::optional<Kernel> kernel = known_kernel(model.map())) {
    out = kernel_gradient(*kernel, model.map().anchors(), weights, z, options);
  } else {
    const Vector<double> steps = first_steps(model.map(), z);
    SharedReporter report(options.monitor, "gradient", "rows", static_cast<double>(x.rows()));
    parallel_for(x.rows(), options.threads, [&](Index i) {
      const Neighbourhood around(model.map(), weights, z.row(i).data());
      out.row(i) = around.slopes(steps / 8, i).transpose();
      report.add(1);
    });
  }
  if (model.scale().size() > 0) out.array().rowwise() /= model.scale().transpose().array();
  require(out.allFinite(), Errc::bad_data, "a gradient overflows");
  return out;
}

}  // namespace

template <class T>
Matrix<double> gradient(const Model<T>& model, const Rows<std::type_identity_t<T>>& x,
                        Index component, const RunOptions& options) {
  require(model.map().space() != Space::precomputed, Errc::bad_option,
          "the model was fitted to a kernel matrix: it has no input columns");
  require(component >= 0 && component < model.outputs(), Errc::bad_option,
          "there is no component {}: the model has {}", component + 1, model.outputs());
  require(x.cols() == model.inputs(), Errc::bad_data,
          "rows have {} columns, the model was fitted to {}", x.cols(), model.inputs());
  if (model.map().is_identity()) {
    Eigen::RowVectorXd b = model.components().row(component).template cast<double>();
    if (model.scale().size() > 0)
      b.array() /= model.scale().template cast<double>().transpose().array();
    return b.replicate(x.rows(), 1);
  }
  if constexpr (std::is_same_v<T, double>) {
    return mapped_gradient(model, x, component, options);
  } else {
    require(!model.map().text().starts_with("function"), Errc::bad_option,
            "the gradient of a user-defined function needs a model in double precision");
    const Model<double> precise = Model<double>::deserialize(model.serialize());
    Matrix<T> dense(x.rows(), x.cols());
    identity_map<T>(x.cols())->apply(x, dense);
    const Matrix<double> rows = dense.template cast<double>();
    return mapped_gradient(precise, rows, component, options);
  }
}

template Matrix<double> gradient(const Model<float>&, const Rows<float>&, Index, const RunOptions&);
template Matrix<double> gradient(const Model<double>&, const Rows<double>&, Index,
                                 const RunOptions&);

}  // namespace mercer
