#pragma once
// The files that a command reads and writes, compared before anything starts: no output may be one
// of the inputs, and no two outputs may be one file, under whatever names.
//
//     FilePlan plan;
//     plan.reads("MODEL", flags.model)
//         .reads("DATA", flags.data)
//         .writes("--output", flags.output, Content::rows);
//     plan.check();

#include <string>
#include <vector>

namespace mercer::cli {

/// What a file is to hold; names that promise something else are refused.
enum class Content { rows, model, moments, picture, table, compressed, checkpoint };

class FilePlan {
 public:
  /// An input: a path, or "-" for standard input. Empty: the option was not given.
  FilePlan& reads(std::string option, std::string path);
  FilePlan& reads(const std::string& option, const std::vector<std::string>& paths);
  /// An output: a path, or "-" for standard output. Empty: the option was not given.
  FilePlan& writes(std::string option, std::string path, Content content);
  /// JSON goes to standard output, where then nothing else may go.
  FilePlan& prints_json(bool json);

  /// Throws `UsageError` that names both options when an output is an input, when two outputs are
  /// one file, or when two of them are standard output. Files are compared by device and inode,
  /// links followed; those that do not exist yet, by the folder they would be in. Then for outputs
  /// whose extension is that of another format, and as `OutputFile` does for those that cannot be
  /// written: before anything is read.
  void check() const;

 private:
  struct File {
    std::string option, path;
    Content content = Content::rows;
  };
  std::vector<File> inputs_, outputs_;
  bool json_ = false;
};

}  // namespace mercer::cli
