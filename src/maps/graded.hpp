#pragma once
// Monomials degree by degree, on which several maps are built.

#include "maps/feature_error.hpp"
#include "maps/map_row.hpp"

#include <mercer/map.hpp>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The parameter of these maps; √(30!) still fits a float.
constexpr TextParameter degree_parameters[] = {
    {.name = "degree",
     .domain = {"be an integer from 1 to 30",
                [](double v) { return v >= 1 && v <= 30 && v == std::floor(v); }},
     .standard = 2,
     .required = true}};

/// `degree`, or `Errc::bad_option` when it is outside 1 … 30.
int checked_degree(std::string_view map, int degree);

/// φ: every monomial of degree `lowest` to `highest`, by degree and then in dictionary order
/// (x₁², x₁x₂, x₂²), times scale[degree]; `divided`: ∏ x_i^a_i / √(a_i!) instead of ∏ x_i^a_i.
///
/// A monomial is a power of its first variable times a monomial in the later ones, and those are a
/// contiguous end of the list for their degree. So there is no table of exponents: a row consists
/// of scaled copies of its beginnings, at one multiplication per feature.
template <class T>
class GradedMap final : public Map<T>, public KnownFeatureError {
 public:
  /// Throws `Errc::out_of_memory` when the features cannot even be counted.
  /// `more`: parameters after the degree in the text form. `constant`: the monomial of degree 0
  /// comes first, also where `lowest` is larger.
  GradedMap(std::string name, Index inputs, int lowest, int highest, bool divided,
            std::vector<double> scale, bool constant = false, std::string more = {});

  Index inputs() const override { return inputs_; }
  Index features() const override { return features_; }
  std::string text() const override;
  std::vector<std::string> feature_names(const std::vector<std::string>& inputs) const override;
  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override;
  FeatureError feature_error() const override;
  bool decode(const MatrixRef<T>& features, Eigen::Ref<Matrix<T>> x) const override;

  /// Without the weights: φ_j is a factor times the monomial of this name.
  std::vector<std::string> monomial_names(const std::vector<std::string>& inputs) const;
  bool has_constant() const { return has_degree(0); }

  int lowest() const { return lowest_; }  ///< degree
  int highest() const { return highest_; }

 private:
  /// Monomials of this degree in the variables from `variable` on.
  Index count(int degree, Index variable) const {
    return counts_[static_cast<std::size_t>(degree * (inputs_ + 1) + variable)];
  }
  Index start(int degree, Index variable) const {
    return count(degree, 0) - count(degree, variable);
  }
  void apply_row(const T* x, T* powers, T* const* levels) const;
  std::vector<std::string> names(const std::vector<std::string>& inputs, bool weighted) const;
  bool has_degree(int degree) const { return degree >= lowest_ || (constant_ && degree == 0); }

  std::string name_, more_;
  Index inputs_, features_ = 0, lower_ = 0;  // lower_: monomials below `lowest`
  int lowest_, highest_;
  bool constant_;
  std::vector<T> divisors_;  // of x^e: √(e!), or 1
  std::vector<T> scale_;
  std::vector<Index> counts_;
};

}  // namespace mercer
