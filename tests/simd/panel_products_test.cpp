#include "simd/panel_products.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

namespace mercer::panel_products_test {

/// Sums of `length` products of numbers of about 1.
double tolerance(Index length) { return 1e-14 * static_cast<double>(4 + length); }

void check(Index rows, Index cols) {
  test::Random random(static_cast<std::uint64_t>(rows + 31 * cols));
  const Index stride = cols + 3;
  const Matrix<double> x = random.normal(rows, stride);
  const Matrix<double> v = random.normal(cols, panel_width);
  const auto inside = x.leftCols(cols);
  Matrix<double> y = Matrix<double>::Constant(rows, panel_width, 7);  // is set, not added to
  times_panel(x.data(), rows, cols, stride, v.data(), y.data());
  EXPECT_LE((y - inside * v).cwiseAbs().maxCoeff(), tolerance(cols));
  Matrix<double> more = Matrix<double>::Constant(rows, panel_width, 7);
  times_panel(x.data(), rows, cols, stride, v.data(), more.data(), true);
  EXPECT_LE(((more - inside * v).array() - 7).abs().maxCoeff(), tolerance(cols));

  Matrix<double> z = Matrix<double>::Constant(cols, panel_width, 0.5);
  add_transposed_times_panel(x.data(), rows, cols, stride, y.data(), z.data());
  const Matrix<double> truth = (inside.transpose() * y).array() + 0.5;
  EXPECT_LE((z - truth).cwiseAbs().maxCoeff(), tolerance(rows) * (1 + y.cwiseAbs().maxCoeff()));
}

TEST(PanelProducts, are_the_plain_ones_for_every_shape_and_instruction_set) {
  test::on_every_target([] {
    for (const Index rows : {8, 16, 40})
      for (const Index cols : {1, 2, 7, 64, 100, 2048, 5001}) {  // more than one chunk of columns
        SCOPED_TRACE(testing::Message() << rows << "×" << cols);
        check(rows, cols);
      }
  });
}

template <class T>
void check_sparse(Index entries, Index panels) {
  test::Random random(static_cast<std::uint64_t>(entries));
  const Index d = 2 * entries + 3;
  const Matrix<double> v = random.normal(panels * d, panel_width);  // one below the other
  const Matrix<double> numbers = random.normal(1, entries + 1);
  std::vector<T> values;
  std::vector<std::int32_t> columns;
  Vector<double> x = Vector<double>::Zero(d);
  for (Index e = 0; e < entries; ++e) {
    values.push_back(static_cast<T>(numbers(0, e)));
    columns.push_back(static_cast<std::int32_t>(2 * e + 1));
    x[2 * e + 1] = static_cast<double>(values.back());
  }
  Matrix<double> z = Matrix<double>::Constant(panels * d, panel_width, -1);
  // The row twice, once with a weight of its own.
  const std::int64_t offsets[] = {0, entries, 2 * entries};
  for (Index e = 0; e < entries; ++e) {
    values.push_back(values[static_cast<std::size_t>(e)]);
    columns.push_back(columns[static_cast<std::size_t>(e)]);
  }
  const double weights[] = {0.5, 0.25};
  add_sparse_products<T>(
      {values.data(), columns.data(), offsets, 2, weights, panels, d * panel_width}, v.data(),
      z.data());
  for (Index p = 0; p < panels; ++p) {
    const Matrix<double> truth = (0.75 * x * (x.transpose() * v.middleRows(p * d, d))).array() - 1;
    EXPECT_LE((z.middleRows(p * d, d) - truth).cwiseAbs().maxCoeff(), tolerance(entries) * 10);
  }
}

TEST(PanelProducts, of_sparse_rows_touch_only_their_columns) {
  test::on_every_target([] {
    for (const Index entries : {0, 1, 2, 3, 20}) {
      check_sparse<float>(entries, 1 + entries % 3);
      check_sparse<double>(entries, 3 - entries % 3);
    }
  });
}

}  // namespace mercer::panel_products_test
