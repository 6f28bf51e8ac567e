#pragma once
// A folder that lives as long as a test.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::test {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  /// Path of a file in the folder.
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string file(std::string_view name, std::string_view content) const;
  /// Names of everything in it, sorted.
  std::vector<std::string> list() const;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string slurp(const std::string& path);

/// Path of a bundled data set: `data_file("iris.csv")`.
std::string data_file(std::string_view name);

}  // namespace mercer::test
