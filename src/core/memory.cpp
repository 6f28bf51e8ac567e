#include "core/memory.hpp"

#include "core/require.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <charconv>
#include <cmath>
#include <fstream>
#include <string>

namespace mercer {

void advise_huge_pages(void* data, std::size_t bytes) {
  constexpr std::size_t huge = std::size_t{2} << 20;
  if (bytes < 2 * huge) return;
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // Rounded outwards: a large allocation is then still one mapping, and realloc can move it
  // without a copy.
  const auto begin = reinterpret_cast<std::uintptr_t>(data) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes + page - 1) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: may fail
}

void return_freed_memory() {
#ifdef __GLIBC__
  constexpr int large = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, large);
#endif
}

std::int64_t peak_memory_bytes() {
  // `getrusage` also counts what the parent had when it started this process.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

std::size_t parse_bytes(std::string_view text, std::string_view option) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  static constexpr Unit units[] = {{"", 1},
                                   {"B", 1},
                                   {"kB", 1e3},
                                   {"KB", 1e3},
                                   {"MB", 1e6},
                                   {"GB", 1e9},
                                   {"TB", 1e12},
                                   {"KiB", 1024.},
                                   {"K", 1024.},
                                   {"MiB", 1048576.},
                                   {"M", 1048576.},
                                   {"GiB", 1073741824.},
                                   {"G", 1073741824.},
                                   {"TiB", 1099511627776.}};
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (status == std::errc{} && value > 0)
    for (const Unit& u : units)
      if (u.name == unit && value * u.bytes < 9e18)
        return static_cast<std::size_t>(value * u.bytes);
  fail(Errc::bad_option, "{} '{}' is not a size; write it like 256MiB or 4GiB", option, text);
}

namespace {

std::string bytes_text(double bytes, bool up) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  const int digits = bytes < 10 && unit > 0 ? 1 : 0;
  const double shown = digits > 0 ? 10 : 1;
  return fmt::format("{:.{}f} {}", up ? std::ceil(bytes * shown) / shown : bytes, digits,
                     units[unit]);
}

}  // namespace

std::string format_bytes(double bytes) { return bytes_text(bytes, false); }

std::string format_least_bytes(double bytes) { return bytes_text(bytes, true); }

}  // namespace mercer
