#include "terminal/job_costs.hpp"

#include "core/json_text.hpp"
#include "core/memory.hpp"
#include "core/team.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace mercer::cli {

namespace {

constexpr Purpose purposes[] = {Purpose::rows, Purpose::passes, Purpose::rest};

double timeval_seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

RankTraffic whole_traffic(const ProcessCosts& c) {
  RankTraffic all = c.rows;
  all += c.passes;
  all += c.rest;
  return all;
}

nlohmann::ordered_json traffic_json(const RankTraffic& traffic) {
  return {{"sent_bytes", traffic.sent},
          {"received_bytes", traffic.received},
          {"messages", traffic.messages}};
}

}  // namespace

std::vector<ProcessCosts> costs_of(TeamLedger& team) {
  Matrix<double> mine(1, 13);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  mine(0, 9) = static_cast<double>(peak_memory_bytes());
  mine(0, 10) = timeval_seconds(used.ru_utime);
  mine(0, 11) = timeval_seconds(used.ru_stime);
  mine(0, 12) = team.call_seconds();
  for (Index i = 0; i < 3; ++i) {
    const RankTraffic& part = team.of(purposes[i]);
    mine.row(0).segment(3 * i, 3) << part.sent, part.received, part.messages;
  }
  const Matrix<double> all = gather_rows(team, mine);
  std::vector<ProcessCosts> costs;
  for (Index rank = 0; rank < all.rows(); ++rank) {
    const auto part = [&](Index i) {
      return RankTraffic{all(rank, 3 * i), all(rank, 3 * i + 1), all(rank, 3 * i + 2)};
    };
    costs.push_back(
        {part(0), part(1), part(2), all(rank, 9), all(rank, 10), all(rank, 11), all(rank, 12)});
  }
  return costs;
}

std::string costs_line(const std::vector<ProcessCosts>& costs) {
  double sent = 0, most = 0, messages = 0, peak = 0, work = 0, calls = 0;
  for (const ProcessCosts& c : costs) {
    const RankTraffic all = whole_traffic(c);
    sent += all.sent;
    messages += all.messages;
    most = std::max({most, all.sent, all.received});
    peak = std::max(peak, c.peak_bytes);
    work += c.user_seconds + c.system_seconds - c.call_seconds;
    calls += c.call_seconds;
  }
  return fmt::format(
      "{} processes: {:.3g} s of CPU and {:.3g} s in MPI, peak {} each; {} in {:.0f} messages, {} "
      "for one process at most",
      costs.size(), work, calls, format_bytes(peak), format_bytes(sent), messages,
      format_bytes(most));
}

std::string with_costs(std::string json, const std::vector<ProcessCosts>& costs) {
  if (costs.empty()) return json;
  auto report = nlohmann::ordered_json::parse(json);
  for (const ProcessCosts& c : costs)
    report["processes"].push_back({{"user_seconds", c.user_seconds},
                                   {"system_seconds", c.system_seconds},
                                   {"mpi_user_seconds", c.call_seconds},
                                   {"peak_memory_bytes", c.peak_bytes},
                                   {"rows", traffic_json(c.rows)},
                                   {"passes", traffic_json(c.passes)},
                                   {"rest", traffic_json(c.rest)}});
  return json_text(report, 2);
}

}  // namespace mercer::cli
