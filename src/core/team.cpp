#include "core/team.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace mercer {

namespace {

class Alone : public Team {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void send(int, const void*, std::size_t) override {}
  void receive(int, void*, std::size_t) override {}
  void exchange(int, const void*, std::size_t, int, void*, std::size_t) override {}
  void broadcast(int, void*, std::size_t) override {}
  Traffic traffic() const override { return {}; }
};

const char* at(const void* data, std::size_t offset) {
  return static_cast<const char*>(data) + offset;
}
char* at(void* data, std::size_t offset) { return static_cast<char*>(data) + offset; }

/// An error as it travels.
struct Failure {
  Errc code = Errc::bad_data;
  std::string message, input;
};

/// What `work` throws; an empty message: nothing.
Failure failure_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Error& e) {
    return {e.code(), e.what(), e.input()};
  } catch (const std::bad_alloc&) {
    return {Errc::out_of_memory, "not enough memory", {}};
  } catch (const std::exception& e) {
    return {Errc::io, e.what(), {}};
  }
}

/// A string of one rank on all of them.
void share(Team& team, int root, std::string& bytes) {
  std::uint64_t length = bytes.size();
  team.broadcast(root, &length, sizeof length);
  bytes.resize(length);
  broadcast_all(team, root, bytes.data(), length);
}

}  // namespace

Team& Team::alone() {
  static Alone team;
  return team;
}

void send_all(Team& team, int to, const void* data, std::size_t bytes, std::size_t most) {
  for (std::size_t i = 0; i < bytes; i += most)
    team.send(to, at(data, i), std::min(most, bytes - i));
}

void receive_all(Team& team, int from, void* data, std::size_t bytes, std::size_t most) {
  for (std::size_t i = 0; i < bytes; i += most)
    team.receive(from, at(data, i), std::min(most, bytes - i));
}

void exchange_all(Team& team, int to, const void* out, std::size_t out_bytes, int from, void* in,
                  std::size_t in_bytes, std::size_t most) {
  for (std::size_t i = 0; i < std::max(out_bytes, in_bytes); i += most) {
    const std::size_t sent = i < out_bytes ? std::min(most, out_bytes - i) : 0;
    const std::size_t received = i < in_bytes ? std::min(most, in_bytes - i) : 0;
    team.exchange(to, sent > 0 ? at(out, i) : nullptr, sent, from,
                  received > 0 ? at(in, i) : nullptr, received);
  }
}

void broadcast_all(Team& team, int root, void* data, std::size_t bytes, std::size_t most) {
  for (std::size_t i = 0; i < bytes; i += most)
    team.broadcast(root, at(data, i), std::min(most, bytes - i));
}

std::vector<std::int64_t> all_of(Team& team, std::int64_t mine) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(team.size()), mine);
  if (team.size() == 1) return all;
  if (team.rank() != 0) {
    team.send(0, &mine, sizeof mine);
  } else {
    for (int rank = 1; rank < team.size(); ++rank)
      team.receive(rank, &all[static_cast<std::size_t>(rank)], sizeof mine);
  }
  team.broadcast(0, all.data(), all.size() * sizeof mine);
  return all;
}

Scanned scan(Team& team, std::int64_t mine) {
  Scanned out;
  const std::vector<std::int64_t> all = all_of(team, mine);
  for (int rank = 0; rank < team.size(); ++rank) {
    if (rank == team.rank()) out.before = out.total;
    out.total += all[static_cast<std::size_t>(rank)];
  }
  return out;
}

void agree(Team& team, const std::function<void()>& work) {
  if (team.size() == 1) return work();
  Failure failure = failure_of(work);
  const std::vector<std::int64_t> failed = all_of(team, failure.message.empty() ? 0 : 1);
  const auto first = std::ranges::find(failed, 1);
  if (first == failed.end()) return;
  const int rank = static_cast<int>(first - failed.begin());
  std::int64_t code = static_cast<std::int64_t>(failure.code);
  team.broadcast(rank, &code, sizeof code);
  share(team, rank, failure.message);
  share(team, rank, failure.input);
  throw Error(static_cast<Errc>(code), failure.message, failure.input);
}

void on_root(Team& team, const std::function<void()>& work) {
  agree(team, [&] {
    if (team.rank() == 0) work();
  });
}

void from_root(Team& team, Matrix<double>& numbers) {
  if (team.size() == 1) return;
  std::int64_t shape[] = {numbers.rows(), numbers.cols()};
  team.broadcast(0, shape, sizeof shape);
  numbers.resize(shape[0], shape[1]);
  broadcast_all(team, 0, numbers.data(), sizeof(double) * static_cast<std::size_t>(numbers.size()));
}

void from_root(Team& team, Vector<double>& numbers) {
  if (team.size() == 1) return;
  std::int64_t length = numbers.size();
  team.broadcast(0, &length, sizeof length);
  numbers.resize(length);
  broadcast_all(team, 0, numbers.data(), sizeof(double) * static_cast<std::size_t>(length));
}

void from_root(Team& team, std::string& bytes) {
  if (team.size() > 1) share(team, 0, bytes);
}

void send_bytes(Team& team, int to, const std::string& bytes) {
  const auto size = static_cast<std::uint64_t>(bytes.size());
  team.send(to, &size, sizeof size);
  send_all(team, to, bytes.data(), bytes.size());
}

std::string receive_bytes(Team& team, int from) {
  std::uint64_t size = 0;
  team.receive(from, &size, sizeof size);
  std::string bytes(size, '\0');
  receive_all(team, from, bytes.data(), bytes.size());
  return bytes;
}

void collect(Team& team, const std::string& bytes,
             const std::function<void(const std::string&)>& take) {
  if (team.rank() != 0) return send_bytes(team, 0, bytes);
  for (int rank = 1; rank < team.size(); ++rank) take(receive_bytes(team, rank));
}

std::vector<std::string> gather(Team& team, const std::string& bytes) {
  if (team.rank() != 0) {
    collect(team, bytes, {});
    return {};
  }
  std::vector<std::string> all{bytes};
  collect(team, bytes, [&](const std::string& theirs) { all.push_back(theirs); });
  return all;
}

Matrix<double> gather_rows(Team& team, const Matrix<double>& rows) {
  if (team.size() == 1) return rows;
  const std::vector<std::int64_t> counts = all_of(team, rows.rows());
  const auto bytes = [&](Index count) {
    return sizeof(double) * static_cast<std::size_t>(count * rows.cols());
  };
  if (team.rank() != 0) {
    send_all(team, 0, rows.data(), bytes(rows.rows()));
    return {};
  }
  Index total = 0;
  for (const std::int64_t count : counts) total += count;
  Matrix<double> all(total, rows.cols());
  all.topRows(rows.rows()) = rows;
  Index from = rows.rows();
  for (int rank = 1; rank < team.size(); ++rank) {
    const Index count = counts[static_cast<std::size_t>(rank)];
    if (count > 0) receive_all(team, rank, all.row(from).data(), bytes(count));
    from += count;
  }
  return all;
}

std::vector<SegmentNode> nodes_of(SegmentRange range) {
  std::vector<SegmentNode> nodes;
  for (Index at = range.first; at < range.end;) {
    int level = 0;
    while (at % (Index{2} << level) == 0 && at + (Index{2} << level) <= range.end) ++level;
    nodes.push_back({level, at >> level});
    at += Index{1} << level;
  }
  return nodes;
}

}  // namespace mercer
