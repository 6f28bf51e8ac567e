#pragma once
// Sizes in bytes as text, the peak memory of this process, and huge pages.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mercer {

/// Asks for huge pages in a fresh allocation: the first touch of 4 KiB pages is several times
/// slower than the arithmetic that follows it. Harmless on small or foreign memory.
void advise_huge_pages(void* data, std::size_t bytes);

/// From now on, freed blocks of 1 MiB or more go back to the system at once. By default the
/// allocator keeps blocks of up to 32 MiB for reuse, which is faster, but they count as resident.
void return_freed_memory();

/// Largest resident size of this process so far.
std::int64_t peak_memory_bytes();

/// "4GiB", "256 MiB", "500MB", "1e9": bytes. Throws `Errc::bad_option` naming `option`.
std::size_t parse_bytes(std::string_view text, std::string_view option);

/// 268435456 → "256 MiB".
std::string format_bytes(double bytes);
/// The same, rounded up: a budget of that size holds as much.
std::string format_least_bytes(double bytes);

}  // namespace mercer
