#pragma once
// The state of a run on disk: the layout and the checksum of a model file.
//
//     Checkpoint checkpoint;
//     checkpoint.run = {{"rule", "gha"}};
//     checkpoint.learner = learner.save_state();
//     save_checkpoint(checkpoint, "run.ckpt");
//     if (auto found = load_checkpoint("run.ckpt")) learner.load_state(found->learner);
//
// A checkpoint is written atomically, and the previous one is kept as PATH.previous. After the
// first one there is a complete file under PATH at any time.

#include <mercer/matrix.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

struct Checkpoint {
  /// What must be the same when the run is resumed: name and value as text.
  std::vector<std::pair<std::string, std::string>> run;
  std::map<std::string, std::int64_t> counts;
  std::map<std::string, std::string> texts;
  std::map<std::string, Matrix<double>> arrays;
  std::string learner;  ///< `Hebbian::save_state`
};

/// Throws `Errc::io` when it cannot be written; the one that was there then still is.
void save_checkpoint(const Checkpoint& checkpoint, const std::string& path);

/// Nothing when there is no such file. Throws `Errc::bad_file` when it is damaged or no checkpoint,
/// naming the one before it.
std::optional<Checkpoint> load_checkpoint(const std::string& path);

/// Is there a file from which a run would resume, or that `load_checkpoint` would name?
bool has_checkpoint(const std::string& path);

/// Throws `Errc::bad_file` when a file that `save_checkpoint` would replace, PATH or PATH.previous,
/// is there and is no checkpoint; damaged ones, and empty files, may be replaced.
void require_own_checkpoint(const std::string& path);

/// Throws `Errc::bad_file`, naming the first thing that differs, when `found` is of another run
/// than the one that `now` describes.
void require_same_run(const Checkpoint& found,
                      const std::vector<std::pair<std::string, std::string>>& now,
                      const std::string& path);

}  // namespace mercer
