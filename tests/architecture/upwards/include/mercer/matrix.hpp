#include "core/inside.hpp"
#include <mercer/model.hpp>
