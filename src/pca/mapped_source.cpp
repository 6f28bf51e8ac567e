#include "pca/mapped_source.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "maps/expression_map.hpp"
#include "maps/finite_features.hpp"

#include <algorithm>
#include <type_traits>

namespace mercer {

namespace {

/// About how much memory a block of features takes.
constexpr Index block_bytes = Index{8} << 20;

template <class T, class Out>
class MappedSource final : public ForwardingSource<Out, T> {
 public:
  MappedSource(Source<T>& source, const Map<Out>& map, const Standard* standard, int threads,
               FeatureErrorSum* sum, Index first)
      : ForwardingSource<Out, T>(source),
        map_(map),
        changes_(standard != nullptr),
        before_(changes_ ? static_cast<const Preprocess&>(*standard) : Preprocess()),
        threads_(threads),
        most_rows_(std::max<Index>(16, block_bytes / static_cast<Index>(sizeof(Out)) /
                                           std::max<Index>(1, map.features()))),
        schema_(source.schema()),
        sum_(sum),
        first_(first) {
    if constexpr (std::is_same_v<Out, double>)
      measures_ = sum ? dynamic_cast<const MeasuresFeatureError*>(&map) : nullptr;
    if (measures_) sum->measured = true;
    schema_.features = map.features();
    schema_.feature_names.clear();
    schema_.sparse = false;
  }

  const Schema& schema() const override { return schema_; }
  std::size_t buffer_bytes() const override {
    return this->source_.buffer_bytes() +
           sizeof(Out) * static_cast<std::size_t>(most_rows_ * map_.features());
  }
  void rewind() override {
    this->source_.rewind();
    block_.reset();
    seen_ = 0;
    squares_ = 0;
  }

  std::optional<Block<Out>> next() override {
    if (!block_ || done_ == block_->rows.rows()) {
      block_ = this->source_.next();
      done_ = 0;
      if (!block_) return std::nullopt;
    }
    const Index n = std::min(most_rows_, block_->rows.rows() - done_);
    const Rows<T> rows = block_->rows.middle(done_, n);
    features_.resize(n, map_.features());
    if (measures_) errors_.resize(n, map_.features());
    const Index grain = std::max<Index>(1, (1 << 15) / std::max<Index>(1, map_.features()));
    parallel_ranges(n, threads_, grain, [&](Index begin, Index end, int) {
      const Rows<T> part = rows.middle(begin, end - begin);
      if constexpr (std::is_same_v<T, Out>) {
        if (!changes_) return apply(part, begin);
      }
      const Matrix<Out> copy = before_.template as<Out>(part);
      apply(Rows<Out>(copy), begin);
    });
    if (!features_.allFinite()) [[unlikely]]
      refuse(rows);
    if (measures_) add_errors(n);
    seen_ += n;
    Block<Out> out{Rows<Out>(features_)};
    if (!block_->weights.empty())
      out.weights =
          block_->weights.subspan(static_cast<std::size_t>(done_), static_cast<std::size_t>(n));
    out.labels = block_->labels;
    out.ids = block_->ids;
    out.first_label = block_->first_label + done_;
    done_ += n;
    return out;
  }

 private:
  void apply(const Rows<Out>& rows, Index first) {
    auto features = features_.middleRows(first, rows.rows());
    if constexpr (std::is_same_v<Out, double>) {
      if (measures_)
        return measures_->apply_with_errors(rows, sum_->cells, features,
                                            errors_.middleRows(first, rows.rows()));
    }
    map_.apply(rows, features);
  }

  /// Row by row: the sum is the same for blocks of any size.
  void add_errors(Index n) {
    for (Index i = 0; i < n; ++i) {
      const double weight =
          block_->weights.empty() ? 1.0 : block_->weights[static_cast<std::size_t>(done_ + i)];
      if (weight > 0) squares_ += weight * errors_.row(i).squaredNorm();
    }
    sum_->squares = std::max(sum_->squares, squares_);
  }

  [[noreturn]] void refuse(const Rows<T>& rows) const {
    try {
      require_finite_features(map_, Rows<Out>(before_.template as<Out>(rows)), first_ + seen_,
                              this->source_.schema().feature_names);
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("{}, {}{}", this->name(), error.what(),
                              before_.scale.size() > 0 ? " (these are z-scores)" : ""),
                  this->name());
    }
    fail(Errc::bad_data,
         "the map {} overflows on {}; scale the data (`scale=std`) or use a lower degree",
         map_.text(), Input(this->name()));
  }

  const Map<Out>& map_;
  bool changes_;
  Preprocess before_;
  int threads_;
  Index most_rows_;
  Schema schema_;
  std::optional<Block<T>> block_;
  Index done_ = 0;
  Matrix<Out> features_;
  FeatureErrorSum* sum_;
  const MeasuresFeatureError* measures_ = nullptr;
  Matrix<double> errors_;  // of the features, where the map measures them
  Index first_;            // rows before those of the source
  Index seen_ = 0;         // rows of this pass before the block
  double squares_ = 0;
};

}  // namespace

template <class T, class Out>
std::unique_ptr<Source<Out>> mapped_source(Source<T>& source, const Map<Out>& map,
                                           const Standard* standard, int threads,
                                           FeatureErrorSum* errors, Index first) {
  return std::make_unique<MappedSource<T, Out>>(source, map, standard, threads, errors, first);
}

#define MERCER_INSTANTIATE(T, Out)                     \
  template std::unique_ptr<Source<Out>> mapped_source( \
      Source<T>&, const Map<Out>&, const Standard*, int, FeatureErrorSum*, Index);
MERCER_INSTANTIATE(float, float)
MERCER_INSTANTIATE(float, double)
MERCER_INSTANTIATE(double, double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
