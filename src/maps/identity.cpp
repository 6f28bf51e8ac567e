#include <mercer/map.hpp>

#include "maps/map_row.hpp"

namespace mercer {

namespace {

template <class T>
class Identity final : public Map<T> {
 public:
  explicit Identity(Index features) : features_(features) {}

  Index inputs() const override { return features_; }
  Index features() const override { return features_; }
  std::string text() const override { return "identity"; }
  bool is_identity() const override { return true; }
  Space space() const override { return Space::input; }
  std::vector<std::string> feature_names(const std::vector<std::string>& inputs) const override {
    return inputs;
  }

  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override {
    if (!x.sparse()) {
      out = x.dense();
      return;
    }
    out.setZero();
    const CsrView<T>& csr = x.csr();
    for (Index i = 0; i < x.rows(); ++i)
      for (std::int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
        out(i, csr.columns[e]) = csr.values[e];
  }
  bool decode(const MatrixRef<T>& features, Eigen::Ref<Matrix<T>> x) const override {
    x = features;
    return true;
  }

 private:
  Index features_;
};

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> identity_map(Index features) {
  return std::make_shared<Identity<T>>(features);
}

template std::shared_ptr<const Map<float>> identity_map(Index);
template std::shared_ptr<const Map<double>> identity_map(Index);

extern const MapRow identity_row = {
    .text = {"identity"},
    .formula = "x",
    .make = []<class T>(const MapRequest<T>& r) { return identity_map<T>(r.inputs); },
};

}  // namespace mercer
