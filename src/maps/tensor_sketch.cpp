#include <mercer/map.hpp>

#include "core/budget.hpp"
#include "core/memory.hpp"
#include "core/require.hpp"
#include "kernels/node.hpp"
#include "kernels/scratch.hpp"
#include "maps/map_row.hpp"
#include "simd/spectrum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mercer {

namespace {

constexpr Index most_features = Index{1} << 20;

/// A count sketch adds weight·x to the number at `place`.
template <class T>
struct Hash {
  std::int32_t place;
  T weight;
};

template <class T>
class TensorSketch final : public Map<T> {
 public:
  TensorSketch(std::string kernel, const Polynomial& p, Index features, Matrix<T> hashes)
      : kernel_(std::move(kernel)),
        numbers_(std::move(hashes)),
        features_(features),
        degree_(p.degree),
        constant_(p.coef0 != 0),
        scale_(static_cast<T>(std::sqrt(p.factor) / static_cast<double>(features))),
        roots_(roots_of_unity<T>(features)) {
    const T root_gamma = static_cast<T>(std::sqrt(p.gamma)),
            root_coef0 = static_cast<T>(std::sqrt(p.coef0));
    hashes_.reserve(static_cast<std::size_t>(numbers_.size()));
    for (Index j = 0; j < numbers_.rows(); ++j)
      for (Index c = 0; c < numbers_.cols(); ++c) {
        const T number = numbers_(j, c), size = c < inputs() ? root_gamma : root_coef0;
        hashes_.push_back({static_cast<std::int32_t>((std::abs(number) - 1) * 2 * sequences<T>),
                           number < 0 ? -size : size});
      }
  }

  Index inputs() const override { return numbers_.cols() - 1; }
  Index features() const override { return features_; }
  std::string text() const override { return fmt::format("tensorsketch(features={})", features_); }
  Rows<T> anchors() const override { return numbers_; }
  std::string kernel() const override { return kernel_; }

  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override {
    constexpr Index batch = sequences<T>;
    const Index size = 2 * batch * features_;
    const Scratch<T> scratch(2 * size);
    T *const z = scratch.data(), *const product = z + size;
    for (Index begin = 0; begin < x.rows(); begin += batch) {
      const Rows<T> rows = x.middle(begin, std::min(batch, x.rows() - begin));
      for (T* p = product; p < product + size; p += 2 * batch) {
        std::fill_n(p, batch, scale_);
        std::fill_n(p + batch, batch, T(0));
      }
      // Two sketches of a row share a transform: they are of one size, so none drowns the other.
      for (int j = 0; j < degree_; j += 2) {
        const bool both = j + 1 < degree_;
        std::fill_n(z, size, T(0));
        sketch(rows, j, z);
        if (both) sketch(rows, j + 1, z + batch);
        transform_forward(roots_, features_, z);
        multiply_transforms(features_, z, both, product);
      }
      transform_back(roots_, features_, product);
      for (Index k = 0; k < features_; ++k)
        for (Index i = 0; i < rows.rows(); ++i) out(begin + i, k) = product[2 * k * batch + i];
    }
  }

 private:
  /// Adds count sketch j of each row.
  void sketch(const Rows<T>& rows, int j, T* out) const {
    const Hash<T>* const hash = hashes_.data() + j * numbers_.cols();
    for (Index i = 0; i < rows.rows(); ++i, ++out) {
      if (rows.sparse()) {
        const CsrView<T>& csr = rows.csr();
        for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
          out[hash[csr.columns[e]].place] += hash[csr.columns[e]].weight * csr.values[e];
      } else {
        const T* const row = rows.row(i);
        for (Index c = 0; c < inputs(); ++c) out[hash[c].place] += hash[c].weight * row[c];
      }
      if (constant_) out[hash[inputs()].place] += hash[inputs()].weight;
    }
  }

  std::string kernel_;
  Matrix<T> numbers_;
  Index features_;
  int degree_;
  bool constant_;
  T scale_;
  Vector<T> roots_;
  std::vector<Hash<T>> hashes_;
};

Polynomial polynomial_of(const Kernel& kernel, Index features) {
  const std::optional<Polynomial> known = kernel.node()->polynomial();
  require(known && known->coef0 >= 0, Errc::bad_option,
          "{} has no TensorSketch; kernels that have one: linear, poly with coef0 >= 0, and powers "
          "and positive multiples of them",
          kernel.text());
  const bool power = features >= 1 && std::has_single_bit(static_cast<std::uint64_t>(features));
  require(power && features <= most_features, Errc::bad_option,
          "tensorsketch: features = {} must be a power of two up to {}, such as 1024", features,
          most_features);
  return *known;
}

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> tensor_sketch_map(const Kernel& kernel, Index features,
                                                Matrix<T> hashes) {
  const Polynomial known = polynomial_of(kernel, features);
  require(hashes.rows() == known.degree && hashes.cols() >= 2, Errc::bad_option,
          "a TensorSketch of {} with {} hash functions of {} columns and a constant", kernel.text(),
          hashes.rows(), hashes.cols() - 1);
  for (Index i = 0; i < hashes.size(); ++i) {
    const T number = hashes.data()[i];
    require(std::abs(number) >= 1 && std::abs(number) <= static_cast<T>(features) &&
                number == std::trunc(number),
            Errc::bad_option, "{} is no signed bucket from 1 to {}", number, features);
  }
  return std::make_shared<TensorSketch<T>>(kernel.text(), known, features, std::move(hashes));
}

template <class T>
std::shared_ptr<const Map<T>> tensor_sketch_map(const Kernel& kernel, Index inputs, Index features,
                                                std::uint64_t seed, std::size_t memory) {
  const Polynomial known = polynomial_of(kernel, features);
  require(inputs >= 1, Errc::bad_option, "a TensorSketch of {} columns", inputs);
  const double bytes = static_cast<double>(known.degree) * (static_cast<double>(inputs) + 1) *
                       (sizeof(T) + sizeof(Hash<T>));
  const auto allowed = static_cast<double>(Budget(memory).bytes());
  require(
      bytes <= allowed, Errc::out_of_memory,
      "tensorsketch: {} hash functions of {} columns need {} where {} are allowed; use a smaller "
      "degree",
      known.degree, inputs, format_bytes(bytes), format_bytes(allowed));
  Random random(seed);
  const auto buckets = static_cast<std::uint64_t>(features);
  return tensor_sketch_map<T>(kernel, features,
                              Matrix<T>::NullaryExpr(known.degree, inputs + 1, [&] {
                                const std::uint64_t drawn = random.below(2 * buckets);
                                const std::uint64_t number = drawn / 2 + 1;
                                const auto bucket = static_cast<T>(number);
                                return drawn % 2 == 0 ? bucket : -bucket;
                              }).eval());
}

template std::shared_ptr<const Map<float>> tensor_sketch_map(const Kernel&, Index, Matrix<float>);
template std::shared_ptr<const Map<double>> tensor_sketch_map(const Kernel&, Index, Matrix<double>);
template std::shared_ptr<const Map<float>> tensor_sketch_map(const Kernel&, Index, Index,
                                                             std::uint64_t, std::size_t);
template std::shared_ptr<const Map<double>> tensor_sketch_map(const Kernel&, Index, Index,
                                                              std::uint64_t, std::size_t);

namespace {
constexpr TextParameter sketch_parameters[] = {{"features", domains::count, 2048, true}};
}  // namespace

extern const MapRow tensor_sketch_row = {
    .text = {"tensorsketch", sketch_parameters},
    .formula = "the convolution of count sketches of x",
    .make =
        []<class T>(const MapRequest<T>& r) {
          return tensor_sketch_map<T>(Kernel::parse(r.kernel), static_cast<Index>(r.values[0]),
                                      r.numbers());
        },
    .from_text = false,
    // Of the constant, too.
    .anchor_columns = [](Index inputs) { return inputs + 1; },
};

}  // namespace mercer
