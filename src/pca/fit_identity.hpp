#pragma once
// What makes two fits the same one, as text: a name and a value per line.

#include <mercer/fit.hpp>

#include <string>

namespace mercer {

/// Of the options on which results depend, and of the columns. `map`: its text, empty for none.
std::string identity_of(const FitOptions& options, const Schema& schema, const std::string& map,
                        bool single);

/// The name of the first line that is another one; empty: there is none.
std::string first_difference(const std::string& now, const std::string& then);

}  // namespace mercer
