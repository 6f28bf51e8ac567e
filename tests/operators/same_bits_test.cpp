// Sums over rows have the same bits for any number of threads and in whatever blocks rows come.
#include "core/weights.hpp"
#include "operators/centred_factor.hpp"
#include "operators/column_means.hpp"
#include "operators/gram.hpp"
#include "operators/scatter.hpp"
#include "operators/tsqr.hpp"

#include "support/random.hpp"

#include <mercer/moments.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <functional>
#include <vector>

namespace mercer::test::same_bits_test {

const std::vector<int> threads = {1, 2, 3, 5, 8, 16};

using Visit = std::function<void(const Rows<double>&, const double*, int)>;
/// The rows cut and shared out in several ways; each call of `each` begins and ends one of them.
void many_ways(const Rows<double>& rows, const double* weights,
               const std::function<Visit(int threads)>& begin, const std::function<void()>& end) {
  for (const Index block : {rows.rows(), Index{1}, Index{97}, Index{1000}}) {
    if (block == 1 && rows.rows() * rows.cols() > 50000) continue;  // slow
    for (const int t : block == rows.rows() ? threads : std::vector<int>{3}) {
      const Visit visit = begin(t);
      for (Index i = 0; i < rows.rows(); i += block)
        visit(rows.middle(i, std::min(block, rows.rows() - i)), weights ? weights + i : nullptr, t);
      end();
    }
  }
}

Csr<double> sparse_of(const Matrix<double>& x) {
  return Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
}

Vector<double> some_weights(Index n) {
  Vector<double> w(n);
  for (Index i = 0; i < n; ++i) w[i] = i % 7 == 3 ? 0.0 : 0.1 + 0.01 * static_cast<double>(i % 13);
  return w;
}

/// Several leaves, a rest, few and many columns (our product, BLAS, tiles).
const std::vector<std::pair<Index, Index>> shapes = {
    {66000, 3}, {6000, 40}, {1300, 140}, {300, 520}};

TEST(Moments, M_P4_have_the_same_bits_for_any_threads_and_blocks) {
  Random random(1);
  for (const auto& [n, d] : shapes)
    for (const bool weighted : {false, true}) {
      const Matrix<double> x = random.normal(n, d).array() + 3;
      const Vector<double> w = some_weights(n);
      std::vector<double> reference;
      Moments moments(d);
      many_ways(
          x, weighted ? w.data() : nullptr,
          [&](int) -> Visit {
            moments = Moments(d);
            return [&](const auto& rows, const double* ws, int t) {
              moments.add(rows, as_weights(ws, rows.rows()), {.threads = t});
            };
          },
          [&] {
            if (reference.empty()) reference = moments.save_state();
            EXPECT_EQ(moments.save_state(), reference) << n << "×" << d;
          });
      EXPECT_EQ(moments.rows(), n);
    }
}

TEST(Moments, M_P4_of_sparse_rows_have_the_same_bits_for_any_threads_and_blocks) {
  Random random(2);
  const Matrix<double> x =
      random.normal(9000, 12).unaryExpr([](double v) { return v > 0.5 ? v : 0.0; });
  const Csr<double> sparse = sparse_of(x);
  std::vector<double> reference;
  Moments moments(12);
  many_ways(
      sparse, nullptr,
      [&](int) -> Visit {
        moments = Moments(12);
        return [&](const auto& rows, const double* ws, int t) {
          moments.add(rows, as_weights(ws, rows.rows()), {.threads = t});
        };
      },
      [&] {
        if (reference.empty()) reference = moments.save_state();
        EXPECT_EQ(moments.save_state(), reference);
      });
}

TEST(Moments, M_P4_rows_of_weight_0_are_as_good_as_absent_bit_for_bit) {
  Random random(3);
  for (const auto& [n, d] : shapes) {
    Matrix<double> x = random.normal(n, d);
    const Vector<double> w = some_weights(n);
    Matrix<double> kept(n, d);
    Vector<double> kept_weights(n);
    Index count = 0;
    for (Index i = 0; i < n; ++i) {
      if (w[i] == 0) {
        x.row(i).setConstant(1e9);
        continue;
      }
      kept.row(count) = x.row(i);
      kept_weights[count++] = w[i];
    }
    Moments with(d), without(d);
    with.add(Rows<double>(x), w);
    without.add(Rows<double>(kept).middle(0, count), kept_weights.head(count));
    EXPECT_EQ(with.scatter(), without.scatter());
    EXPECT_EQ(with.mean(), without.mean());
    EXPECT_EQ(with.weight(), without.weight());
  }
}

TEST(ColumnMeans, M_P4_have_the_same_bits_for_any_threads_and_blocks) {
  Random random(4);
  for (const auto& [n, d] : {std::pair<Index, Index>{5003, 7}, {1100, 1100}, {40, 2500}})
    for (const bool weighted : {false, true}) {
      const Matrix<double> x = random.normal(n, d).array() + 1e6;
      const Vector<double> w = some_weights(n);
      Vector<double> reference;
      ColumnMeans means(d);
      many_ways(
          x, weighted ? w.data() : nullptr,
          [&](int) -> Visit {
            means = ColumnMeans(d);
            return [&](const auto& rows, const double* ws, int t) { means.add(rows, ws, t); };
          },
          [&] {
            if (reference.size() == 0) reference = means.mean();
            EXPECT_EQ(means.mean(), reference);
          });
      const Vector<double> ones = Vector<double>::Ones(n);
      const auto& by = weighted ? w : ones;
      const Vector<double> truth = x.transpose() * by / by.sum();
      EXPECT_LT((reference - truth).cwiseAbs().maxCoeff(), 1e-8);
    }
}

TEST(StreamedQr, M_P4_has_the_same_bits_for_any_threads_and_blocks) {
  Random random(5);
  for (const auto& [n, d] : {std::pair<Index, Index>{2503, 5}, {1500, 130}}) {
    const Matrix<double> x = random.normal(n, d);
    const Vector<double> w = some_weights(n);
    const Vector<double> mean = x.colwise().mean();
    Matrix<double> reference;
    std::unique_ptr<StreamedQr> qr;
    many_ways(
        x, w.data(),
        [&](int t) -> Visit {
          qr = std::make_unique<StreamedQr>(mean, t);
          return [&](const auto& rows, const double* ws, int) { qr->add(rows, ws); };
        },
        [&] {
          const Matrix<double> r = qr->factor();
          if (reference.size() == 0) reference = r;
          EXPECT_EQ(r, reference);
        });
    const Matrix<double> centred = x.rowwise() - mean.transpose();
    const Matrix<double> truth = centred.transpose() * w.asDiagonal() * centred;
    EXPECT_LT((reference.transpose() * reference - truth).norm(), 1e-13 * truth.norm());
  }
}

TEST(CentredFactor, M_P4_has_the_same_bits_for_any_threads_and_blocks) {
  Random random(6);
  for (const auto& [n, d] : {std::pair<Index, Index>{2503, 5}, {1500, 130}}) {
    const Matrix<double> x = random.normal(n, d).array() + 100;
    const Vector<double> w = some_weights(n);
    std::vector<double> reference;
    CentredFactor factor(d);
    many_ways(
        x, w.data(),
        [&](int) -> Visit {
          factor = CentredFactor(d);
          return [&](const auto& rows, const double* ws, int t) { factor.add(rows, ws, t); };
        },
        [&] {
          if (reference.empty()) reference = factor.state();
          EXPECT_EQ(factor.state(), reference);
        });
    const auto all = factor.result();
    const Vector<double> mean = x.transpose() * w / w.sum();
    const Matrix<double> centred = x.rowwise() - mean.transpose();
    const Matrix<double> truth = centred.transpose() * w.asDiagonal() * centred;
    EXPECT_LT((all.r.transpose() * all.r - truth).norm(), 1e-12 * truth.norm());
    EXPECT_LT((all.mean + all.rest - mean).norm(), 1e-13 * mean.norm());
    CentredFactor later(d);
    ASSERT_TRUE(later.restore(reference.data(), reference.size()));
    EXPECT_EQ(later.state(), reference);
    EXPECT_FALSE(later.restore(reference.data(), reference.size() - 1));
  }
}

TEST(ScatterOperator, M_P4_has_the_same_bits_for_any_threads_and_blocks) {
  Random random(7);
  for (const auto& [n, d] : {std::pair<Index, Index>{2500, 9}, {1200, 100}, {40, 8200}})
    for (const bool sparse : {false, true}) {
      Matrix<double> x = random.normal(n, d).unaryExpr([](double v) { return v > 0 ? v : 0.0; });
      const Csr<double> csr = sparse_of(x);
      const Rows<double> rows = sparse ? Rows<double>(csr) : Rows<double>(x);
      const Vector<double> w = some_weights(n);
      const Matrix<double> v = random.normal(d, 11);
      Matrix<double> reference;
      for (const Index block : {n, Index{7}, Index{1000}})
        for (const int t : block == n ? threads : std::vector<int>{3}) {
          ScatterOperator<double> s(d,
                                    [&](const auto& visit) {
                                      for (Index i = 0; i < n; i += block)
                                        visit(rows.middle(i, std::min(block, n - i)), w.data() + i);
                                    },
                                    {.threads = t});
          Matrix<double> first(d, 11), second(d, 11);
          s.apply(v, first);
          s.apply(v, second);
          if (reference.size() == 0) reference = first;
          EXPECT_EQ(first, reference);
          EXPECT_EQ(second, reference);
        }
      const Vector<double> mean = x.transpose() * w / w.sum();
      const Matrix<double> centred = x.rowwise() - mean.transpose();
      const Matrix<double> truth = centred.transpose() * (w.asDiagonal() * (centred * v));
      EXPECT_LT((reference - truth).norm(), 1e-12 * truth.norm());
    }
}

TEST(Gram, M_P4_has_the_same_bits_for_any_number_of_threads) {
  Random random(8);
  for (const auto& [n, d] : {std::pair<Index, Index>{30, 9000}, {260, 4200}, {1030, 20}})
    for (const double mean : {0.0, 50.0}) {
      const Matrix<double> x = random.normal(n, d).array() + mean;
      Matrix<double> reference;
      for (const int t : threads) {
        const CentredRows<double> a{Rows<double>(x), nullptr, x.colwise().mean(), {}, {}};
        const Matrix<double> g = gram(a, t).products.triangularView<Eigen::Upper>();
        if (reference.size() == 0) reference = g;
        EXPECT_EQ(g, reference);
      }
      const Matrix<double> centred = x.rowwise() - x.colwise().mean();
      const Matrix<double> truth = (centred * centred.transpose()).triangularView<Eigen::Upper>();
      EXPECT_LT((reference - truth).norm(), 1e-12 * truth.norm());
    }
}

}  // namespace mercer::test::same_bits_test
