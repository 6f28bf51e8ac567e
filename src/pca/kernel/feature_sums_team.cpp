// Sums of features that the ranks of a team have in parts (core/team_nodes.hpp).
#include "pca/kernel/feature_sums.hpp"

#include "core/packed.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

template <class T>
Numbers FeatureSums<T>::Sum::numbers() const {
  const Index m = first.size();
  Numbers out(first.data(), first.data() + m);
  for (Index i = 0; i < m; ++i) out.insert(out.end(), &second(i, i), second.row(i).data() + m);
  for (const double x : {weight, trace, left}) out.push_back(x);
  for (const EntryError* e : {&entries, &moved})
    for (const double x : {e->relative, e->diagonal, e->absolute}) out.push_back(x);
  return out;
}

template <class T>
void FeatureSums<T>::Sum::take(const Numbers& numbers) {
  const double* from = numbers.data();
  const auto next = [&](double* to, Index count) {
    std::copy_n(from, count, to);
    from += count;
  };
  const Index m = first.size();
  next(first.data(), m);
  for (Index i = 0; i < m; ++i) next(&second(i, i), m - i);
  for (double* x : {&weight, &trace, &left}) next(x, 1);
  for (EntryError* e : {&entries, &moved})
    for (double* x : {&e->relative, &e->diagonal, &e->absolute}) next(x, 1);
}

template <class T>
Vector<double> FeatureSums<T>::shift_by(const Rows<T>& first_block, const double* weights) const {
  Sum sum;
  sum.clear(space_.features());
  Matrix<double> features;
  std::optional<Vector<double>> shift;
  add_block({first_block, weights, 0}, shift, features, sum);
  return *shift;
}

template <class T>
void FeatureSums<T>::begin_at(std::int64_t leaf, Vector<double> shift,
                              const typename PairSample<T>::Before& pairs, bool sparse) {
  shift_ = std::move(shift);
  segments_.begin_at(leaf);
  aligned_.begin_at(leaf * leaf_rows());
  if (space_.map) sample_.begin_after(pairs, sparse);
}

template <class T>
void FeatureSums<T>::finish_rows() {
  rest_ = rest(shift_, sample_);
}

template <class T>
void FeatureSums<T>::collect(Team& team, std::int64_t all_rows) {
  const auto to_numbers = [](const Sum& sum) { return sum.numbers(); };
  const auto from_numbers = [m = space_.features()](const Numbers& numbers) {
    Sum sum;
    sum.clear(m);
    sum.take(numbers);
    return sum;
  };
  collect_nodes(team, segments_, to_numbers, from_numbers);
  collect_rest(
      team, [&] { return blocks_in_leaf_ > 0 ? to_numbers(leaf_) : Numbers(); },
      [&](const Numbers& numbers) {
        leaf_ = from_numbers(numbers);
        blocks_in_leaf_ = 1;
      });
  collect_rest(
      team, [&] { return aligned_.waiting() > 0 ? to_numbers(*rest_) : Numbers(); },
      [&](const Numbers& numbers) { rest_ = from_numbers(numbers); });
  mercer::collect(team,
                  packed(varies_, first_row_ ? std::vector<SampledRow<T>>{*first_row_}
                                             : std::vector<SampledRow<T>>()),
                  [&](const std::string& bytes) {
                    bool varies = false;
                    std::vector<SampledRow<T>> first;
                    unpack(bytes, varies, first);
                    if (!first.empty()) take_variation(varies, std::move(first[0]));
                  });
  if (space_.map) sample_.collect(team);
  all_rows_ = all_rows;
}

#define MERCER_INSTANTIATE(T)                                                            \
  template Vector<double> FeatureSums<T>::shift_by(const Rows<T>&, const double*) const; \
  template void FeatureSums<T>::begin_at(std::int64_t, Vector<double>,                   \
                                         const PairSample<T>::Before&, bool);            \
  template void FeatureSums<T>::finish_rows();                                           \
  template void FeatureSums<T>::collect(Team&, std::int64_t);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
