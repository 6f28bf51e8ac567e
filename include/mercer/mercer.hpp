#pragma once
/// \file
/// Everything.

#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/fit.hpp>
#include <mercer/kernel.hpp>
#include <mercer/map.hpp>
#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/moments.hpp>
#include <mercer/operator.hpp>
#include <mercer/picture.hpp>
#include <mercer/progress.hpp>
#include <mercer/rows.hpp>
#include <mercer/source.hpp>
#include <mercer/version.hpp>
