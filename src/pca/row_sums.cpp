#include "pca/row_sums.hpp"

#include "core/parallel.hpp"
#include "core/team.hpp"
#include "core/team_chain.hpp"
#include "core/weights.hpp"
#include "data/finite.hpp"
#include "operators/centred.hpp"
#include "operators/column_means.hpp"
#include "operators/moments_impl.hpp"
#include "operators/tsqr.hpp"
#include "pca/orders.hpp"
#include "pca/recorded_pass.hpp"
#include "pca/team_rows.hpp"

#include <mercer/team_ledger.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace mercer {

namespace {

/// Rows that are centred at once: 8 MiB of doubles at most, or one row.
Index rows_at_once(Index d) { return std::clamp<Index>((Index{1} << 20) / d, 1, 1024); }

/// Where dense rows are shifted to: what rank 0 finds from the first rows of all.
template <class T>
void share_shift(Passes<T>& passes, Moments& moments) {
  Moments::Impl& impl = moments.impl();
  Team& team = *passes.team();
  if (impl.shifted || passes.sparse() || passes.spread().counted.back() < impl.leaves.start) return;
  Moments first(passes.features());
  visit_first_rows(passes, impl.leaves.start, [&](const Rows<T>& rows, const double* weights) {
    first.add(rows, as_weights(weights, rows.rows()), {.threads = 1});
  });
  Vector<double> shift = first.impl().shift;
  from_root(team, shift);
  impl.shift = shift;
  impl.shifted = true;
}

/// The first number of each column of all rows; 0 where there is none.
template <class T>
Vector<double> shared_origin(Passes<T>& passes, bool fill) {
  Team& team = *passes.team();
  const Index d = passes.features();
  Vector<double> origin;
  agree(team, [&] {
    ColumnMeans means(d, fill);
    passes.peek([&](const Rows<T>& rows, const double* weights) {
      means.find_origin(rows, weights);
      return !means.has_origin();
    });
    origin = means.origin();
  });
  const Matrix<double> all = gather_rows(team, origin.transpose());
  for (Index rank = all.rows() - 1; rank >= 0; --rank)
    for (Index j = 0; j < d; ++j)
      if (!std::isnan(all(rank, j))) origin[j] = all(rank, j);
  origin = origin.array().isNaN().select(0.0, origin);
  from_root(team, origin);
  return origin;
}

template <class T>
void add_scale(ScaleSums& s, const Rows<T>& rows, const double* weights, const Vector<double>& mean,
               bool fill, Matrix<double>& room) {
  const Index d = rows.cols(), most = room.rows();
  for (Index i = 0; i < rows.rows(); i += most) {
    const Index count = std::min(most, rows.rows() - i);
    centred_block(rows.middle(i, count), 0, d, {.centre = mean.data()}, room.data(), d);
    for (Index r = 0; r < count; ++r) {
      const double w = weights ? weights[i + r] : 1.0;
      if (w == 0) continue;  // at any distance
      s.all.add(w);
      for (std::size_t j = 0; j < s.sums.size(); ++j) {
        const double about = room(r, static_cast<Index>(j));
        if (fill && std::isnan(about)) continue;  // on the mean
        s.squares[j].add(w * about * about);
        s.sums[j].add(w * about);
        if (fill) s.present[j].add(w);
      }
    }
  }
}

/// Adds rows, centred and with ones in front of them, to the factor.
template <class T>
class CentredRowsOfQr {
 public:
  CentredRowsOfQr(StreamedQr& qr, const FitOptions& options, const Vector<double>& mean,
                  const Vector<double>& missing)
      : qr_(qr),
        threads_(options.threads),
        centre_(options.center),
        mean_(mean),
        missing_(missing) {}

  void operator()(const Rows<T>& rows, const double* weights) {
    if (!centre_) return qr_.add(rows, weights);
    const Index d = mean_.size();
    const Index most = std::max((Index{1} << 17) / (d + 1), 8 * (d + 1));
    for (Index i = 0; i < rows.rows(); i += most) {
      const Index n = std::min(most, rows.rows() - i);
      if (room_.rows() < n) room_.resize(n, d + 1);
      parallel_ranges(n, threads_, std::max<Index>(1, 100000 / (d + 1)),
                      [&](Index begin, Index end, int) {
                        room_.col(0).segment(begin, end - begin).setOnes();
                        centred_block(rows.middle(i + begin, end - begin), 0, d,
                                      {.centre = mean_.data(),
                                       .missing = missing_.size() > 0 ? missing_.data() : nullptr},
                                      room_.row(begin).data() + 1, d + 1);
                      });
      qr_.add(Rows<double>(room_.data(), n, d + 1, d + 1), weights ? weights + i : nullptr);
    }
  }

 private:
  StreamedQr& qr_;
  int threads_;
  bool centre_;
  const Vector<double>& mean_;
  const Vector<double>& missing_;
  Matrix<double> room_;
};

}  // namespace

template <class T>
void add_rows(Passes<T>& passes, std::string_view what, const FitOptions& options,
              Moments& moments) {
  Moments::Impl& impl = moments.impl();
  const auto add = [&](const Rows<T>& rows, const double* weights) {
    moments.add(rows, as_weights(weights, rows.rows()), {.threads = options.threads});
  };
  const auto pass = [&] {
    if (!passes.team()) return passes.run(what, add);
    call(passes, Order::moments, std::string(what), impl.shifted, impl.shift, impl.missing);
    const TeamLedger::Entry entry(*passes.team(), Purpose::passes);
    share_shift(passes, moments);
    const Index leaf_rows = impl.leaf_rows(passes.sparse());
    impl.begin_at(leaves_before(passes, leaf_rows));
    run_leaves(passes, what, leaf_rows, add);
    impl.collect(*passes.team());
    impl.rows = passes.rows();
    impl.weight = passes.spread().weight;
  };
  recorded_pass(
      passes, options, "moments", pass, [&] { return packed(impl.state()); },
      [&](const std::string& bytes) {
        std::vector<double> state;
        unpack(bytes, state);
        impl.restore(state);
      },
      impl.shifted, impl.shift, impl.missing);
}

template <class T>
void serve_moments(Passes<T>& passes, const FitOptions& options, const std::string& with) {
  std::string what;
  Moments moments(passes.features());
  Moments::Impl& impl = moments.impl();
  unpack(with, what, impl.shifted, impl.shift, impl.missing);
  add_rows(passes, what, options, moments);
}

template <class T>
Preprocess means_of(Passes<T>& passes, const FitOptions& options) {
  const bool fill = options.missing == Missing::mean;
  Preprocess out;
  const auto pass = [&] {
    ColumnMeans means(passes.features(), fill);
    const auto add = [&](const Rows<T>& rows, const double* weights) {
      means.add(rows, weights, options.threads);
    };
    if (!passes.team()) {
      passes.run("means", add);
    } else {
      call(passes, Order::means);
      const Vector<double> origin = shared_origin(passes, fill);
      means.begin_at(leaves_before(passes, ColumnMeans::leaf_rows()), origin);
      run_leaves(passes, "means", ColumnMeans::leaf_rows(), add);
      means.collect(*passes.team());
    }
    out.mean = means.mean();
    out.rest = means.rest();
  };
  recorded_pass(
      passes, options, "means", pass, [&] { return packed(out.mean, out.rest); },
      [&](const std::string& bytes) { unpack(bytes, out.mean, out.rest); });
  return out;
}

template <class T>
ScaleSums scale_sums(Passes<T>& passes, const FitOptions& options, const Vector<double>& mean) {
  const Index d = passes.features();
  ScaleSums sums(d);
  Matrix<double> room(rows_at_once(d), d);
  const auto add = [&] {
    passes.run("scale", [&](const Rows<T>& rows, const double* weights) {
      add_scale(sums, rows, weights, mean, options.missing == Missing::mean, room);
    });
  };
  const auto pass = [&] {
    call(passes, Order::scale, mean);
    if (passes.team()) chain(*passes.team(), sums, add);
    else add();
  };
  recorded_pass(
      passes, options, "scale", pass, [&] { return packed(sums); },
      [&](const std::string& bytes) { unpack(bytes, sums); }, mean);
  return sums;
}

template <class T>
Matrix<double> triangle_of(Passes<T>& passes, const FitOptions& options, const Vector<double>& mean,
                           const Vector<double>& missing) {
  const Index d = passes.features();
  StreamedQr qr(options.center ? Vector<double>(Vector<double>::Zero(d + 1)) : mean,
                options.threads);
  CentredRowsOfQr<T> add(qr, options, mean, missing);
  const auto visit = [&](const Rows<T>& rows, const double* weights) { add(rows, weights); };
  Matrix<double> factor;
  const auto pass = [&] {
    if (!passes.team()) {
      passes.run("QR", visit);
    } else {
      call(passes, Order::triangle, mean, missing);
      qr.begin_at(leaves_before(passes, qr.leaf_rows()));
      run_leaves(passes, "QR", qr.leaf_rows(), visit);
      qr.collect(*passes.team());
      if (passes.team()->rank() != 0) return;
    }
    factor = qr.factor();
  };
  recorded_pass(
      passes, options, "triangle", pass, [&] { return packed(factor); },
      [&](const std::string& bytes) { unpack(bytes, factor); }, mean, missing);
  return factor;
}

template <class T>
void normalize(Passes<T>& passes) {
  Team* const team = passes.team();
  if (!team) return passes.normalize();
  call(passes, Order::range);
  double largest = 0;
  agree(*team, [&] { largest = passes.largest(); });
  for (const std::int64_t bits : all_of(*team, std::bit_cast<std::int64_t>(largest)))
    largest = std::max(largest, std::bit_cast<double>(bits));
  agree(*team, [&] { passes.multiply(largest); });
}

template <class T>
void scale_weights(Passes<T>& passes, int exponent) {
  call(passes, Order::weights, exponent);
  passes.scale_weights(exponent);
}

template <class T>
void require_finite_rows(const Passes<T>& passes, bool filled) {
  const auto check = [&] {
    if (const Rows<T>* rows = passes.memory()) require_finite(*rows, filled, passes.spread().first);
  };
  call(passes, Order::finite, filled);
  if (passes.team()) agree(*passes.team(), check);
  else check();
}

#define MERCER_INSTANTIATE(T)                                                               \
  template void add_rows(Passes<T>&, std::string_view, const FitOptions&, Moments&);        \
  template void serve_moments(Passes<T>&, const FitOptions&, const std::string&);           \
  template Preprocess means_of(Passes<T>&, const FitOptions&);                              \
  template ScaleSums scale_sums(Passes<T>&, const FitOptions&, const Vector<double>&);      \
  template Matrix<double> triangle_of(Passes<T>&, const FitOptions&, const Vector<double>&, \
                                      const Vector<double>&);                               \
  template void normalize(Passes<T>&);                                                      \
  template void scale_weights(Passes<T>&, int);                                             \
  template void require_finite_rows(const Passes<T>&, bool);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
