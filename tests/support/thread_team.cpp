#include "support/thread_team.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace mercer::test {

namespace {

struct Left : std::runtime_error {
  Left() : std::runtime_error("another member of the team has failed") {}
};

/// Messages on their way, for each pair of ranks.
struct Post {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<int, int>, std::deque<std::vector<char>>> waiting;
  bool failed = false;
};

class ThreadTeam : public Team {
 public:
  ThreadTeam(Post& post, int rank, int size) : post_(post), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, const void* data, std::size_t bytes) override {
    const char* const from = static_cast<const char*>(data);
    const std::lock_guard lock(post_.mutex);
    if (post_.failed) throw Left();
    post_.waiting[{rank_, to}].emplace_back(from, from + bytes);
    traffic_.bytes += static_cast<double>(bytes);
    traffic_.messages += 1;
    post_.changed.notify_all();
  }

  void receive(int from, void* data, std::size_t bytes) override {
    std::unique_lock lock(post_.mutex);
    std::deque<std::vector<char>>& queue = post_.waiting[{from, rank_}];
    post_.changed.wait(lock, [&] { return !queue.empty() || post_.failed; });
    if (queue.empty()) throw Left();
    if (queue.front().size() != bytes)
      throw std::logic_error("the sender and the receiver differ in the length of a message");
    if (bytes > 0) std::memcpy(data, queue.front().data(), bytes);
    queue.pop_front();
  }

  void exchange(int to, const void* out, std::size_t out_bytes, int from, void* in,
                std::size_t in_bytes) override {
    if (out_bytes > 0) send(to, out, out_bytes);
    if (in_bytes > 0) receive(from, in, in_bytes);
  }

  void broadcast(int root, void* data, std::size_t bytes) override {
    if (rank_ != root) return receive(root, data, bytes);
    for (int rank = 0; rank < size_; ++rank)
      if (rank != root) send(rank, data, bytes);
  }

  Traffic traffic() const override { return traffic_; }

 private:
  Post& post_;
  int rank_, size_;
  Traffic traffic_;
};

}  // namespace

void with_team(int size, const std::function<void(Team&)>& run) {
  Post post;
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> members;
    for (int rank = 0; rank < size; ++rank)
      members.emplace_back([&, rank] {
        ThreadTeam team(post, rank, size);
        try {
          run(team);
        } catch (const Left&) {
        } catch (...) {
          failures[static_cast<std::size_t>(rank)] = std::current_exception();
          const std::lock_guard lock(post.mutex);
          post.failed = true;
          post.changed.notify_all();
        }
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace mercer::test
