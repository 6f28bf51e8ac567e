#include <mercer/team_ledger.hpp>

#include <sys/resource.h>

#include <utility>

namespace mercer {

namespace {

double user_seconds_of_thread() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return static_cast<double>(used.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

}  // namespace

template <class Call>
void TeamLedger::enter(std::size_t received, const Call& call) {
  const Traffic before = team_.traffic();
  const double start = user_seconds_of_thread();
  call();
  call_seconds_ += user_seconds_of_thread() - start;
  const Traffic now = team_.traffic();
  by_[static_cast<std::size_t>(purpose_)] +=
      {now.bytes - before.bytes, static_cast<double>(received), now.messages - before.messages};
}

void TeamLedger::send(int to, const void* data, std::size_t bytes) {
  enter(0, [&] { team_.send(to, data, bytes); });
}

void TeamLedger::receive(int from, void* data, std::size_t bytes) {
  enter(bytes, [&] { team_.receive(from, data, bytes); });
}

void TeamLedger::exchange(int to, const void* out, std::size_t out_bytes, int from, void* in,
                          std::size_t in_bytes) {
  enter(in_bytes, [&] { team_.exchange(to, out, out_bytes, from, in, in_bytes); });
}

void TeamLedger::broadcast(int root, void* data, std::size_t bytes) {
  enter(rank() == root ? 0 : bytes, [&] { team_.broadcast(root, data, bytes); });
}

RankTraffic TeamLedger::total() const {
  RankTraffic all;
  for (const RankTraffic& part : by_) all += part;
  return all;
}

TeamLedger::Entry::Entry(Team& team, Purpose purpose) : ledger_(dynamic_cast<TeamLedger*>(&team)) {
  if (ledger_) before_ = std::exchange(ledger_->purpose_, purpose);
}

TeamLedger::Entry::~Entry() {
  if (ledger_) ledger_->purpose_ = before_;
}

}  // namespace mercer
