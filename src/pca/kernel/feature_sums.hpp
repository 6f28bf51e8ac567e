#pragma once
// What approximate kernel PCA keeps of its rows: the moments of their features, and what the
// features leave out. The sums have the same bits for any number of threads and however the rows
// are cut into batches.

#include "core/monitor.hpp"
#include "core/segments.hpp"
#include "core/team_nodes.hpp"
#include "pca/kernel/landmark_features.hpp"
#include "pca/kernel/sample_error.hpp"

#include <mercer/model.hpp>
#include <mercer/seed.hpp>

#include <memory>
#include <optional>

namespace mercer {

/// How rows become features. Fixed before the first row is summed.
template <class T>
struct FeatureChoice {
  Kernel kernel;
  std::shared_ptr<const LandmarkFeatures<T>> landmarks;  ///< or
  std::shared_ptr<const Map<T>> map;                     ///< random features
  Index cols = 0;
  std::uint64_t seed = default_seed;  ///< of the rows on which random features are tested
  double centring = 0;  ///< relative error of kernel values from rows that were moved before
  CellError cells{};    ///< of the input rows

  Index features() const { return landmarks ? landmarks->size() : map->features(); }
};

template <class T>
class FeatureSums {
 public:
  /// The monitor is asked while rounding is bounded, which takes m³ flops for m landmarks.
  FeatureSums(FeatureChoice<T> space, int threads, Monitor monitor = {});
  /// The same without that work, with the rounding of another process.
  FeatureSums(FeatureChoice<T> space, std::optional<LandmarkRounding> rounding, int threads,
              Monitor monitor);
  const std::optional<LandmarkRounding>& rounding() const { return rounding_; }

  /// Over a team (core/team_nodes.hpp): rows of a leaf, whole blocks; where the features are
  /// shifted to, by the first block; and where this rank begins, so many leaves after the first.
  Index leaf_rows() const;
  Index block_rows() const { return feature_block(space_.features(), space_.cols); }
  Vector<double> shift_by(const Rows<T>& first_block, const double* weights) const;
  void begin_at(std::int64_t leaf, Vector<double> shift,
                const typename PairSample<T>::Before& pairs, bool sparse);
  /// Sums the block that is not complete. Then `collect` gives rank 0 the sums of all ranks.
  void finish_rows();
  void collect(Team& team, std::int64_t all_rows);

  /// Adds rows as the kernel sees them, on all threads.
  void add(const Rows<T>& rows, const double* weights);

  std::int64_t rows() const { return all_rows_ > 0 ? all_rows_ : aligned_.rows(); }
  const Kernel& kernel() const { return space_.kernel; }
  bool random() const { return space_.map != nullptr; }

  /// What the rows so far amount to. Numbers are those of the kernel times `scale`.
  struct Result {
    double scale = 1;  ///< a power of four
    std::shared_ptr<const Map<T>> map;
    Vector<double> mean;     ///< of the map's features
    Matrix<double> scatter;  ///< in coordinates in which the kernel is an inner product
    bool varies = false;     ///< rows of weight above 0 are not all equal
    double weight = 0;       ///< Σ w
    double trace = 0;        ///< Σ w·k(x, x)
    double left = 0;         ///< what landmarks leave of it; at least 0
    double rounding = 0;     ///< no eigenvalue of the approximate matrix is further off by rounding
    double noise = 0;        ///< an eigenvalue up to here may be rounding of the features
    double confidence = 1;   ///< of `error`
    Approximation error;     ///< its name and text are the caller's
  };
  /// As many of the first landmarks as keep rounding within `tolerance` of the largest eigenvalue,
  /// or those with which it is smallest.
  Result result(bool center, double tolerance) const;
  /// B of those coordinates → of the map's.
  Matrix<double> unmapped(Matrix<double> b) const;

 private:
  /// Of a block of rows or of many.
  struct Sum {
    Vector<double> first;   // Σ w(φ − s)
    Matrix<double> second;  // Σ w(φ − s)(φ − s)ᵀ, upper triangle
    double weight = 0, trace = 0, left = 0;
    EntryError entries;  // of the similarities of all rows to the landmarks
    EntryError moved;    // what the error of the rows makes of kernel values

    void clear(Index m);
    void merge(const Sum& later);
    Numbers numbers() const;  // for another process
    void take(const Numbers& numbers);
  };
  struct Block {
    const Rows<T>& rows;
    const double* weights;  // null: ones
    std::int64_t first;
  };

  void take(const Block& block);
  /// The features of a block, `left` of each row, and the centre of the first block where none is
  /// set.
  void add_block(const Block& block, std::optional<Vector<double>>& shift, Matrix<double>& features,
                 Sum& into) const;
  /// Of the block that is not complete; nothing where there is none.
  Sum rest(std::optional<Vector<double>>& shift, PairSample<T>& sample) const;
  /// Whether the rows of another part of the stream are not all equal, or not equal to ours.
  void take_variation(bool varies, std::optional<SampledRow<T>> first_row);
  /// Returns a bound on the error of the kernel values.
  EntryError make_features(const Block& block, Matrix<double>& features, Vector<double>& whole,
                           Vector<double>& left) const;
  /// Of the first m features.
  struct Rounding {
    LandmarkRounding::Bounds landmarks;
    double sums = 0;
    double all() const { return landmarks.matrix + sums; }
  };
  Rounding rounding_of(const Sum& all, const Vector<double>& shift, bool center, Index m) const;
  Result of_landmarks(const Sum& all, const Vector<double>& shift, bool center,
                      double tolerance) const;
  Matrix<double> scatter_of(const Sum& all, const Vector<double>& shift, bool center,
                            Index m) const;
  double sum_rounding(const Sum& all, const Vector<double>& shift, bool center, Index m) const;

  FeatureChoice<T> space_;
  int threads_;
  Monitor monitor_;
  AlignedRows<T> aligned_;
  std::optional<LandmarkRounding> rounding_;
  std::optional<Vector<double>> shift_;  // s: the mean of the first block
  Sum leaf_;
  int blocks_in_leaf_ = 0;
  std::optional<Sum> rest_;    // once rows are finished
  std::int64_t all_rows_ = 0;  // of a team
  Segments<Sum> segments_;
  Matrix<double> features_;  // of a block
  PairSample<T> sample_;     // of random features
  std::optional<SampledRow<T>> first_row_;
  bool varies_ = false;
};

}  // namespace mercer
