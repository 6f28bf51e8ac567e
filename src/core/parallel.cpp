#include "core/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace mercer {

namespace {

/// Those that this process may run on: containers and `taskset` leave only some.
int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 0)
    return CPU_COUNT(&cores);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int thread_count(int asked) {
  if (asked > 0) return asked;
  static const int cores = usable_cores();
  return cores;
}

void parallel_for(Index count, int threads, const std::function<void(Index)>& task) {
  const int workers = static_cast<int>(std::min<Index>(thread_count(threads), count));
  if (workers <= 1) {
    for (Index i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<Index> next{1};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&](bool first) {
    try {
      for (Index i = first ? 0 : next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(static_cast<std::size_t>(workers) - 1);
    try {
      for (int i = 1; i < workers; ++i) helpers.emplace_back(run, false);
    } catch (const std::system_error&) {
      // No more threads are to be had: those that are here do the work, with the same result.
    }
    run(true);
  }
  if (failure) std::rethrow_exception(failure);
}

int parallel_ranges(Index n, int threads, Index grain,
                    const std::function<void(Index, Index, int)>& body) {
  if (n <= 0) return 0;
  const Index parts = std::clamp<Index>(n / std::max<Index>(grain, 1), 1, thread_count(threads));
  parallel_for(parts, static_cast<int>(parts), [&](Index part) {
    body(n * part / parts, n * (part + 1) / parts, static_cast<int>(part));
  });
  return static_cast<int>(parts);
}

}  // namespace mercer
