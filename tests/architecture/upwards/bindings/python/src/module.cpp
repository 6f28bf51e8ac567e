#include "core/memory.hpp"
#include "arrays.hpp"
