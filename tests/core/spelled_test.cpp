#include "core/spelled.hpp"

#include <gtest/gtest.h>

namespace mercer::test::spelled_test {

std::string flags(std::string_view message) {
  static constexpr Spelling table[] = {
      {"components=significant()", "-k auto"}, {"components", "-k"}, {"memory", "--memory"}};
  return spelled(message, table, [](std::string_view flag, std::string_view value) {
    return std::string(flag) + " " + std::string(value);
  });
}

TEST(Spelled, options_alone_with_a_value_and_with_a_value_of_their_own) {
  EXPECT_EQ(flags("use a larger `memory`, or `components=3`"), "use a larger --memory, or -k 3");
  EXPECT_EQ(flags("`components=significant()`: none"), "-k auto: none");
  EXPECT_EQ(flags("`components=a=b`"), "-k a=b");
  EXPECT_EQ(flags("`memory`"), "--memory");
}

TEST(Spelled, what_is_no_option_stays_as_it_is) {
  EXPECT_EQ(flags(""), "");
  EXPECT_EQ(flags("nothing to spell"), "nothing to spell");
  EXPECT_EQ(flags("`colour` and `colour=red`"), "`colour` and `colour=red`");
  EXPECT_EQ(flags("a ` alone"), "a ` alone");
  EXPECT_EQ(flags("``"), "``");
}

TEST(Spelled, a_cell_or_a_file_of_the_users_stays_as_it_is) {
  EXPECT_EQ(flags("'`memory`' is not a number"), "'`memory`' is not a number");
  EXPECT_EQ(flags("'a`b.csv' does not fit; raise `memory`"),
            "'a`b.csv' does not fit; raise --memory");
}

}  // namespace mercer::test::spelled_test
