#pragma once
/// \file
/// Sums of one part of the rows, as a file: parts that were summed on different machines merge
/// into the PCA of all rows.
///
///     mercer::PartMoments part = mercer::sum_part(*mercer::open<double>("monday.csv"));
///     part.save("monday.mom");
///     part.merge(mercer::PartMoments::load("tuesday.mom"));
///     auto model = part.model(2);                 // of both days, as if fitted together
///
/// A part holds what `IncrementalPca` holds: moments and, where squares would lose digits, a
/// triangular factor. The model is that of `fit` up to rounding, for any grouping and order of
/// the parts, and its report has intervals for the eigenvalues. Z-scores are possible, as the
/// scales are those of all rows. Cost: that of `IncrementalPca`; a file has about 3·d² numbers, and
/// 2·d² for each doubling of the rows beyond 4,000.

#include <mercer/fit.hpp>
#include <mercer/incremental.hpp>
#include <mercer/map.hpp>
#include <mercer/model.hpp>
#include <mercer/moments.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mercer {

/// What parts must agree on.
struct PartOptions {
  bool center = true;
  Scale scale = Scale::none;  ///< z-scores by the deviations of all rows; not with a map
  int ddof = 1;
  std::string map{};  ///< text of an explicit map; empty: the columns themselves
  int threads = 0;
  Monitor monitor{};
};

class PartMoments {
 public:
  /// No rows yet, of columns with these names and roles.
  explicit PartMoments(Schema schema, PartOptions options = {});

  /// Adds all rows of a source with the same columns.
  void add(Source<double>& source);
  /// Adds rows; an error leaves the object as it was.
  void update(const Rows<double>& rows, Weights weights = {});

  /// Adds the rows of another part. Throws `Errc::bad_data` or `Errc::bad_option` that names both
  /// parts and the difference, if columns, weights or options differ.
  void merge(const PartMoments& other);

  /// The model of all rows. `components`: a count, a fraction or all.
  Model<double> model(const Components& components = {}, double tolerance = 1e-10) const;

  std::string to_bytes() const;
  /// Throws `Errc::bad_file` for anything else than the result of `to_bytes`; `name` is for
  /// messages.
  static PartMoments from_bytes(std::string_view bytes, const std::string& name = "these bytes");
  void save(const std::string& path) const;
  static PartMoments load(const std::string& path);
  /// Whether a file begins like a moment file.
  static bool is_file(const std::string& path);

  std::int64_t rows() const { return sums_.moments().rows(); }
  double weight() const { return sums_.moments().weight(); }
  Index features() const { return sums_.moments().features(); }  ///< of the map, if there is one
  std::int64_t parts() const { return parts_; }  ///< merged so far, this one included
  const Schema& schema() const { return schema_; }
  const PartOptions& options() const { return options_; }
  const std::string& name() const { return name_; }  ///< the file, for messages; empty: none

 private:
  Schema schema_;
  PartOptions options_;
  std::shared_ptr<const Map<double>> map_;  ///< null: none
  IncrementalPca<double> sums_;
  Moments inputs_;            ///< of the columns that a map takes; without a map, of no rows
  double feature_error_ = 0;  ///< Σ w·e² of the features, of maps that bound it
  std::int64_t parts_ = 1;
  std::string name_;
};

/// The sums of all rows of a source.
PartMoments sum_part(Source<double>& source, const PartOptions& options = {});

}  // namespace mercer
