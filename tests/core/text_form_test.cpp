// `name(parameter=value, …)`: reading, writing, and what is said of what is wrong.
#include "core/text_form.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

namespace mercer::text_form_test {

using test::error_of;
using test::refusal;

constexpr std::string_view colours[] = {"red", "green", "blue"};
constexpr TextParameter wave_parameters[] = {
    {.name = "height", .domain = domains::positive, .required = true},
    {"length", domains::positive, open_value, false, false, "inverse",
     [](double v) { return 1 / v; }},
    {"count", domains::count, 3, false, true},
    {"colour", {.words = colours}, 2}};

struct Row {
  TextForm text;
};
constexpr Row wave_row{{"wave", wave_parameters, "wave(height=2)"}}, flat_row{{"flat"}},
    half_row{{"1/2"}};
constexpr const Row* rows[] = {&wave_row, &flat_row, &half_row};

std::string again(std::string_view text, bool positional = true) {
  const auto [row, values] =
      read_form("shape", text, std::span<const Row* const>(rows), positional);
  return text_of_form(row->text, values);
}

TEST(TextForm, prints_back_what_it_read) {
  for (const char* text :
       {"flat", "1/2", "wave(height=0.1, colour=blue)", "wave(height=2, length=3, colour=red)",
        "wave(height=1e+300, length=5e-324, count=4, colour=green)",
        "wave(height=0.30000000000000004, colour=blue)"})
    EXPECT_EQ(again(text), text);
  EXPECT_EQ(again("  flat ( ) "), "flat");
  EXPECT_EQ(again("\twave(\tcolour = red ,height=+.5 )"), "wave(height=0.5, colour=red)");
  EXPECT_EQ(again("wave(2, 4)"), "wave(height=2, length=4, colour=blue)");
  EXPECT_EQ(again("wave(2, count=5)"), "wave(height=2, count=5, colour=blue)");
  EXPECT_EQ(again("wave(1, inverse=8)"), "wave(height=1, length=0.125, colour=blue)");
  EXPECT_EQ(text_of_form(wave_row.text, {{1, open_value, 4, 0}}, ","),
            "wave(height=1,count=4,colour=red)");
}

TEST(TextForm, what_is_wrong_is_said_with_its_column) {
  const auto complains = [](std::string_view text, std::initializer_list<const char*> words,
                            bool positional = true) {
    const std::string what = refusal([&] { again(text, positional); }, Errc::bad_option);
    for (const char* word : words) EXPECT_HAS(what, word);
  };
  complains("", {"shape, column 1: no shape ''", "there are wave, flat, 1/2"});
  complains("wav(1)", {"column 1: no shape 'wav'; did you mean wave? (in 'wav(1)')"});
  complains("  square", {"column 3: no shape 'square'", "there are wave, flat, 1/2"});
  complains("wave", {"column 5: wave needs height", "wave(height=…, length=…"});
  complains("wave(count=2)", {"column 14: wave needs height"});
  complains("wave(hight=1)", {"column 6: wave has no parameter 'hight'; did you mean height?"});
  complains("wave(x=1)", {"no parameter 'x'; there are height, length, inverse, count, colour"});
  complains("wave(height=0)", {"column 13: wave: height = 0 must be greater than 0"});
  complains("wave(height=nan)", {"height = nan must be finite"});
  complains("wave(height=-inf)", {"height = -inf must be finite"});
  complains("wave(height=1e999)", {"column 13: 1e999 is out of the range"});
  complains("wave(height=)", {"column 13: unexpected ')', expected a number"});
  complains("wave(height=high)", {"column 13: unexpected 'h', expected a number"});
  complains("wave(height 1)", {"column 6"});
  complains("wave(height 1)", {"column 13: unexpected '1', expected '='"}, false);
  complains("wave(height=1", {"column 14: unexpected end, expected ',' or ')'"});
  complains("wave(height=1,)", {"column 15"});
  complains("wave(height=1) x", {"column 16: unexpected 'x', expected the end"});
  complains("wave(1, height=2)", {"column 9: height is given twice"});
  complains("wave(1, length=2, inverse=3)",
            {"column 19", "length and inverse are the same parameter"});
  complains("wave(1, inverse=0)", {"column 17: wave: inverse = 0 must be greater than 0"});
  complains("wave(1, inverse=1e-320)", {"inverse = ", "length = inf must be finite"});
  complains("wave(1, count=1.5)", {"count = 1.5 must be an integer from 1"});
  complains("wave(1, count=1e300)", {"count = 1e+300 must be an integer from 1"});
  complains("wave(1, colour=grey)", {"column 16: wave: colour = grey must be red, green or blue"});
  complains("wave(1,2,3,red,5)", {"column 16: more numbers than wave("});
  complains("wave(1)", {"column 6: name the parameter: wave(height=…"}, false);
  complains("flat(1)", {"column 6: flat has no parameters"});
  complains("flat\nx", {"line 2, column 1: unexpected 'x', expected the end (in 'x')"});
  complains(
      "wave(\n  height=\xc2\xbd,\n  length=1)",
      {"line 2, column 10: unexpected '\xc2\xbd', expected a number (in '  height=\xc2\xbd,')"});
  EXPECT_EQ(again("flat\n"), "flat");
  complains(std::string(5000, 'x'), {"column 4097", "longer than 4096"});
}

TEST(TextForm, values_of_a_program_are_checked_like_those_of_text) {
  require_values(wave_row.text, {{1, open_value, 3, 0}});
  EXPECT_HAS(error_of([] {
               require_values(wave_row.text, {{open_value, 1, 3, 0}});
             }).what(),
             "wave: height = nan must be finite");
  EXPECT_HAS(error_of([] {
               require_values(wave_row.text, {{1, -1, 3, 0}});
             }).what(),
             "wave: length = -1 must be greater than 0");
  EXPECT_EQ(value_spelled(wave_row.text, wave_parameters[1], "inverse", 4), 0.25);
}

TEST(TextForm, lists_are_made_from_the_same_row) {
  EXPECT_EQ(parameter_list(wave_row.text), "height, length | inverse, count=3, colour=blue");
  EXPECT_EQ(signature(flat_row.text), "flat");
  EXPECT_EQ(signature(wave_row.text), "wave(height, length | inverse, count=3, colour=blue)");
  EXPECT_EQ(example_of(wave_row.text), "wave(height=2)");
  EXPECT_EQ(example_of(half_row.text), "1/2");
  EXPECT_EQ(either_of(colours), "red, green or blue");
}

}  // namespace mercer::text_form_test
