// Columns of categories against the same table with 0 and 1 written out.
#include "data/read_text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::test::onehot_test {

const char* const colors =
    "a,color,b\n"
    "1,red,2\n"
    "2,\"deep, blue\",3\n"
    "3,red,5\n"
    "4,amber,7\n";

TEST(OneHot, is_one_column_a_category_in_the_place_of_the_column) {
  const auto table = read_text(colors, {.onehot = "color"});
  const auto by_hand = read_text(
      "a,color=amber,\"color=deep, blue\",color=red,b\n"
      "1,0,0,1,2\n2,0,1,0,3\n3,0,0,1,5\n4,1,0,0,7\n");
  EXPECT_EQ(table.schema.feature_names, by_hand.schema.feature_names);
  EXPECT_EQ(table.x, by_hand.x);
}

TEST(OneHot, categories_may_be_numbers_and_columns_several) {
  const auto table = read_text("x,y\n2,b\n1,a\n2,a\n", {.onehot = "x,y"});
  EXPECT_EQ(table.schema.feature_names, (std::vector<std::string>{"x=1", "x=2", "y=a", "y=b"}));
  EXPECT_EQ(table.x, matrix({{0, 1, 0, 1}, {1, 0, 1, 0}, {0, 1, 1, 0}}));
  EXPECT_EQ(read_text<float>("x,y\n2,b\n1,a\n", {.columns = "y", .onehot = "y"}).x,
            matrix<float>({{0, 1}, {1, 0}}));
}

TEST(OneHot, does_not_depend_on_blocks_and_threads) {
  std::string text = "n,kind\n", by_hand = "n,kind=0,kind=1,kind=2,kind=3,kind=4\n";
  for (int i = 0; i < 3000; ++i) {
    const int kind = (i * i + i / 7) % 5;
    text += std::to_string(i) + "," + std::to_string(kind) + "\n";
    by_hand += std::to_string(i);
    for (int k = 0; k < 5; ++k) by_hand += k == kind ? ",1" : ",0";
    by_hand += "\n";
  }
  const auto expected = read_text(by_hand);
  for (const int threads : {1, 2, 5})
    for (const std::size_t block : {100, 5000, 1 << 20}) {
      const auto table =
          read_text(text, {.onehot = "kind", .threads = threads, .block_bytes = block});
      EXPECT_EQ(table.x, expected.x);
    }
}

TEST(OneHot, a_missing_category_is_a_missing_cell) {
  const std::string text = "a,color\n1,red\n2,NA\n3,blue\n";
  EXPECT_EQ(read_text(text, {.onehot = "color", .missing = Missing::drop}).x.rows(), 2);
  const auto kept = read_text(text, {.onehot = "color", .missing = Missing::mean});
  EXPECT_TRUE(std::isnan(kept.x(1, 1)) && std::isnan(kept.x(1, 2)));
  EXPECT_NE(refusal(text, {.onehot = "color"}).message.find("line 3"), std::string::npos);
}

TEST(OneHot, a_model_finds_its_categories_again) {
  const Columns like{{"b", "color=red", "color=amber", "a"}};
  const auto table = read_text("color,a,b\namber,1,2\nred,3,4\n", {.like = like});
  EXPECT_EQ(table.schema.feature_names, like.features);
  EXPECT_EQ(table.x, matrix({{2, 0, 1, 1}, {4, 1, 0, 3}}));
  const auto unknown = refusal("color,a,b\nambre,1,2\n", {.like = like});
  EXPECT_EQ(unknown.code, Errc::bad_data);
  EXPECT_NE(unknown.message.find("'color' has the category 'ambre'"), std::string::npos);
  EXPECT_NE(unknown.message.find("did you mean 'amber'"), std::string::npos);
}

TEST(OneHot, parts_of_a_table_share_their_categories) {
  const TempDir folder;
  const std::string one = folder.file("1.csv", "a,c\n1,x\n2,y\n");
  const std::string two = folder.file("2.csv", "a,c\n3,z\n");
  const auto source = open_parts<double>({one, two}, {.onehot = "c"});
  const auto table = read_all(*source);
  EXPECT_EQ(table.schema.feature_names, (std::vector<std::string>{"a", "c=x", "c=y", "c=z"}));
  EXPECT_EQ(table.x, matrix({{1, 1, 0, 0}, {2, 0, 1, 0}, {3, 0, 0, 1}}));
}

TEST(OneHot, refuses_what_has_no_names_or_too_many_categories) {
  EXPECT_NE(refusal("1,2\n3,4\n", {.onehot = "2"}).message.find("header"), std::string::npos);
  std::string many = "a,name\n";
  for (int i = 0; i < 1200; ++i) many += "1,person " + std::to_string(i) + "\n";
  EXPECT_NE(refusal(many, {.onehot = "name"}).message.find("`id`"), std::string::npos);
  EXPECT_NE(refusal(colors, {.onehot = "colour"}).message.find("did you mean 'color'"),
            std::string::npos);
  EXPECT_NE(refusal(colors, {.label = "color", .onehot = "color"}).message.find("both name"),
            std::string::npos);
}

}  // namespace mercer::test::onehot_test
