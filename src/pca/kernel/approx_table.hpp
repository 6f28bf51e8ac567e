#pragma once
// The approximations of kernel PCA: one row for each alternative of `Approx`.

#include "core/text_form.hpp"

#include <mercer/approx.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mercer {

struct ApproxRow {
  TextForm text;
  std::string_view notes;
  Approx (*make)(std::span<const double> values);
  /// Of each parameter; none for one that the others rule out.
  std::vector<std::optional<double>> (*values)(const Approx&);
};

/// In the order of the alternatives.
std::span<const ApproxRow* const> approx_rows();

/// Throws `Errc::bad_option` for a setting outside its domain.
void require_valid(const Approx& approx);

}  // namespace mercer
