#pragma once
/// \file
/// Data sets of the lectures, generated: two clouds, curves that are linear after a feature map,
/// and shapes that need a kernel.
///
///     auto table = mercer::datasets::clouds({.rows = 1800, .seed = 7});
///     auto model = mercer::fit(table.x);               // variances near 0.1444 and 0.0209
///     auto ring = mercer::datasets::make("rings", {.rows = 300});
///
///     clouds     randn/9 + 0.5 (4 of 9 rows), then randn/6 + 1, in the plane; class first, second
///     circle     x1² + x2² = 1
///     ellipse    x1² − 2 x1 x2 + 2 x2² = 2
///     parabola   x2 = x1², −1 < x1 < 1
///     rings      circles of radius 1 and 3 around the origin; class inner, outer
///     moons      half circles around (0, 0) and, inverted, (1, ½); class upper, lower
///     swissroll  (t cos t, v, t sin t), 3π/2 < t < 9π/2, 0 < v < 21; class 1 … 6 along the roll
///
/// A table has the columns x1, x2 (x3), and labels if the set has classes. The same options
/// generate the same rows on every machine, up to rounding in the functions of its C library.
/// `rings` and `moons` of 300 rows with seeds 1 and 2 are the bundled files, before these were
/// rounded. Cost: about 100 ns per row.

#include <mercer/data.hpp>
#include <mercer/seed.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mercer::datasets {

struct Options {
  Index rows = 0;  ///< at most 10,000,000; 0: as many as `Entry::rows`
  /// Standard deviation of the Gaussian noise that is added to every coordinate; of `clouds`, a
  /// factor of their deviations 1/9 and 1/6. Empty: `Entry::noise`.
  std::optional<double> noise{};
  std::uint64_t seed = default_seed;
};

Table<double> clouds(const Options& options = {});
Table<double> circle(const Options& options = {});
Table<double> ellipse(const Options& options = {});
Table<double> parabola(const Options& options = {});
Table<double> rings(const Options& options = {});
Table<double> moons(const Options& options = {});
Table<double> swissroll(const Options& options = {});

/// The data set of this name. Throws `Errc::bad_option` for an unknown name.
Table<double> make(std::string_view name, const Options& options = {});

/// Entry in the list of data sets.
struct Entry {
  std::string name;
  std::string notes;
  Index rows = 0;    ///< by default
  double noise = 0;  ///< by default
};
std::span<const Entry> table();

}  // namespace mercer::datasets
