// mercer plot: the figures of the lectures, from files.

#include "cli/support.hpp"
#include "pictures/texts.hpp"

#include <mercer/datasets.hpp>
#include <mercer/figures.hpp>
#include <mercer/fit.hpp>

#include <cmath>

namespace mercer::test::plot_figures_test {

class CliPlotFigures : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir = new TempDir;
    const auto done = [](const std::vector<std::string>& words) {
      const auto run = mercer(words);
      EXPECT_EQ(run.exit_code, 0) << run.err;
    };
    for (const char* name : {"clouds", "circle", "rings", "swissroll"})
      done({"data", name, "--rows", "90", "-o", *dir / (std::string(name) + ".csv")});
    done({"fit", *dir / "clouds.csv", "--label", "class", "-q", "-o", *dir / "clouds.st"});
    done({"fit", *dir / "circle.csv", "--map", "monomials(degree=2)", "-k", "2", "-q", "-o",
          *dir / "circle.st"});
    done({"fit", *dir / "rings.csv", "--label", "class", "--kernel", "rbf(gamma=0.5)", "-k", "2",
          "-q", "-o", *dir / "rings.st"});
    done({"fit", *dir / "swissroll.csv", "--label", "class", "-q", "-o", *dir / "roll.st"});
    done({"fit", *dir / "swissroll.csv", "--label", "class", "-k", "1", "-q", "-o",
          *dir / "one.st"});
    done({"fit", data_file("digits.csv"), "--label", "digit", "-k", "6", "-q", "-o",
          *dir / "digits.st"});
    done({"learn", *dir / "clouds.csv", "--label", "class", "--rate", "constant(0.05)", "--theory",
          "--trace", *dir / "run.csv", "-q", "--no-plot"});
    done({"learn", *dir / "clouds.csv", "--label", "class", "--rate", "constant(0.05)", "--trace",
          *dir / "plain.csv", "-q", "--no-plot"});
  }
  static void TearDownTestSuite() { delete dir; }

  /// The plot of these arguments, which name files of the folder.
  static test::Run plot(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"plot"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.insert(words.end(), {"-o", "-"});
    return mercer(words, {.directory = dir->path()});
  }
  static Xml drawn(const std::vector<std::string>& arguments) {
    const test::Run run = plot(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return expect_clean(run.out);
  }

  static TempDir* dir;
};
TempDir* CliPlotFigures::dir = nullptr;

TEST_F(CliPlotFigures, M_T9_every_figure_is_drawn_from_files) {
  EXPECT_TRUE(says(drawn({"clouds.st", "clouds.csv", "--kind", "axes"}), "q1, \u03bb1"));
  EXPECT_TRUE(says(drawn({"clouds.st", "--kind", "probe"}), "Largest"));
  EXPECT_TRUE(says(drawn({"circle.st", "circle.csv", "--kind", "lift"}), "100.00 %"));
  EXPECT_TRUE(says(drawn({"roll.st", "swissroll.csv", "--kind", "lift"}), "x3"));
  EXPECT_TRUE(says(drawn({"rings.st", "rings.csv", "--kind", "kernel"}), "rbf(gamma=0.5)"));
  EXPECT_TRUE(says(drawn({"rings.st", "rings.csv", "--kind", "kernel", "--center"}), "J K J"));
  EXPECT_TRUE(says(drawn({"digits.st", "--kind", "images"}), "8 \u00d7 8"));
  EXPECT_TRUE(
      says(drawn({"digits.st", "--kind", "images", "--image-width", "16", "--components", "1,3"}),
           "16 \u00d7 4"));
  EXPECT_TRUE(says(drawn({"run.csv", "--kind", "weights"}), "\u03b81"));
  EXPECT_TRUE(says(drawn({"run.csv", "--kind", "alpha"}), "k = 2, rate"));
}

TEST_F(CliPlotFigures, M_T9_figures_are_those_of_the_library) {
  const Table<double> clouds = datasets::clouds({.rows = 90});
  PlotOptions options;
  for (std::size_t i = 0; i < clouds.labels.size(); ++i)
    options.labels.emplace_back(clouds.labels[i]);
  const auto model = fit(clouds.x);
  EXPECT_EQ(plot({"clouds.st", "clouds.csv", "--kind", "axes"}).out,
            axes_svg(model, clouds.x, options));
  EXPECT_EQ(plot({"clouds.st", "--kind", "probe"}).out, probe_svg(model));
  const Matrix<double> circle = datasets::circle({.rows = 90}).x;
  EXPECT_EQ(plot({"circle.st", "circle.csv", "--kind", "lift"}).out,
            lift_svg(fit(circle, monomial_map<double>(2, 2), {.components = 2}), circle));
}

TEST_F(CliPlotFigures, M_T9_kernels_of_scaled_models_take_z_scores) {
  ASSERT_EQ(mercer({"fit", *dir / "rings.csv", "--label", "class", "--scale", "std", "--kernel",
                    "rbf(gamma=0.5)", "-k", "2", "-q", "-o", *dir / "scaled.st"})
                .exit_code,
            0);
  const Table<double> rings = datasets::rings({.rows = 90});
  PlotOptions options{.width = 820, .height = 430};
  for (std::size_t i = 0; i < rings.labels.size(); ++i)
    options.labels.emplace_back(rings.labels[i]);
  Matrix<double> z = rings.x.rowwise() - rings.x.colwise().mean();
  for (Index j = 0; j < 2; ++j) z.col(j) /= std::sqrt(z.col(j).squaredNorm() / 89);
  const std::string scaled = plot({"scaled.st", "rings.csv", "--kind", "kernel"}).out;
  EXPECT_EQ(scaled, kernel_svg(kernels::rbf({.gamma = 0.5}), Rows<double>(z), false, options));
  EXPECT_NE(scaled, plot({"rings.st", "rings.csv", "--kind", "kernel"}).out);
}

TEST_F(CliPlotFigures, what_a_kind_cannot_draw_is_one_line_with_what_it_needs) {
  expect_error(plot({"roll.st", "swissroll.csv", "--kind", "axes"}), 2,
               {"roll.st", "two input columns", "lift"});
  expect_error(plot({"rings.st", "rings.csv", "--kind", "axes"}), 2, {"not linear", "kernel"});
  expect_error(plot({"one.st", "--kind", "probe"}), 2, {"one component"});
  expect_error(plot({"rings.st", "--kind", "probe"}), 2, {"not linear"});
  expect_error(plot({"clouds.st", "clouds.csv", "--kind", "lift"}), 2, {"three features", "--map"});
  expect_error(plot({"clouds.st", "clouds.csv", "--kind", "kernel"}), 2, {"--kernel"});
  expect_error(plot({"rings.st", "--kind", "images"}), 2, {"not linear"});
  expect_error(plot({"roll.st", "--kind", "images"}), 2, {"3 columns", "--image-width"});
  expect_error(plot({"roll.st", "--kind", "images", "--image-width", "2"}), 2,
               {"--image-width 2", "3"});
  expect_error(plot({"roll.st", "--kind", "images", "--image-width", "0"}), 2, {"--image-width"});
  expect_error(plot({"clouds.st", "--kind", "axes"}), 2, {"draws rows", "DATA"});
  expect_error(plot({"clouds.st", "--kind", "weights"}), 2, {"is a model, not the trace"});
  expect_error(plot({"plain.csv", "--kind", "weights"}), 2, {"--theory"});
  expect_error(plot({"plain.csv", "--kind", "alpha"}), 2, {"--theory"});
  expect_error(plot({"clouds.csv", "--kind", "alpha", "--label", "class"}), 2, {"require DATA"});
  expect_error(plot({"circle.csv", "--kind", "alpha"}), 1, {"circle.csv", "not a trace"});
  expect_error(plot({"clouds.st", "clouds.csv", "--kind", "axes", "--center"}), 2,
               {"--center requires --kind kernel"});
  expect_error(plot({"clouds.st", "--kind", "probe", "--image-width", "3"}), 2,
               {"--image-width requires --kind images"});
  expect_error(plot({"clouds.st", "clouds.csv", "--kind", "axes", "--missing", "mean"}), 2,
               {"--missing mean", "--missing drop"});
  expect_error(plot({"clouds.st", "swissroll.csv", "--kind", "axes", "--label", "class",
                     "--columns", "x1,x2,x3"}),
               1, {"3 feature columns", "2"});
}

}  // namespace mercer::test::plot_figures_test
