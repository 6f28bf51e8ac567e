#include "core/segments.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mercer::segments_test {

/// Writes down who was added to whom.
struct Words {
  std::string text;
  void merge(const Words& later) { text = "(" + text + " " + later.text + ")"; }
};

std::string all(const Segments<Words>& segments) {
  Words out;
  segments.from_last([&](const Words& earlier) {
    Words both = earlier;
    if (!out.text.empty()) both.merge(out);
    out = both;
  });
  return out.text;
}

TEST(Segments, are_the_tree_of_a_binary_counter) {
  Segments<Words> segments;
  for (const char* leaf : {"a", "b", "c", "d", "e", "f", "g"}) {
    Words word{leaf};
    segments.push(word);
  }
  EXPECT_EQ(all(segments), "(((a b) (c d)) ((e f) g))");
  EXPECT_EQ(segments.leaves(), 7);
}

TEST(Segments, M_P4_a_group_of_leaves_that_another_thread_has_summed_is_a_node_of_the_same_tree) {
  Segments<Words> one, other, group;
  const std::string leaves = "abcdefghijk";
  for (const char c : leaves) {
    Words word{std::string(1, c)};
    one.push(word);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Words word{leaves.substr(i, 1)};
    if (i < 4 || i >= 8) {
      other.push(word);
      continue;
    }
    group.push(word);
    if (i < 7) continue;
    Words node = group.take();
    other.push(node, 2);
  }
  EXPECT_EQ(all(other), all(one));
  EXPECT_EQ(other.leaves(), one.leaves());
}

TEST(Segments, of_a_larger_radix_add_in_order_within_a_level) {
  Segments<Words> segments(3);
  for (const char* leaf : {"a", "b", "c", "d", "e"}) {
    Words word{leaf};
    segments.push(word);
  }
  EXPECT_EQ(all(segments), "(((a b) c) (d e))");
}

TEST(RunningSum, is_right_to_the_last_bit_and_does_not_depend_on_blocks) {
  test::Random random(1);
  Vector<double> w(10007);
  for (double& x : w) x = random.uniform();
  long double truth = 0;
  for (const double x : w) truth += x;
  RunningSum whole, parts;
  whole.add(w.data(), w.size());
  for (Index i = 0; i < w.size(); i += 100)
    parts.add(w.data() + i, std::min<Index>(100, w.size() - i));
  EXPECT_EQ(whole.value(), parts.value());
  EXPECT_NEAR(whole.value(), static_cast<double>(truth), 0x1p-52 * whole.value());
}

}  // namespace mercer::segments_test
