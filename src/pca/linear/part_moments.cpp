#include <mercer/part_moments.hpp>

#include "core/require.hpp"
#include "core/weights.hpp"
#include "data/finite.hpp"
#include "maps/expression_map.hpp"
#include "maps/from_text.hpp"
#include "model/relations.hpp"
#include "pca/feature_rounding.hpp"
#include "pca/linear/part_difference.hpp"
#include "pca/mapped_source.hpp"
#include "pca/model_of.hpp"

#include <mercer/source.hpp>

#include <optional>
#include <utility>

namespace mercer {

namespace {

std::shared_ptr<const Map<double>> map_of(const Schema& schema, const PartOptions& options) {
  if (options.map.empty()) return nullptr;
  require(options.scale == Scale::none, Errc::bad_option,
          "the map of z-scores needs the means and deviations of all rows, which no part has; "
          "sum the rows without scaling, or fit all rows together");
  auto map = map_from_text<double>(options.map, schema.features, schema.feature_names);
  require(map->anchors().rows() == 0, Errc::bad_option,
          "the map {} draws random numbers; fit all rows together", map->text());
  return map->is_identity() ? nullptr : map;
}

FitOptions sum_options(const PartOptions& options) {
  return {.center = options.center,
          .scale = options.scale,
          .ddof = options.ddof,
          .threads = options.threads,
          .monitor = options.monitor};
}

void require_finite_rows(const Block<double>& block, std::int64_t before, const std::string& name,
                         int threads) {
  for_not_finite(
      block.rows,
      [&](Index row, std::int64_t column, double value) {
        fail(Errc::bad_data, "{}, row {}, column {} is {}; remove the row or fill in a number",
             Input(name), before + row + 1, column + 1, value);
      },
      threads);
}

/// Rows on their way to a map, which are summed themselves.
class SummedSource final : public ForwardingSource<double> {
 public:
  SummedSource(Source<double>& source, Moments& sums, int threads)
      : ForwardingSource<double>(source), sums_(sums), threads_(threads) {}
  std::optional<Block<double>> next() override {
    auto block = source_.next();
    if (!block) return block;
    require_finite_rows(*block, before_, name(), threads_);
    before_ += block->rows.rows();
    sums_.add(block->rows, block->weights, {.threads = threads_});
    return block;
  }

 private:
  Moments& sums_;
  int threads_;
  std::int64_t before_ = 0;
};

}  // namespace

PartMoments::PartMoments(Schema schema, PartOptions options)
    : schema_(std::move(schema)),
      options_(std::move(options)),
      map_(map_of(schema_, options_)),
      sums_(map_ ? map_->features() : schema_.features, sum_options(options_)),
      inputs_(schema_.features) {}

void PartMoments::add(Source<double>& source) {
  if (const std::string wrong = difference(schema_, source.schema()); !wrong.empty())
    fail(Errc::bad_data, "cannot add {} to these moments: {}", Input(source.name()), wrong);
  FeatureErrorSum errors;
  SummedSource summed(source, inputs_, options_.threads);
  std::unique_ptr<Source<double>> features;
  if (map_) features = mapped_source<double>(summed, *map_, nullptr, options_.threads, &errors);
  Source<double>& from = features ? *features : source;
  std::int64_t before = 0;
  while (const auto block = from.next()) {
    if (!map_) require_finite_rows(*block, before, source.name(), options_.threads);
    sums_.update(block->rows, block->weights);
    before += block->rows.rows();
  }
  feature_error_ += errors.squares;
}

void PartMoments::update(const Rows<double>& rows, Weights weights) {
  weights_of(weights, rows.rows());  // one per row
  if (rows.rows() == 0) return;
  schema_.weighted = schema_.weighted || !weights.empty();
  if (!map_) return sums_.update(rows, weights);
  // The map may fail on a later block.
  PartMoments next = *this;
  next.add(*from_memory(rows, weights, schema_));
  *this = std::move(next);
}

void PartMoments::merge(const PartMoments& other) {
  const auto refuse = [&](Errc code, const std::string& wrong) {
    if (!wrong.empty())
      fail(code, "cannot merge {} and {}: {}", name_.empty() ? "these moments" : name_,
           other.name_.empty() ? "the others" : other.name_, wrong);
  };
  // The weights of no rows are no difference.
  Schema ours = schema_, theirs = other.schema_;
  const auto weigh_like = [](Schema& schema, const Schema& like) {
    schema.weighted = like.weighted;
    schema.weight = like.weight;
  };
  if (other.rows() == 0) weigh_like(theirs, ours);
  else if (rows() == 0) weigh_like(ours, theirs);
  refuse(Errc::bad_data, difference(ours, theirs));
  refuse(Errc::bad_option, difference(options_, other.options_));
  schema_ = std::move(ours);
  if (schema_.label != other.schema_.label) schema_.label.clear();
  if (schema_.id != other.schema_.id) schema_.id.clear();
  if (other.rows() > 0) sums_.merge(other.sums_);
  inputs_.merge(other.inputs_);
  feature_error_ += other.feature_error_;
  parts_ += other.parts_;
}

Model<double> PartMoments::model(const Components& components, double tolerance) const {
  const auto kind = components.kind();
  require(kind == Components::Kind::all || kind == Components::Kind::count ||
              kind == Components::Kind::fraction,
          Errc::bad_option,
          "moments give a number of components, a fraction of the variance or all; other choices "
          "need the rows");
  FitOptions options = sum_options(options_);
  options.components = components;
  options.tolerance = tolerance;
  IncrementalPca<double> all(sums_.moments().features(), options);
  all.load_state(sums_.save_state());
  ModelParts<double> parts = all.model().parts();
  if (map_) {
    const bool measured = dynamic_cast<const MeasuresFeatureError*>(map_.get()) != nullptr;
    add_feature_rounding(parts, *map_, {}, tolerance, measured ? feature_error_ : -1);
    name_terms(parts.report.relations, *map_);
    parts.map = map_;
    parts.input_mean = inputs_.mean();
    parts.input_rest = inputs_.mean_rest();
    parts.column_variance.resize(0);  // those of the features are of no column
    require_representable(parts);
  }
  parts.feature_names = schema_.feature_names;
  parts.label_column = schema_.label;
  parts.id_column = schema_.id;
  parts.report.solver.why =
      parts_ == 1 ? "moments of one part" : fmt::format("moments of {} parts", parts_);
  return Model<double>(std::move(parts));
}

PartMoments sum_part(Source<double>& source, const PartOptions& options) {
  PartMoments part(source.schema(), options);
  part.add(source);
  return part;
}

}  // namespace mercer
