#include "pca/mapped_source.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"

#include <algorithm>

namespace mercer {

namespace {

/// About how much memory a block of features takes.
constexpr Index block_bytes = Index{8} << 20;

template <class T>
class MappedSource final : public Source<T> {
 public:
  MappedSource(Source<T>& source, const Map<T>& map, const Standard* standard, int threads)
      : source_(source),
        map_(map),
        standard_(standard),
        threads_(threads),
        most_rows_(std::max<Index>(
            16, block_bytes / static_cast<Index>(sizeof(T)) / std::max<Index>(1, map.features()))),
        schema_(source.schema()) {
    schema_.features = map.features();
    schema_.feature_names.clear();
    schema_.sparse = false;
  }

  const Schema& schema() const override { return schema_; }
  std::string name() const override { return source_.name(); }
  void require_unchanged() const override { source_.require_unchanged(); }
  Index expected_rows() const override { return source_.expected_rows(); }
  Index dropped_rows() const override { return source_.dropped_rows(); }
  bool can_rewind() const override { return source_.can_rewind(); }
  void rewind() override {
    source_.rewind();
    block_.reset();
  }

  std::optional<Block<T>> next() override {
    if (!block_ || done_ == block_->rows.rows()) {
      block_ = source_.next();
      done_ = 0;
      if (!block_) return std::nullopt;
    }
    const Index n = std::min(most_rows_, block_->rows.rows() - done_);
    const Rows<T> rows = block_->rows.middle(done_, n);
    features_.resize(n, map_.features());
    const Index grain = std::max<Index>(1, (1 << 15) / std::max<Index>(1, map_.features()));
    parallel_ranges(n, threads_, grain, [&](Index begin, Index end, int) {
      const Rows<T> part = rows.middle(begin, end - begin);
      const Matrix<T> copy = standard_ ? standardized(part, *standard_) : Matrix<T>();
      map_.apply(standard_ ? Rows<T>(copy) : part, features_.middleRows(begin, end - begin));
    });
    require(features_.allFinite(), Errc::bad_data,
            "the map {} overflows on {}; scale the data (--scale std) or use a lower degree",
            map_.text(), name());
    Block<T> out{Rows<T>(features_)};
    if (block_->weights) out.weights = block_->weights + done_;
    out.labels = block_->labels;
    out.ids = block_->ids;
    out.first_label = block_->first_label + done_;
    done_ += n;
    return out;
  }

 private:
  Source<T>& source_;
  const Map<T>& map_;
  const Standard* standard_;
  int threads_;
  Index most_rows_;
  Schema schema_;
  std::optional<Block<T>> block_;
  Index done_ = 0;
  Matrix<T> features_;
};

}  // namespace

template <class T>
std::unique_ptr<Source<T>> mapped_source(Source<T>& source, const Map<T>& map,
                                         const Standard* standard, int threads) {
  return std::make_unique<MappedSource<T>>(source, map, standard, threads);
}

template std::unique_ptr<Source<float>> mapped_source(Source<float>&, const Map<float>&,
                                                      const Standard*, int);
template std::unique_ptr<Source<double>> mapped_source(Source<double>&, const Map<double>&,
                                                       const Standard*, int);

}  // namespace mercer
