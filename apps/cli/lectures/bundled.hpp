#pragma once
// The data sets that come with the program.

#include <string>
#include <string_view>

namespace mercer::cli {

/// Content of a file of data/. Throws if there is none in the source tree or the installation.
std::string bundled_file(std::string_view name);

/// Throws the same if there is none, without reading it.
void require_bundled(std::string_view name);

}  // namespace mercer::cli
