#pragma once
/// \file
/// What `fit` is going to do, and what that costs: the method, memory, passes and flops, and why
/// not another one.
///
///     mercer::Plan p = mercer::plan(x, {.components = 10, .kernel = mercer::kernels::rbf()});
///     p.chosen.method;                              // "krylov"
///     p.chosen.flops;                               // and .bytes, .passes, .why
///     std::string text = mercer::to_text(p);        // what `mercer fit --explain` prints
///
///     mercer::Facts facts{.rows = 1e6, .columns = 50, .entries = 5e7, .budget = 4e9};
///     bool streams = mercer::plan(facts, {.components = 10}).streamed();
///
/// `plan` is a function of its arguments alone and looks at no row: its cost does not depend on the
/// data. The flops of a method are stated where it is declared: `Solver` (fit.hpp), approx.hpp.
/// Sparse rows count their entries. An eigenproblem of order n counts as 10·n³, as it runs at a
/// fraction of the speed of products.

#include <mercer/fit.hpp>

#include <memory>
#include <optional>
#include <string>

namespace mercer {

/// Of all threads together.
struct Speed {
  double pairs = 0;  ///< kernel values per second
  double flops = 0;  ///< of matrix products, per second
};

/// All that a plan depends on, beside the options.
struct Facts {
  double rows = 0;          ///< N; 0: not known yet
  double columns = 0;       ///< d
  double entries = 0;       ///< N·d, or the stored ones of sparse rows
  double number_bytes = 8;  ///< of one number
  bool sparse = false;
  bool rewindable = true;  ///< rows can be read more than once
  bool in_memory = false;  ///< all of them are there already
  double budget = 0;       ///< bytes, beside rows that are in memory already
  double buffers = 0;      ///< bytes that reading takes while rows are streamed
  int threads = 1;
  std::optional<Speed> speed{};  ///< of this machine; `seconds` needs it
};

/// `chosen` and `rejected` methods; the members below are what `fit` acts on.
struct Plan : PlanReport {
  Facts facts{};
  Solver solver = Solver::automatic;  ///< of linear or exact kernel PCA
  std::optional<Approx> approx{};     ///< instead
  /// Where the choice was free: what is tried when the method does not reach the tolerance.
  std::optional<Solver> otherwise{};
  double work = 0;      ///< bytes that are left for the method
  std::string tiles{};  ///< krylov: what is kept of the kernel matrix, and in which form
  /// Why `fit` would refuse, with `Errc::out_of_memory`; empty: it would not.
  std::string refusal{};

  bool streamed() const { return rows == "streamed"; }
  /// Each row is seen once: features are chosen from the first ones.
  bool once() const { return rows == "read once"; }
};

/// The plan for rows of which these facts are known.
Plan plan(const Facts& facts, const FitOptions& options);

/// The plan of `fit` with the same arguments. A source is asked for its number of rows, and read to
/// count them when it does not know. With `options.seconds` the speed of the machine is measured,
/// which takes a few hundredths of a second.
template <class T>
Plan plan(const Rows<T>& x, const FitOptions& options = {});
template <class T>
Plan plan(Source<T>& source, const FitOptions& options = {});
template <class T>
Plan plan(Source<T>& source, std::shared_ptr<const Map<T>> map, const FitOptions& options = {});
template <class Derived>
Plan plan(const Eigen::MatrixBase<Derived>& x, const FitOptions& options = {}) {
  using T = typename Derived::Scalar;
  const MatrixRef<T> rows(x.derived());
  return plan(Rows<T>(rows), options);
}

/// A line for the method, its costs, and one for each that was rejected.
std::string to_text(const Plan& plan);
/// The same as a JSON object.
std::string to_json(const Plan& plan, int indent = 2);

}  // namespace mercer
