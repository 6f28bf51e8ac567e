#include <mercer/map.hpp>

#include "maps/feature_error.hpp"
#include "maps/map_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

template <class T>
class Squares final : public Map<T>, public KnownFeatureError {
 public:
  explicit Squares(Index inputs) : inputs_(inputs) {}

  Index inputs() const override { return inputs_; }
  Index features() const override { return inputs_; }
  std::string text() const override { return "squares"; }
  std::vector<std::string> feature_names(const std::vector<std::string>& inputs) const override {
    std::vector<std::string> names;
    names.reserve(inputs.size());
    for (const std::string& input : inputs) names.push_back(input + "^2");
    return names;
  }

  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override {
    identity_map<T>(inputs_)->apply(x, out);
    out = out.cwiseAbs2();
  }
  FeatureError feature_error() const override {
    return {.relative = std::numeric_limits<T>::epsilon() / 2,
            .absolute = std::numeric_limits<T>::denorm_min(),
            .degree = 2};
  }
  bool decode(const MatrixRef<T>& features, Eigen::Ref<Matrix<T>> x) const override {
    for (Index i = 0; i < x.size(); ++i) {
      T& entry = x(i / inputs_, i % inputs_);
      const T square = std::max(features(i / inputs_, i % inputs_), T(0));
      entry = std::copysign(std::sqrt(square), entry);
    }
    return true;
  }

 private:
  Index inputs_;
};

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> squares_map(Index inputs) {
  return std::make_shared<Squares<T>>(inputs);
}

template std::shared_ptr<const Map<float>> squares_map(Index);
template std::shared_ptr<const Map<double>> squares_map(Index);

extern const MapRow squares_row = {
    .text = {"squares"},
    .formula = "(x1^2, ..., xd^2)",
    .make = []<class T>(const MapRequest<T>& r) { return squares_map<T>(r.inputs); },
};

}  // namespace mercer
