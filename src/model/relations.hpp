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

/// The triangular factor of the columns about their means, and what it was made of.
struct CentredTriangle {
  const Matrix<double>& r;  ///< D×D, of the columns after division
  Vector<double> mean;      ///< of the columns; zeros where they are not centred
  Vector<double> rest;      ///< the mean is `mean + rest`
  Vector<double> divisors;  ///< of the columns; ones where they are not scaled
  double weight = 0;        ///< of all rows
  double rows = 0;
  double epsilon = 0;  ///< of the numbers of the rows
};

struct FoundRelations {
  Index rank = 0;
  std::vector<Relation> relations;
};

constexpr Index most_related_features = 200;
constexpr std::size_t most_relations = 20;

/// The rank of columns of equal length, and the relations of their other directions.
FoundRelations relations_of(const CentredTriangle& triangle);

/// The first of the largest coefficients, with its sign.
double largest_coefficient(const Relation& r);

/// Largest coefficient 1, unless the constant is 1.
void normalize(Relation& r);

/// The same between the terms that the map names: monomials without their weights, and without
/// what says only that 1 is 1.
template <class T>
void name_terms(std::vector<Relation>& relations, const Map<T>& map);

}  // namespace mercer
