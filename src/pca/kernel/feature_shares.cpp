#include "pca/kernel/feature_shares.hpp"

#include "core/team_chain.hpp"
#include "maps/from_text.hpp"
#include "pca/kernel/landmarks.hpp"
#include "pca/kernel/row_sample.hpp"
#include "pca/orders.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mercer {

namespace {

template <class T>
using Before = typename PairSample<T>::Before;

template <class T>
std::string packed_sums(const FeatureChoice<T>& space,
                        const std::optional<LandmarkRounding>& rounding) {
  Packer pack;
  const bool landmarks = space.landmarks != nullptr;
  pack(landmarks, space.kernel.text(), space.seed, space.centring, space.cells);
  if (landmarks) pack(*space.landmarks, *rounding);
  else pack(space.map->text(), space.map->kernel(), Matrix<T>(space.map->anchors().dense()));
  return pack.take();
}

template <class T>
FeatureSums<T> unpacked_sums(const std::string& bytes, Index cols, const FitOptions& options) {
  Unpacker take(bytes);
  bool landmarks = false;
  std::string kernel;
  FeatureChoice<T> space{*options.kernel, nullptr, nullptr, cols};
  take(landmarks, kernel, space.seed, space.centring, space.cells);
  space.kernel = same_kernel(options, kernel);
  std::optional<LandmarkRounding> rounding;
  if (landmarks) {
    LandmarkFeatures<T> all(space.kernel, cols, false);
    take(all, rounding.emplace());
    space.landmarks = finished(std::move(all));
  } else {
    std::string map, of_map;
    Matrix<T> anchors;
    take(map, of_map, anchors);
    space.map = map_from_parts<T>(map, cols, of_map, std::move(anchors));
  }
  return {std::move(space), std::move(rounding), options.threads, options.monitor};
}

/// What each rank has before its rows: the weight of the kernel's own values, row by row.
template <class T>
Before<T> pairs_before(SeenRows<T>& rows, const FeatureSums<T>& sums) {
  std::vector<double> shares;
  AlignedRows<T> aligned(sums.block_rows(), rows.cols());
  const auto take = [&](const Rows<T>& block, const double* weights, std::int64_t) {
    const Vector<double> own = sums.kernel().diagonal(block).template cast<double>();
    for (Index i = 0; i < block.rows(); ++i)
      if (const double w = weights ? weights[i] : 1.0; w > 0) shares.push_back(w * own[i]);
  };
  rows.run(
      "own values",
      [&](const Rows<T>& piece, const double* weights, std::int64_t) {
        aligned.add(piece, weights, take);
      },
      {}, sums.leaf_rows());
  rows.passes().took(-1);  // one process does without
  agree(*rows.team(), [&] { aligned.rest(take); });
  Before<T> all, before;
  chain(*rows.team(), all, [&] {
    before = all;
    for (const double share : shares) all.add(share);
  });
  return before;
}

/// The pass itself, on all ranks.
template <class T>
void add_here(SeenRows<T>& rows, FeatureSums<T>& sums, const std::string& what,
              std::string_view note) {
  const auto add = [&](const Rows<T>& piece, const double* weights, std::int64_t) {
    sums.add(piece, weights);
  };
  Team* const team = rows.team();
  if (!team) return rows.run(what, add, note);
  Vector<double> shift;
  // Of one row more than there will be: the block is not complete before all ranks agree on it.
  AlignedRows<T> first(sums.block_rows() + 1, rows.cols());
  const auto centre_on = [&](const Rows<T>& block, const double* weights, std::int64_t) {
    shift = sums.shift_by(block, weights);
  };
  rows.visit_first(sums.block_rows(), [&](const Rows<T>& piece, const double* weights,
                                          std::int64_t) { first.add(piece, weights, centre_on); });
  on_root(*team, [&] { first.rest(centre_on); });
  from_root(*team, shift);
  const Before<T> before = sums.random() ? pairs_before(rows, sums) : Before<T>();
  const Index leaf = sums.leaf_rows();
  sums.begin_at(rows.leaves_before(leaf), std::move(shift), before, rows.sparse());
  rows.run(what, add, note, leaf);
  agree(*team, [&] { sums.finish_rows(); });
  sums.collect(*team, rows.passes().rows());
}

}  // namespace

template <class T>
FeatureSums<T> sum_features(SeenRows<T>& rows, FeatureChoice<T> space, const std::string& what,
                            std::string_view note) {
  const FitOptions& options = rows.options();
  FeatureSums<T> sums(space, options.threads, options.monitor);
  if (rows.team()) {
    call(rows.passes(), Order::features, rows.how(), what, packed_sums(space, sums.rounding()));
    agree(*rows.team(), [] {});  // that all ranks have the features
  }
  add_here(rows, sums, what, note);
  return sums;
}

template <class T>
void serve_features(Passes<T>& passes, const FitOptions& options, const std::string& with) {
  std::string how, what, bytes;
  std::optional<FeatureSums<T>> sums;
  agree(*passes.team(), [&] {
    unpack(with, how, what, bytes);
    sums.emplace(unpacked_sums<T>(bytes, passes.features(), options));
  });
  SeenRows<T> rows(passes, how, options);
  add_here(rows, *sums, what, {});
}

#define MERCER_INSTANTIATE(T)                                                              \
  template FeatureSums<T> sum_features(SeenRows<T>&, FeatureChoice<T>, const std::string&, \
                                       std::string_view);                                  \
  template void serve_features(Passes<T>&, const FitOptions&, const std::string&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
