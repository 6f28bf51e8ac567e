#include <mercer/model.hpp>
#include "core/inside.hpp"
