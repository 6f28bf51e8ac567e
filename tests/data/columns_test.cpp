#include "data/columns.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

namespace mercer::columns_test {

const std::vector<std::string> names = {"id", "alcohol", "malic acid", "ash", "5", "cultivar"};

ColumnPlan plan(const ReadOptions& options, const std::vector<std::string>& of = names) {
  return plan_columns(static_cast<Index>(of.size()), of, options, "wine.csv");
}

ColumnPlan unnamed(Index columns, const ReadOptions& options) {
  return plan_columns(columns, {}, options, "wine.csv");
}

template <class Plan>
std::string refusal(Plan make) {
  try {
    make();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_option);
    return error.what();
  }
  return "";
}

using Columns = std::vector<Index>;

TEST(Columns, all_are_features_unless_something_else_is_said) {
  const ColumnPlan all = plan({});
  EXPECT_EQ(all.features, (Columns{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(all.schema.feature_names, names);
  EXPECT_EQ(all.schema.features, 6);
  EXPECT_FALSE(all.schema.weighted);
  EXPECT_EQ(all.schema.label, "");
}

TEST(Columns, label_id_and_weights_are_no_features) {
  const ColumnPlan p = plan({.label = "cultivar", .id = "id", .weights = "ash"});
  EXPECT_EQ(p.features, (Columns{1, 2, 4}));
  EXPECT_EQ(p.roles, (std::vector<Role>{Role::id, Role::feature, Role::feature, Role::weight,
                                        Role::feature, Role::label}));
  EXPECT_EQ(p.schema.label, "cultivar");
  EXPECT_EQ(p.schema.id, "id");
  EXPECT_TRUE(p.schema.weighted);
  EXPECT_EQ(p.schema.feature_names, (std::vector<std::string>{"alcohol", "malic acid", "5"}));
}

TEST(Columns, lists_take_names_numbers_and_ranges_in_any_order) {
  EXPECT_EQ(plan({.columns = "ash, malic acid"}).features, (Columns{2, 3}));
  EXPECT_EQ(plan({.columns = "4,2-3"}).features, (Columns{1, 2, 3}));
  EXPECT_EQ(plan({.columns = "2-4,3,ash"}).features, (Columns{1, 2, 3}));
  EXPECT_EQ(plan({.exclude = "1,cultivar"}).features, (Columns{1, 2, 3, 4}));
  EXPECT_EQ(plan({.columns = "2-5", .exclude = "3"}).features, (Columns{1, 3, 4}));
  EXPECT_EQ(unnamed(9, {.columns = "5-9"}).features, (Columns{4, 5, 6, 7, 8}));
}

TEST(Columns, a_name_wins_over_a_number_a_range_and_a_list) {
  EXPECT_EQ(plan({.columns = "2"}, {"2", "x"}).features, (Columns{0}));
  EXPECT_EQ(plan({.columns = "1-2"}, {"a", "b", "1-2"}).features, (Columns{2}));
  EXPECT_EQ(plan({.columns = "a,b"}, {"a", "b", "a,b"}).features, (Columns{2}));
}

TEST(Columns, unnamed_columns_are_called_by_their_number) {
  const ColumnPlan p = unnamed(3, {.label = "3", .id = "1"});
  EXPECT_EQ(p.schema.label, "3");
  EXPECT_EQ(p.schema.id, "1");
  EXPECT_TRUE(p.schema.feature_names.empty());
  EXPECT_EQ(p.describe(1), "column 2");
  EXPECT_EQ(plan({}).describe(1), "column 2 ('alcohol')");
  const ColumnPlan empty = plan({.label = "2"}, {"a", "", "c"});
  EXPECT_EQ(empty.schema.label, "2");
  EXPECT_EQ(empty.describe(1), "column 2");
}

TEST(Columns, a_name_that_occurs_twice_is_refused_only_when_it_is_used) {
  const std::vector<std::string> twice = {"a", "x", "b", "x"};
  EXPECT_EQ(plan({.label = "a"}, twice).features, (Columns{1, 2, 3}));
  EXPECT_EQ(refusal([&] { plan({.label = "x"}, twice); }),
            "`label` 'x': columns 2 and 4 of 'wine.csv' have that name; use its number");
  EXPECT_EQ(plan({.label = "4"}, twice).schema.label, "x");
}

TEST(Columns, an_unknown_column_is_an_error_that_says_what_there_is) {
  EXPECT_EQ(refusal([] { plan({.label = "cultivr"}); }),
            "`label` 'cultivr': 'wine.csv' has no such column; did you mean 'cultivar'?");
  EXPECT_EQ(refusal([] { plan({.columns = "Alcohol"}); }),
            "`columns` 'Alcohol': 'wine.csv' has no such column; did you mean 'alcohol'?");
  EXPECT_EQ(
      refusal([] { plan({.exclude = "colour intensity"}); }),
      "`exclude` 'colour intensity': 'wine.csv' has no such column; it has id, alcohol, malic "
      "acid, ash, 5, cultivar");
  EXPECT_EQ(refusal([] { unnamed(4, {.weights = "w"}); }),
            "`weights` 'w': the 4 columns of 'wine.csv' have no names; use a number from 1 to 4");
}

TEST(Columns, numbers_outside_the_file_and_ranges_backwards_are_refused) {
  for (const char* number : {"0", "7", "99999999999999"})
    EXPECT_EQ(refusal([&] { plan({.id = number}); }),
              "`id` '" + std::string(number) + "': 'wine.csv' has 6 columns, counted from 1");
  EXPECT_NE(refusal([] { plan({.columns = "4-9"}); }).find("`columns` '4-9': 'wine.csv' has 6"),
            std::string::npos);
  EXPECT_EQ(refusal([] { plan({.columns = "3-2"}); }), "`columns` '3-2' is a descending range");
  EXPECT_EQ(refusal([] { plan({.columns = "1,,2"}); }),
            "`columns` '1,,2' has an empty entry; write it like a,b,5-9");
}

TEST(Columns, two_options_cannot_claim_one_column) {
  EXPECT_EQ(refusal([] { plan({.label = "ash", .id = "4"}); }),
            "`label` and `id` both name column 4 ('ash') of 'wine.csv'");
  EXPECT_NE(refusal([] { plan({.columns = "2-4", .label = "ash"}); }), "");
  EXPECT_NE(refusal([] { plan({.exclude = "ash", .weights = "ash"}); }), "");
}

TEST(Columns, some_feature_must_be_left) {
  EXPECT_NE(
      refusal([] { unnamed(2, {.label = "1", .id = "2"}); }).find("no feature columns remain"),
      std::string::npos);
  EXPECT_NE(refusal([] { unnamed(2, {.exclude = "1-2"}); }), "");
}

}  // namespace mercer::columns_test
