#pragma once
// The generator that a learner starts from.

#include "core/random.hpp"

namespace mercer {

using StartRandom = Random;

}  // namespace mercer
