#pragma once
// Errors about unusable numbers, of formats without text cells.

#include "core/require.hpp"

#include <mercer/matrix.hpp>

#include <cmath>
#include <string>

namespace mercer {

/// `place`: "row 7, column 3". `count`: missing cells in the whole file.
[[noreturn]] inline void fail_missing(const std::string& file, const std::string& place,
                                      Index count) {
  fail(Errc::bad_data,
       "'{}', {}: missing value ({} in total); drop such rows with `missing=drop` or use the "
       "column mean with `missing=mean`",
       Input(file), place, count);
}

/// For `Missing::drop`, when no row is left.
[[noreturn]] inline void fail_all_dropped(const std::string& file) {
  fail(Errc::bad_data,
       "'{}': every row has a missing value, so `missing=drop` drops all rows; use `missing=mean`",
       Input(file));
}

/// `original`: the number before it was rounded to the precision of the rows.
[[noreturn]] inline void fail_infinite(const std::string& file, const std::string& place,
                                       double original) {
  if (std::isfinite(original))
    fail(Errc::bad_data, "'{}', {}: {} is too large for float; use `double`", Input(file), place,
         original);
  fail(Errc::bad_data, "'{}', {}: infinite value; replace it or drop the row", Input(file), place);
}

/// Weights count rows: finite and not negative.
inline void check_weight(double weight, const std::string& file, const std::string& place) {
  require(!std::isnan(weight), Errc::bad_data,
          "'{}', {}: the row's weight is missing; every row needs one", Input(file), place);
  require(std::isfinite(weight) && weight >= 0, Errc::bad_data,
          "'{}', {}: {} cannot be a row's weight; weights are finite and not negative", Input(file),
          place, weight);
}

}  // namespace mercer
