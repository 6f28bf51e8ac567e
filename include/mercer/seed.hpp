#pragma once
// One default seed for everything that draws random numbers: C++, command line and Python agree.

#include <cstdint>

namespace mercer {

inline constexpr std::uint64_t default_seed = 1;

}  // namespace mercer
