#pragma once
// How far random features are from their kernel, by pairs of rows of a sample.
//
// Rows i are drawn with replacement, with probability p_i = w_i k(x_i, x_i)/T, T = Σ w k(x, x):
// with R = K − K̂ of the rows that carry √w,
//
//     ‖R‖²_F = T² E r(I, J)²/(k(I, I) k(J, J))
//
// so the mean over pairs of different draws estimates it without bias, and rows that dominate the
// kernel matrix dominate the sample as well. No eigenvalue is off by more than ‖R‖_F (Weyl).
// As long as there are no more rows than draws all are kept, and nothing is estimated.

#include "core/segments.hpp"
#include "pca/kernel/sampled_rows.hpp"

#include <mercer/map.hpp>
#include <mercer/model.hpp>

#include <memory>

namespace mercer {

/// `error` with its bounds on the eigenvalues, which hold with this probability.
struct SampleError {
  Approximation error;
  double confidence = 1;
};

template <class T>
class PairSample {
 public:
  PairSample(Index cols, std::uint64_t seed) : cols_(cols), seed_(seed) {}

  /// What the draws depend on beside the row itself: those before.
  struct Before {
    std::int64_t rows = 0;  ///< of a weight above 0
    RunningSum total;       ///< T
    void add(double share) {
      ++rows;
      if (share > 0) total.add(share);
    }
  };
  /// Of a part of the stream: called before the first row.
  void begin_after(const Before& before, bool sparse);
  /// Draws of the parts that follow this one, on rank 0, become its own.
  void collect(Team& team);

  /// Offers rows, the first of which is number `first`, in the order of the stream.
  void add(const Kernel& kernel, const Rows<T>& rows, const double* weights, std::int64_t first);

  /// What the features of a map miss of the kernel, over all rows that were offered.
  SampleError error(const Kernel& kernel, const Map<T>& map, bool center) const;

 private:
  struct Drawn {
    SampledRow<T> row;
    double weight = 0, own = 0;  // w, k(x, x)

    template <class Use>
    void members(Use&& use) {
      use(row, weight, own);
    }
  };
  using Shared = std::shared_ptr<const Drawn>;
  /// As it travels: the draws of a part, and which of its rows each is; −1 for an earlier one.
  struct Part {
    Before seen;
    std::vector<Drawn> all{}, rows{};
    std::vector<std::int64_t> draws{};

    template <class Use>
    void members(Use&& use) {
      use(seen, all, rows, draws);
    }
  };
  Part part() const;
  void append(const Part& later);

  Index cols_;
  std::uint64_t seed_;
  bool sparse_ = false;  // as the first rows were
  Before seen_;
  std::vector<Shared> all_;    // rows, while they are few
  std::vector<Shared> draws_;  // with replacement; null: of a part before this one
};

}  // namespace mercer
