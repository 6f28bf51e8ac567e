#pragma once
/// \file
/// What a process sends and receives in a fit, by purpose.
///
///     mercer::TeamLedger ledger(team);        // the same team, with its traffic counted
///     mercer::FitOptions options{.components = 10};
///     options.team = &ledger;
///     auto model = mercer::fit(x, options);
///     double passed = ledger.of(mercer::Purpose::passes).sent;    // bytes
///
/// `team_plan` (team_plan.hpp) predicts rows and passes exactly. The rest depends on the run.

#include <mercer/team.hpp>

#include <array>
#include <cstddef>

namespace mercer {

enum class Purpose : std::size_t {
  rows,    ///< that all processes need, once
  passes,  ///< over the rows or the kernel matrix: rows, vectors and sums
  rest     ///< options, agreement, small matrices and the model
};

/// Of one process.
struct RankTraffic {
  double sent = 0, received = 0;  ///< bytes
  double messages = 0;            ///< sent

  RankTraffic& operator+=(const RankTraffic& more) {
    sent += more.sent;
    received += more.received;
    messages += more.messages;
    return *this;
  }
  friend bool operator==(const RankTraffic&, const RankTraffic&) = default;
};

class TeamLedger final : public Team {
 public:
  explicit TeamLedger(Team& team) : team_(team) {}

  int rank() const override { return team_.rank(); }
  int size() const override { return team_.size(); }
  void send(int to, const void* data, std::size_t bytes) override;
  void receive(int from, void* data, std::size_t bytes) override;
  void exchange(int to, const void* out, std::size_t out_bytes, int from, void* in,
                std::size_t in_bytes) override;
  void broadcast(int root, void* data, std::size_t bytes) override;
  Traffic traffic() const override { return team_.traffic(); }

  const RankTraffic& of(Purpose purpose) const { return at(purpose); }
  RankTraffic total() const;
  /// User time of this thread in the team's calls: what a transport spends on moving bytes, and on
  /// waiting, if it polls.
  double call_seconds() const { return call_seconds_; }

  /// While it lives, what `team` does is for this purpose, if the team is a ledger.
  class Entry {
   public:
    Entry(Team& team, Purpose purpose);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    TeamLedger* ledger_;
    Purpose before_ = Purpose::rest;
  };

 private:
  const RankTraffic& at(Purpose purpose) const { return by_[static_cast<std::size_t>(purpose)]; }
  /// Runs `call`, and enters what the team has sent meanwhile.
  template <class Call>
  void enter(std::size_t received, const Call& call);

  Team& team_;
  Purpose purpose_ = Purpose::rest;
  std::array<RankTraffic, 3> by_{};
  double call_seconds_ = 0;
};

}  // namespace mercer
