#include "pictures/svg.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::test::svg_test {

TEST(Svg, texts_cannot_break_out) {
  EXPECT_EQ(svg::text("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c'");
  EXPECT_EQ(svg::text("λ₁ 日本 😀"), "λ₁ 日本 😀");
  EXPECT_EQ(svg::text(std::string_view("a\0b\n\x1b", 5)), "a\uFFFDb\uFFFD\uFFFD");
  // Not UTF-8, overlong, a surrogate, a non-character, beyond Unicode, cut off.
  for (const char* bytes :
       {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xef\xbf\xbe", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    const std::string shown = svg::text(bytes);
    EXPECT_TRUE(shown.starts_with("\uFFFD")) << shown;
    EXPECT_EQ(shown.size() % 3, 0u);
  }
  EXPECT_EQ(svg::text("abcdef", 6), "abcdef");
  EXPECT_EQ(svg::text("abcdefg", 6), "abcde…");
}

TEST(Svg, numbers_are_short) {
  EXPECT_EQ(svg::number(3), "3");
  EXPECT_EQ(svg::number(-0.001), "0");
  EXPECT_EQ(svg::number(12.5), "12.5");
  EXPECT_EQ(svg::number(-0.25), "-0.25");
  EXPECT_EQ(svg::number(7.049), "7.05");
}

TEST(Svg, ticks_are_round_and_inside) {
  std::string texts;
  for (const auto& tick : svg::ticks(-0.62, 0.81, 4)) texts += tick.text + " ";
  EXPECT_EQ(texts, "-0.5 0 0.5 ");
  texts.clear();
  for (const auto& tick : svg::ticks(1000000.1, 1000000.5, 4)) texts += tick.text + " ";
  EXPECT_EQ(texts, "1000000.1 1000000.2 1000000.3 1000000.4 1000000.5 ");
  EXPECT_TRUE(svg::ticks(1, 1, 4).empty());
  for (const auto& tick : svg::ticks(3e-300, 4e-300, 4)) EXPECT_TRUE(std::isfinite(tick.value));
}

TEST(Svg, colours_go_from_violet_over_white_to_orange) {
  EXPECT_EQ(svg::hex(svg::diverging(0)), "#f7f7f7");
  EXPECT_EQ(svg::hex(svg::diverging(-1)), "#b2abd2");
  EXPECT_EQ(svg::hex(svg::diverging(7)), "#fdb863");
  EXPECT_NE(svg::label_colour(0), svg::label_colour(1));
  EXPECT_EQ(svg::label_colour(svg::label_colours), svg::label_colour(99));
}

}  // namespace mercer::test::svg_test
