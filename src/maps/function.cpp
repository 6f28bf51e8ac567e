#include <mercer/map.hpp>

#include "core/require.hpp"

#include <algorithm>

namespace mercer {

namespace {

template <class T>
using RowFunction = std::function<void(std::span<const T>, std::span<T>)>;

template <class T>
class FunctionMap final : public Map<T> {
 public:
  FunctionMap(std::string name, Index inputs, Index features, RowFunction<T> function)
      : name_(std::move(name)),
        inputs_(inputs),
        features_(features),
        function_(std::move(function)) {}

  Index inputs() const override { return inputs_; }
  Index features() const override { return features_; }
  std::string text() const override { return "function(" + name_ + ")"; }

  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override {
    Matrix<T> row(1, inputs_);
    for (Index i = 0; i < x.rows(); ++i) {
      if (x.sparse()) identity_map<T>(inputs_)->apply(x.middle(i, 1), row);
      function_({x.sparse() ? row.data() : x.row(i), static_cast<std::size_t>(inputs_)},
                {out.row(i).data(), static_cast<std::size_t>(features_)});
    }
  }

 private:
  std::string name_;
  Index inputs_, features_;
  RowFunction<T> function_;
};

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> function_map(std::string name, Index inputs, Index features,
                                           RowFunction<T> function) {
  require(is_name(name), Errc::bad_option,
          "'{}' is not a valid name of a map: use letters, digits and _", name);
  require(inputs >= 1 && features >= 1, Errc::bad_option,
          "map function({}): {} inputs and {} features; both must be positive", name, inputs,
          features);
  require(function != nullptr, Errc::bad_option, "map function({}): the function is empty", name);
  return std::make_shared<FunctionMap<T>>(std::move(name), inputs, features, std::move(function));
}

template std::shared_ptr<const Map<float>> function_map(std::string, Index, Index,
                                                        RowFunction<float>);
template std::shared_ptr<const Map<double>> function_map(std::string, Index, Index,
                                                         RowFunction<double>);

}  // namespace mercer
