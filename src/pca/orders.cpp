#include "pca/orders.hpp"

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
    case Order::finite:
      return require_finite_rows(passes);
    case Order::products:
      return serve_products(passes, options, order.with);
  }
}

}  // namespace

void announce(Team& team, Order order, std::string bytes) {
  Announced announced{order, std::move(bytes)};
  share(team, announced);
}

template <class T>
Serving<T>::~Serving() {
  try {
    call(passes_, Order::end);
  } catch (...) {
    // The transport has failed, so there is nobody to release.
  }
}

template <class T>
void serve(Passes<T>& passes, const FitOptions& options) {
  for (;;) {
    Announced order;
    share(*passes.team(), order);
    if (order.order == Order::end) return;
    try {
      obey(order, passes, options);
    } catch (const Error&) {
      // Rank 0 has the same error: it tries something else, or releases this rank.
    }
  }
}

#define MERCER_INSTANTIATE(T) \
  template class Serving<T>;  \
  template void serve(Passes<T>&, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
