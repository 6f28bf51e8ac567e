#include <mercer/moments.hpp>

#include "support/random.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <Eigen/SparseCore>

#include <limits>

namespace mercer::moments_test {

using test::Random;

/// Weighted scatter by its definition, in long double.
Matrix<double> scatter(const Matrix<double>& x, const Vector<double>& w) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Long weights = w.cast<long double>();
  Long z = x.cast<long double>();
  const Long mean = weights.transpose() * z / weights.sum();
  z.rowwise() -= mean.row(0);
  return (z.transpose() * weights.col(0).asDiagonal() * z).cast<double>();
}

TEST(Moments, mean_and_scatter_are_those_of_the_definition) {
  Random random(1);
  for (const Index d : {1, 7, 64, 530}) {
    const Index n = d > 100 ? 50 : 700;  // the definition is slow
    const Matrix<double> x = random.normal(n, d).array() * 2 + 30;
    Moments moments(d);
    moments.add(Rows<double>(x));
    const Matrix<double> reference = scatter(x, Vector<double>::Ones(n));
    EXPECT_LT((moments.scatter() - reference).norm(), 1e-12 * reference.norm());
    EXPECT_LT((moments.scatter_diagonal() - reference.diagonal()).norm(), 1e-12 * reference.norm());
    EXPECT_LT((moments.mean() - x.colwise().mean().transpose()).norm(),
              1e-12 * moments.mean().norm());
    const Matrix<double> raw = x.transpose() * x;
    EXPECT_LT((moments.scatter(false) - raw).norm(), 1e-12 * raw.norm());
    EXPECT_LT((moments.scatter_diagonal(false) - raw.diagonal()).norm(), 1e-12 * raw.norm());
  }
}

TEST(Moments, a_constant_column_has_exactly_its_value_as_mean_and_no_scatter) {
  Matrix<double> x = Random(2).normal(5000, 2);
  x.col(1).setConstant(0.1);
  Moments moments(2);
  moments.add(Rows<double>(x));
  EXPECT_EQ(moments.mean()[1], 0.1);
  EXPECT_EQ(moments.scatter()(1, 1), 0);
}

TEST(Moments, M_P1_rounding_holds_what_rounding_did_however_far_the_mean_and_odd_the_weights) {
  Random random(11);
  for (const Index d : {1, 3, 40, 140, 520})
    for (const double mean : {0.0, 1e6})
      for (const bool drift : {false, true}) {
        const Index n = d < 10 ? 5000 : d < 200 ? 400 : 40;
        Matrix<double> x = random.normal(n, d).array() + mean;
        if (drift)
          for (Index i = 0; i < n; ++i) x.row(i).array() += 0.5 * static_cast<double>(i);
        Vector<double> w(n);
        for (double& v : w) v = random.uniform();
        Moments moments(d);
        moments.add(x, w);
        // Long double has 11 more bits, which is as good as exact here.
        const Matrix<double> error = (moments.scatter() - scatter(x, w)).cwiseAbs();
        const Vector<double> r = moments.rounding();
        EXPECT_LE((error.array() / (r * r.transpose()).array()).maxCoeff(), 1);
        // And it is of use: a thousand times what happens, or thereabouts, and not a million.
        EXPECT_LT(r.squaredNorm(), 1e-10 * moments.scatter().trace() + 1e-16 * mean * mean);
      }
}

TEST(Moments, M_P1_rows_of_weight_0_do_not_choose_the_shift) {
  Random random(12);
  Matrix<double> x = random.normal(600, 3);
  x.topRows(300).setConstant(1e9);
  Vector<double> w = Vector<double>::Ones(600);
  w.head(300).setZero();
  Moments moments(3);
  moments.add(x, w);
  const Matrix<double> truth = scatter(x.bottomRows(300), Vector<double>::Ones(300));
  EXPECT_LT((moments.scatter() - truth).norm(), 1e-13 * truth.norm());
}

TEST(Moments, M_P1_a_part_of_weight_0_is_merged_like_a_part_without_rows) {
  Random random(13);
  const Matrix<double> x = random.normal(60, 3).array() * 1e-5 + 1e5;
  const auto part = [&](Index first, double weight) {
    Moments out(3);
    out.add(Rows<double>(x).middle(first, 20),
            Vector<double>(Vector<double>::Constant(20, weight)));
    return out;
  };
  Moments nested = part(0, 0), all = part(20, 1), plain = part(20, 1);
  nested.merge(part(40, 2));  // a part without weight takes in another
  all.merge(nested);
  all.merge(part(0, 0));
  plain.merge(part(40, 2));
  EXPECT_EQ(all.rows(), 80);
  EXPECT_EQ(all.scatter(), plain.scatter());
  // Its bound counts rows, and is larger by those of weight 0.
  EXPECT_LE(all.rounding().norm(), 2 * plain.rounding().norm());
  Vector<double> w = Vector<double>::Ones(40);
  w.tail(20).setConstant(2);
  const Matrix<double> truth = scatter(x.bottomRows(40), w);
  EXPECT_LT((all.scatter() - truth).norm(), 1e-5 * truth.norm());
}

TEST(Moments, M_P1_sparse_rows_of_weight_0_do_not_choose_the_shift) {
  const Matrix<double> x = Random(14).normal(300, 3).array() + 1e9;
  const Csr<double> none = Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(
      Matrix<double>(Matrix<double>::Identity(3, 3)).sparseView()));
  Moments moments(3);
  moments.add(Rows<double>(none), Vector<double>(Vector<double>::Zero(3)));
  moments.add(x);
  const Matrix<double> truth = scatter(x, Vector<double>::Ones(300));
  EXPECT_LT((moments.scatter() - truth).norm(), 1e-13 * truth.norm());
}

TEST(Moments, M_P1_sums_about_0_and_about_a_far_mean_merge_into_finite_bounds_that_hold) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Matrix<double> x = Random(100 + seed).normal(24, 3).array() * 1e-5 + 1e5;
    const Csr<double> csr =
        Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
    Moments near(3), zero(3), more(3);  // about the mean, and about 0
    near.add(x.topRows(1));
    zero.add(Rows<double>(csr).middle(1, 3));
    more.add(x.bottomRows(20));
    near.merge(zero);
    near.merge(more);
    const Vector<double> r = near.rounding();
    ASSERT_TRUE(r.allFinite()) << seed;
    const Matrix<double> error = (near.scatter() - scatter(x, Vector<double>::Ones(24))).cwiseAbs();
    EXPECT_LE((error.array() / (r * r.transpose()).array()).maxCoeff(), 1) << seed;
  }
}

TEST(Moments, rows_of_another_width_are_refused) {
  Moments moments(3);
  const Matrix<double> x = Matrix<double>::Zero(2, 4);
  EXPECT_THROW(moments.add(Rows<double>(x)), Error);
  EXPECT_THROW(moments.merge(Moments(2)), Error);
}

TEST(MomentsLaw, parts_merge_into_the_whole_however_it_is_cut) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::inRange<std::uint64_t>(0, 1000000));
    const Index d = *rc::gen::inRange<Index>(1, 9);
    const Index n = *rc::gen::inRange<Index>(2, 200);
    const double mean = *rc::gen::element(0.0, 1.0, -1e6);
    const Matrix<double> x = random.normal(n, d).array() + mean;
    const Vector<double> w = Vector<double>::NullaryExpr(n, [&] { return random.uniform(); });

    Moments whole(d), merged(d);
    whole.add(x, w);
    for (Index at = 0; at < n;) {
      const Index count = std::min<Index>(n - at, *rc::gen::inRange<Index>(1, 50));
      Moments part(d);
      part.add(Rows<double>(x).middle(at, count), w.segment(at, count));
      merged.merge(part);
      at += count;
    }
    RC_ASSERT(merged.rows() == n);
    RC_ASSERT(std::abs(merged.weight() - w.sum()) <= 1e-12 * w.sum());
    const Matrix<double> reference = scatter(x, w);
    // Merging two means far from zero costs ε·|mean|·n of the sums.
    const double bound = 1e-12 * (reference.norm() + static_cast<double>(n)) +
                         1e-13 * std::abs(mean) * static_cast<double>(n);
    RC_ASSERT((whole.scatter() - reference).norm() <= 1e-11 * reference.norm());
    RC_ASSERT((merged.scatter() - reference).norm() <= bound);
    RC_ASSERT((merged.mean() - whole.mean()).norm() <= 1e-12 * (1 + std::abs(mean)) * 3);
  }));
}

TEST(Moments, go_on_from_their_state_bit_for_bit) {
  Random random(8);
  const Matrix<double> x = random.normal(90, 5).array() + 1e6;
  Moments moments(5), later(5);
  moments.add(Rows<double>(x).middle(0, 40));
  later.load_state(moments.save_state());
  for (Moments* m : {&moments, &later}) m->add(Rows<double>(x).middle(40, 50));
  EXPECT_EQ(later.rows(), 90);
  EXPECT_EQ(later.save_state(), moments.save_state());
  EXPECT_EQ(later.scatter(), moments.scatter());
}

TEST(Moments, M_P1_missing_cells_lie_on_a_centre_of_more_digits_than_one_number) {
  // The mean of the cells that are there is 1e15 + 1/3; numbers are 1/8 apart there.
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Matrix<double> x(4, 2);
  x << 1e15, 1, 1e15 + 1, 2, nan, 7, 1e15, nan;
  const Vector<double> centre{{1e15, 3}}, rest{{1.0 / 3, 1.0 / 3}};
  Moments moments(centre, rest), later(2);
  moments.add(Rows<double>(x).middle(0, 2));
  later.load_state(moments.save_state());
  for (Moments* m : {&moments, &later}) m->add(Rows<double>(x).middle(2, 2));
  EXPECT_EQ(later.scatter(), moments.scatter());
  // Deviations −1/3, 2/3, 0, −1/3 and −7/3, −4/3, 11/3, 0: their squares and products by hand.
  const Matrix<double> scatter = moments.scatter();
  EXPECT_NEAR(scatter(0, 0), 6.0 / 9, 1e-15);
  EXPECT_NEAR(scatter(0, 1), -1.0 / 9, 1e-15);
  EXPECT_NEAR(scatter(1, 1), 186.0 / 9, 1e-14);
  EXPECT_NEAR(moments.mean_rest()[0] + (moments.mean()[0] - 1e15), 1.0 / 3, 1e-15);
  EXPECT_THROW(Moments(centre, Vector<double>::Zero(3)), Error);
}

TEST(Moments, refuse_a_state_of_other_columns) {
  Moments moments(5);
  const std::vector<double> before = moments.save_state();
  EXPECT_THROW(moments.load_state(Moments(4).save_state()), Error);
  EXPECT_THROW(moments.load_state({}), Error);
  std::vector<double> negative = before;
  negative[0] = -1;
  EXPECT_THROW(moments.load_state(negative), Error);
  EXPECT_EQ(moments.save_state(), before);
}

}  // namespace mercer::moments_test
