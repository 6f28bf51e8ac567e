// inverse and denoise where there is no exact way back.

#include "cli/support.hpp"

#include <cmath>

namespace mercer::test::preimage_test {

class CliPreImage : public testing::Test {
 protected:
  std::string fit(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"fit", data_file("wine.csv"), "--label", "cultivar", "--scale",
                                 "std", "-q", "-o", dir / "m.st", "--scores", dir / "s.csv"});
    const auto run = mercer(flags);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return dir / "m.st";
  }

  /// Mean squared difference of the numbers of two tables, in standard deviations of the columns.
  static double difference(const std::string& left, const std::string& right) {
    const auto a = cells(left), b = cells(right);
    EXPECT_EQ(a.size(), b.size());
    EXPECT_EQ(a[0], b[0]);
    double all = 0;
    for (std::size_t j = 1; j < a[0].size(); ++j) {
      double off = 0, sum = 0, squares = 0;
      for (std::size_t i = 1; i < a.size(); ++i) {
        const double x = number(b[i][j]);
        off += std::pow(number(a[i][j]) - x, 2);
        sum += x;
        squares += x * x;
      }
      const auto n = static_cast<double>(a.size() - 1);
      all += off / (squares - sum * sum / n);
    }
    return all / static_cast<double>(a[0].size() - 1);
  }

  /// Wine with the label first, as rows come out.
  static std::string wine() {
    std::string out;
    for (const auto& row : cells(slurp(data_file("wine.csv")))) {
      out += row.back();
      for (std::size_t j = 0; j + 1 < row.size(); ++j) out += "," + row[j];
      out += "\n";
    }
    return out;
  }

  TempDir dir;
};

TEST_F(CliPreImage, a_kernel_model_gives_rows_back_and_says_how_good_they_are) {
  const std::string model = fit({"--kernel", "rbf", "-k", "30"});
  const auto run =
      mercer({"inverse", model, dir / "s.csv", "-o", dir / "x.csv", "--distances", dir / "d.csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, testing::HasSubstr("pre-images by ridge(rbf(gamma="));
  EXPECT_THAT(run.err, testing::HasSubstr("of 178 rows, then the fixed point"));
  EXPECT_THAT(run.err, testing::HasSubstr("mean distance 0."));
  EXPECT_THAT(run.err, testing::HasSubstr("of 178 rows outside the data, 0 not converged\n"));
  EXPECT_LT(difference(slurp(dir / "x.csv"), wine()), 0.3);
  const auto quality = cells(slurp(dir / "d.csv"));
  ASSERT_EQ(quality.size(), 179u);
  EXPECT_EQ(quality[0], (std::vector<std::string>{"cultivar", "distance", "converged", "outside"}));
  for (std::size_t i = 1; i < quality.size(); ++i) {
    EXPECT_GT(number(quality[i][1]), 0);
    EXPECT_LT(number(quality[i][1]), 1);
    EXPECT_EQ(quality[i][2], "1");
  }
}

TEST_F(CliPreImage, denoise_is_transform_and_inverse) {
  const std::string model = fit({"--kernel", "rbf", "-k", "5"});
  for (const std::string method : {"auto", "ridge", "fixed-point", "distances"}) {
    const auto both = mercer({"inverse", model, dir / "s.csv", "--method", method, "-q"});
    const auto one = mercer({"denoise", model, data_file("wine.csv"), "--method", method, "-q"});
    ASSERT_EQ(one.exit_code, 0) << one.err;
    EXPECT_EQ(one.err, "");
    expect_near(one.out, both.out, 1e-6);
  }
}

TEST_F(CliPreImage, denoise_can_start_at_the_row) {
  const std::string model = fit({"--kernel", "rbf", "-k", "5"});
  const auto held =
      mercer({"denoise", model, data_file("wine.csv"), "--start", "row", "--penalty", "1e6"});
  ASSERT_EQ(held.exit_code, 0) << held.err;
  EXPECT_THAT(held.err, testing::HasSubstr("the fixed point from each row, with penalty 1e+06"));
  EXPECT_LT(difference(held.out, wine()), 1e-9);
  expect_error(mercer({"denoise", model, data_file("wine.csv"), "--start", "here"}), 2,
               {"--start 'here'", "ridge or row"});
  expect_error(
      mercer({"denoise", model, data_file("wine.csv"), "--start", "row", "--method", "ridge"}), 2,
      {"only the fixed point"});
}

TEST_F(CliPreImage, denoise_of_a_linear_model_is_its_projection) {
  const std::string model = fit({"-k", "all"});
  const auto run = mercer({"denoise", model, data_file("wine.csv")});
  EXPECT_EQ(run.err, "");
  expect_near(run.out, wine(), 1e-9);
}

TEST_F(CliPreImage, maps_and_random_features_need_rows) {
  const std::vector<std::string> spaces[] = {
      {"--map", "monomials(degree=2)", "-k", "20"},
      {"--kernel", "rbf", "--approx", "fourier(features=200)", "-k", "20"}};
  for (std::vector<std::string> space : spaces) {
    const std::string blind = fit(space);
    expect_error(mercer({"inverse", blind, dir / "s.csv"}), 2, {"no rows", "--keep-rows"});
    expect_error(mercer({"denoise", blind, data_file("wine.csv")}), 2, {"--keep-rows"});
    space.insert(space.end(), {"--keep-rows", "178"});
    const std::string model = fit(space);
    const auto run = mercer({"inverse", model, dir / "s.csv"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, testing::HasSubstr("pre-images by ridge("));
    EXPECT_LT(difference(run.out, wine()), 0.5);
  }
  const std::string polynomial = fit({"--map", "plain(degree=2)"});
  const auto run = mercer({"inverse", polynomial, dir / "s.csv", "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  expect_near(run.out, wine(), 1e-6);
}

TEST_F(CliPreImage, some_scores_and_float_do) {
  const std::string model = fit({"--kernel", "rbf", "-k", "4"});
  const auto some = mercer({"inverse", model, "-"}, {.input = "pc2,pc1\n0.1,0.2\n"});
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_THAT(some.err, testing::HasSubstr("2 of the 4 components"));
  const auto wide = mercer({"inverse", model, dir / "s.csv", "-q", "--alpha", "0.1"});
  const auto narrow =
      mercer({"inverse", model, dir / "s.csv", "-q", "--alpha", "0.1", "--precision", "float"});
  EXPECT_LT(difference(narrow.out, wide.out), 1e-3);
}

TEST_F(CliPreImage, bad_input_is_one_line) {
  const std::string model = fit({"--kernel", "laplacian", "-k", "3"});
  const std::string scores = dir / "s.csv";
  expect_error(mercer({"inverse", model, "-"}, {.input = "1,2\n3,4\n"}), 1,
               {"2 columns", "3 components"});
  expect_error(mercer({"inverse", model, "-"}, {.input = "pc1,pc4\n1,2\n"}), 1, {"'pc4'"});
  expect_error(mercer({"inverse", model, scores, "--method", "magic"}), 2,
               {"--method 'magic'", "fixed-point"});
  expect_error(mercer({"inverse", model, scores, "--method", "fixed-point"}), 2,
               {"laplacian", "use ridge"});
  expect_error(mercer({"inverse", model, scores, "--method", "exact"}), 2, {"laplacian"});
  expect_error(mercer({"inverse", model, scores, "--alpha", "-1"}), 2, {"--alpha '-1'"});
  expect_error(mercer({"inverse", model, scores, "--penalty", "much"}), 2, {"--penalty 'much'"});
  expect_error(
      mercer({"inverse", model, scores, "-o", dir / "o.csv", "--distances", dir / "o.csv"}), 2,
      {"--distances", "both"});
  EXPECT_EQ(dir.list(), (std::vector<std::string>{"m.st", "s.csv"}));
  const std::string matrix = dir.file("k.csv", "1,0.5\n0.5,1\n");
  ASSERT_EQ(mercer({"fit", matrix, "--precomputed", "-o", dir / "k.st", "-q"}).exit_code, 0);
  expect_error(mercer({"inverse", dir / "k.st", "-"}, {.input = "pc1\n1\n"}), 2, {"kernel matrix"});
}

}  // namespace mercer::test::preimage_test
