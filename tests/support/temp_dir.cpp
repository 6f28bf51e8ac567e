#include "support/temp_dir.hpp"

#include <stdlib.h>

#include <algorithm>
#include <stdexcept>

namespace mercer::test {

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "mercer-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::file(std::string_view name, std::string_view content) const {
  const std::string path = *this / name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::vector<std::string> TempDir::list() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string data_file(std::string_view name) { return MERCER_DATA_DIR "/" + std::string(name); }

}  // namespace mercer::test
