#include <mercer/map.hpp>

#include "core/require.hpp"
#include "maps/map_row.hpp"

namespace mercer {

namespace {

/// Arithmetically the identity; but it copies kernel values, not columns of x.
template <class T>
class Precomputed final : public Map<T> {
 public:
  explicit Precomputed(Index n) : copy_(identity_map<T>(n)) {}

  Index inputs() const override { return copy_->inputs(); }
  Index features() const override { return copy_->features(); }
  std::string text() const override { return "precomputed"; }
  Space space() const override { return Space::precomputed; }
  std::vector<std::string> feature_names(const std::vector<std::string>& inputs) const override {
    return inputs;
  }
  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override { copy_->apply(x, out); }

 private:
  std::shared_ptr<const Map<T>> copy_;
};

/// Nothing can be mapped: only the rows of the fit have scores.
template <class T>
class OperatorRows final : public Map<T> {
 public:
  explicit OperatorRows(Index n) : n_(n) {}

  Index inputs() const override { return n_; }
  Index features() const override { return n_; }
  std::string text() const override { return "operator"; }
  Space space() const override { return Space::precomputed; }
  void apply(const Rows<T>&, Eigen::Ref<Matrix<T>>) const override {
    fail(Errc::bad_option,
         "the model was fitted to an operator whose mean is not known: it provides the scores of "
         "its {} rows only",
         n_);
  }

 private:
  Index n_;
};

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> operator_map(Index n) {
  require(n >= 1, Errc::bad_option, "an operator of {} rows", n);
  return std::make_shared<OperatorRows<T>>(n);
}

template std::shared_ptr<const Map<float>> operator_map(Index);
template std::shared_ptr<const Map<double>> operator_map(Index);

extern const MapRow operator_row = {
    .text = {"operator"},
    .formula = "the rows of an operator",
    .make = []<class T>(const MapRequest<T>& r) { return operator_map<T>(r.inputs); },
    .from_text = false,
};

template <class T>
std::shared_ptr<const Map<T>> precomputed_map(Index n) {
  require(n >= 1, Errc::bad_option, "a row of {} kernel values", n);
  return std::make_shared<Precomputed<T>>(n);
}

template std::shared_ptr<const Map<float>> precomputed_map(Index);
template std::shared_ptr<const Map<double>> precomputed_map(Index);

extern const MapRow precomputed_row = {
    .text = {"precomputed"},
    .formula = "x is a row of kernel values",
    .make = []<class T>(const MapRequest<T>& r) { return precomputed_map<T>(r.inputs); },
    .from_text = false,
};

}  // namespace mercer
