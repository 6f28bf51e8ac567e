#pragma once
// The library's options as the estimators call them: `components=25` is n_components=25 here.

#include <string>
#include <string_view>

namespace mercer::python {

/// A message of the library with parameters in place of its options.
std::string in_parameters(std::string_view message);

}  // namespace mercer::python
