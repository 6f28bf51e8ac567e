#include "core/json_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mercer::json_text_test {

using Json = nlohmann::ordered_json;

TEST(JsonText, keeps_the_order_of_keys_and_fits_on_a_line) {
  const Json value{{"b", 1}, {"a", {1.5, nullptr, true}}, {"c", {{"d", "x\"y"}}}};
  EXPECT_EQ(json_text(value), R"({"b":1,"a":[1.5,null,true],"c":{"d":"x\"y"}})");
}

TEST(JsonText, indents_objects_but_keeps_plain_lists_on_one_line) {
  const Json value{{"a", {1, 2}}, {"b", Json::array({{{"c", 3}}})}, {"e", Json::object()}};
  EXPECT_EQ(json_text(value, 2),
            "{\n  \"a\": [1, 2],\n  \"b\": [\n    {\n      \"c\": 3\n    }\n  ],\n  \"e\": {}\n}");
}

TEST(JsonText, numbers_read_back_exactly_and_no_form_is_shorter) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(std::uniform_real_distribution<>(-1, 1)(random),
                                std::uniform_int_distribution<>(-200, 200)(random));
    const std::string text = json_text(x);
    EXPECT_EQ(Json::parse(text).get<double>(), x);
    // printf with the fewest digits that read back is the reference.
    int digits = 1;
    char reference[64];
    do std::snprintf(reference, sizeof reference, "%.*e", digits - 1, x);
    while (std::strtod(reference, nullptr) != x && ++digits <= 17);
    std::string found;
    for (const char c : text.substr(0, text.find('e')))
      if (c >= '0' && c <= '9') found += c;
    const std::size_t first = found.find_first_not_of('0');
    const std::size_t last = found.find_last_not_of('0');
    EXPECT_LE(last - first + 1, static_cast<std::size_t>(digits)) << text;
  }
}

TEST(JsonText, what_json_cannot_hold_becomes_null_or_a_replacement_character) {
  EXPECT_EQ(json_text({{"x", std::nan("")}, {"y", "\xff"}}), "{\"x\":null,\"y\":\"\xEF\xBF\xBD\"}");
}

}  // namespace mercer::json_text_test
