#include "flags/file_plan.hpp"

#include "flags/options.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

namespace mercer::cli {

namespace {

/// What tells a file from others: its inode, or the folder that it would be in and its name there.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  std::string name;
  bool operator==(const FileIdentity&) const = default;
};

/// Nothing for pipes and devices, which hold no content to lose, and for what cannot be found.
std::optional<FileIdentity> identity_of(const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return FileIdentity{info.st_dev, info.st_ino, ""};
}

std::optional<FileIdentity> identity_of(const std::string& path, int standard_stream) {
  struct stat info {};
  if (path == "-") return fstat(standard_stream, &info) == 0 ? identity_of(info) : std::nullopt;
  if (stat(path.c_str(), &info) == 0) return identity_of(info);
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (stat(folder.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{info.st_dev, info.st_ino,
                      slash == std::string::npos ? path : path.substr(slash + 1)};
}

}  // namespace

FilePlan& FilePlan::reads(std::string option, std::string path) {
  if (!path.empty()) inputs_.push_back({std::move(option), std::move(path)});
  return *this;
}

FilePlan& FilePlan::reads(const std::string& option, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) reads(option, path);
  return *this;
}

FilePlan& FilePlan::writes(std::string option, std::string path) {
  if (!path.empty()) outputs_.push_back({std::move(option), std::move(path)});
  return *this;
}

FilePlan& FilePlan::prints_json(bool json) {
  json_ = json;
  return *this;
}

void FilePlan::check() const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const File& one = outputs_[i];
    if (json_ && one.path == "-")
      throw UsageError("--json and an output of - would both go to standard output");
    const auto identity = identity_of(one.path, STDOUT_FILENO);
    for (const File& input : inputs_)
      if (identity && identity == identity_of(input.path, STDIN_FILENO))
        throw UsageError(
            one.path == input.path
                ? fmt::format("{} would overwrite {}, '{}'; name another file", one.option,
                              input.option, one.path)
                : fmt::format("{} '{}' would overwrite {} '{}', which is the same file; name "
                              "another file",
                              one.option, one.path, input.option, input.path));
    for (std::size_t j = 0; j < i; ++j) {
      const File& other = outputs_[j];
      if (one.option == other.option) continue;  // it knows itself what it keeps beside
      if (one.path == other.path)
        throw UsageError(
            fmt::format("{} and {} are both '{}'", other.option, one.option, one.path));
      if (identity && identity == identity_of(other.path, STDOUT_FILENO))
        throw UsageError(fmt::format("{} '{}' and {} '{}' are the same file", other.option,
                                     other.path, one.option, one.path));
    }
  }
  // Words and JSON go there too: `mercer fit data.csv >> data.csv`.
  const auto standard_output = identity_of("-", STDOUT_FILENO);
  for (const File& input : inputs_)
    if (standard_output && standard_output == identity_of(input.path, STDIN_FILENO))
      throw UsageError(fmt::format("standard output would overwrite {}, '{}'; name another file",
                                   input.option, input.path));
}

}  // namespace mercer::cli
