#include "pictures/xml.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/fit.hpp>
#include <mercer/picture.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace mercer::test::contour_svg_test {

/// Rows along (3, 4)/5, and some across.
Matrix<double> slanted(Index n = 200) {
  Random random(1);
  Matrix<double> x = random.normal(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double along = 2 * x(i, 0), across = 0.5 * x(i, 1);
    x(i, 0) = 0.6 * along - 0.8 * across + 10;
    x(i, 1) = 0.8 * along + 0.6 * across - 5;
  }
  return x;
}

/// "M1 2 3 4" as points.
std::vector<std::pair<double, double>> points_of(const std::string& path) {
  std::vector<std::pair<double, double>> out;
  const char* at = path.c_str();
  while (*at) {
    if (*at == 'M' || *at == ' ' || *at == 'z') {
      ++at;
      continue;
    }
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    out.emplace_back(x, std::strtod(end, &end));
    at = end;
  }
  return out;
}

std::vector<Element> lines_of(const Xml& xml) {
  std::vector<Element> out;
  for (const Element& e : xml.all("path"))
    if (!e.attributes.contains("fill") && e.inside.size() == 3) out.push_back(e);
  return out;
}

TEST(ContourSvg, of_linear_pca_has_straight_lines_where_the_score_has_its_levels) {
  const Matrix<double> x = slanted();
  const auto model = fit(x, {.components = 1});
  const std::string svg = contour_svg(model, {.levels = 9, .size = 300, .points = x});
  const Xml xml = parse_xml(svg);
  ASSERT_EQ(xml.problem, "");

  // The panel as the header says: the range and a margin of 12 %, y upwards, one scale up to 2 : 1.
  const auto low = (1.12 * x.colwise().minCoeff() - 0.12 * x.colwise().maxCoeff()).eval();
  const auto high = (1.12 * x.colwise().maxCoeff() - 0.12 * x.colwise().minCoeff()).eval();
  const double height =
      std::round(300 * std::clamp((high[1] - low[1]) / (high[0] - low[0]), 0.5, 2.0));
  const auto score = [&](double px, double py) {
    const double a = low[0] + px / 300 * (high[0] - low[0]);
    const double b = high[1] - py / height * (high[1] - low[1]);
    return model.components()(0, 0) * (a - model.mean()[0]) +
           model.components()(0, 1) * (b - model.mean()[1]);
  };
  double least = 1e300, most = -1e300;
  for (const double px : {0.0, 300.0})
    for (const double py : {0.0, height}) {
      least = std::min(least, score(px, py));
      most = std::max(most, score(px, py));
    }
  const double step = (most - least) / 10;

  const auto lines = lines_of(xml);
  EXPECT_GE(lines.size(), 9u);
  EXPECT_LE(lines.size(), 10u);
  std::vector<double> levels;
  for (const Element& line : lines) {
    const auto points = points_of(line.attributes.at("d"));
    ASSERT_EQ(points.size(), 2u) << line.attributes.at("d");
    const double level = std::round(score(points[0].first, points[0].second) / step);
    const double pixel = step / 10 * (10.0 / 150);  // about what a pixel is worth
    for (const auto& [px, py] : points) EXPECT_NEAR(score(px, py), level * step, pixel);
    levels.push_back(level);
    EXPECT_EQ(line.attributes.contains("class"), level == 0);
  }
  std::sort(levels.begin(), levels.end());
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) EXPECT_EQ(levels[i] + 1, levels[i + 1]);
}

TEST(ContourSvg, shows_each_component_with_its_share_and_all_rows) {
  const Matrix<double> x = slanted(60);
  const auto model = fit(x, {.components = 5, .kernel = kernels::rbf({.gamma = 0.5})});
  const std::string svg = contour_svg(model);
  const Xml xml = parse_xml(svg);
  ASSERT_EQ(xml.problem, "");
  EXPECT_EQ(xml.all("use").size(), 5u);
  EXPECT_EQ(xml.all("circle").size(), 60u);  // the rows that the model keeps
  std::vector<std::string> titles;
  for (const Element& e : xml.all("tspan")) titles.push_back(e.text);
  EXPECT_EQ(titles, (std::vector<std::string>{"PC1", "PC2", "PC3", "PC4", "PC5"}));
  EXPECT_HAS(svg, fmt::format("{:.1f} %", 100 * model.explained_variance_ratio()[0]));
  EXPECT_EQ(svg.find("script"), svg.npos);
  EXPECT_EQ(svg, contour_svg(model)) << "the same model, the same picture";
}

TEST(ContourSvg, names_and_labels_are_escaped) {
  const Matrix<double> x = slanted(20);
  auto parts = fit(x, {.components = 2}).parts();
  parts.feature_names = {"<x & \"y\">", "\xff\x01"};
  std::vector<std::string> labels(20, "</text><script>");
  labels[3] = "a & b";
  labels[4] = "";
  const std::string svg = contour_svg(Model<double>(parts), {.points = x, .labels = labels});
  EXPECT_EQ(parse_xml(svg).problem, "");
  for (const char* shown : {"&lt;x &amp; &quot;y&quot;&gt;", "&lt;/text&gt;&lt;script&gt;",
                            "a &amp; b", "(none)", "\uFFFD\uFFFD"})
    EXPECT_HAS(svg, shown);
}

TEST(ContourSvg, labels_colour_the_rows_and_rare_ones_share_a_colour) {
  const Matrix<double> x = slanted(40);
  std::vector<std::string> labels;
  for (int i = 0; i < 40; ++i) labels.push_back("label " + std::to_string(i % 10));
  const Xml xml = parse_xml(contour_svg(fit(x), {.points = x, .labels = labels}));
  EXPECT_EQ(xml.problem, "");
  int grey = 0;
  for (const Element& e : xml.all("circle"))
    grey += e.attributes.contains("fill") && e.attributes.at("fill") == "#7f7f7f";
  EXPECT_EQ(grey, 1);  // in the legend, for the last three labels together
  EXPECT_EQ(xml.all("circle").size(), 40u + 8);
}

TEST(ContourSvg, z_scores_and_float_give_the_same_picture_of_kernel_rows) {
  Matrix<double> x = slanted(50);
  x.col(1) *= 100;  // z-scores take it back
  const FitOptions options{
      .components = 2, .kernel = kernels::rbf({.gamma = 0.5}), .scale = Scale::std};
  const Xml xml = parse_xml(contour_svg(fit(x, options)));
  const Xml given = parse_xml(contour_svg(fit(x, options), {.points = x}));
  const Xml single = parse_xml(contour_svg(fit(Matrix<float>(x.cast<float>()), options)));
  const auto dots = xml.all("circle"), same = given.all("circle"), rough = single.all("circle");
  ASSERT_EQ(dots.size(), 50u);
  ASSERT_EQ(same.size(), 50u);
  ASSERT_EQ(rough.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i)
    for (const char* axis : {"cx", "cy"}) {
      const double at = std::stod(dots[i].attributes.at(axis));
      EXPECT_NEAR(std::stod(same[i].attributes.at(axis)), at, 0.011);
      EXPECT_NEAR(std::stod(rough[i].attributes.at(axis)), at, 0.02);
    }
  EXPECT_EQ(lines_of(xml).size(), lines_of(given).size());
}

TEST(ContourSvg, many_rows_are_thinned) {
  const Matrix<double> x = slanted(500);
  const Xml xml = parse_xml(contour_svg(fit(x), {.points = x, .most_points = 100}));
  EXPECT_EQ(xml.all("circle").size(), 100u);
}

TEST(ContourSvg, degenerate_rows_are_drawn) {
  Matrix<double> x = slanted(20);
  x.col(1).setConstant(7);  // no extent, and no second component
  EXPECT_EQ(parse_xml(contour_svg(fit(x, {.components = 1}), {.points = x})).problem, "");
  const Xml flat = parse_xml(contour_svg(fit(x, {.components = 1})));  // without rows
  EXPECT_EQ(flat.problem, "");
  EXPECT_EQ(flat.all("circle").size(), 0u);
  EXPECT_GE(lines_of(flat).size(), 9u);
}

TEST(ContourSvg, the_margin_stays_inside_of_what_the_kernel_takes) {
  Random random(1);
  const Matrix<double> x = random.normal(30, 2).cwiseAbs();
  const auto model = fit(x, {.components = 2, .kernel = kernels::chi2()});
  EXPECT_EQ(parse_xml(contour_svg(model)).problem, "");
}

TEST(ContourSvg, refuses_what_it_cannot_draw) {
  const Matrix<double> x = slanted(20);
  const auto model = fit(x);
  const auto message = [&](const ContourOptions& options) {
    return std::string(error_of([&] { contour_svg(model, options); }).what());
  };
  EXPECT_HAS(message({.components = 3}), "`components=3` exceeds the 2 of the model");
  EXPECT_HAS(message({.levels = 0}), "`levels=0`");
  EXPECT_HAS(message({.size = 1}), "`size=1`");
  EXPECT_HAS(message({.points = x, .labels = {"a"}}), "1 labels for 20 points");
  EXPECT_HAS(message({.points = Matrix<double>::Zero(3, 4)}), "points have 4 columns, not 2");
  Matrix<double> bad = x;
  bad(3, 1) = std::nan("");
  EXPECT_HAS(message({.points = bad}), "not all finite");
  Matrix<double> wide(20, 3);
  wide << x, x.rowwise().sum();
  const auto other = fit(wide, {.components = 1});
  EXPECT_HAS(error_of([&] { contour_svg(other); }).what(), "2 input columns; this one has 3");
  const auto mapped = fit(x, polynomial_map<double>(2, 2));
  EXPECT_HAS(error_of([&] { contour_svg(mapped); }).what(), "give points");
  EXPECT_EQ(parse_xml(contour_svg(mapped, {.points = x})).problem, "");
  const auto random = fit(x, fourier_map<double>(kernels::rbf({.gamma = 1}), 2, 8));
  EXPECT_HAS(error_of([&] { contour_svg(random); }).what(), "give points");  // not frequencies
}

}  // namespace mercer::test::contour_svg_test
