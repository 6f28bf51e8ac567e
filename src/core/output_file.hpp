#pragma once
// A file that is written atomically: under a temporary name, synced, then renamed.
//
//     OutputFile file("scores.csv");
//     file.write(bytes);
//     file.finish();     // on disk, without its name: the last step that needs space
//     file.publish();    // visible
//
// Until `publish` it has no name where the file system allows that: however the program ends,
// nothing is left behind. "-" is standard output; devices and pipes are written directly, as there
// is nothing to rename.

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer {

/// The file that a symbolic link stands for, whether it is there yet or not.
std::string file_behind_links(std::string path);

class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();  ///< removes an unpublished file
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// Overwrites bytes near the start (a header with the final count). Regular files only.
  void write_at(std::size_t offset, std::string_view bytes);
  bool can_seek() const { return !temporary_.empty(); }

  void finish();
  void publish();

  /// The path, or "standard output".
  std::string name() const;

 private:
  void give_name();
  [[noreturn]] void give_up(int error) const;

  std::string path_;
  std::string temporary_;  // empty when written directly
  int fd_ = -1;
  bool named_ = false;  // the temporary name is that of a file
  bool finished_ = false;
};

}  // namespace mercer
