#include "pca/orders.hpp"

#include "pca/kernel/feature_shares.hpp"
#include "pca/kernel/landmark_draws.hpp"
#include "pca/kernel/moved_rows.hpp"
#include "pca/kernel/row_sample.hpp"
#include "pca/linear/gram_shares.hpp"
#include "pca/linear/product_sums.hpp"
#include "pca/row_sums.hpp"

#include <mercer/error.hpp>
#include <mercer/team_ledger.hpp>

#include <utility>

namespace mercer {

namespace {

struct Announced {
  Order order = Order::end;
  std::string with{};
};

/// From rank 0 to all.
void share(Team& team, Announced& order) {
  team.broadcast(0, &order.order, sizeof order.order);
  // Vectors are part of a pass; what other orders have with them is little.
  const TeamLedger::Entry entry(team,
                                order.order == Order::products ? Purpose::passes : Purpose::rest);
  if (order.order != Order::end) from_root(team, order.with);
}

template <class T>
void obey(const Announced& order, Passes<T>& passes, const FitOptions& options) {
  switch (order.order) {
    case Order::end:
      return;
    case Order::moments:
      return serve_moments(passes, options, order.with);
    case Order::means:
      means_of(passes, options);
      return;
    case Order::scale: {
      Vector<double> mean;
      unpack(order.with, mean);
      scale_sums(passes, options, mean);
      return;
    }
    case Order::triangle: {
      Vector<double> mean, missing;
      unpack(order.with, mean, missing);
      triangle_of(passes, options, mean, missing);
      return;
    }
    case Order::range:
      return normalize(passes);
    case Order::finite: {
      bool filled = false;
      unpack(order.with, filled);
      return require_finite_rows(passes, filled);
    }
    case Order::weights: {
      int exponent = 0;
      unpack(order.with, exponent);
      return scale_weights(passes, exponent);
    }
    case Order::products:
      return serve_products(passes, options, order.with);
    case Order::squares:
      return serve_squares(passes, order.with);
    case Order::differences:
      return serve_differences(passes, order.with);
    case Order::sample:
      return serve_sample(passes, options, order.with);
    case Order::draws:
      return serve_draws(passes, options, order.with);
    case Order::features:
      return serve_features(passes, options, order.with);
    case Order::row_products:
      return serve_row_products(passes, options, order.with);
    case Order::combination:
      return serve_combination(passes, options, order.with);
  }
}

}  // namespace

void announce(Team& team, Order order, std::string bytes) {
  Announced announced{order, std::move(bytes)};
  share(team, announced);
}

template <class T>
void serve(Passes<T>& passes, const FitOptions& options) {
  for (;;) {
    Announced order;
    share(*ranks_of(passes), order);
    if (order.order == Order::end) return;
    try {
      obey(order, passes, options);
    } catch (const Error&) {
      // Rank 0 has the same error: it tries something else, or releases this rank.
    }
  }
}

#define MERCER_INSTANTIATE(T) template void serve(Passes<T>&, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
