#include "core/budget.hpp"

#include "core/cgroup_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace mercer {

namespace {

std::size_t free_memory(const std::string& root) {
  if (std::FILE* file = std::fopen((root + "/proc/meminfo").c_str(), "r")) {
    char line[256];
    unsigned long long kib = 0;
    bool found = false;
    while (!found && std::fgets(line, sizeof line, file))
      found = std::sscanf(line, "MemAvailable: %llu kB", &kib) == 1;
    std::fclose(file);
    if (found) return static_cast<std::size_t>(kib) * 1024;
  }
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

/// What `ulimit -v` leaves.
std::size_t address_space_left() {
  constexpr auto no_limit = std::numeric_limits<std::size_t>::max();
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  unsigned long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  const auto taken =
      static_cast<std::size_t>(pages) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, taken);
}

}  // namespace

std::size_t available_memory_bytes(const std::string& root) {
  const std::size_t free = std::min(free_memory(root), address_space_left());
  return std::min(free, cgroup_memory_left(root).value_or(free));
}

Budget::Budget(std::size_t asked, const std::string& root)
    : bytes_(asked > 0 ? asked : std::max<std::size_t>(1, available_memory_bytes(root) / 2)) {}

}  // namespace mercer
