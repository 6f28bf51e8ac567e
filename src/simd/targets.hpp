#pragma once
// Which instruction set the SIMD code runs on.

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The instruction sets that this machine has and this build has code for.
std::vector<std::string> simd_names();

/// Makes all SIMD code of this process use one instruction set: "avx2", "sse4", …; for tests and
/// comparisons. Throws `Errc::bad_option` when this machine or build does not have it, and names
/// those it has.
void force_simd(std::string_view name);

/// The instruction set in use.
std::string simd_name();

}  // namespace mercer
