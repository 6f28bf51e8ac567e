#include <mercer/map.hpp>

#include "core/budget.hpp"
#include "core/memory.hpp"
#include "core/require.hpp"
#include "kernels/products.hpp"
#include "kernels/row.hpp"
#include "linalg/blas.hpp"
#include "linalg/qr.hpp"
#include "maps/map_row.hpp"
#include "simd/cosine.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// Rows and frequencies at a time: their products stay in the L2 cache.
constexpr Index rows_a_tile = 256, frequencies_a_strip = 128;

template <class T>
class FourierMap final : public Map<T> {
 public:
  FourierMap(std::string kernel, double factor, Matrix<T> frequencies)
      : kernel_(std::move(kernel)),
        frequencies_(std::move(frequencies)),
        scale_(static_cast<T>(std::sqrt(factor / static_cast<double>(frequencies_.rows())))) {}

  Index inputs() const override { return frequencies_.cols(); }
  Index features() const override { return 2 * frequencies_.rows(); }
  std::string text() const override { return "fourier"; }
  Rows<T> anchors() const override { return frequencies_; }
  std::string kernel() const override { return kernel_; }

  Index strip() const override { return std::min(2 * frequencies_a_strip, features()); }
  void apply_strip(const Rows<T>& x, Index first, Eigen::Ref<Matrix<T>> out) const override {
    const BlasThreads one(1);
    // Features come in pairs; the first and the last of the strip may be half of one.
    const Index from = first / 2, count = (first + out.cols() + 1) / 2 - from;
    const bool pairs = first % 2 == 0 && out.cols() % 2 == 0;
    const Scratch<T> products(std::min(rows_a_tile, x.rows()) * count), row(2 * count);
    for (Index begin = 0; begin < x.rows(); begin += rows_a_tile) {
      const Index n = std::min(rows_a_tile, x.rows() - begin);
      inner_products(x.middle(begin, n), Rows<T>(frequencies_).middle(from, count),
                     {products.data(), n, count, count});
      for (Index i = 0; i < n; ++i) {
        T* const target = &out(begin + i, 0);
        cosines_and_sines(products.data() + i * count, count, scale_, pairs ? target : row.data());
        if (!pairs) std::copy_n(row.data() + first % 2, out.cols(), target);
      }
    }
  }
  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override {
    for (Index first = 0; first < out.cols(); first += strip())
      apply_strip(x, first, out.middleCols(first, std::min(strip(), out.cols() - first)));
  }

 private:
  std::string kernel_;
  Matrix<T> frequencies_;
  T scale_;
};

Frequencies frequencies_of(const Kernel& kernel) {
  require(kernel.complete(), Errc::bad_option,
          "a parameter of {} is open; estimate it from the data first", kernel.text());
  if (std::optional<Frequencies> known = kernel.node()->frequencies()) return *known;
  fail(Errc::bad_option, "{} has no Fourier features; kernels that have them: {}", kernel.text(),
       kernels_with_frequencies());
}

/// Rows ω. A Gaussian vector's length is independent of its direction, so directions can be made
/// orthogonal without a change to what each frequency by itself is.
Matrix<double> drawn(const Frequencies& law, Index rows, Index cols, bool orthogonal,
                     Random& random) {
  Matrix<double> omega = Matrix<double>::NullaryExpr(
      rows, cols, [&] { return random.normal() * (law.each_entry ? law.scale(random) : 1); });
  if (law.each_entry) return omega;
  Vector<double> lengths = Vector<double>::Ones(rows);
  if (orthogonal) {
    lengths = omega.rowwise().norm();
    orthonormalise_rows(omega);
  }
  for (Index i = 0; i < rows; ++i) omega.row(i) *= lengths[i] * law.scale(random);
  return omega;
}

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> fourier_map(const Kernel& kernel, Matrix<T> frequencies) {
  const double factor = frequencies_of(kernel).factor;
  require(frequencies.size() > 0, Errc::bad_option, "a Fourier map of {} frequencies of {} columns",
          frequencies.rows(), frequencies.cols());
  require(frequencies.allFinite(), Errc::bad_option,
          "the frequencies of {} are not all finite in this precision", kernel.text());
  return std::make_shared<FourierMap<T>>(kernel.text(), factor, std::move(frequencies));
}

template <class T>
std::shared_ptr<const Map<T>> fourier_map(const Kernel& kernel, Index inputs, Index features,
                                          const FourierMapOptions& options) {
  const Frequencies law = frequencies_of(kernel);
  require(features >= 2 && features % 2 == 0, Errc::bad_option,
          "fourier: features = {} must be an even number of at least 2: each frequency makes a "
          "cosine and a sine",
          features);
  require(inputs >= 1, Errc::bad_option, "a Fourier map of {} columns", inputs);
  // A block of directions is drawn in double.
  const Index pairs = features / 2;
  const double bytes =
      static_cast<double>(pairs) * static_cast<double>(inputs) * (sizeof(T) + sizeof(double));
  const auto allowed = static_cast<double>(Budget(options.memory).bytes());
  require(bytes <= allowed, Errc::out_of_memory,
          "fourier: {} frequencies of {} columns need {}, but only {} is allowed; use fewer "
          "features",
          pairs, inputs, format_bytes(bytes), format_bytes(allowed));

  const BlasThreads one(1);  // the same numbers for any number of threads
  Random random(options.seed);
  Matrix<T> frequencies(pairs, inputs);
  for (Index begin = 0; begin < frequencies.rows(); begin += inputs) {
    const Index count = std::min(inputs, frequencies.rows() - begin);
    frequencies.middleRows(begin, count) =
        drawn(law, count, inputs, options.orthogonal, random).template cast<T>();
  }
  return fourier_map<T>(kernel, std::move(frequencies));
}

template std::shared_ptr<const Map<float>> fourier_map(const Kernel&, Matrix<float>);
template std::shared_ptr<const Map<double>> fourier_map(const Kernel&, Matrix<double>);
template std::shared_ptr<const Map<float>> fourier_map(const Kernel&, Index, Index,
                                                       const FourierMapOptions&);
template std::shared_ptr<const Map<double>> fourier_map(const Kernel&, Index, Index,
                                                        const FourierMapOptions&);

extern const MapRow fourier_row = {
    .text = {"fourier"},
    .formula = "sqrt(2/D) (cos w1.x, sin w1.x, ...)",
    .make =
        []<class T>(const MapRequest<T>& r) {
          return fourier_map<T>(Kernel::parse(r.kernel, r.kernels), r.numbers());
        },
    .from_text = false,
    .anchor_columns = [](Index inputs) { return inputs; },
};

}  // namespace mercer
