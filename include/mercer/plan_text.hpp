#pragma once
/// \file
/// A plan as text or JSON, where the number of rows may be an estimate.
///
///     auto source = mercer::open<double>("big.csv");
///     mercer::Plan p = mercer::plan(*source, {.components = 10});
///     std::string text = mercer::to_text(p, mercer::RowCount::estimated);  // "about 8192 rows …"
///
/// CSV and TSV files that are streamed estimate their rows from their size
/// (`Source::expected_rows`), to a few percent; all numbers of the plan follow from that.

#include <mercer/plan.hpp>

#include <string>

namespace mercer {

enum class RowCount {
  exact,
  estimated  ///< from the size of a file
};

/// As `to_text` of a plan, with "about" before an estimate and where it comes from.
std::string to_text(const Plan& plan, RowCount count);
/// As `to_json` of a plan, with `n_samples_estimated`.
std::string to_json(const Plan& plan, RowCount count, int indent = 2);

}  // namespace mercer
