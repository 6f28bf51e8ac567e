// Threads live for one call, and BLAS has its own setting back after it.

#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <cblas.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

namespace mercer::api_threads_test {

Index threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

/// Everything that has threads of its own.
void work() {
  const Matrix<double> x = test::Random(1).normal(4000, 6);
  const Kernel k = kernels::rbf({.gamma = 0.2});
  const auto linear = fit(x, {.components = 2, .threads = 4});
  linear.transform(x, {.threads = 4});
  linear.inverse(linear.transform(x), {.threads = 4});
  const Matrix<double> some = x.topRows(600);
  const auto kernel = fit(some, {.components = 2, .kernel = k, .threads = 4});
  k.matrix(some, {.threads = 4});
  gradient(kernel, some, 0, {.threads = 4});
  Scorer<double>(kernel, {.threads = 4})(some);
  Decoder<double>(kernel, {.threads = 4}).denoise(some);
  learn(some, {.learner = {.batch = 64, .threads = 4}, .epochs = 1});
  eigs(k.matrix(some), 3, {.threads = 4});
  const Monitor stop = [](const Progress&) { return false; };
  EXPECT_THROW(kernel.transform(x, {.threads = 4, .monitor = stop}), Error);
  EXPECT_THROW(fit(x, {.threads = 4, .monitor = stop}), Error);
}

TEST(ApiThreads, M_H1_no_thread_outlives_a_call_and_blas_has_its_setting_back) {
  const int given = openblas_get_num_threads();
  for (const int threads : {1, 2}) {
    openblas_set_num_threads(threads);  // BLAS makes its own workers here, once
    const Index before = threads_of_this_process();
    work();
    EXPECT_EQ(threads_of_this_process(), before);
    EXPECT_EQ(openblas_get_num_threads(), threads);
  }
  openblas_set_num_threads(given);
}

}  // namespace mercer::api_threads_test
