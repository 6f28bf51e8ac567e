#include "core/cgroup_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace mercer {

namespace {

/// The names of one version's files.
struct GroupFiles {
  const char* limits[2];
  const char* usage;
  const char* cached[2];  // lines of memory.stat
};
constexpr GroupFiles version_2{
    {"memory.max", "memory.high"}, "memory.current", {"inactive_file", "active_file"}};
constexpr GroupFiles version_1{{"memory.limit_in_bytes", nullptr},
                               "memory.usage_in_bytes",
                               {"total_inactive_file", "total_active_file"}};

std::string text_of(const std::string& path) {
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "r")) {
    char block[4096];
    for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, n);
    std::fclose(file);
  }
  return text;
}

/// Nothing for "max", for an absent file, and for the huge numbers that mean "max" in version 1.
std::optional<std::uint64_t> bytes_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || value >= std::uint64_t{1} << 60) return std::nullopt;
  return value;
}

std::uint64_t line_of(std::string_view stat, const std::string& name) {
  for (std::size_t begin = 0; begin < stat.size();) {
    const std::size_t end = std::min(stat.find('\n', begin), stat.size());
    const std::string_view line = stat.substr(begin, end - begin);
    if (line.starts_with(name + " ")) return bytes_in(line.substr(name.size() + 1)).value_or(0);
    begin = end + 1;
  }
  return 0;
}

std::optional<std::size_t> left_in(const std::string& folder, const GroupFiles& names) {
  std::optional<std::uint64_t> limit;
  for (const char* name : names.limits)
    if (const auto value = name ? bytes_in(text_of(folder + "/" + name)) : std::nullopt)
      limit = std::min(limit.value_or(*value), *value);
  if (!limit) return std::nullopt;
  const std::uint64_t used = bytes_in(text_of(folder + "/" + names.usage)).value_or(0);
  const std::string stat = text_of(folder + "/memory.stat");
  std::uint64_t cached = 0;
  for (const char* name : names.cached) cached += line_of(stat, name);
  const std::uint64_t taken = used - std::min(used, cached);
  return *limit - std::min(*limit, taken);
}

/// The least of a group and those above it, up to the root of what is mounted. Inside a container
/// the path is often that of the host, of which only the end, or nothing, is there.
std::optional<std::size_t> least_from(const std::string& mount, std::string group,
                                      const GroupFiles& names) {
  std::optional<std::size_t> least;
  for (;;) {
    if (const auto left = left_in(mount + group, names))
      least = std::min(least.value_or(*left), *left);
    const std::size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos) return least;
    group.resize(slash);
  }
}

}  // namespace

std::optional<std::size_t> cgroup_memory_left(const std::string& root) {
  const std::string groups = text_of(root + "/proc/self/cgroup");
  std::optional<std::size_t> least;
  for (std::size_t begin = 0; begin < groups.size();) {
    const std::size_t end = std::min(groups.find('\n', begin), groups.size());
    const std::string line = groups.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const std::string group = line.substr(second + 1);
    std::optional<std::size_t> left;
    if (controllers == ",,") left = least_from(root + "/sys/fs/cgroup", group, version_2);
    else if (controllers.find(",memory,") != std::string::npos)
      left = least_from(root + "/sys/fs/cgroup/memory", group, version_1);
    if (left) least = std::min(least.value_or(*left), *left);
  }
  return least;
}

}  // namespace mercer
