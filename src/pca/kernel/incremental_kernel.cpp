#include <mercer/incremental_kernel.hpp>

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "data/finite.hpp"
#include "model/parts.hpp"
#include "pca/kernel/approximate.hpp"
#include "pca/kernel/moved_rows.hpp"
#include "pca/model_of.hpp"
#include "pca/validate.hpp"
#include "pca/weight_scale.hpp"

#include <cmath>
#include <optional>

namespace mercer {

template <class T>
struct IncrementalKernelPca<T>::State {
  FitOptions options;
  Index first_rows;
  RowList<T> first;  // until the features are fixed
  std::vector<double> weights;
  bool weighted = false;
  Index columns;
  std::int64_t seen = 0;
  Standard standard;
  bool changes = false;  // rows, by `standard`
  std::optional<FeatureSums<T>> sums;
  int exponent = 0;  // sums are of w·2^-exponent

  const double* weights_of_first() const { return weighted ? weights.data() : nullptr; }

  void keep(const Rows<T>& rows, const double* w) {
    if (first.size() == 0) first = RowList<T>(columns, rows.sparse());
    for (Index i = 0; i < rows.rows(); ++i) {
      first.push_back(sampled(rows, i));
      weights.push_back(w ? w[i] : 1.0);
    }
  }

  void fix() {
    Passes<T> passes(first.rows(), weights_of_first(), options.monitor);
    standard = find_standard(passes, options);
    exponent = weight_exponent(passes.weight());
    if (exponent != 0) passes.scale_weights(-exponent);
    options.approx = for_rows(*options.approx, first.size());
    const bool moved = move_to_mean(passes, standard, options);
    changes = moved || changes_rows(options);
    SeenRows<T> rows(passes, changes ? &standard : nullptr, options);
    FeatureChoice<T> space =
        choose_features(rows, *options.approx, static_cast<double>(options.memory));
    if (moved) space.centring = centring_error<T>();
    space.cells = cell_error<T>(standard);
    sums.emplace(std::move(space), options.threads, options.monitor);
    rows.run("features",
             [&](const Rows<T>& piece, const double* w, std::int64_t) { sums->add(piece, w); });
    first = RowList<T>(columns, false);
    weights = {};
  }

  void sum(const Rows<T>& rows, const double* w) {
    std::vector<double> near_one;
    if (w && exponent != 0) {
      for (Index i = 0; i < rows.rows(); ++i) near_one.push_back(std::ldexp(w[i], -exponent));
      w = near_one.data();
    }
    if (!changes) return sums->add(rows, w);
    const Matrix<T> seen_as = standard(rows);
    sums->add(Rows<T>(seen_as), w);
  }
};

template <class T>
IncrementalKernelPca<T>::IncrementalKernelPca(Index columns, FitOptions options, Index first_rows) {
  validate(options);
  require(options.kernel && options.approx, Errc::bad_option,
          "incremental kernel PCA needs a kernel and an approximation");
  require(
      options.missing == Missing::error, Errc::bad_option,
      "incremental kernel PCA does not support missing values: the mean is not known in advance");
  require(columns > 0 && first_rows > 1, Errc::bad_option,
          "{} columns and {} first rows; both must be positive", columns, first_rows);
  state_ = std::make_unique<State>(State{settled(std::move(options)),
                                         first_rows,
                                         RowList<T>(columns, false),
                                         {},
                                         false,
                                         columns,
                                         0,
                                         {},
                                         false,
                                         {}});
}

template <class T>
IncrementalKernelPca<T>::~IncrementalKernelPca() = default;
template <class T>
IncrementalKernelPca<T>::IncrementalKernelPca(IncrementalKernelPca&&) noexcept = default;
template <class T>
IncrementalKernelPca<T>& IncrementalKernelPca<T>::operator=(IncrementalKernelPca&&) noexcept =
    default;

template <class T>
void IncrementalKernelPca<T>::update(const Rows<T>& rows, Weights given) {
  const double* weights = weights_of(given, rows.rows());
  State& s = *state_;
  require(rows.cols() == s.columns, Errc::bad_data, "rows have {} columns, not {}", rows.cols(),
          s.columns);
  require_finite(rows, false);
  require_weights(weights, rows.rows());
  s.options.kernel->require_domain(rows, static_cast<Index>(s.seen));
  s.seen += rows.rows();
  s.weighted = s.weighted || weights != nullptr;
  Index kept = 0;
  if (!s.sums) {
    kept = std::min(rows.rows(), s.first_rows - s.first.size());
    s.keep(rows.middle(0, kept), weights);
    if (s.first.size() == s.first_rows) s.fix();
  }
  constexpr double work = 1e6;  // flops per row: features and their products
  in_pieces(rows.rows() - kept, work, s.options.monitor, "features", [&](Index from, Index count) {
    s.sum(rows.middle(kept + from, count), weights ? weights + kept + from : nullptr);
  });
}

template <class T>
Model<T> IncrementalKernelPca<T>::model() const {
  const State& s = *state_;
  if (!s.sums)
    return fit(s.first.rows(), s.options, as_weights(s.weights_of_first(), s.first.rows().rows()));
  FitOptions options = s.options;
  if (s.exponent != 0) options.ddof = 0;
  ModelParts<T> parts = parts_of(*s.sums, *options.approx, options);
  if (s.exponent != 0) restore_weights(parts, s.exponent, s.options.ddof);
  store(s.standard, parts);
  require_representable(parts);
  parts.report.weighted = s.weighted;
  parts.report.solver.passes = 1;
  parts.report.solver.why = fmt::format("features determined from the first {} rows", s.first_rows);
  return Model<T>(std::move(parts));
}

template <class T>
bool IncrementalKernelPca<T>::fixed() const {
  return state_->sums.has_value();
}

template <class T>
std::int64_t IncrementalKernelPca<T>::rows() const {
  return state_->seen;
}

template class IncrementalKernelPca<float>;
template class IncrementalKernelPca<double>;

}  // namespace mercer
