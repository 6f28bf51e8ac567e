#include "pca/steps.hpp"

#include "core/require.hpp"
#include "data/memory.hpp"
#include "pca/select/significance.hpp"
#include "pca/select/step_memory.hpp"

#include <mercer/data.hpp>
#include <mercer/impute.hpp>

namespace mercer {

namespace {

template <class T>
Model<T> fit_plainly(Source<T>& source, const std::shared_ptr<const Map<T>>& map,
                     const FitOptions& options) {
  return map ? fit(source, map, options) : fit(source, options);
}

template <class T>
Model<T> fit_significant(Source<T>& source, const std::shared_ptr<const Map<T>>& map,
                         const FitOptions& options) {
  const FitOptions testing = within_permutations(source, map.get(), options);
  const auto choose = [&](const Rows<T>& rows, Weights weights) {
    return map ? significance(rows, map, testing, {}, weights)
               : significance(rows, testing, {}, weights);
  };
  const auto whole = source.whole();
  const Table<T> sample = whole ? Table<T>{} : rows_for_significance(source, options);
  const ComponentChoice choice =
      whole ? choose(whole->rows, whole->weights) : choose(sample.rows(), sample.weights);
  ModelParts<T> parts = fit_plainly(source, map, with_choice(options, choice)).parts();
  parts.report.chosen = choice;
  return Model<T>(std::move(parts));
}

}  // namespace

void require_steps(const FitOptions& options, bool mapped, bool weighted) {
  require(options.missing != Missing::em || !mapped, Errc::bad_option,
          "`missing=em` is for linear PCA; maps take `missing=mean` or drop");
  const auto kind = options.components.kind();
  const bool by_noise = kind == Components::Kind::gavish_donoho;
  if (!by_noise && kind != Components::Kind::minka) return;
  require(!mapped && !options.kernel && !options.precomputed, Errc::bad_option,
          "`components={}` is for linear PCA; use `components=significant()`",
          by_noise ? "gavish_donoho()" : "minka()");
  require(!by_noise || !weighted, Errc::bad_option,
          "`components=gavish_donoho()` assumes equal noise in all rows, so it does not support "
          "weights; use `components=significant()`");
}

template <class T>
Model<T> fit_in_steps(Source<T>& source, std::shared_ptr<const Map<T>> map,
                      const FitOptions& options) {
  require_steps(options, map != nullptr, source.schema().weighted);
  const bool completes = options.missing == Missing::em;
  const bool significant = options.components.kind() == Components::Kind::significant;
  // Filling takes all rows at once, choosing takes them twice.
  if (!source.whole() && (completes || (significant && !source.can_rewind()))) {
    const std::string name = source.name();
    if (completes) require_imputation(source, options);
    return fit_in_steps(*from_table(read_all(source, options.memory), name, std::size_t{8} << 20),
                        map, options);
  }
  if (completes) {
    const Block<T> all = *source.whole();
    const Imputed<T> rows = impute(all.rows, options, {}, all.weights);
    source.require_unchanged();
    return fit(rows, options, all.weights, source.schema());
  }
  if (significant) return fit_significant(source, map, options);
  FitOptions all = options;
  all.components = all_components();
  const Model<T> model = fit(source, all);
  return options.components.kind() == Components::Kind::minka ? cut_by_minka(model)
                                                              : cut_by_gavish_donoho(model);
}

#define MERCER_INSTANTIATE(T) \
  template Model<T> fit_in_steps(Source<T>&, std::shared_ptr<const Map<T>>, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
