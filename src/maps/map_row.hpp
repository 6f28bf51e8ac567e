#pragma once
// A map φ as a row of the table in maps/from_text.cpp: its text form, and how it is made for either
// precision.
//
//     const MapRow squares_row = {
//         .text = {"squares"},
//         .formula = "(x1^2, ..., xd^2)",
//         .make = []<class T>(const MapRequest<T>& r) { return squares_map<T>(r.inputs); },
//     };

#include "core/text_form.hpp"
#include "maps/from_text.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace mercer {

/// What a map is made of. A model file has a kernel and anchors for those that need them.
template <class T>
struct MapRequest {
  Index inputs = 0;
  std::span<const double> values{};  ///< of the row's parameters
  std::string_view kernel{};
  Anchors<T>* anchors = nullptr;      ///< moved from
  std::span<const Kernel> kernels{};  ///< functions that the kernel may name

  /// The anchors of maps that have no sparse ones.
  Matrix<T> numbers() const {
    auto* const dense = std::get_if<Matrix<T>>(anchors);
    require(dense != nullptr, Errc::bad_option, "the parameters of the map are sparse");
    return std::move(*dense);
  }
};

/// One generic lambda, for both precisions.
struct MapMaker {
  template <class Make>
  constexpr MapMaker(Make make) : floats(make), doubles(make) {}

  std::shared_ptr<const Map<float>> operator()(const MapRequest<float>& r) const {
    return floats(r);
  }
  std::shared_ptr<const Map<double>> operator()(const MapRequest<double>& r) const {
    return doubles(r);
  }

  std::shared_ptr<const Map<float>> (*floats)(const MapRequest<float>&);
  std::shared_ptr<const Map<double>> (*doubles)(const MapRequest<double>&);
};

struct MapRow {
  TextForm text;
  std::string_view formula;
  MapMaker make;
  /// False for maps that are found in model files only.
  bool from_text = true;
  /// Columns of the anchors in a model file; null for maps without.
  Index (*anchor_columns)(Index inputs) = nullptr;
};

}  // namespace mercer
