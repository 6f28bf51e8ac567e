#include "lectures/bundled.hpp"

#include "core/require.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace mercer::cli {

std::string bundled_file(std::string_view name) {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  // Where `cmake --install` puts it, and where the source tree of build/bin has it.
  const std::filesystem::path folders[] = {program.parent_path() / "../share/mercer/data",
                                           program.parent_path() / "../../data"};
  for (const std::filesystem::path& folder : folders) {
    std::ifstream file(folder / name, std::ios::binary);
    if (file) return {std::istreambuf_iterator<char>(file), {}};
  }
  throw Error(Errc::bad_data,
              fmt::format("the bundled data '{}' is neither in '{}' nor in '{}'; install Mercer "
                          "with cmake --install, or copy the file to one of them",
                          name, folders[0].lexically_normal().string(),
                          folders[1].lexically_normal().string()));
}

}  // namespace mercer::cli
