#include "operators/tsqr.hpp"

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "operators/centred.hpp"

#include <algorithm>

namespace mercer {

namespace {
/// Up to this many columns each thread has a factor of its own; beyond, BLAS runs the threads.
constexpr Index own_factor_columns = 512;
}  // namespace

StreamedQr::StreamedQr(Vector<double> mean, bool nan_on_mean, int threads)
    : mean_(std::move(mean)), nan_on_mean_(nan_on_mean), blas_threads_(1) {
  const bool own = mean_.size() <= own_factor_columns;
  if (!own) blas_threads_ = thread_count(threads);
  parts_.assign(own ? static_cast<std::size_t>(thread_count(threads)) : 1, Triangle(mean_.size()));
}

template <class T>
void StreamedQr::add(const Rows<T>& rows, const double* weights) {
  const BlasThreads blas(blas_threads_);
  const Index d = mean_.size();
  const Index grain = std::max<Index>(d, 1000000 / std::max<Index>(d * d, 1));
  parallel_ranges(rows.rows(), static_cast<int>(parts_.size()), grain,
                  [&](Index begin, Index end, int part) {
                    Triangle& triangle = parts_[static_cast<std::size_t>(part)];
                    for (Index i = begin; i < end;) {
                      const Index count = std::min(triangle.capacity(), end - i);
                      centred_block(rows.middle(i, count), 0, d,
                                    {.centre = mean_.data(),
                                     .weights = weights ? weights + i : nullptr,
                                     .nan_on_centre = nan_on_mean_},
                                    triangle.rows(), d);
                      triangle.push(count);
                      i += count;
                    }
                  });
}

Matrix<double> StreamedQr::factor() {
  const BlasThreads blas(blas_threads_);
  for (std::size_t i = 1; i < parts_.size(); ++i) parts_[0].push(parts_[i]);
  parts_.resize(1, Triangle(0));
  return parts_[0].factor();
}

template void StreamedQr::add(const Rows<float>&, const double*);
template void StreamedQr::add(const Rows<double>&, const double*);

}  // namespace mercer
