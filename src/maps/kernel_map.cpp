#include <mercer/map.hpp>

#include "core/require.hpp"
#include "maps/map_row.hpp"

#include <algorithm>

namespace mercer {

namespace {

/// Features made at a time: with as many rows, a tile that stays in the L2 cache.
constexpr Index anchors_a_strip = 256;

/// Anchors: Matrix<T> or Csr<T>.
template <class T, class Anchors>
class KernelMap final : public Map<T> {
 public:
  KernelMap(Kernel kernel, Anchors anchors)
      : kernel_(std::move(kernel)), anchors_(std::move(anchors)) {}

  Index inputs() const override { return anchors().cols(); }
  Index features() const override { return anchors().rows(); }
  std::string text() const override { return "kernel"; }
  Space space() const override { return Space::kernel; }
  Rows<T> anchors() const override { return anchors_; }
  std::string kernel() const override { return kernel_.text(); }

  void require_domain(const Rows<T>& x, Index first) const override {
    kernel_.require_domain(x, first);
  }
  Index strip() const override { return std::min(anchors_a_strip, features()); }
  void apply_strip(const Rows<T>& x, Index first, Eigen::Ref<Matrix<T>> out) const override {
    kernel_.tile(x, anchors().middle(first, out.cols()), out);
  }
  void apply(const Rows<T>& x, Eigen::Ref<Matrix<T>> out) const override {
    for (Index first = 0; first < out.cols(); first += anchors_a_strip)
      apply_strip(x, first, out.middleCols(first, std::min(anchors_a_strip, out.cols() - first)));
  }

 private:
  Kernel kernel_;
  Anchors anchors_;
};

template <class T>
void require_csr(const Csr<T>& x) {
  const auto wrong = [](const char* how) { fail(Errc::bad_data, "the anchors' {}", how); };
  const auto entries = static_cast<std::int64_t>(x.values.size());
  if (x.columns.size() != x.values.size()) wrong("columns and values differ in number");
  if (x.offsets.empty() || x.offsets.front() != 0 || x.offsets.back() != entries)
    wrong("offsets do not run from 0 to the number of entries");
  if (!std::is_sorted(x.offsets.begin(), x.offsets.end())) wrong("offsets do not ascend");
  for (std::size_t i = 0; i + 1 < x.offsets.size(); ++i) {
    std::int64_t before = -1;
    for (std::int64_t e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      const std::int32_t column = x.columns[static_cast<std::size_t>(e)];
      if (column <= before || column >= x.cols)
        wrong("columns do not ascend within a row, or are too large");
      before = column;
    }
  }
}

template <class T, class Anchors>
std::shared_ptr<const Map<T>> make(Kernel kernel, Anchors anchors) {
  const Rows<T> rows(anchors);
  require(kernel.complete(), Errc::bad_option,
          "a parameter of {} is open; estimate it from the data first", kernel.text());
  require(rows.rows() >= 1 && rows.cols() >= 1, Errc::bad_data,
          "a kernel map of {} anchors with {} columns", rows.rows(), rows.cols());
  kernel.require_domain(rows);
  return std::make_shared<KernelMap<T, Anchors>>(std::move(kernel), std::move(anchors));
}

}  // namespace

template <class T>
std::shared_ptr<const Map<T>> kernel_map(Kernel kernel, Matrix<T> anchors) {
  return make<T>(std::move(kernel), std::move(anchors));
}

template <class T>
std::shared_ptr<const Map<T>> kernel_map(Kernel kernel, Csr<T> anchors) {
  require_csr(anchors);
  return make<T>(std::move(kernel), std::move(anchors));
}

template std::shared_ptr<const Map<float>> kernel_map(Kernel, Matrix<float>);
template std::shared_ptr<const Map<double>> kernel_map(Kernel, Matrix<double>);
template std::shared_ptr<const Map<float>> kernel_map(Kernel, Csr<float>);
template std::shared_ptr<const Map<double>> kernel_map(Kernel, Csr<double>);

extern const MapRow kernel_map_row = {
    .text = {"kernel"},
    .formula = "(k(x, a1), ..., k(x, aN))",
    .make =
        []<class T>(const MapRequest<T>& r) {
          return std::visit(
              [&](auto& rows) {
                return kernel_map<T>(Kernel::parse(r.kernel, r.kernels), std::move(rows));
              },
              *r.anchors);
        },
    .from_text = false,
    .anchor_columns = [](Index inputs) { return inputs; },
};

}  // namespace mercer
