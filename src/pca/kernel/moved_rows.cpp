#include "pca/kernel/moved_rows.hpp"

#include "core/roundoff.hpp"
#include "core/team_chain.hpp"
#include "kernels/node.hpp"
#include "pca/orders.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// The mean, rounded to units in the last place of the largest number of each column.
template <class T>
Vector<double> mean_on_grid(const Vector<double>& mean, const Vector<double>& largest) {
  Vector<double> out = mean;
  for (Index j = 0; j < out.size(); ++j) {
    if (largest[j] == 0) continue;
    const double unit =
        std::ldexp(1.0, std::ilogb(largest[j]) + 1 - std::numeric_limits<T>::digits);
    out[j] = std::round(mean[j] / unit) * unit;
  }
  return out;
}

/// How long rows are, from 0 and from their mean.
struct RowLengths {
  double squares = 0, scatter = 0;  // Σ w‖x‖², Σ w‖x − mean‖²
  Vector<double> largest;           // |x| of each column

  template <class Use>
  void members(Use&& use) {
    use(squares, scatter, largest);
  }
};

template <class T>
RowLengths lengths_about(Passes<T>& passes, const Vector<double>& mean) {
  RowLengths out{.largest = Vector<double>::Zero(passes.features())};
  const auto add = [&] {
    passes.run("squares", [&](const Rows<T>& rows, const double* weights) {
      for (Index i = 0; i < rows.rows(); ++i) {
        const double w = weights ? weights[i] : 1;
        if (w == 0) continue;  // at any distance
        for (Index j = 0; j < rows.cols(); ++j) {
          const auto value = static_cast<double>(rows.row(i)[j]);
          if (std::isnan(value)) continue;  // a missing cell lies on the mean
          const double about = value - mean[j];
          out.largest[j] = std::max(out.largest[j], std::abs(value));
          out.squares += w * value * value;
          out.scatter += w * about * about;
        }
      }
    });
  };
  call(passes, Order::squares, mean);
  if (passes.team()) chain(*passes.team(), out, add);
  else add();
  return out;
}

/// Whether x − c is a number of T in every cell.
template <class T>
bool moves_exactly(Passes<T>& passes, const Vector<double>& c) {
  bool exact = true;
  const auto look = [&] {
    passes.run("differences", [&](const Rows<T>& rows, const double* weights) {
      for (Index i = 0; exact && i < rows.rows(); ++i) {
        if (weights && weights[i] == 0) continue;
        for (Index j = 0; j < rows.cols(); ++j) {
          const auto x = static_cast<double>(rows.row(i)[j]);
          if (std::isnan(x)) continue;
          // Knuth's TwoSum of x and −c: `lost` is what the difference has been rounded by.
          const double d = x - c[j], taken = d - x;
          const double lost = (x - (d - taken)) + (-c[j] - taken);
          exact = exact && lost == 0 && static_cast<double>(static_cast<T>(d)) == d;
        }
      }
    });
  };
  call(passes, Order::differences, c);
  if (!passes.team()) {
    look();
    return exact;
  }
  agree(*passes.team(), look);
  return std::ranges::count(all_of(*passes.team(), exact ? 1 : 0), 0) == 0;
}

}  // namespace

template <class T>
bool move_to_mean(Passes<T>& passes, Standard& standard, const FitOptions& options) {
  if (!options.center || !options.kernel || passes.sparse() || standard.scale.size() > 0)
    return false;
  const Moved moved = options.kernel->node()->moved();
  if (moved != Moved::centred && moved != Moved::exactly) return false;
  const RowLengths lengths = lengths_about(passes, standard.mean);
  const auto d = static_cast<double>(passes.features());
  const double step = sizeof(T) == sizeof(float) ? std::numeric_limits<float>::epsilon() / 2.0 : 0;
  const double tolerance = std::max(options.tolerance, sizeof(T) == sizeof(float) ? 1e-5 : 0.0);
  // Products of d terms, and the sums over rows that centre the kernel matrix: some 256 roundings
  // for each of the products.
  const double rounding = (256 * d * unit_roundoff + step) * lengths.squares;
  const double smallest = lengths.scatter / std::min(d, static_cast<double>(passes.rows()));
  if (!(rounding > tolerance / 16 * smallest)) return false;
  if (moved == Moved::exactly) {
    const Vector<double> near = mean_on_grid<T>(standard.mean, lengths.largest);
    if (!moves_exactly(passes, near)) return false;
    standard.mean = near;
  }
  standard.mean = standard.mean.template cast<T>().template cast<double>();  // as the model has it
  standard.rest.resize(0);
  standard.scale = Vector<double>::Ones(passes.features());
  return true;
}

template <class T>
void serve_squares(Passes<T>& passes, const std::string& with) {
  Vector<double> mean;
  unpack(with, mean);
  lengths_about(passes, mean);
}

template <class T>
void serve_differences(Passes<T>& passes, const std::string& with) {
  Vector<double> c;
  unpack(with, c);
  moves_exactly(passes, c);
}

#define MERCER_INSTANTIATE(T)                                           \
  template bool move_to_mean(Passes<T>&, Standard&, const FitOptions&); \
  template void serve_squares(Passes<T>&, const std::string&);          \
  template void serve_differences(Passes<T>&, const std::string&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
