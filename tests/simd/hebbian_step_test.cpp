#include "simd/hebbian_step.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace mercer::hebbian_step_test {

const Index widths[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 50, 65};

TEST(HebbianStep, is_sangers_rule_row_after_row_for_every_shape_and_instruction_set) {
  test::on_every_target([] {
    for (const Index d : widths)
      for (const Index k : {1, 2, 3, 5}) {
        if (k > d) continue;
        test::Random random(static_cast<std::uint64_t>(d + 100 * k));
        Matrix<double> w = random.normal(k, d) / std::sqrt(static_cast<double>(d));
        const Matrix<double> x = random.normal(2, d);
        const double eta = 0.1;
        // The rule as books write it, all outputs from the old weights.
        const Vector<double> y = w * x.row(0).transpose();
        Matrix<double> expected = w;
        for (Index j = 0; j < k; ++j) {
          Eigen::RowVectorXd rest = x.row(0);
          for (Index i = 0; i <= j; ++i) rest -= y[i] * w.row(i);
          expected.row(j) += eta * y[j] * rest;
        }
        std::vector<double> scratch(static_cast<std::size_t>(hebbian_scratch(k)));
        Vector<double> outs(k), next(k), again(k);
        outputs(w.data(), k, d, x.row(0).data(), outs.data(), scratch.data());
        // Sums of at most 65 products of numbers of size 3.
        EXPECT_LT((outs - y).cwiseAbs().maxCoeff(), 1e-13);
        Matrix<double> blind = w;
        const Vector<double> rest = x.row(0).transpose() - w.transpose() * y;
        const double square = sanger_step(w.data(), k, d, x.row(0).data(), outs.data(), eta,
                                          x.row(1).data(), next.data(), scratch.data());
        EXPECT_NEAR(square, rest.squaredNorm(), 1e-12 * (1 + rest.squaredNorm()));
        EXPECT_LT((w - expected).cwiseAbs().maxCoeff(), 1e-13);
        EXPECT_EQ(sanger_step(blind.data(), k, d, x.row(0).data(), outs.data(), eta, nullptr,
                              nullptr, scratch.data()),
                  square);
        EXPECT_EQ(blind, w);
        outputs(w.data(), k, d, x.row(1).data(), again.data(), scratch.data());
        EXPECT_EQ(again, next);  // to the bit: steps must not depend on how a stream is cut
      }
  });
}

TEST(HebbianStep, takes_the_mean_off_and_moves_it) {
  test::on_every_target([] {
    for (const Index d : widths) {
      test::Random random(static_cast<std::uint64_t>(d));
      const Vector<double> x = random.normal(d, 1), before = random.normal(d, 1);
      Vector<double> mean = before, row(d);
      const double square = subtract_mean(x.data(), mean.data(), d, row.data());
      EXPECT_NEAR(square, (x - before).squaredNorm(), 1e-13 * (1 + square));
      EXPECT_EQ(row, x - before);
      Vector<double> lost = Vector<double>::Zero(d);
      move_mean(mean.data(), lost.data(), 0.25, row.data(), d);
      EXPECT_LT((mean - (0.75 * before + 0.25 * x)).cwiseAbs().maxCoeff(), 1e-15 * 10);
      EXPECT_LT((row - (x - mean)).cwiseAbs().maxCoeff(), 1e-15 * 10);
    }
  });
}

TEST(HebbianStep, M_P4_bits_do_not_depend_on_where_the_arrays_lie) {
  // Compilers make several versions of a loop and choose by the distance of its arrays.
  test::on_every_target([] {
    for (Index d = 1; d <= 20; ++d)
      for (Index k = 1; k <= std::min<Index>(d, 3); ++k) {
        test::Random random(static_cast<std::uint64_t>(d + 100 * k));
        const Matrix<double> w = random.normal(k, d), x = random.normal(2, d);
        const Vector<double> mean = random.normal(d, 1), lost = 1e-17 * random.normal(d, 1);
        const Index lengths[] = {k * d, d, d, d, d, d, k, k, hebbian_scratch(k)};
        std::mt19937_64 layouts(1);
        std::vector<double> first;
        for (int layout = 0; layout < 100; ++layout) {
          std::vector<double> arena(1000);
          std::vector<std::size_t> order(std::size(lengths));
          std::iota(order.begin(), order.end(), 0U);
          std::shuffle(order.begin(), order.end(), layouts);
          double* array[std::size(lengths)];
          double* free = arena.data();
          for (const std::size_t i : order)
            array[i] = std::exchange(free, free + lengths[i] + layouts() % 6);
          const auto [weights, now, next, m, l, centred, y, next_y, scratch] = array;
          std::copy_n(w.data(), k * d, weights);
          std::copy_n(x.row(0).data(), d, now);
          std::copy_n(x.row(1).data(), d, next);
          std::copy_n(mean.data(), d, m);
          std::copy_n(lost.data(), d, l);
          std::vector<double> result{subtract_mean(now, m, d, centred)};
          move_mean(m, l, 0.25, centred, d);
          outputs(weights, k, d, centred, y, scratch);
          result.push_back(sanger_step(weights, k, d, centred, y, 0.1, next, next_y, scratch));
          for (const std::size_t i : {0, 3, 4, 5, 6, 7})
            result.insert(result.end(), array[i], array[i] + lengths[i]);
          if (layout == 0) first = result;
          ASSERT_EQ(result, first) << d << " columns, " << k << " rows";
        }
      }
  });
}

}  // namespace mercer::hebbian_step_test
