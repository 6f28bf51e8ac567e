#pragma once
// What rank 0 of a team has the other ranks do.
//
// Rank 0 runs the solver and decides everything. The others `serve`: they wait for an order, which
// is a pass over the rows, do their part of it, and wait for the next. So a solver is written once,
// small problems are solved on one machine, and ranks cannot disagree on what comes next.
//
//     call(passes, Order::scale, mean);        // rank 0; nothing where there is no team
//     … the pass itself, which all ranks run
//
// Passes that can fail do so on all ranks (core/team.hpp, `agree`).

#include "core/packed.hpp"
#include "core/team.hpp"
#include "pca/passes.hpp"

#include <mercer/fit.hpp>

#include <cstdint>
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
  products,
};

/// What a pass depends on in addition to the rows and the options goes along.
void announce(Team& team, Order order, std::string bytes);

/// Calls on the other ranks, where there are any and this one gives the orders.
template <class T, class... X>
void call(const Passes<T>& passes, Order order, const X&... with) {
  if (passes.team() && passes.team()->rank() == 0) announce(*passes.team(), order, packed(with...));
}

/// Rank 0, where there is a team: at its end the other ranks return from `serve`.
template <class T>
class Serving {
 public:
  explicit Serving(const Passes<T>& passes) : passes_(passes) {}
  ~Serving();
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

 private:
  const Passes<T>& passes_;
};

/// The other ranks: their part of what rank 0 asks for.
template <class T>
void serve(Passes<T>& passes, const FitOptions& options);

/// Runs `work` on rank 0, whose passes the other ranks serve. An error of one rank is thrown on
/// all.
template <class T, class Work>
void direct(Passes<T>& passes, const FitOptions& options, const Work& work) {
  agree(*passes.team(), [&] {
    if (passes.team()->rank() != 0) return serve(passes, options);
    const Serving<T> serving(passes);
    work();
  });
}

}  // namespace mercer
