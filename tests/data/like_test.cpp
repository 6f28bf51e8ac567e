#include "data/like.hpp"

#include "support/temp_dir.hpp"

#include <mercer/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mercer::like_test {

using test::TempDir;

TEST(Like, features_are_found_by_name_and_come_in_the_models_order) {
  const TempDir dir;
  const std::string file = dir.file("x.csv", "note,b,kind,a\nhello,2,u,1\nworld,4,v,3\n");
  const auto table = read<double>(file, {.like = {{"a", "b"}, "kind", "who"}});
  EXPECT_EQ(table.schema.feature_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.schema.label, "kind");
  EXPECT_EQ(table.schema.id, "");
  Matrix<double> expected(2, 2);
  expected << 1, 2, 3, 4;
  EXPECT_EQ(table.x, expected);
  EXPECT_EQ(table.labels[1], "v");
}

TEST(Like, explicit_label_wins_over_the_models) {
  const TempDir dir;
  const std::string file = dir.file("x.csv", "a,kind,other\n1,u,p\n2,v,q\n");
  const auto table = read<double>(file, {.label = "other", .like = {{"a"}, "kind", ""}});
  EXPECT_EQ(table.schema.label, "other");
  EXPECT_EQ(table.schema.features, 1);
}

TEST(Like, label_and_id_alone_leave_the_other_columns_as_features) {
  const TempDir dir;
  const std::string file = dir.file("x.csv", "who,pc2,pc1\nme,2,1\nyou,4,3\n");
  const auto table = read<double>(file, {.like = {{}, "kind", "who"}});
  EXPECT_EQ(table.schema.feature_names, (std::vector<std::string>{"pc2", "pc1"}));
  EXPECT_EQ(table.schema.id, "who");
}

TEST(Like, a_file_without_names_is_read_by_position) {
  const TempDir dir;
  const auto table = read<double>(dir.file("x.csv", "1,2\n3,4\n"), {.like = {{"a", "b"}, "c", ""}});
  EXPECT_EQ(table.schema.features, 2);
  EXPECT_EQ(table.x(1, 0), 3);
}

TEST(Like, names_that_occur_twice_are_taken_in_turn) {
  EXPECT_EQ(find_like({"b", "a", "a"}, {"a", "b", "a"}, "x.csv"), (std::vector<Index>{1, 0, 2}));
}

TEST(Like, missing_names_are_listed_with_what_comes_close) {
  try {
    find_like({"petal_length", "hue", "p", "q", "r"}, {"petal_lenght", "other"}, "x.csv");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::bad_data);
    EXPECT_THAT(e.what(), testing::HasSubstr("'x.csv' lacks 5 of the model's 5 columns"));
    EXPECT_THAT(e.what(),
                testing::HasSubstr("'petal_length' (did you mean 'petal_lenght'?), 'hue'"));
    EXPECT_THAT(e.what(), testing::HasSubstr("and 2 more"));
  }
}

TEST(Like, a_reordered_source_can_be_read_twice) {
  const TempDir dir;
  const auto source =
      open<double>(dir.file("x.csv", "b,a\n2,1\n4,3\n"), {.like = {{"a", "b"}, "", ""}});
  for (int pass = 0; pass < 2; ++pass) {
    const auto block = source->next();
    ASSERT_TRUE(block);
    EXPECT_EQ(block->rows.row(0)[0], 1);
    EXPECT_EQ(block->rows.row(1)[1], 4);
    source->rewind();
  }
}

}  // namespace mercer::like_test
