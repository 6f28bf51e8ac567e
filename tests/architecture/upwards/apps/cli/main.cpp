#include "core/require.hpp"
#include "pca/plan.hpp"
#include "studio/page.hpp"
#include "terminal.hpp"
