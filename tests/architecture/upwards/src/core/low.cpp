#include "low.hpp"
#include <mercer/fit.hpp>
#include "fit/high.hpp"
