// What every transform obeys: scores belong to a row, not to its neighbours.
#include <mercer/mercer.hpp>

#include "support/random.hpp"

#include <gtest/gtest.h>

namespace mercer::transform_laws_test {

using test::Random;

/// Scores of all rows at once against those of pieces of the same rows.
template <class T>
void expect_any_pieces_alike(const Model<T>& model, const Matrix<T>& x) {
  const Matrix<T> whole = model.transform(x);
  for (const Index rows : {1, 7, 100, 419}) {
    Matrix<T> pieces(whole.rows(), whole.cols());
    for (Index i = 0; i < x.rows(); i += rows) {
      const Index n = std::min(rows, x.rows() - i);
      const Matrix<T> piece = x.middleRows(i, n);
      pieces.middleRows(i, n) = model.transform(piece);
    }
    EXPECT_TRUE(pieces == whole) << "in pieces of " << rows << " rows: off by "
                                 << (pieces - whole).cwiseAbs().maxCoeff();
  }
}

TEST(TransformLaw, a_row_has_the_same_linear_scores_whatever_rows_come_with_it) {
  Random random(5);
  const Matrix<double> x = random.normal(1000, 40);
  for (const Index k : {3, 30}) expect_any_pieces_alike(fit(x, {.components = k}), x);
}

}  // namespace mercer::transform_laws_test
