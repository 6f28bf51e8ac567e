// One default seed for everything that draws random numbers.

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

namespace mercer::test::default_seed_test {

TEST(DefaultSeed, every_option_has_the_same) {
  EXPECT_EQ(FitOptions{}.seed, default_seed);
  EXPECT_EQ(TuneOptions{}.fit.seed, default_seed);
  EXPECT_EQ(LearnerOptions{}.seed, default_seed);
  EXPECT_EQ(LearnOptions{}.learner.seed, default_seed);
  EXPECT_EQ(KernelHebbianOptions{}.seed, default_seed);
}

TEST(DefaultSeed, maps_have_the_one_of_the_options) {
  const Kernel rbf = kernels::rbf({.gamma = 0.5}), poly = kernels::poly({.degree = 2});
  EXPECT_EQ(fourier_map<double>(rbf, 3, 8)->anchors().dense(),
            fourier_map<double>(rbf, 3, 8, {.orthogonal = true, .seed = default_seed})
                ->anchors()
                .dense());
  EXPECT_EQ(tensor_sketch_map<double>(poly, 3, 8)->anchors().dense(),
            tensor_sketch_map<double>(poly, 3, 8, {.seed = default_seed})->anchors().dense());
}

}  // namespace mercer::test::default_seed_test
