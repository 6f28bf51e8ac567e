// -k auto, --missing em and --onehot, through the real program.
#include "cli/support.hpp"

namespace mercer::test::choosing_test {

TEST(CliChoosing, auto_keeps_the_components_above_chance_and_says_why) {
  const TempDir dir;
  const auto run = mercer({"fit", data_file("wine.csv"), "--label", "cultivar", "--scale", "std",
                           "-k", "auto", "-o", dir / "m.st"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("parallel analysis: 3 components are above chance"));
  const auto inspected = mercer({"inspect", dir / "m.st", "--json"});
  EXPECT_THAT(inspected.out, testing::HasSubstr("\"n_components\": 3,"));
  EXPECT_THAT(inspected.out, testing::HasSubstr("\"permutations\": 99,"));
  EXPECT_THAT(inspected.out, testing::HasSubstr("\"p_values\": [0.01, 0.01, 0.01, "));
  EXPECT_THAT(mercer({"inspect", dir / "m.st"}).out, testing::HasSubstr("above chance"));
  const auto donoho = mercer({"fit", data_file("wine.csv"), "--label", "cultivar", "--scale", "std",
                              "-k", "gavish-donoho", "--json"});
  EXPECT_THAT(donoho.out, testing::HasSubstr("\"method\": \"gavish-donoho\""));
  const auto minka = mercer({"fit", data_file("iris.csv"), "--label", "species", "-k", "minka"});
  EXPECT_THAT(minka.out,
              testing::HasSubstr("minka: of 1 to 3 components 3 have the most evidence"));
  expect_error(mercer({"fit", data_file("iris.csv"), "--label", "species", "-k", "minka",
                       "--kernel", "rbf"}),
               2, {"-k minka", "linear PCA", "-k auto"});
  expect_error(mercer({"fit", data_file("wine.csv"), "--label", "cultivar", "-k", "many"}), 2,
               {"--components 'many'", "auto"});
}

TEST(CliChoosing, em_fills_missing_cells_and_saves_them) {
  const TempDir dir;
  auto rows = cells(slurp(data_file("iris.csv")));
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % 3 == 1) rows[i][i % 4] = "NA";
    for (const std::string& cell : rows[i]) text += cell + ",";
    text.back() = '\n';
  }
  const std::string holes = dir.file("holes.csv", text);
  const auto run = mercer({"fit", holes, "--label", "species", "-k", "2", "--missing", "em",
                           "--imputed", dir / "filled.csv", "-o", dir / "m.st"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("50 missing values imputed"));
  const auto filled = cells(slurp(dir / "filled.csv"));
  ASSERT_EQ(filled.size(), rows.size());
  const auto original = cells(slurp(data_file("iris.csv")));
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (std::size_t j = 0; j < 4; ++j) {  // the label comes first in what is written
      if (rows[i][j] == "NA") EXPECT_NEAR(number(filled[i][j + 1]), number(original[i][j]), 1.5);
      else EXPECT_EQ(number(filled[i][j + 1]), number(rows[i][j]));
    }
  const auto scores = mercer({"transform", dir / "m.st", holes, "--missing", "em"});
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
  EXPECT_EQ(cells(scores.out)[1][0], "setosa");  // the model knows which column is the label
  expect_error(mercer({"fit", holes, "--label", "species", "--missing", "em"}), 2, {"-k 2"});
  expect_error(mercer({"fit", holes, "--label", "species", "-k", "2", "--missing", "mean",
                       "--imputed", dir / "no.csv"}),
               2, {"--imputed", "--missing em"});
  // A map was once dropped without a word where rows were imputed first.
  expect_error(mercer({"fit", dir / "holes.csv", "-k", "2", "--missing", "em", "--map", "squares",
                       "--imputed", dir / "no.csv"}),
               2, {"--missing em", "linear PCA"});
}

TEST(CliChoosing, categories_become_columns_and_are_found_again) {
  const TempDir dir;
  const auto run = mercer({"fit", data_file("iris.csv"), "--onehot", "species", "-k", "2", "-q",
                           "-o", dir / "m.st", "--scores", dir / "s.csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(mercer({"inspect", dir / "m.st", "--json"}).out,
              testing::HasSubstr("\"n_features\": 7,"));
  const auto scores = mercer({"transform", dir / "m.st", data_file("iris.csv")});
  EXPECT_EQ(scores.out, slurp(dir / "s.csv"));
  // A pipe is read once.
  const auto piped = mercer({"fit", "-", "--onehot", "species", "-k", "2", "-q", "--scores", "-"},
                            {.input = slurp(data_file("iris.csv"))});
  EXPECT_EQ(piped.out, slurp(dir / "s.csv"));
}

}  // namespace mercer::test::choosing_test
