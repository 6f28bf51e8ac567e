#pragma once
// What a control group leaves a process: containers and batch systems limit memory in this way,
// which /proc/meminfo does not show.

#include <cstddef>
#include <optional>
#include <string>

namespace mercer {

/// Bytes until the nearest limit of the groups that this process is in, version 1 or 2, its own and
/// all above it; nothing where there is no limit. Pages of files do not count as taken: the kernel
/// gives them back before it refuses. `root` stands before /proc and /sys.
std::optional<std::size_t> cgroup_memory_left(const std::string& root = "");

}  // namespace mercer
