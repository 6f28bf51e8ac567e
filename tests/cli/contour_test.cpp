#include "cli/support.hpp"
#include "pictures/xml.hpp"

namespace mercer::test::contour_test {

/// A saved model of the rings, and the rows.
struct Rings {
  explicit Rings(const TempDir& dir) : model(dir / "rings.st"), data(data_file("rings.csv")) {
    const auto run = mercer({"fit", data, "--label", "class", "--kernel", "rbf(gamma=0.5)", "-k",
                             "3", "--quiet", "-o", model});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  std::string model, data;
};

TEST(CliContour, draws_the_components_of_a_kernel_model) {
  const TempDir dir;
  const Rings rings(dir);
  const auto run = mercer({"contour", rings.model, "-o", dir / "rings.svg"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out + run.err, "");
  const Xml xml = parse_xml(slurp(dir / "rings.svg"));
  EXPECT_EQ(xml.problem, "");
  EXPECT_EQ(xml.all("use").size(), 3u);
  EXPECT_EQ(xml.all("circle").size(), 300u);
}

TEST(CliContour, labels_come_with_the_data) {
  const TempDir dir;
  const Rings rings(dir);
  const auto run = mercer({"contour", rings.model, "--data", rings.data, "--label", "class", "-k",
                           "2", "--levels", "4", "--size", "100", "-o", "-"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(parse_xml(run.out).problem, "");
  for (const char* text : {">inner<", ">outer<", ">x<", ">y<", "PC2"})
    EXPECT_THAT(run.out, testing::HasSubstr(text));
  // The model knows which column the label is.
  EXPECT_EQ(run.out, mercer({"contour", rings.model, "--data", rings.data, "-k", "2", "--levels",
                             "4", "--size", "100", "-o", "-"})
                         .out);
}

TEST(CliContour, a_linear_model_needs_no_rows) {
  const TempDir dir;
  ASSERT_EQ(mercer({"fit", data_file("moons.csv"), "--label", "class", "-q", "-o", dir / "m.st"})
                .exit_code,
            0);
  const auto run = mercer({"contour", dir / "m.st", "-o", "-"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Xml xml = parse_xml(run.out);
  EXPECT_EQ(xml.problem, "");
  EXPECT_EQ(xml.all("tspan").size(), 2u);
}

TEST(CliContour, errors_are_one_line_and_leave_nothing_behind) {
  const TempDir dir;
  const Rings rings(dir);
  const std::string wine = dir / "wine.st", svg = dir / "x.svg";
  ASSERT_EQ(
      mercer({"fit", data_file("wine.csv"), "--label", "cultivar", "-q", "-o", wine}).exit_code, 0);
  const auto before = dir.list();
  expect_error(mercer({"contour", wine, "-o", svg}), 1, {"2 input columns", "wine.st' has 13"});
  expect_error(mercer({"contour", rings.model, "-o", svg, "-k", "9"}), 2,
               {"--components 9 is more than the 3 of"});
  expect_error(mercer({"contour", rings.model, "-o", svg, "-k", "0"}), 2, {"--components '0'"});
  expect_error(mercer({"contour", rings.model, "-o", svg, "--levels", "x"}), 2, {"--levels 'x'"});
  expect_error(mercer({"contour", rings.model, "-o", svg, "--size", "9"}), 2, {"--size '9'"});
  expect_error(mercer({"contour", rings.model, "-o", svg, "--label", "class"}), 2, {"--data"});
  expect_error(mercer({"contour", rings.model, "-o", svg, "--data", data_file("iris.csv")}), 1,
               {"iris.csv", "x"});
  expect_error(mercer({"contour", rings.model, "-o", dir / "no/where.svg"}), 1, {"no/where.svg"});
  expect_error(mercer({"contour", rings.model}), 2, {"--output", "(see mercer contour --help)"});
  expect_error(mercer({"contour", dir / "none.st", "-o", svg}), 1, {"none.st"});
  EXPECT_EQ(dir.list(), before);
}

}  // namespace mercer::test::contour_test
