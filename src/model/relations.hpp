#pragma once
// From directions of zero variance to relations that can be read.

#include <mercer/map.hpp>
#include <mercer/model.hpp>

#include <vector>

namespace mercer {

/// All directions of centred columns, as an SVD gives them.
struct AllDirections {
  const Matrix<double>& components;  ///< D×D, rows
  const Vector<double>& eigenvalues;
  Index rank = 0;           ///< the first so many vary
  double weight = 0;        ///< of all rows
  Vector<double> mean;      ///< of the columns; zeros where they are not centred
  Vector<double> divisors;  ///< of the columns; ones where they are not scaled
  Vector<double> scatter;   ///< of the columns after division
};

constexpr Index most_related_features = 200;
constexpr std::size_t most_relations = 20;

/// The relations of the directions from `rank` on.
std::vector<Relation> relations_of(const AllDirections& all);

/// The same between the terms that the map names: monomials without their weights, and without
/// what says only that 1 is 1.
template <class T>
void name_terms(std::vector<Relation>& relations, const Map<T>& map);

}  // namespace mercer
