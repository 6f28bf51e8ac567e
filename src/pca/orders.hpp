#pragma once
// What rank 0 of a team has the other ranks do.
//
// Rank 0 runs the solver and decides everything. The others `serve`: they wait for an order, which
// is a pass over the rows, do their part of it, and wait for the next. So a solver is written once,
// small problems are solved on one machine, and ranks cannot disagree on what comes next. A pass
// begins with `call(passes, Order::scale, mean)`, which does nothing where there is no team; then
// all ranks run it.
//
// Passes that can fail do so on all ranks (core/team.hpp, `agree`).

#include "core/packed.hpp"
#include "core/team.hpp"
#include "pca/passes.hpp"

#include <mercer/error.hpp>
#include <mercer/fit.hpp>

#include <cstdint>
#include <exception>
#include <string>

namespace mercer {

enum class Order : std::int64_t {
  end,
  moments,
  means,
  scale,
  triangle,
  range,
  finite,
  weights,
  products,
  squares,
  differences,
  sample,
  draws,
  features,
  row_products,
  combination,
};

/// `bytes`: what a pass depends on, apart from the rows and the options.
void announce(Team& team, Order order, std::string bytes);

/// Calls on the other ranks, where there are any and this one gives the orders.
template <class T, class... X>
void call(const Passes<T>& passes, Order order, const X&... with) {
  if (passes.team() && passes.team()->rank() == 0) announce(*passes.team(), order, packed(with...));
}

/// The ranks that rank 0 gives orders to: each has a share of the rows, or all of them.
template <class T>
Team* ranks_of(const Passes<T>& passes) {
  return passes.team() ? passes.team() : passes.helpers();
}

/// The other ranks: their part of what rank 0 asks for.
template <class T>
void serve(Passes<T>& passes, const FitOptions& options);

/// Runs `work` on rank 0, whose passes the other ranks serve. An `Error` of one rank is thrown on
/// all.
///
/// Anything else, such as a failed allocation, leaves this function on its rank alone: it may come
/// from the middle of a pass, where the others wait for other messages than those of an agreement.
/// Whoever runs the team has to end it then.
template <class T, class Work>
void direct(Passes<T>& passes, const FitOptions& options, const Work& work) {
  Team& team = *ranks_of(passes);
  std::exception_ptr error;
  if (team.rank() != 0) {
    serve(passes, options);
  } else {
    try {
      work();
    } catch (const Error&) {
      error = std::current_exception();
    }
    try {
      announce(team, Order::end, {});
    } catch (const Error&) {
      // The transport has failed, so there is nobody to release.
    }
  }
  agree(team, [&] {
    if (error) std::rethrow_exception(error);
  });
}

}  // namespace mercer
