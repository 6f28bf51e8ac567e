#include "cli/support.hpp"

#include <cmath>

namespace mercer::test::compress_test {

class CliCompress : public testing::Test {
 protected:
  std::string fit(const std::string& k) {
    const auto run = mercer(
        {"fit", data_file("digits.csv"), "--label", "digit", "-k", k, "-q", "-o", dir / "m.st"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return dir / "m.st";
  }
  TempDir dir;
};

TEST_F(CliCompress, digits_take_less_room_and_come_back_with_the_stated_loss) {
  const std::string model = fit("0.9");
  const auto run = mercer({"compress", model, data_file("digits.csv"), "-o", dir / "d.mrc"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, testing::HasSubstr("1797 rows x 64 columns in "));
  EXPECT_THAT(run.err, testing::HasSubstr("mean squared error "));
  EXPECT_THAT(run.err, testing::HasSubstr("of the variance is lost, largest error "));
  const std::string bytes = slurp(dir / "d.mrc");
  EXPECT_LT(bytes.size(), 1797u * 64 * 8 / 8);
  const auto back = mercer({"decompress", dir / "d.mrc", "-o", dir / "again.csv"});
  ASSERT_EQ(back.exit_code, 0) << back.err;
  EXPECT_THAT(run.err, testing::HasSubstr(back.err));  // the same words on the loss
  const auto digits = cells(slurp(data_file("digits.csv"))),
             again = cells(slurp(dir / "again.csv"));
  ASSERT_EQ(again.size(), digits.size());
  EXPECT_EQ(again[0].front(), "digit");
  double sum = 0;
  for (std::size_t i = 1; i < digits.size(); ++i) {
    EXPECT_EQ(again[i].front(), digits[i].back());
    for (std::size_t j = 1; j < again[i].size(); ++j)
      sum += std::pow(number(again[i][j]) - number(digits[i][j - 1]), 2);
  }
  const double stated = number(back.err.substr(std::string("mean squared error ").size()));
  EXPECT_NEAR(sum / 1797 / 64 / stated, 1, 0.005);  // three digits are shown
}

TEST_F(CliCompress, fewer_bits_are_smaller) {
  const std::string model = fit("5");
  std::size_t before = 1 << 30;
  for (const std::string format : {"float32", "float16", "int8"}) {
    ASSERT_EQ(mercer({"compress", model, data_file("digits.csv"), "-o", dir / "d.mrc", "-q",
                      "--scores", format})
                  .exit_code,
              0);
    const std::size_t size = slurp(dir / "d.mrc").size();
    EXPECT_LT(size, before);
    before = size;
  }
}

TEST_F(CliCompress, through_pipes) {
  const std::string model = fit("3");
  const auto packed =
      mercer({"compress", model, "-", "-o", "-", "-q"}, {.input = slurp(data_file("digits.csv"))});
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  const auto rows = mercer({"decompress", "-", "-q"}, {.input = packed.out});
  EXPECT_EQ(rows.exit_code, 0) << rows.err;
  EXPECT_EQ(cells(rows.out).size(), 1798u);
}

TEST_F(CliCompress, bad_input_is_one_line_and_leaves_nothing) {
  const std::string model = fit("3");
  expect_error(mercer({"compress", model, data_file("iris.csv"), "-o", dir / "d.mrc"}), 1,
               {"iris.csv"});
  expect_error(
      mercer({"compress", model, data_file("digits.csv"), "-o", dir / "d.mrc", "--scores", "int4"}),
      2, {"--scores 'int4'", "float32, float16 or int8"});
  expect_error(mercer({"decompress", model}), 1, {"m.st", "mercer compress"});
  expect_error(mercer({"decompress", data_file("iris.csv")}), 1, {"iris.csv"});
  expect_error(mercer({"decompress", dir / "none.mrc"}), 1, {"none.mrc"});
  ASSERT_EQ(
      mercer({"compress", model, data_file("digits.csv"), "-o", dir / "d.mrc", "-q"}).exit_code, 0);
  const std::string bytes = slurp(dir / "d.mrc");
  const std::string half = dir.file("half.mrc", bytes.substr(0, bytes.size() / 2));
  expect_error(mercer({"decompress", half, "-o", dir / "x.csv"}), 1, {"half.mrc", "damaged"});
  expect_error(mercer({"inspect", dir / "d.mrc"}), 1, {"d.mrc"});
  EXPECT_EQ(dir.list(), (std::vector<std::string>{"d.mrc", "half.mrc", "m.st"}));
}

}  // namespace mercer::test::compress_test
