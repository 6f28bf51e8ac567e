#pragma once
// Fits that are the same to the last bit on any number of ranks and threads.

#include "support/team_fit.hpp"

#include <mercer/fit.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mercer::test {

template <class T>
void expect_same_bits(const Rows<T>& x, FitOptions options, const std::vector<double>& weights = {},
                      const std::vector<int>& rank_counts = {1, 2, 3, 4, 5, 7, 8}) {
  options.threads = 1;
  const std::string expected = fit(x, options, weights).serialize();
  options.threads = 2;
  ASSERT_TRUE(fit(x, options, weights).serialize() == expected) << "2 threads";
  for (const int ranks : rank_counts)
    for (const int threads : {1, 2}) {
      options.threads = threads;
      const Shares shares = static_cast<Shares>((ranks + threads) % 3);
      for (const std::string& bytes : fits_on_team(ranks, shares, x, options, weights))
        ASSERT_TRUE(bytes == expected)
            << ranks << " ranks, " << threads << " threads: " << difference(bytes, expected);
    }
}

}  // namespace mercer::test
