#include "flags/file_plan.hpp"

#include "core/output_file.hpp"
#include "data/sink.hpp"
#include "flags/options.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <utility>

namespace mercer::cli {

namespace {

/// The identity of a file: its inode, or the folder that it would be in and its name there.
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
  if (const std::string behind = file_behind_links(path); behind != path)
    return identity_of(behind, standard_stream);
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (stat(folder.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{info.st_dev, info.st_ino,
                      slash == std::string::npos ? path : path.substr(slash + 1)};
}

/// A file that is written beside its place first: it can be tried without a trace.
bool can_try(const std::string& path) {
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  return path != "-" && (!exists || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

/// Throws when the name of an output has the extension of a format that it will not be in.
void require_extension(const std::string& option, const std::string& path, Content content) {
  if (content == Content::rows) return require_row_file(path);
  if (content == Content::checkpoint || path == "-" || path.starts_with("/dev/")) return;
  struct Kind {
    Content content;
    const char* what;
    const char* extension;
  };
  static constexpr Kind kinds[] = {{Content::model, "models", ".st"},
                                   {Content::moments, "moments", ".mom"},
                                   {Content::picture, "pictures", ".svg"},
                                   {Content::table, "this table", ".csv"},
                                   {Content::compressed, "compressed rows", ".mrc"}};
  static constexpr const char* foreign[] = {
      ".csv", ".tsv", ".npy", ".npz", ".mtx", ".svm", ".gz",   ".zip", ".st",   ".mom",  ".svg",
      ".png", ".pdf", ".jpg", ".gif", ".eps", ".ps",  ".jpeg", ".mrc", ".json", ".onnx", ".html"};
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Kind& kind : kinds)
    if (kind.content == content && extension != kind.extension &&
        std::ranges::find(foreign, extension) != std::end(foreign))
      throw UsageError(fmt::format("{} '{}': {} {} written as {}", option, path, kind.what,
                                   content == Content::table ? "is" : "are", kind.extension));
}

}  // namespace

FilePlan& FilePlan::reads(std::string option, std::string path) {
  if (!path.empty()) inputs_.push_back({std::move(option), std::move(path), Content::rows});
  return *this;
}

FilePlan& FilePlan::reads(const std::string& option, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) reads(option, path);
  return *this;
}

FilePlan& FilePlan::writes(std::string option, std::string path, Content content) {
  if (!path.empty()) outputs_.push_back({std::move(option), std::move(path), content});
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
      if (one.option == other.option) continue;  // an option may use several files
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
  for (const File& output : outputs_)
    if (output.path != "-" && standard_output &&
        standard_output == identity_of(output.path, STDOUT_FILENO))
      throw UsageError(fmt::format("standard output is also {} '{}'; redirect it to another file",
                                   output.option, output.path));
  for (const File& output : outputs_) require_extension(output.option, output.path, output.content);
  for (const File& output : outputs_)
    if (can_try(output.path)) OutputFile trial(output.path);
}

}  // namespace mercer::cli
