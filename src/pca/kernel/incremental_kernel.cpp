#include <mercer/incremental_kernel.hpp>

#include "core/require.hpp"
#include "pca/kernel/approximate.hpp"
#include "pca/kernel/moved_rows.hpp"
#include "pca/model_of.hpp"
#include "pca/validate.hpp"

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
    standard = seen_standard(find_standard(passes, options), options);
    options.approx = for_rows(*options.approx, first.size());
    const bool moved = move_to_mean(passes, standard, options);
    changes = moved || changes_rows(options);
    SeenRows<T> rows(passes, changes ? &standard : nullptr, options);
    FeatureSpace<T> space =
        choose_features(rows, *options.approx, static_cast<double>(options.memory));
    if (moved) space.centring = centring_error<T>();
    space.cells = cell_error<T>(standard);
    sums.emplace(std::move(space), options.threads);
    rows.run("features",
             [&](const Rows<T>& piece, const double* w, std::int64_t) { sums->add(piece, w); });
    first = RowList<T>(columns, false);
    weights = {};
  }

  void sum(const Rows<T>& rows, const double* w) {
    if (!changes) return sums->add(rows, w);
    const Matrix<T> seen_as = standardized(rows, standard);
    sums->add(Rows<T>(seen_as), w);
  }
};

template <class T>
IncrementalKernelPca<T>::IncrementalKernelPca(Index columns, FitOptions options, Index first_rows) {
  validate(options);
  require(options.kernel && options.approx, Errc::bad_option,
          "rows that are not kept need a kernel and an approximation");
  require(options.missing == Missing::error, Errc::bad_option,
          "rows that are not kept cannot have missing cells filled in: their mean comes too late");
  require(columns > 0 && first_rows > 1, Errc::bad_option,
          "{} columns and {} first rows; there must be some of both", columns, first_rows);
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
void IncrementalKernelPca<T>::update(const Rows<T>& rows, const double* weights) {
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
  if (kept < rows.rows())
    s.sum(rows.middle(kept, rows.rows() - kept), weights ? weights + kept : nullptr);
}

template <class T>
Model<T> IncrementalKernelPca<T>::model() const {
  const State& s = *state_;
  if (!s.sums) return fit(s.first.rows(), s.options, s.weights_of_first());
  ModelParts<T> parts = parts_of(*s.sums, *s.options.approx, s.options);
  parts.input_mean = s.standard.mean.template cast<T>();
  parts.scale = s.standard.scale.template cast<T>();
  require_representable(parts);
  parts.report.weighted = s.weighted;
  parts.report.solver.passes = 1;
  parts.report.solver.why =
      fmt::format("features chosen from the first {} rows, since rows are not kept", s.first_rows);
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
