#include "pca/kernel/kernel_certain.hpp"

#include "core/require.hpp"
#include "pca/plan_steps.hpp"

#include <limits>
#include <optional>
#include <type_traits>

namespace mercer {

namespace {

/// The means of kernel values, from those of tiles that leave terms of a row alone out.
void restore_mean(Vector<double>& mean, const Vector<double>& offset, const double* weights) {
  if (offset.size() == 0) return;
  double constant = offset.mean();
  if (weights) {
    const Eigen::Map<const Vector<double>> w(weights, offset.size());
    constant = w.dot(offset) / w.sum();
  }
  mean.array() += offset.array() + constant;
}

template <class T>
void require_known(const KernelSpectrum& s, const FitOptions& options) {
  const double allowed = allowed_error<T>(options);
  require(
      s.error <= allowed, Errc::not_converged,
      "rounding of the kernel matrix leaves its eigenvalues uncertain by {:.1e} of the largest, "
      "more than the tolerance of {:.1e}; allow a tolerance of {:.0e}, or centre and scale the "
      "data "
      "(fit with `scale=std`) or choose another width if the kernel is nearly constant on these "
      "rows",
      s.error, allowed, 2 * s.error);
}

/// The spectrum, with the mean of the kernel itself.
template <class T>
KernelSpectrum spectrum_of(const Tiles<T>& tiles, const FitOptions& options, const double* weights,
                           const Plan& plan, const KernelOrigin& origin, Team& team) {
  KernelSpectrum s = kernel_spectrum(tiles, options, weights, plan, origin, team);
  restore_mean(s.mean, tiles.offset, weights);
  return s;
}

/// The spectrum of float rows with a kernel computed in double: for kernels whose float values are
/// too coarse.
KernelSpectrum in_double(const Kernel& kernel, const Rows<float>& rows, const FitOptions& options,
                         const double* weights, const Plan& plan, const KernelOrigin& origin,
                         const RowRounding& rounding, Team& team) {
  const auto widened = [&](const Rows<double>& wide, double taken) {
    const CellError& cells = rounding.wide ? rounding.wide_cells : rounding.cells;
    Tiles<double> tiles = kernel_tiles(kernel, wide, options.center, false, cells);
    add_error(tiles, {.diagonal = rounding.centring});
    Plan wider = plan;
    wider.facts.number_bytes = sizeof(double);
    return spectrum_of(tiles, options, weights, with_work(wider, plan.work - taken, options),
                       origin, team);
  };
  if (!rows.sparse()) {
    const Matrix<double> wide =
        rounding.wide ? rounding.wide() : Matrix<double>(rows.dense().cast<double>());
    const double taken = static_cast<double>(wide.size()) * sizeof(double);
    return widened(Rows<double>(wide), taken);
  }
  const CsrView<float>& from = rows.csr();
  const std::int64_t begin = from.offsets[0], end = from.offsets[rows.rows()];
  Csr<double> wide;
  wide.cols = rows.cols();
  wide.offsets.clear();
  for (Index i = 0; i <= rows.rows(); ++i) wide.offsets.push_back(from.offsets[i] - begin);
  wide.columns.assign(from.columns + begin, from.columns + end);
  wide.values.assign(from.values + begin, from.values + end);
  const double taken = 12.0 * static_cast<double>(end - begin);
  return widened(Rows<double>(wide), taken);
}

bool smaller_error(const TileError& a, const TileError& b) {
  return a.entries.relative < b.entries.relative || a.entries.absolute < b.entries.absolute ||
         a.rows.sum() < b.rows.sum();
}

}  // namespace

template <class T>
KernelSpectrum certain_spectrum(const Tiles<T>& tiles, [[maybe_unused]] const Kernel* kernel,
                                [[maybe_unused]] const Rows<T>& rows, const FitOptions& options,
                                const double* weights, const Plan& plan, const KernelOrigin& origin,
                                const RowRounding& rounding, Team& team) {
  if constexpr (std::is_same_v<T, float>) {
    if (kernel) {
      const double largest = tiles.diagonal.maxCoeff();
      require(tiles.offset.size() > 0 || largest <= 0 || largest > 0x1p-100, Errc::bad_data,
              "the kernel values are {:.1e} at most, too small for single precision: scale the "
              "data, or use double precision",
              largest);
      std::optional<KernelSpectrum> s;
      try {
        s = spectrum_of(tiles, options, weights, plan, origin, team);
      } catch (const Error& e) {  // no variance but the rounding of floats, for example
        if (e.code() != Errc::not_converged && e.code() != Errc::bad_data &&
            e.code() != Errc::invalid_kernel)
          throw;
      }
      if (s && s->error <= allowed_error<T>(options)) return *std::move(s);
      KernelOrigin coarse = origin;
      coarse.score_epsilon = std::numeric_limits<float>::epsilon();
      s = in_double(*kernel, rows, options, weights, plan, coarse, rounding, team);
      s->why += "; kernel values in double, as float is too coarse";
      require_known<T>(*s, options);
      return *std::move(s);
    }
  }
  KernelSpectrum s = spectrum_of(tiles, options, weights, plan, origin, team);
  if (kernel && s.error > allowed_error<T>(options)) {
    const Tiles<T> exact = kernel_tiles(*kernel, rows, options.center, true, rounding.cells);
    if (smaller_error(exact.likely, tiles.likely)) {
      s = spectrum_of(exact, options, weights, plan, origin, team);
      s.why += "; distances from differences, as those from inner products are too coarse";
    }
  }
  require_known<T>(s, options);
  return s;
}

template KernelSpectrum certain_spectrum(const Tiles<float>&, const Kernel*, const Rows<float>&,
                                         const FitOptions&, const double*, const Plan&,
                                         const KernelOrigin&, const RowRounding&, Team&);
template KernelSpectrum certain_spectrum(const Tiles<double>&, const Kernel*, const Rows<double>&,
                                         const FitOptions&, const double*, const Plan&,
                                         const KernelOrigin&, const RowRounding&, Team&);

}  // namespace mercer
