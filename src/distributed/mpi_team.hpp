#pragma once
// The processes of an MPI job as a team. Nothing else in Mercer names MPI.

#include <mercer/team.hpp>

#include <memory>
#include <string>

namespace mercer {

/// One for each process; MPI begins with it and ends with `end`.
class MpiJob {
 public:
  MpiJob(int* argc, char*** argv);
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  Team& team();
  int processes_here() const;  ///< on this machine, which share its memory

  /// Ends MPI when all processes have come here, and returns `code`. Where this process has failed
  /// and others have not, which may wait for it, the whole job is ended, after `last_words` on
  /// standard error.
  int end(int code, const std::string& last_words);

 private:
  class Communicator;
  std::unique_ptr<Communicator> team_;
};

}  // namespace mercer
