#include "pca/saved_fit.hpp"

#include "core/require.hpp"
#include "core/row_hash.hpp"
#include "core/team.hpp"
#include "maps/expression_map.hpp"
#include "pca/fit_identity.hpp"
#include "pca/pass_log.hpp"

#include <mercer/fit_checkpoint.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mercer {

namespace {

template <class T>
void hash_rows(const Rows<T>& rows, std::span<const double> weights, RowHash& hash) {
  for (Index i = 0; i < rows.rows(); ++i) {
    if (!weights.empty()) hash.cell(weights[static_cast<std::size_t>(i)]);
    if (!rows.sparse()) {
      const T* const row = rows.row(i);
      for (Index j = 0; j < rows.cols(); ++j) hash.cell(static_cast<double>(row[j]));
    } else {
      const CsrView<T>& csr = rows.csr();
      for (std::int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e) {
        hash.cell(static_cast<std::uint64_t>(csr.columns[e]));
        hash.cell(static_cast<double>(csr.values[e]));
      }
    }
    hash.end_row();
  }
}

/// The rows of all ranks, as lines of an identity.
template <class T>
std::string identity_of_rows(Team& team, Source<T>& source) {
  RowHash hash;
  std::int64_t rows = 0;
  const auto add = [&](const Block<T>& block) {
    hash_rows(block.rows, block.weights, hash);
    rows += block.rows.rows();
  };
  agree(team, [&] {
    if (const auto all = source.whole()) return add(*all);
    require(source.can_rewind(), Errc::bad_option,
            "`checkpoint` needs rows that can be read again; save {} to a file first",
            Input(source.name()));
    while (const auto block = source.next()) add(*block);
    source.rewind();
  });
  const Scanned place = scan(team, rows);
  std::uint64_t all = 0;
  for (const std::int64_t part : all_of(team, static_cast<std::int64_t>(hash.after(place.before))))
    all += static_cast<std::uint64_t>(part);
  return fmt::format("the number of rows\t{}\nthe data\t{:016x}\n", place.total, all);
}

template <class T>
void require_known_map(const Map<T>* map) {
  if (!map) return;
  require(!map->text().starts_with("function("), Errc::bad_option,
          "functions of a program cannot be combined with `checkpoint`: nothing tells whether they "
          "are the same when the fit continues");
  // Their errors are measured as rows go by.
  require(!dynamic_cast<const MeasuresFeatureError*>(map), Errc::bad_option,
          "expressions as a map cannot be combined with `checkpoint`; compute the columns first");
}

}  // namespace

void require_savable(const FitOptions& o) {
  if (!o.checkpoint) return;
  const auto refuse = [](bool asked, std::string_view what, std::string_view why) {
    require(!asked, Errc::bad_option, "{} cannot be combined with `checkpoint`: {}", what, why);
  };
  constexpr std::string_view few = "an approximation takes a few passes, which are not saved";
  refuse(o.approx.has_value(), "`approx`", few);
  refuse(o.seconds > 0, "`seconds`", few);
  refuse(o.missing == Missing::em, "`missing=em`", "steps of the imputation are not saved");
  refuse(o.components.kind() == Components::Kind::significant, "`components=significant()`",
         "permutations are not saved");
  refuse(o.keep_rows > 0, "`keep_rows`", "rows are drawn in passes that may be read instead");
  constexpr std::string_view once = "that solver has no passes to save";
  refuse(o.solver == Solver::dense, "`solver=dense`", once);
  refuse(o.solver == Solver::gram, "`solver=gram`", once);
}

template <class T>
SavedFit::SavedFit(FitOptions options, Source<T>& source, const Map<T>* map)
    : options_(std::move(options)) {
  if (!options_.checkpoint) return;
  Team& team = options_.team ? *options_.team : Team::alone();
  agree(team, [&] { require_known_map(map); });
  const std::string run =
      identity_of(options_, source.schema(), map ? map->text() : "", std::is_same_v<T, float>) +
      identity_of_rows(team, source);
  options_.memory = options_.checkpoint->log().begin(team, run, options_.memory);
}

SavedFit::~SavedFit() {
  if (options_.checkpoint) options_.checkpoint->log().end();
}

template SavedFit::SavedFit(FitOptions, Source<float>&, const Map<float>*);
template SavedFit::SavedFit(FitOptions, Source<double>&, const Map<double>*);

}  // namespace mercer
