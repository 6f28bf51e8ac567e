#pragma once
/// \file
/// `Team`: processes that fit one model together, each with a share of the rows.
///
///     mercer::FitOptions options{.components = 10};
///     options.team = &team;                   // this process is team.rank() of team.size()
///     auto model = mercer::fit(x, options);   // x: its rows; all get the same model
///
/// A team moves bytes between processes and nothing else: sums, their order, and agreement on
/// errors are the library's. A transport for another engine is a class of five functions. All
/// members call the same functions in the same order; a call returns when this process's part is
/// done.

#include <cstddef>

namespace mercer {

class Team {
 public:
  /// Bytes that this process has sent, and in how many messages.
  struct Traffic {
    double bytes = 0;
    double messages = 0;
  };

  virtual ~Team() = default;

  /// This process: 0 … size() − 1.
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Sends to one other process, which calls `receive` with the same number of bytes. A send may
  /// wait until it does.
  virtual void send(int to, const void* data, std::size_t bytes) = 0;
  virtual void receive(int from, void* data, std::size_t bytes) = 0;
  /// Sends to one and receives from another, or from the same: neither waits for the other. Nothing
  /// is sent, or received, where the number of bytes is 0.
  virtual void exchange(int to, const void* out, std::size_t out_bytes, int from, void* in,
                        std::size_t in_bytes) = 0;
  /// `data` of the process `root` goes to all.
  virtual void broadcast(int root, void* data, std::size_t bytes) = 0;

  virtual Traffic traffic() const = 0;

  /// The team of this process only, which sends nothing.
  static Team& alone();
};

}  // namespace mercer
