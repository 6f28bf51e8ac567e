#include "pictures/contour_lines.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::test::contour_lines_test {

template <class F>
Matrix<double> sampled(Index rows, Index cols, F f) {
  Matrix<double> v(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) v(i, j) = f(static_cast<double>(j), static_cast<double>(i));
  return v;
}

/// Signed area, by the even-odd rule for loops that do not cross: holes count against.
double area(const std::vector<Polyline>& loops) {
  double sum = 0;
  for (const Polyline& loop : loops) {
    double twice = 0;
    for (std::size_t i = 0; i + 1 < loop.size(); ++i)
      twice += loop[i].x * loop[i + 1].y - loop[i + 1].x * loop[i].y;
    sum += std::abs(twice) / 2;
  }
  return sum;
}

TEST(ContourLines, of_a_plane_are_one_straight_line) {
  const auto v = sampled(7, 11, [](double x, double y) { return 2 * x - y; });
  const auto lines = level_lines(v, 5.5);
  ASSERT_EQ(lines.size(), 1u);
  for (const PlanePoint& p : lines[0]) EXPECT_NEAR(2 * p.x - p.y, 5.5, 1e-12);
  EXPECT_EQ(simplified(lines[0], 1e-9).size(), 2u);
  EXPECT_EQ(std::min(lines[0].front().y, lines[0].back().y), 0);
  EXPECT_EQ(std::max(lines[0].front().y, lines[0].back().y), 6);
  EXPECT_TRUE(level_lines(v, 100).empty());
  EXPECT_TRUE(level_lines(v, -100).empty());
}

TEST(ContourLines, of_a_bowl_are_one_closed_ring_near_the_circle) {
  const auto v =
      sampled(41, 41, [](double x, double y) { return (x - 20) * (x - 20) + (y - 20) * (y - 20); });
  const auto lines = level_lines(v, 15.0 * 15);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].front(), lines[0].back());
  for (const PlanePoint& p : lines[0]) EXPECT_NEAR(std::hypot(p.x - 20, p.y - 20), 15, 0.02);
  const Polyline fewer = simplified(lines[0], 0.05);
  EXPECT_EQ(fewer.front(), fewer.back());
  EXPECT_LT(fewer.size(), lines[0].size() * 2 / 3);
  EXPECT_GT(fewer.size(), 16u);
}

TEST(ContourLines, every_crossing_lies_on_one_line) {
  Random random(1);
  const Matrix<double> v = random.normal(30, 40);
  const auto lines = level_lines(v, 0.1);
  std::size_t crossings = 0, points = 0;
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 40; ++j) {
      const bool above = v(i, j) >= 0.1;
      if (j + 1 < 40) crossings += above != (v(i, j + 1) >= 0.1);
      if (i + 1 < 30) crossings += above != (v(i + 1, j) >= 0.1);
    }
  for (const Polyline& line : lines) {
    points += line.size() - (line.front() == line.back() ? 1 : 0);
    for (std::size_t i = 0; i + 1 < line.size(); ++i)  // neighbours share a cell
      EXPECT_LE(std::hypot(line[i].x - line[i + 1].x, line[i].y - line[i + 1].y), std::sqrt(2.0));
    if (line.front() == line.back()) continue;
    for (const PlanePoint& end : {line.front(), line.back()})
      EXPECT_TRUE(end.x == 0 || end.x == 39 || end.y == 0 || end.y == 29) << end.x << ' ' << end.y;
  }
  EXPECT_EQ(points, crossings);
}

TEST(ContourLines, a_region_is_closed_along_the_edge_of_the_grid) {
  const auto v = sampled(5, 5, [](double x, double) { return x; });
  const auto half = region_above(v, 1);
  ASSERT_EQ(half.size(), 1u);
  EXPECT_EQ(half[0].front(), half[0].back());
  EXPECT_NEAR(area(half), 3 * 4, 1e-12);
  EXPECT_NEAR(area(region_above(v, -1)), 4 * 4, 1e-12);
  EXPECT_TRUE(region_above(v, 5).empty());
  const auto bowl =
      sampled(41, 41, [](double x, double y) { return (x - 20) * (x - 20) + (y - 20) * (y - 20); });
  const auto ring = region_above(bowl, 100);
  ASSERT_EQ(ring.size(), 2u);
  EXPECT_NEAR(area(ring), 40 * 40 + 3.14159 * 100, 1);  // outer square and hole, both as sizes
}

TEST(ContourLines, a_level_that_nodes_have_exactly_breaks_no_line) {
  const auto v = sampled(9, 9, [](double x, double y) { return x + y; });
  const auto lines = level_lines(v, 8);
  ASSERT_EQ(lines.size(), 1u);
  for (const PlanePoint& p : lines[0]) EXPECT_EQ(p.x + p.y, 8);
}

}  // namespace mercer::test::contour_lines_test
