#include "low.hpp"
#include <mercer/fit.hpp>
#include "pca/high.hpp"
