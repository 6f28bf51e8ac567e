#include "fit/learn_space.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "solvers/dense.hpp"

#include <mercer/kernel_hebbian.hpp>

#include <algorithm>
#include <utility>

namespace mercer {

namespace {

class Replayed final : public Source<double> {
 public:
  Replayed(Matrix<double> first, std::vector<double> weights, Source<double>& rest)
      : first_(std::move(first)), weights_(std::move(weights)), rest_(rest) {}
  const Schema& schema() const override { return rest_.schema(); }
  std::optional<Block<double>> next() override {
    if (std::exchange(given_, true)) return rest_.next();
    return Block<double>{Rows<double>(first_), weights_.empty() ? nullptr : weights_.data()};
  }
  void rewind() override { rest_.rewind(); }
  bool can_rewind() const override { return false; }
  Index dropped_rows() const override { return rest_.dropped_rows(); }
  std::string name() const override { return rest_.name(); }

 private:
  Matrix<double> first_;
  std::vector<double> weights_;
  Source<double>& rest_;
  bool given_ = false;
};

}  // namespace

LearnSpace::LearnSpace(std::shared_ptr<const Map<double>> map) : map_(std::move(map)) {}

LearnSpace::LearnSpace(const Kernel& kernel, Matrix<double> landmarks)
    : map_(landmark_map(kernel, std::move(landmarks))) {}

Matrix<double> LearnSpace::features(const Rows<double>& rows, const Standard* standard,
                                    int threads) const {
  // Pieces of a fixed size: the last bits of a product depend on its shape, and may not depend on
  // the threads.
  constexpr Index piece = 64;
  const Index n = rows.rows();
  Matrix<double> out(n, map_->features());
  if (!standard) map_->require_domain(rows, 0);
  parallel_for((n + piece - 1) / piece, thread_count(threads), [&](Index i) {
    const Index first = i * piece, count = std::min(piece, n - first);
    const Rows<double> part = rows.middle(first, count);
    const Matrix<double> copy = standard ? standardized(part, *standard) : Matrix<double>();
    map_->apply(standard ? Rows<double>(copy) : part, out.middleRows(first, count));
  });
  return out;
}

ModelParts<double> LearnSpace::finished(ModelParts<double> parts, const Standard* standard,
                                        const Vector<double>& input_mean) const {
  const bool scaled = standard != nullptr && standard->scale.size() > 0;
  // A learner that knew of the landmarks has done this itself.
  if (const LinearMap<double>* linear = map_->linear(); linear && parts.map->is_identity()) {
    parts.map = linear->inner;
    parts.components = parts.components * linear->a;
    parts.mean = linear->inverse * parts.mean;
    fix_signs(parts.components);
  }
  if (scaled) parts.scale = standard->scale;
  if (!parts.map->is_identity()) {
    if (scaled) parts.input_mean = standard->mean;
    else if (input_mean.size() > 0) parts.input_mean = input_mean;
  } else if (scaled) {
    parts.mean = standard->mean + standard->scale.cwiseProduct(parts.mean);
  }
  return parts;
}

Matrix<double> landmark_rows(const Rows<double>& rows, Index count, const Standard* standard) {
  const Index n = rows.rows();
  count = std::min(count, n);
  Matrix<double> out(count, rows.cols());
  for (Index i = 0; i < count; ++i) {
    const Rows<double> row = rows.middle(count == n ? i : i * n / count, 1);
    if (standard) out.row(i) = standardized(row, *standard);
    else if (!row.sparse()) out.row(i) = row.dense();
    else {
      out.row(i).setZero();
      for (std::int64_t e = row.csr().offsets[0]; e < row.csr().offsets[1]; ++e)
        out(i, row.csr().columns[e]) = row.csr().values[e];
    }
  }
  return out;
}

std::unique_ptr<Source<double>> replayed(Matrix<double> first, std::vector<double> weights,
                                         Source<double>& rest) {
  return std::make_unique<Replayed>(std::move(first), std::move(weights), rest);
}

}  // namespace mercer
