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

TEST(Segments, M_P4_nodes_of_several_processes_are_the_tree_of_one) {
  std::string leaves;
  for (char c = 'a'; c <= 'z'; ++c) leaves += c;
  for (const int radix : {2, 3})
    for (std::size_t n = 0; n <= leaves.size(); ++n)
      for (std::size_t first = 0; first <= n; ++first)
        for (std::size_t second = first; second <= n; ++second) {
          const auto tree_of = [&](std::size_t from, std::size_t to) {
            Segments<Words> tree(radix);
            tree.begin_at(static_cast<std::int64_t>(from));
            for (std::size_t i = from; i < to; ++i) {
              Words word{leaves.substr(i, 1)};
              tree.push(word);
            }
            return tree;
          };
          Segments<Words> one = tree_of(0, first);
          for (Segments<Words> other : {tree_of(first, second), tree_of(second, n)})
            for (auto& node : other.take_nodes()) one.append(node);
          const Segments<Words> expected = tree_of(0, n);
          ASSERT_EQ(all(one), all(expected)) << n << " " << first << " " << second;
          ASSERT_EQ(one.leaves(), expected.leaves());
          ASSERT_EQ(one.levels().size(), expected.levels().size());
        }
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
