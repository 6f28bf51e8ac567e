#include "pca/kernel/landmark_draws.hpp"

#include "core/team_nodes.hpp"
#include "linalg/blas.hpp"
#include "linalg/blocked_triangular.hpp"
#include "pca/kernel/row_sample.hpp"
#include "pca/orders.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace mercer {

namespace {

/// Of a block of rows, or of several.
struct DrawSum {
  double trace = 0, rest = 0;
  Vector<double> explained{};

  void merge(const DrawSum& later) {
    trace += later.trace;
    rest += later.rest;
    explained += later.explained;
  }
};

Numbers numbers_of(const DrawSum& sum) {
  Numbers out{sum.trace, sum.rest};
  out.insert(out.end(), sum.explained.begin(), sum.explained.end());
  return out;
}

DrawSum draw_sum_of(const Numbers& numbers) {
  return {
      numbers[0], numbers[1],
      Eigen::Map<const Vector<double>>(numbers.data() + 2, static_cast<Index>(numbers.size()) - 2)};
}

/// The share of each row that landmarks leave out, where it is more than rounding.
template <class T>
Vector<double> left_out(const LandmarkFeatures<T>& landmarks, const Vector<double>& whole,
                        const Eigen::Ref<const Matrix<double>>& features) {
  const double share = LandmarkFeatures<T>::noise(std::max<Index>(1, landmarks.size()));
  Vector<double> left = whole - squared_lengths(features);
  for (Index i = 0; i < left.size(); ++i)
    if (left[i] <= share * whole[i]) left[i] = 0;
  return left;
}

/// Blocks of rows, which are the leaves of the sums.
template <class T>
class DrawOfBlocks {
 public:
  DrawOfBlocks(const LandmarkFeatures<T>& landmarks, Index cols, const DrawRule& rule, int threads)
      : landmarks_(landmarks),
        rule_(rule),
        cols_(cols),
        threads_(threads),
        features_(leaf_rows(), landmarks.size()),
        left_(leaf_rows()),
        whole_(leaf_rows()),
        scores_(leaf_rows()),
        drawn_(rule.count, rule.seed) {}

  Index leaf_rows() const { return feature_block(landmarks_.size(), cols_); }
  void begin_at(std::int64_t leaf) { tree_.begin_at(leaf); }

  void add(const Rows<T>& block, const double* weights, std::int64_t first) {
    const BlasThreads one(1);
    const Index m = landmarks_.size();
    Matrix<double> explained = Matrix<double>::Zero(parts_a_block, m);
    each_part(block.rows(), m, cols_, threads_, [&](Index begin, Index n, Index part) {
      const Rows<T> x = block.middle(begin, n);
      auto f = features_.middleRows(begin, n);
      landmarks_.sections(x, f);
      landmarks_.solve(f);
      whole_.segment(begin, n) = landmarks_.whole(x);
      left_.segment(begin, n) = left_out(landmarks_, whole_.segment(begin, n).eval(), f);
      for (Index i = 0; i < n; ++i)
        explained.row(part) += (weights ? weights[begin + i] : 1.0) * f.row(i).cwiseAbs2();
      scores_.segment(begin, n) = left_.segment(begin, n);
      if (rule_.ridge == 0) return;
      times_triangular(f.data(), n, f.outerStride(), Triangular::inverse_transposed,
                       rule_.factor.data(), m, rule_.factor.cols());
      scores_.segment(begin, n) = left_.segment(begin, n) / rule_.ridge + f.rowwise().squaredNorm();
    });
    DrawSum sum{.explained = explained.colwise().sum().transpose()};
    for (Index i = 0; i < block.rows(); ++i) {
      const double w = weights ? weights[i] : 1.0;
      sum.trace += w * whole_[i];
      sum.rest += w * left_[i];
      drawn_.offer(block, i, first + i, w * scores_[i], left_[i]);
    }
    tree_.push(sum);
  }

  void collect(Team& team) {
    collect_nodes(team, tree_, numbers_of, draw_sum_of);
    drawn_.collect(team);
  }

  RowDraw<T> take() {
    DrawSum all{.explained = Vector<double>::Zero(landmarks_.size())};
    tree_.from_last([&](const DrawSum& earlier) {
      DrawSum sum = earlier;
      sum.merge(all);
      all = std::move(sum);
    });
    return {drawn_.take(), all.trace, all.rest, std::move(all.explained)};
  }

 private:
  const LandmarkFeatures<T>& landmarks_;
  const DrawRule& rule_;
  Index cols_;
  int threads_;
  Matrix<double> features_;  // of a block, as are the next
  Vector<double> left_, whole_, scores_;
  Reservoir<T> drawn_;
  Segments<DrawSum> tree_;
};

/// The pass itself, on all ranks.
template <class T>
RowDraw<T> draw_here(SeenRows<T>& rows, const LandmarkFeatures<T>& landmarks, const DrawRule& rule,
                     const std::string& what, std::string_view note) {
  DrawOfBlocks<T> draw(landmarks, rows.cols(), rule, rows.options().threads);
  const Index leaf = draw.leaf_rows();
  AlignedRows<T> aligned(leaf, rows.cols());
  if (rows.team()) {
    draw.begin_at(rows.leaves_before(leaf));
    aligned.begin_at(rows.leaves_before(leaf) * leaf);
  }
  const auto take = [&](const Rows<T>& block, const double* weights, std::int64_t first) {
    draw.add(block, weights, first);
  };
  rows.run(
      what,
      [&](const Rows<T>& piece, const double* weights, std::int64_t) {
        aligned.add(piece, weights, take);
      },
      note, leaf);
  if (!rows.team()) {
    aligned.rest(take);
    return draw.take();
  }
  agree(*rows.team(), [&] { aligned.rest(take); });
  draw.collect(*rows.team());
  return rows.team()->rank() == 0 ? draw.take() : RowDraw<T>();
}

}  // namespace

template <class T>
RowDraw<T> draw_rows(SeenRows<T>& rows, const LandmarkFeatures<T>& landmarks, const DrawRule& rule,
                     const std::string& what, std::string_view note) {
  if (Team* const team = rows.team()) {
    call(rows.passes(), Order::draws, rows.how(), what, landmarks.kernel().text(), landmarks, rule);
    agree(*team, [] {});  // that all ranks have the landmarks
  }
  return draw_here(rows, landmarks, rule, what, note);
}

template <class T>
void serve_draws(Passes<T>& passes, const FitOptions& options, const std::string& with) {
  std::string how, what, kernel;
  DrawRule rule;
  std::optional<LandmarkFeatures<T>> landmarks;
  agree(*passes.team(), [&] {
    Unpacker take(with);
    take(how, what, kernel);
    landmarks.emplace(same_kernel(options, kernel), passes.features(), false);
    take(*landmarks, rule);
  });
  SeenRows<T> rows(passes, how, options);
  draw_here(rows, *landmarks, rule, what, {});
}

#define MERCER_INSTANTIATE(T)                                                              \
  template RowDraw<T> draw_rows(SeenRows<T>&, const LandmarkFeatures<T>&, const DrawRule&, \
                                const std::string&, std::string_view);                     \
  template void serve_draws(Passes<T>&, const FitOptions&, const std::string&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
