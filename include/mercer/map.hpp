#pragma once
/// \file
/// `Map<T>`: the φ of every model y = B (φ(x) − m).
///
///     auto phi = mercer::identity_map<double>(4);      // linear PCA
///     Matrix<double> f(x.rows(), phi->features());
///     phi->apply(x, f);                                // f = φ(x), one row a sample
///
/// Linear PCA uses the identity; kernels, feature maps and random features are other maps. A new
/// map is one new file and a row in the table that reads it back from a model file.

#include <mercer/rows.hpp>

#include <memory>
#include <string>

namespace mercer {

template <class T>
class Map {
 public:
  virtual ~Map() = default;

  /// d, the length of x.
  virtual Index inputs() const = 0;
  /// D, the length of φ(x).
  virtual Index features() const = 0;
  /// Text form: `identity`.
  virtual std::string text() const = 0;
  /// φ(x) = x: sparse rows then need not be made dense, and decoding is exact.
  virtual bool is_identity() const { return false; }

  /// out = φ(x), x.rows() × features(). Single-threaded: callers split rows over threads.
  virtual void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const = 0;
};

/// φ(x) = x.
template <class T>
std::shared_ptr<const Map<T>> identity_map(Index features);

}  // namespace mercer
