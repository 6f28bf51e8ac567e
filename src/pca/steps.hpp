#pragma once
// Fits that need others before them: to choose the number of components, or to impute missing
// values.

#include <mercer/fit.hpp>

namespace mercer {

inline bool takes_steps(const FitOptions& options) {
  const auto kind = options.components.kind();
  return kind == Components::Kind::significant || kind == Components::Kind::gavish_donoho ||
         kind == Components::Kind::minka || options.missing == Missing::em;
}

/// What `validate` cannot know: throws `Errc::bad_option` where features of a map, or rows with
/// weights, do not allow these steps.
void require_steps(const FitOptions& options, bool mapped, bool weighted);

/// `map`: null for none.
template <class T>
Model<T> fit_in_steps(Source<T>& source, std::shared_ptr<const Map<T>> map,
                      const FitOptions& options);

}  // namespace mercer
