#include "cli/support.hpp"

namespace mercer::test::inverse_test {

class CliInverse : public testing::Test {
 protected:
  std::string fit(const std::string& k, std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), {"fit", data_file("iris.csv"), "--label", "species", "-k", k, "-q",
                                 "-o", dir / "m.st", "--scores", dir / "s.csv"});
    const auto run = mercer(flags);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return dir / "m.st";
  }

  TempDir dir;
};

/// Iris with the label first, as `inverse` writes it.
std::string iris_label_first() {
  std::string out;
  for (const auto& row : cells(slurp(data_file("iris.csv"))))
    out += row[4] + "," + row[0] + "," + row[1] + "," + row[2] + "," + row[3] + "\n";
  return out;
}

TEST_F(CliInverse, M_A3_all_components_give_the_data_back) {
  for (const std::string scale : {"none", "std"}) {
    const std::string model = fit("all", {"--scale", scale});
    const auto run = mercer({"inverse", model, dir / "s.csv"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_TRUE(run.out.starts_with("species,sepal_length,"));
    expect_near(run.out, iris_label_first(), 1e-12);
  }
}

TEST_F(CliInverse, fewer_scores_decode_with_the_rest_zero) {
  const std::string whole = fit("all");
  const auto rows = cells(slurp(dir / "s.csv"));
  std::string first_two, zeros;
  for (const auto& row : rows) {
    const bool header = &row == &rows[0];
    first_two += row[0] + "," + row[2] + "," + row[1] + "\n";  // pc2 before pc1
    zeros += row[0] + "," + row[1] + "," + row[2] + (header ? ",pc3,pc4\n" : ",0,0\n");
  }
  const auto some = mercer({"inverse", whole, "-"}, {.input = first_two});
  const auto all = mercer({"inverse", whole, "-"}, {.input = zeros});
  EXPECT_EQ(some.out, all.out);
  EXPECT_NE(some.out, "");
  EXPECT_EQ(some.err,
            "mercer: note: 'standard input' has 2 of the 4 components; the others count as 0\n");
  EXPECT_EQ(mercer({"inverse", whole, "-", "-q"}, {.input = first_two}).err, "");
}

TEST_F(CliInverse, columns_that_are_no_scores_are_refused) {
  const std::string model = fit("2");
  expect_error(mercer({"inverse", model, "-"}, {.input = "pc1,pc2,age\n1,2,3\n"}), 1,
               {"'age'", "--label"});
  expect_error(mercer({"inverse", model, "-"}, {.input = "pc1,pc3\n1,2\n"}), 1,
               {"'pc3'", "2 components"});
  expect_error(mercer({"inverse", model, "-"}, {.input = "pc1,pc1\n1,2\n"}), 1,
               {"two columns", "'pc1'"});
  expect_error(mercer({"inverse", model, "-"}, {.input = "1,2,3\n4,5,6\n"}), 1,
               {"3 columns", "2 components"});
  EXPECT_EQ(mercer({"inverse", model, "-", "--exclude", "age"}, {.input = "pc1,pc2,age\n1,2,3\n"})
                .exit_code,
            0);
}

TEST_F(CliInverse, scores_without_names_go_by_position) {
  const std::string model = fit("2");
  const auto named = mercer({"inverse", model, "-"}, {.input = "pc1,pc2\n1,2\n-3,0.5\n"});
  const auto unnamed = mercer({"inverse", model, "-"}, {.input = "1,2\n-3,0.5\n"});
  EXPECT_EQ(named.out, unnamed.out);
  EXPECT_EQ(cells(named.out).size(), 3u);
}

TEST_F(CliInverse, npy_scores_and_npy_rows) {
  const std::string model = fit("all");
  ASSERT_EQ(mercer({"transform", model, data_file("iris.csv"), "-o", dir / "s.npy"}).exit_code, 0);
  const auto run = mercer({"inverse", model, dir / "s.npy", "-o", dir / "x.npy"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string bytes = slurp(dir / "x.npy");
  double last = 0;
  std::copy_n(bytes.data() + bytes.size() - 8, 8, reinterpret_cast<char*>(&last));
  EXPECT_NEAR(last, 1.8, 1e-12);  // petal width of the last flower
}

TEST_F(CliInverse, unnamed_features_are_called_x1_and_on) {
  const std::string data = dir.file("n.csv", "1,2\n3,1\n5,4\n");
  ASSERT_EQ(
      mercer({"fit", data, "-q", "-o", dir / "n.st", "--scores", dir / "n-scores.csv"}).exit_code,
      0);
  expect_near(mercer({"inverse", dir / "n.st", dir / "n-scores.csv"}).out, "x1,x2\n1,2\n3,1\n5,4\n",
              1e-12);
}

TEST_F(CliInverse, a_missing_score_can_be_the_mean_score) {
  const std::string model = fit("2");
  const auto hole =
      mercer({"inverse", model, "-", "--missing", "mean"}, {.input = "pc1,pc2\n,2\n"});
  const auto zero = mercer({"inverse", model, "-"}, {.input = "pc1,pc2\n0,2\n"});
  EXPECT_EQ(hole.out, zero.out);
  expect_error(mercer({"inverse", model, "-"}, {.input = "pc1,pc2\n,2\n"}), 1, {"line 2", "'pc1'"});
}

TEST_F(CliInverse, label_and_id_are_carried_by_flag) {
  const std::string model = fit("2");
  const auto run = mercer({"inverse", model, "-", "--id", "who", "--label", "what", "-q"},
                          {.input = "what,pc1,who,pc2\nA,1,me,2\n"});
  EXPECT_TRUE(
      run.out.starts_with("who,what,sepal_length,sepal_width,petal_length,petal_width\nme,A,"))
      << run.out << run.err;
}

}  // namespace mercer::test::inverse_test
