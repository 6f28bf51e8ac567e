#include "lectures/bundled.hpp"

#include "core/require.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace mercer::cli {

namespace {

std::filesystem::path path_of_bundled(std::string_view name) {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  // Where `cmake --install` puts it, and where the source tree of build/bin has it.
  const std::filesystem::path folders[] = {program.parent_path() / "../share/mercer/data",
                                           program.parent_path() / "../../data"};
  for (const std::filesystem::path& folder : folders)
    if (std::ifstream(folder / name)) return folder / name;
  throw Error(Errc::bad_data,
              fmt::format("the bundled data '{}' is neither in '{}' nor in '{}'; install Mercer "
                          "with cmake --install, or copy the file to one of them",
                          name, folders[0].lexically_normal().string(),
                          folders[1].lexically_normal().string()));
}

}  // namespace

std::string bundled_file(std::string_view name) {
  std::ifstream file(path_of_bundled(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void require_bundled(std::string_view name) { path_of_bundled(name); }

}  // namespace mercer::cli
