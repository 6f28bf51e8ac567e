#include "cli/support.hpp"
#include "pictures/texts.hpp"

namespace mercer::test::plot_test {

/// Models of bundled data.
struct Models {
  explicit Models(const TempDir& dir)
      : wine(dir / "wine.st"),
        rings(dir / "rings.st"),
        wine_data(data_file("wine.csv")),
        rings_data(data_file("rings.csv")) {
    const auto fitted = [](const std::vector<std::string>& arguments) {
      const auto run = mercer(arguments);
      EXPECT_EQ(run.exit_code, 0) << run.err;
    };
    fitted(
        {"fit", wine_data, "--label", "cultivar", "--scale", "std", "-k", "3", "-q", "-o", wine});
    fitted({"fit", rings_data, "--label", "class", "--kernel", "rbf(gamma=0.5)", "-k", "3", "-q",
            "-o", rings});
  }
  std::string wine, rings, wine_data, rings_data;
};

Xml plotted(const std::vector<std::string>& arguments, const TempDir& dir) {
  std::vector<std::string> words = {"plot"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.end(), {"-o", dir / "p.svg"});
  const auto run = mercer(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out + run.err, "");
  return expect_clean(slurp(dir / "p.svg"));
}

TEST(CliPlot, draws_every_kind_of_a_linear_model) {
  const TempDir dir;
  const Models m(dir);
  EXPECT_TRUE(says(plotted({m.wine, "--kind", "scree"}, dir), "running sum"));
  const Xml scores = plotted({m.wine, m.wine_data, "--kind", "scores", "--ellipses"}, dir);
  EXPECT_EQ(scores.all("circle").size(), 178u + 3);
  for (const char* text : {"barolo", "grignolino", "barbera", "PC1 (36.2 %)", "PC2 (19.2 %)"})
    EXPECT_TRUE(says(scores, text)) << text;
  EXPECT_TRUE(says(plotted({m.wine, m.wine_data, "--kind", "biplot"}, dir), "flavanoids"));
  EXPECT_TRUE(says(plotted({m.wine, "--kind", "loadings"}, dir), "color_intensity"));
  EXPECT_TRUE(says(plotted({m.wine, "--kind", "circle"}, dir), "malic_acid"));
  EXPECT_TRUE(
      says(plotted({m.wine, m.wine_data, "--kind", "t2spe", "--flag", "0.95"}, dir), "95 %"));
}

TEST(CliPlot, axes_title_and_size_are_a_matter_of_choice) {
  const TempDir dir;
  const Models m(dir);
  const Xml xml = plotted({m.wine, m.wine_data, "--kind", "scores", "--components", "3,1",
                           "--title", "Wines of <Piedmont>", "--width", "800", "--height", "500"},
                          dir);
  EXPECT_EQ(xml.elements[0].attributes.at("width"), "800");
  EXPECT_EQ(xml.elements[0].attributes.at("height"), "500");
  EXPECT_TRUE(says(xml, "PC3 (11.1 %)") && says(xml, "Wines of &lt;Piedmont&gt;"));
}

TEST(CliPlot, contour_is_that_of_the_command_contour) {
  const TempDir dir;
  const Models m(dir);
  const auto plot = mercer({"plot", m.rings, m.rings_data, "--kind", "contour", "-o", "-"});
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_EQ(plot.out, mercer({"contour", m.rings, "--data", m.rings_data, "-o", "-"}).out);
  const auto one = mercer(
      {"plot", m.rings, "--kind", "contour", "--components", "3", "--levels", "5", "-o", "-"});
  const Xml xml = parse_xml(one.out);
  ASSERT_EQ(xml.all("tspan").size(), 1u);
  EXPECT_EQ(xml.all("tspan")[0].text, "PC3");
}

TEST(CliPlot, kernel_models_have_scores_and_limits) {
  const TempDir dir;
  const Models m(dir);
  EXPECT_EQ(plotted({m.rings, m.rings_data, "--kind", "scores"}, dir).all("circle").size(),
            300u + 2);
  EXPECT_TRUE(says(plotted({m.rings, m.rings_data, "--kind", "t2spe"}, dir), "SPE"));
}

TEST(CliPlot, limits_may_come_from_good_rows) {
  const TempDir dir;
  const std::string model = dir / "wine.st", wine = data_file("wine.csv");
  ASSERT_EQ(
      mercer({"fit", wine, "--label", "cultivar", "--scale", "std", "-k", "2", "-q", "-o", model})
          .exit_code,
      0);
  const auto plot = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"plot", model, wine, "--kind", "t2spe", "-o", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return mercer(words);
  };
  const auto own = plot({}), good = plot({"--reference", wine, "--flag", "0.9"});
  ASSERT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out, testing::HasSubstr("90 %"));
  EXPECT_NE(own.out, good.out);
  expect_error(mercer({"plot", model, "--kind", "scree", "--reference", wine, "-o", "-"}), 2,
               {"--reference requires --kind t2spe"});
  expect_error(plot({"--reference", dir / "none.csv"}), 1, {"none.csv"});
}

TEST(CliPlot, a_picture_without_limits_says_why_in_one_line) {
  const TempDir dir;
  const std::string rows =
      dir.file("rows.csv", "a,b,c\n1,2,4\n2,1,3\n4,4,1\n3,5,9\n7,6,5\n6,1,2\n");
  ASSERT_EQ(mercer({"fit", rows, "-k", "1", "-q", "-o", dir / "m.st"}).exit_code, 0);
  const auto plot = mercer({"plot", dir / "m.st", rows, "--kind", "t2spe", "-o", dir / "p.svg"});
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_THAT(plot.err,
              testing::StartsWith("the plot has no limits: 99 % needs 40 rows in the fit, there "
                                  "are 6; give 99 or more rows"));
  EXPECT_EQ(std::count(plot.err.begin(), plot.err.end(), '\n'), 1);
  const std::string picture = slurp(dir / "p.svg");
  EXPECT_THAT(picture, testing::HasSubstr("no limits"));
  EXPECT_THAT(picture, testing::Not(testing::HasSubstr(">within<")));
}

TEST(CliPlot, many_rows_become_density) {
  const TempDir dir;
  const std::string data = dir / "many.npy";
  dir.file("many.npy", npy(6000, 3, [](long i, long j) {
             return std::sin(static_cast<double>(i * (j + 1))) * static_cast<double>(3 - j);
           }));
  ASSERT_EQ(mercer({"fit", data, "-k", "2", "-q", "-o", dir / "m.st"}).exit_code, 0);
  EXPECT_TRUE(
      says(plotted({dir / "m.st", data, "--kind", "scores"}, dir), "6,000 rows, as density"));
}

TEST(CliPlot, traces_of_learning_are_read_back) {
  const TempDir dir;
  const std::string trace = dir / "trace.csv";
  ASSERT_EQ(mercer({"learn", data_file("iris.csv"), "--label", "species", "--rule", "gha", "-k",
                    "2", "--epochs", "2", "--theory", "--trace", trace, "--plot", dir / "run.svg",
                    "-q", "--no-plot"})
                .exit_code,
            0);
  const auto run = mercer({"plot", trace, "--kind", "trace", "-o", "-"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  // The same picture as the run itself draws, but for its title.
  const Xml again = parse_xml(run.out), drawn = parse_xml(slurp(dir / "run.svg"));
  EXPECT_EQ(again.problem, "");
  EXPECT_EQ(again.all("circle").size(), drawn.all("circle").size());
  EXPECT_EQ(again.all("path").size(), drawn.all("path").size());
  expect_error(mercer({"plot", data_file("iris.csv"), "--kind", "trace", "--exclude", "species",
                       "-o", dir / "x.svg"}),
               2, {"require DATA"});
  expect_error(mercer({"plot", data_file("moons.csv"), "--kind", "trace", "-o", dir / "x.svg"}), 1,
               {"moons.csv"});
}

TEST(CliPlot, a_kind_that_does_not_fit_says_which_do) {
  const TempDir dir;
  const Models m(dir);
  const std::string svg = dir / "x.svg", one = dir / "one.st";
  ASSERT_EQ(
      mercer({"fit", m.wine_data, "--label", "cultivar", "-k", "1", "-q", "-o", one}).exit_code, 0);
  const auto before = dir.list();
  const auto refused = [&](const std::vector<std::string>& arguments, int code,
                           const std::vector<std::string>& words) {
    std::vector<std::string> all = {"plot"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"-o", svg});
    expect_error(mercer(all), code, words);
  };
  refused({m.rings, m.rings_data, "--kind", "biplot"}, 2,
          {"--kind biplot does not fit", "rings.st' is not linear",
           "scree, scores, contour, t2spe and kernel"});
  refused({m.wine, "--kind", "contour"}, 2,
          {"not have two input columns",
           "scree, scores, biplot, loadings, circle, t2spe, probe and images"});
  refused({one, m.wine_data, "--kind", "scores"}, 2, {"only one component", "loadings"});
  refused({m.wine, "--kind", "trace"}, 2, {"not the trace of a run", "scree"});
  refused({m.wine, "--kind", "pie"}, 2, {"--kind 'pie'", "scree, scores"});
  refused({m.wine, "--kind", "scores"}, 2, {"draws rows"});
  refused({m.wine, m.wine_data, "--kind", "scores", "--components", "1,9"}, 2,
          {"--components 1,9", "3 components"});
  refused({m.wine, m.wine_data, "--kind", "scores", "--components", "1"}, 2, {"two axes"});
  refused({m.wine, m.wine_data, "--kind", "scores", "--components", "2,2"}, 2, {"two axes"});
  refused({m.wine, m.wine_data, "--kind", "scores", "--components", "1,"}, 2,
          {"--components '1,'"});
  refused({m.wine, m.wine_data, "--kind", "scores", "--components", "a,b"}, 2,
          {"--components 'a,b'"});
  refused({m.wine, "--kind", "scree", "--width", "9"}, 2, {"--width '9'"});
  refused({m.wine, "--kind", "scree", "--label", "cultivar"}, 2, {"require DATA"});
  refused({m.wine, m.wine_data, "--kind", "t2spe", "--flag", "1"}, 2, {"--flag '1'"});
  refused({m.wine, data_file("iris.csv"), "--kind", "scores"}, 1, {"iris.csv", "alcohol"});
  refused({dir / "none.st", "--kind", "scree"}, 1, {"none.st"});
  expect_error(mercer({"plot", m.wine, "--kind", "scree"}), 2, {"--output"});
  expect_error(mercer({"plot", m.wine, "-o", svg}), 2, {"--kind"});
  expect_error(mercer({"plot", m.wine, "--kind", "scree", "-o", dir / "no/where.svg"}), 1,
               {"no/where.svg"});
  EXPECT_EQ(dir.list(), before);
}

}  // namespace mercer::test::plot_test
