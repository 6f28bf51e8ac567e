#pragma once
// Passes over rows as a map or a kernel sees them, in pieces small enough that progress is seen.

#include "pca/standard.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mercer {

template <class T>
class SeenRows {
 public:
  /// All stay with the caller. `standard`: null when rows are seen as they are.
  SeenRows(Passes<T>& passes, const Standard* standard, const FitOptions& options)
      : passes_(passes), standard_(standard), options_(options) {}
  /// On another rank, from `how()` of rank 0.
  SeenRows(Passes<T>& passes, const std::string& how, const FitOptions& options);
  SeenRows(const SeenRows&) = delete;
  SeenRows& operator=(const SeenRows&) = delete;

  std::string how() const;

  /// `first` is the number of the piece's first row, from 0.
  using Visit = std::function<void(const Rows<T>& rows, const double* weights, std::int64_t first)>;
  /// `note`: the note of the progress. All ranks of a team call it together: each visits the leaves
  /// of so many rows that begin on it.
  void run(std::string_view what, const Visit& visit, std::string_view note = {}, Index leaf = 1);
  /// The first `count` rows of all ranks, on rank 0 of the team.
  void visit_first(Index count, const Visit& visit);
  /// Leaves of so many rows on the ranks before this one.
  std::int64_t leaves_before(Index leaf) const;

  Index cols() const { return passes_.features(); }
  bool sparse() const { return passes_.sparse() && !standard_; }
  const Passes<T>& passes() const { return passes_; }
  Passes<T>& passes() { return passes_; }
  Team* team() const { return passes_.team(); }
  const FitOptions& options() const { return options_; }

 private:
  /// Visits a block in pieces, counts its rows.
  void see(const Rows<T>& block, const double* weights, std::int64_t& first,
           const Visit& visit) const;

  Passes<T>& passes_;
  std::optional<Standard> own_;
  const Standard* standard_;
  const FitOptions& options_;
};

}  // namespace mercer
