#include "low.hpp"
#include <mercer/fit.hpp>
#include "pca/high.hpp"
const char* const flag = "raise --memory";
const char* const short_flag = "-k is too large";
const auto free_bytes = available_memory_bytes();
