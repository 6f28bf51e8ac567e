#pragma once
// What a run begins with: its rows, what is done to them, and where they are learned.

#include "learn/run/learn_space.hpp"
#include "pca/standard.hpp"

#include <mercer/data.hpp>
#include <mercer/learn.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

/// The rows as the run has them: all in memory, or one after the other.
struct LearnInput {
  Source<double>* source = nullptr;
  Table<double> table;
  std::optional<Rows<double>> memory;
  const double* weights = nullptr;  ///< of rows in memory, where they have some
  bool shuffled = false;
  Index rows = 0;  ///< of an epoch; 0: unknown

  const Rows<double>* in_memory() const { return memory ? &*memory : nullptr; }
  Matrix<double> features{};    ///< of rows in memory, in the space of a kernel; made once
  Matrix<double> anchors{};     ///< or, for kernel Hebbian learning, these: learned by number
  Vector<double> input_mean{};  ///< of those rows before; empty: the learner has it
  bool prepared() const { return features.size() > 0 || anchors.size() > 0; }
  /// Those that are prepared; of those that are learned by number, no columns.
  Rows<double> prepared_rows() const {
    return features.size() > 0 ? Rows<double>(features) : Rows<double>(nullptr, rows, 0, 0);
  }
  bool again() const { return memory.has_value() || source->can_rewind(); }
};

/// Rows that the order or a kernel needs all at once, or that fit, are stored; the others stay in
/// their source. Throws `Errc::out_of_memory` when they have to fit and do not.
LearnInput take_in(Source<double>& source, const LearnOptions& options);

/// For z-scores; one pass or two.
std::optional<Standard> standard_of(LearnInput& in, const LearnOptions& options);

/// Landmarks of a source that can be read only once are its first rows; `replay` then takes its
/// place and gives them again.
LearnSpace space_of(LearnInput& in, const LearnOptions& options, const Standard* standard,
                    std::unique_ptr<Source<double>>& replay);

/// Everything that makes two runs the same: name and value as text.
std::vector<std::pair<std::string, std::string>> run_description(const LearnOptions& options,
                                                                 const LearnInput& in,
                                                                 const LearnSpace& space);

}  // namespace mercer
