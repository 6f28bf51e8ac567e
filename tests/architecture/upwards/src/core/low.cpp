#include "fit/high.hpp"
#include <mercer/fit.hpp>
#include "low.hpp"
