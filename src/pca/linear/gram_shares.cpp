#include "pca/linear/gram_shares.hpp"

#include "pca/orders.hpp"

namespace mercer {

namespace {

/// What makes A of rows, for ranks that have the rows.
struct RowsOfGram {
  Vector<double> mean, scale, missing;
  bool centred = true, far = false;
  bool normalized = false;

  template <class Use>
  void members(Use&& use) {
    use(mean, scale, missing, centred, far, normalized);
  }
};

template <class T>
RowsOfGram recipe_of(const Passes<T>& passes, const CentredRows<T>& a) {
  return {a.mean, a.scale, a.missing, a.centred, a.far, passes.normalized()};
}

template <class T>
CentredRows<T> rows_by(Passes<T>& passes, const RowsOfGram& recipe) {
  if (recipe.normalized && !passes.normalized()) passes.normalize();
  return {*passes.memory(), passes.memory_weights(), recipe.mean, recipe.scale,
          recipe.missing,   recipe.centred,          recipe.far};
}

/// Orders to the other ranks.
template <class T, class... X>
Team& with_help(const Passes<T>& passes, Order order, const X&... with) {
  if (!passes.helpers()) return Team::alone();
  announce(*passes.helpers(), order, packed(with...));
  agree(*passes.helpers(), [] {});  // that all ranks have the rows
  return *passes.helpers();
}

}  // namespace

template <class T>
Gram gram_of(const Passes<T>& passes, const CentredRows<T>& a, const FitOptions& options) {
  return gram(a, [&](RowProducts how) {
    Team& team = with_help(passes, Order::row_products, recipe_of(passes, a), how);
    return row_products(a, how, options.threads, options.monitor, team);
  });
}

template <class T>
Matrix<double> combination_of(const Passes<T>& passes, const Matrix<double>& b,
                              const CentredRows<T>& a, const FitOptions& options) {
  Team& team = with_help(passes, Order::combination, recipe_of(passes, a), b);
  return combine(b, a, options.threads, team);
}

template <class T>
void serve_row_products(Passes<T>& passes, const FitOptions& options, const std::string& with) {
  RowProducts how{};
  CentredRows<T> a;
  agree(*passes.helpers(), [&] {
    RowsOfGram recipe;
    unpack(with, recipe, how);
    a = rows_by(passes, recipe);
  });
  row_products(a, how, options.threads, options.monitor, *passes.helpers());
}

template <class T>
void serve_combination(Passes<T>& passes, const FitOptions& options, const std::string& with) {
  Matrix<double> b;
  CentredRows<T> a;
  agree(*passes.helpers(), [&] {
    RowsOfGram recipe;
    unpack(with, recipe, b);
    a = rows_by(passes, recipe);
  });
  combine(b, a, options.threads, *passes.helpers());
}

#define MERCER_INSTANTIATE(T)                                                          \
  template Gram gram_of(const Passes<T>&, const CentredRows<T>&, const FitOptions&);   \
  template Matrix<double> combination_of(const Passes<T>&, const Matrix<double>&,      \
                                         const CentredRows<T>&, const FitOptions&);    \
  template void serve_row_products(Passes<T>&, const FitOptions&, const std::string&); \
  template void serve_combination(Passes<T>&, const FitOptions&, const std::string&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
