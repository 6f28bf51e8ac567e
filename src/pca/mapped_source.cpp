#include "pca/mapped_source.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <type_traits>

namespace mercer {

namespace {

/// About how much memory a block of features takes.
constexpr Index block_bytes = Index{8} << 20;

template <class T, class Out>
class MappedSource final : public ForwardingSource<Out, T> {
 public:
  MappedSource(Source<T>& source, const Map<Out>& map, const Standard* standard, int threads)
      : ForwardingSource<Out, T>(source),
        map_(map),
        changes_(standard != nullptr),
        before_(changes_ ? static_cast<const Preprocess&>(*standard) : Preprocess()),
        threads_(threads),
        most_rows_(std::max<Index>(16, block_bytes / static_cast<Index>(sizeof(Out)) /
                                           std::max<Index>(1, map.features()))),
        schema_(source.schema()) {
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
    const Index grain = std::max<Index>(1, (1 << 15) / std::max<Index>(1, map_.features()));
    parallel_ranges(n, threads_, grain, [&](Index begin, Index end, int) {
      const Rows<T> part = rows.middle(begin, end - begin);
      auto features = features_.middleRows(begin, end - begin);
      if constexpr (std::is_same_v<T, Out>) {
        if (!changes_) return map_.apply(part, features);
      }
      const Matrix<Out> copy = before_.template as<Out>(part);
      map_.apply(Rows<Out>(copy), features);
    });
    require(features_.allFinite(), Errc::bad_data,
            "the map {} overflows on {}; scale the data (`scale=std`) or use a lower degree",
            map_.text(), Input(this->name()));
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
  const Map<Out>& map_;
  bool changes_;
  Preprocess before_;
  int threads_;
  Index most_rows_;
  Schema schema_;
  std::optional<Block<T>> block_;
  Index done_ = 0;
  Matrix<Out> features_;
};

}  // namespace

template <class T, class Out>
std::unique_ptr<Source<Out>> mapped_source(Source<T>& source, const Map<Out>& map,
                                           const Standard* standard, int threads) {
  return std::make_unique<MappedSource<T, Out>>(source, map, standard, threads);
}

#define MERCER_INSTANTIATE(T, Out)                                                 \
  template std::unique_ptr<Source<Out>> mapped_source(Source<T>&, const Map<Out>&, \
                                                      const Standard*, int);
MERCER_INSTANTIATE(float, float)
MERCER_INSTANTIATE(float, double)
MERCER_INSTANTIATE(double, double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
