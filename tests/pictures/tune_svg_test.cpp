#include "pictures/texts.hpp"
#include "support/errors.hpp"

#include <mercer/picture.hpp>
#include <mercer/tune.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer::tune_svg_test {

using test::expect_clean;
using test::says;
using test::Xml;

/// A search of these kernels: cell c of kernel i has a score of its own, the best one the least.
Tuned search(const std::vector<std::string>& kernels, const std::vector<Index>& ks) {
  Tuned tuned;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t c = 0; c < ks.size(); ++c)
      tuned.cells.push_back({kernels[i], ks[c],
                             0.3 + 0.05 * static_cast<double>((i * 5 + c * 3 + 2) % 7) +
                                 0.01 * static_cast<double>(i),
                             0.01, ""});
  for (std::size_t i = 0; i < tuned.cells.size(); ++i)
    if (tuned.cells[i].score < tuned.cells[tuned.best].score) tuned.best = i;
  return tuned;
}

std::vector<test::Element> with_class(const Xml& xml, const char* name, const char* value) {
  std::vector<test::Element> out;
  for (const test::Element& e : xml.all(name))
    if (e.attributes.count("class") > 0 && e.attributes.at("class") == value) out.push_back(e);
  return out;
}

Xml drawn(const Tuned& tuned, Criterion criterion = Criterion::preimage_cv,
          const PlotOptions& options = {}) {
  return expect_clean(tune_svg(tuned, criterion, options));
}

TEST(TuneSvg, one_parameter_is_a_line_for_each_number_of_components) {
  const Tuned tuned =
      search({"rbf(gamma=0.01)", "rbf(gamma=0.1)", "rbf(gamma=1)", "rbf(gamma=10)"}, {1, 2, 4});
  const Xml xml = drawn(tuned);
  EXPECT_EQ(with_class(xml, "path", "line").size(), 3u);
  EXPECT_EQ(with_class(xml, "path", "spread").size(), 1u);
  const auto cells = with_class(xml, "circle", "cell");
  ASSERT_EQ(cells.size(), 12u);
  // Equal ratios are equal steps, and a larger error stands higher.
  const double step = test::attribute(cells[1], "cx") - test::attribute(cells[0], "cx");
  EXPECT_GT(step, 50);
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_NEAR(test::attribute(cells[i], "cx") - test::attribute(cells[i - 1], "cx"), step, 0.02);
  const auto best = with_class(xml, "circle", "best");
  ASSERT_EQ(best.size(), 1u);
  for (const auto& cell : cells)
    EXPECT_GE(test::attribute(best[0], "cy"), test::attribute(cell, "cy"));
  for (const char* text : {"gamma of rbf", "k = 1", "k = 4", "held-out error", "Choosing gamma"})
    EXPECT_TRUE(says(xml, text)) << text;
  EXPECT_TRUE(says(xml, "Best: " + tuned.cells[tuned.best].kernel));
}

TEST(TuneSvg, few_ratios_are_a_linear_axis) {
  const Xml xml = drawn(search({"poly(degree=2,coef0=1,gamma=1)", "poly(degree=3,coef0=1,gamma=1)",
                                "poly(degree=5,coef0=1,gamma=1)"},
                               {2}));
  const auto cells = with_class(xml, "circle", "cell");
  ASSERT_EQ(cells.size(), 3u);
  const auto x = [&](std::size_t i) { return test::attribute(cells[i], "cx"); };
  EXPECT_NEAR((x(2) - x(1)) / (x(1) - x(0)), 2, 1e-3);
  EXPECT_TRUE(says(xml, "degree of poly"));
}

TEST(TuneSvg, two_parameters_are_a_map_whose_best_square_is_marked) {
  std::vector<std::string> kernels;
  for (const char* degree : {"2", "3"})
    for (const char* coef0 : {"2", "10", "0.5"})
      kernels.push_back(std::string("poly(degree=") + degree + ",coef0=" + coef0 + ",gamma=1)");
  const Tuned tuned = search(kernels, {1, 2});
  const Xml xml = drawn(tuned);
  const auto cells = with_class(xml, "rect", "cell");
  ASSERT_EQ(cells.size(), 6u);
  const auto best = with_class(xml, "rect", "best");
  ASSERT_EQ(best.size(), 1u);
  // It stands on the square of its own parameters.
  const std::string& kernel = tuned.cells[tuned.best].kernel;
  std::size_t on = 0;
  for (const auto& cell : cells) {
    const double dx = test::attribute(best[0], "x") - test::attribute(cell, "x");
    const double dy = test::attribute(best[0], "y") - test::attribute(cell, "y");
    on += std::abs(dx) < 3 && std::abs(dy) < 3;
  }
  EXPECT_EQ(on, 1u);
  EXPECT_TRUE(says(xml, "Best: " + kernel));
  EXPECT_TRUE(says(xml, "degree of poly") && says(xml, "coef0"));
  EXPECT_TRUE(says(xml, "Each square shows the best number"));
  // From below by number, not by text.
  const auto height_of = [&](const std::string& text) {
    for (const test::TextBox& box : test::text_boxes(xml))
      if (box.text == text && box.right < 68) return box.top;
    return 0.0;
  };
  EXPECT_GT(height_of("0.5"), height_of("2"));
  EXPECT_GT(height_of("2"), height_of("10"));
  EXPECT_GT(height_of("10"), 0);
}

TEST(TuneSvg, kernels_without_a_common_form_stand_one_below_the_other) {
  const Xml xml = drawn(search({"linear()", "rbf(gamma=1)", "laplacian(gamma=2)"}, {1, 2, 8}));
  EXPECT_EQ(with_class(xml, "circle", "cell").size(), 9u);
  EXPECT_EQ(with_class(xml, "circle", "best").size(), 1u);
  EXPECT_TRUE(says(xml, "laplacian(gamma=2)") && says(xml, "linear()") && says(xml, "k = 8"));
  std::vector<std::string> many;
  for (int i = 0; i < 60; ++i) {
    many.push_back("rbf(gamma=" + std::to_string(i + 1) + ")");
    many.push_back("laplacian(gamma=" + std::to_string(i + 1) + ")");
  }
  const Xml some = drawn(search(many, {1, 2}));
  EXPECT_TRUE(says(some, "40 of 120 kernels"));
  EXPECT_EQ(with_class(some, "circle", "cell").size(), 80u);
  EXPECT_EQ(drawn(search({"rbf(gamma=1)"}, {3})).problem, "");
}

TEST(TuneSvg, kernels_without_a_score_are_counted) {
  Tuned tuned = search({"rbf(gamma=-1)", "rbf(gamma=1)", "rbf(gamma=2)"}, {2});
  tuned.cells[0].score = std::numeric_limits<double>::quiet_NaN();
  tuned.best = 1;
  const Xml xml = drawn(tuned);
  EXPECT_EQ(with_class(xml, "circle", "cell").size(), 2u);
  EXPECT_TRUE(says(xml, "1 kernel has no score, such as rbf(gamma=-1)"));
  tuned.cells.resize(1);
  tuned.best = 0;
  test::expect_error(Errc::bad_data, {"no scores"},
                     [&] { tune_svg(tuned, Criterion::preimage_cv); });
}

TEST(TuneSvg, a_kernel_with_a_score_for_some_numbers_of_components_has_one) {
  Tuned tuned = search({"rbf(gamma=0.1)", "rbf(gamma=1)"}, {2, 50});
  tuned.cells[1].score = std::numeric_limits<double>::quiet_NaN();  // fewer than 50 components
  EXPECT_FALSE(says(drawn(tuned), "no score"));
}

TEST(TuneSvg, other_criteria_are_one_line) {
  Tuned tuned = search({"rbf(gamma=0.1)", "rbf(gamma=1)", "rbf(gamma=10)"}, {0});
  for (TuneCell& cell : tuned.cells) cell.score -= 3;  // a log-likelihood
  const Xml likelihood = drawn(tuned, Criterion::likelihood);
  EXPECT_TRUE(says(likelihood, "log-likelihood per row"));
  EXPECT_FALSE(says(likelihood, "k = "));
  tuned = search({"rbf(gamma=0.1)", "rbf(gamma=1)"}, {3});
  tuned.cells[1].components = 5;
  const Xml parallel = drawn(tuned, Criterion::parallel);
  EXPECT_EQ(with_class(parallel, "path", "line").size(), 1u);
  EXPECT_TRUE(says(parallel, "above chance"));
}

TEST(TuneSvg, many_numbers_of_components_are_thinned_and_any_size_is_drawn) {
  std::vector<Index> ks;
  for (Index k = 1; k <= 30; ++k) ks.push_back(k);
  const Tuned tuned = search({"rbf(gamma=0.1)", "rbf(gamma=1)"}, ks);
  const Xml xml = drawn(tuned);
  EXPECT_TRUE(says(xml, "14 of 30 numbers of components"));
  EXPECT_EQ(with_class(xml, "path", "line").size(), 14u);
  EXPECT_TRUE(says(xml, "k = " + std::to_string(tuned.cells[tuned.best].components)));
  for (const auto& [width, height] : {std::pair{1200, 900}, std::pair{400, 320}})
    drawn(search({"rbf(gamma=0.1)", "rbf(gamma=1)"}, {1, 2, 4}), Criterion::preimage_cv,
          {.title = "A title", .width = width, .height = height});
}

}  // namespace mercer::tune_svg_test
