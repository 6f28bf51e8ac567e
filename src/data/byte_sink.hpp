#pragma once
// Bytes out: to a file that is written atomically, optionally compressed.
//
// The ranks of a team write one file, rank after rank. Rank 0 has the file; what the others write
// waits in a temporary file until `finish`, which moves it to rank 0.

#include "core/output_file.hpp"
#include "core/spill.hpp"

#include <mercer/progress.hpp>
#include <mercer/team.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mercer {

class ByteSink {
 public:
  ByteSink(std::string path, bool gzip, Team& team = Team::alone(), Monitor monitor = {});
  ~ByteSink();

  Team& team() const { return team_; }
  /// The bytes of this rank follow those of others: no header.
  bool continues() const { return team_.rank() != 0; }

  void write(std::string_view bytes);
  /// Nothing can be written afterwards. `begin` replaces the first bytes of the file. All ranks
  /// call it, and `publish`; errors of one are errors of all.
  void finish(std::string_view begin = {});
  void publish();

  /// Bytes near the start can be replaced.
  bool can_seek() const;
  std::string name() const;

 private:
  class Deflater;
  void put(std::string_view bytes);

  std::string path_;
  Team& team_;
  Monitor monitor_;
  std::optional<OutputFile> file_;      // of rank 0
  Spill held_;                          // of the others
  std::unique_ptr<Deflater> deflater_;  // null: not compressed
  bool finished_ = false;
};

}  // namespace mercer
