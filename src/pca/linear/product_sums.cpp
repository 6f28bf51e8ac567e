#include "pca/linear/product_sums.hpp"

#include "core/team.hpp"
#include "pca/orders.hpp"
#include "pca/recorded_pass.hpp"
#include "pca/team_rows.hpp"

#include <mercer/team_ledger.hpp>

#include <utility>

namespace mercer {

namespace {

/// Sums over the leaves of all ranks, on rank 0.
template <class T>
void sum_leaves(Passes<T>& passes, ScatterOperator<T>& a, const Matrix<double>& v) {
  Team& team = *passes.team();
  const TeamLedger::Entry entry(team, Purpose::passes);
  a.begin(v);
  if (const Index count = a.rows_of_shift(passes.sparse()); count > 0) {
    visit_first_rows(passes, count, [&](const Rows<T>& rows, const double* weights) {
      a.add_to_shift(rows, weights);
    });
    Vector<double> shift = a.shift_of_these();
    from_root(team, shift);
    a.set_shift(std::move(shift));
  }
  const Index leaf_rows = a.leaf_rows(passes.sparse());
  a.begin_at(leaves_before(passes, leaf_rows), passes.sparse());
  run_leaves(passes, "products", leaf_rows,
             [&](const Rows<T>& rows, const double* weights) { a.add(rows, weights); });
  agree(team, [&] { a.finish_rows(); });
  a.collect(team);
}

}  // namespace

template <class T>
void multiply_rows(Passes<T>& passes, const FitOptions& options, ScatterOperator<T>& a,
                   const Matrix<double>& v, Matrix<double>& out) {
  const auto pass = [&] {
    if (!passes.team()) return a.apply(v, out);
    call(passes, Order::products, a.options(), a.is_first(), v);
    sum_leaves(passes, a, v);
    a.end(v, passes.spread().weight.value(), out);
  };
  const ScatterOptions& how = a.options();
  recorded_pass(
      passes, options, "products", pass, [&] { return packed(a, out); },
      [&](const std::string& bytes) { unpack(bytes, a, out); }, how.center, how.shift, how.missing,
      how.make_dense, how.scale, a.is_first(), v);
}

template <class T>
void serve_products(Passes<T>& passes, const FitOptions& options, const std::string& with) {
  ScatterOptions how;
  bool first = true;
  Matrix<double> v;
  unpack(with, how, first, v);
  how.threads = options.threads;
  ScatterOperator<T> a(passes.features(), {}, std::move(how));
  a.set_first(first);
  sum_leaves(passes, a, v);
}

#define MERCER_INSTANTIATE(T)                                                     \
  template void multiply_rows(Passes<T>&, const FitOptions&, ScatterOperator<T>&, \
                              const Matrix<double>&, Matrix<double>&);            \
  template void serve_products(Passes<T>&, const FitOptions&, const std::string&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
