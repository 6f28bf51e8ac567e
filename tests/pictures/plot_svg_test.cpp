#include "pictures/texts.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/fit.hpp>
#include <mercer/picture.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace mercer::plot_svg_test {

using test::expect_clean;
using test::Random;
using test::says;
using test::Xml;

struct Example {
  Matrix<double> x;
  Model<double> model;
};

/// Correlated columns with names.
Example example(Index rows, Index columns, Scale scale = Scale::std, Index k = 4) {
  Random random(21);
  const Matrix<double> x =
      random.normal(rows, 3) * random.normal(3, columns) + 0.5 * random.normal(rows, columns);
  Schema schema;
  for (Index j = 0; j < columns; ++j) schema.feature_names.push_back("column_" + std::to_string(j));
  const auto source = from_memory(Rows<double>(x), {}, schema);
  return {x,
          fit(*source, {.components = std::min(k, std::min(rows - 1, columns)), .scale = scale})};
}

std::vector<std::string> labels(Index rows, Index different) {
  std::vector<std::string> out;
  for (Index i = 0; i < rows; ++i) out.push_back("kind " + std::to_string(i % different));
  return out;
}

std::size_t with_class(const Xml& xml, const char* name, const char* value) {
  std::size_t count = 0;
  for (const test::Element& e : xml.all(name))
    count += e.attributes.count("class") > 0 && e.attributes.at("class") == value;
  return count;
}

TEST(PlotSvg, scree_has_a_bar_a_component) {
  for (const Index columns : {1, 5, 13, 60, 300}) {
    const Example e = example(columns + 20, columns, Scale::std, columns);
    const Xml xml = expect_clean(scree_svg(e.model));
    const auto k = static_cast<std::size_t>(std::min<Index>(200, e.model.outputs()));
    EXPECT_EQ(with_class(xml, "rect", "bar"), k);
    EXPECT_EQ(with_class(xml, "path", "sum"), 1u);
    EXPECT_EQ(says(xml, "first 200"), columns == 300);
    EXPECT_TRUE(says(xml, "share of the variance") && says(xml, "running sum"));
  }
}

TEST(PlotSvg, bars_of_the_scree_are_as_high_as_their_shares) {
  const Example e = example(40, 6);
  const Xml xml = test::parse_xml(scree_svg(e.model));
  const Vector<double> ratio = e.model.explained_variance_ratio();
  std::vector<double> heights;
  for (const auto& rect : xml.all("rect"))
    if (rect.attributes.count("class") && rect.attributes.at("class") == "bar")
      heights.push_back(test::attribute(rect, "height"));
  for (std::size_t c = 1; c < heights.size(); ++c)  // to a hundredth of a pixel
    EXPECT_NEAR(heights[c] / heights[0], ratio[static_cast<Index>(c)] / ratio[0], 1e-3);
}

TEST(PlotSvg, M_T9_rounding_noise_along_a_component_is_drawn_as_a_line) {
  // Rows on a line: the second component has no variance, its scores are rounding errors.
  const Matrix<double> direction{{3, 4}};
  const Matrix<double> x = Random(3).normal(60, 1) * direction;
  const auto model = fit(Rows<double>(x), {.keep_null = true});
  ASSERT_EQ(model.outputs(), 2);
  Matrix<double> y = model.transform(x);
  y.col(1) += 1e-15 * Random(4).normal(60, 1);
  const auto spread = [](const Xml& xml, const char* axis) {
    double low = 1e9, high = -1e9;
    for (const test::Element& e : xml.all("circle")) {
      low = std::min(low, test::attribute(e, axis));
      high = std::max(high, test::attribute(e, axis));
    }
    return high - low;
  };
  for (const std::string& svg : {scores_svg(model, y), biplot_svg(model, y)}) {
    const Xml xml = expect_clean(svg);
    EXPECT_GT(spread(xml, "cx"), 200);
    EXPECT_EQ(spread(xml, "cy"), 0);
  }
  // A small component that is not rounding still fills the plot.
  y.col(1) = 1e-3 * Random(4).normal(60, 1);
  EXPECT_GT(spread(expect_clean(scores_svg(model, y)), "cy"), 200);
}

TEST(PlotSvg, scores_are_dots_with_a_legend) {
  for (const Index rows : {5, 178, 3000}) {
    const Example e = example(rows, 6);
    const Xml xml = expect_clean(scores_svg(e.model, e.model.transform(e.x),
                                            {.labels = labels(rows, 3), .ellipses = rows > 5}));
    EXPECT_EQ(xml.all("circle").size(), static_cast<std::size_t>(rows) + 3);
    EXPECT_EQ(with_class(xml, "path", "ellipse"), rows > 5 ? 3u : 0u);
    EXPECT_TRUE(says(xml, "PC1 (") && says(xml, "PC2 (") && says(xml, "kind 2"));
    EXPECT_FALSE(says(xml, "density"));
  }
}

TEST(PlotSvg, many_rows_are_drawn_as_density_and_said_to_be) {
  const Example e = example(20000, 3);
  const Xml xml = expect_clean(
      scores_svg(e.model, e.model.transform(e.x), {.labels = labels(20000, 9), .of_rows = 40000}));
  EXPECT_TRUE(says(xml, "20,000 of 40,000 rows, evenly spaced, as density"));
  EXPECT_TRUE(says(xml, "others"));
  EXPECT_EQ(xml.all("circle").size(), 0u);
  EXPECT_LT(scores_svg(e.model, e.model.transform(e.x)).size(), 300'000u);
}

TEST(PlotSvg, labels_beyond_the_colours_are_rings_and_then_others) {
  const Example e = example(200, 4);
  const Xml ten =
      expect_clean(scores_svg(e.model, e.model.transform(e.x), {.labels = labels(200, 10)}));
  EXPECT_FALSE(says(ten, "others"));
  EXPECT_TRUE(says(ten, "kind 9"));
  const Xml many =
      expect_clean(scores_svg(e.model, e.model.transform(e.x), {.labels = labels(200, 40)}));
  EXPECT_TRUE(says(many, "others"));
}

TEST(PlotSvg, biplots_have_an_arrow_a_column) {
  for (const Index columns : {2, 13, 64}) {
    const Example e = example(100, columns, Scale::none);
    const Xml xml = expect_clean(biplot_svg(e.model, e.model.transform(e.x)));
    EXPECT_EQ(with_class(xml, "path", "arrow"),
              static_cast<std::size_t>(std::min<Index>(columns, 15)));
    EXPECT_EQ(says(xml, "the 15 of 64 columns"), columns == 64);
    EXPECT_TRUE(says(xml, "column_"));
  }
}

TEST(PlotSvg, circles_keep_arrows_within_one) {
  for (const Index columns : {2, 13, 64}) {
    const Example e = example(100, columns);
    const Xml xml = expect_clean(circle_svg(e.model, {.width = 520, .height = 540}));
    EXPECT_EQ(with_class(xml, "path", "arrow"),
              static_cast<std::size_t>(std::min<Index>(columns, 30)));
    EXPECT_EQ(with_class(xml, "text", "name"), with_class(xml, "path", "arrow"));
    const auto circle = xml.all("circle").at(0);
    const double cx = test::attribute(circle, "cx"), cy = test::attribute(circle, "cy"),
                 r = test::attribute(circle, "r");
    for (const auto& path : xml.all("path"))
      if (path.attributes.count("class") && path.attributes.at("class") == "arrow") {
        double x0, y0, x1, y1;
        ASSERT_EQ(
            std::sscanf(path.attributes.at("d").c_str(), "M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1),
            4);
        EXPECT_NEAR(x0, cx, 0.02);
        EXPECT_LE(std::hypot(x1 - cx, y1 - cy), r + 0.02);
      }
  }
}

TEST(PlotSvg, loadings_have_a_panel_a_component) {
  const Example e = example(50, 13);
  const Xml xml = expect_clean(loadings_svg(e.model, {.components = {0, 2}}));
  EXPECT_EQ(with_class(xml, "rect", "bar"), 26u);
  EXPECT_EQ(with_class(xml, "rect", "frame"), 2u);
  EXPECT_TRUE(says(xml, "PC3 (") && says(xml, "column_12") && says(xml, "correlations"));
  const Example wide = example(50, 64, Scale::none);
  const Xml some = expect_clean(loadings_svg(wide.model));
  EXPECT_TRUE(says(some, "of 64 columns with the largest loadings"));
  EXPECT_EQ(with_class(some, "rect", "frame"), 3u);
}

TEST(PlotSvg, rows_beyond_a_limit_are_named) {
  const Example e = example(100, 6, Scale::std, 2);
  Matrix<double> fresh = e.x;
  fresh.row(41) *= -9;
  fresh(17, 2) += 40;
  const Scorer scorer(e.model);
  const RowScores rows = scorer(fresh);
  const Xml xml = expect_clean(t2spe_svg(rows, scorer.limits(0.99)));
  EXPECT_TRUE(says(xml, "42") && says(xml, "18") && says(xml, "99 %"));
  EXPECT_EQ(with_class(xml, "path", "limit"), 2u);
  EXPECT_TRUE(says(xml, "within") && says(xml, "beyond"));
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("wine <" + std::to_string(i) + ">");
  const std::string named = t2spe_svg(rows, scorer.limits(0.99), {.names = names});
  EXPECT_TRUE(says(expect_clean(named), "wine &lt;41&gt;"));
}

TEST(PlotSvg, rows_are_within_only_the_limits_that_there_are) {
  RowScores rows;
  rows.t2 = Vector<double>::LinSpaced(8, 1, 8);
  rows.spe = rows.t2.reverse();
  const auto drawn = [&](std::optional<double> t2, std::optional<double> spe) {
    ScoreLimits limits{.level = 0.99, .t2 = t2, .spe = spe};
    limits.t2_from = "reason one";
    limits.spe_from = "reason two";
    const std::string picture = t2spe_svg(rows, limits);
    expect_clean(picture);
    return picture;
  };
  const auto has = [](const std::string& picture, const std::string& text) {
    return picture.find(text) != picture.npos;
  };
  const std::string none = drawn({}, {}), only_t2 = drawn(9, {}), only_spe = drawn({}, 9),
                    both = drawn(9, 9);
  EXPECT_TRUE(has(none, ">no limits<") && !has(none, ">within"));
  EXPECT_TRUE(has(none, "reason one") && has(none, "reason two"));
  EXPECT_TRUE(has(only_t2, ">within T\u00b2<") && has(only_t2, "No limit of SPE: reason two"));
  EXPECT_TRUE(has(only_spe, ">within SPE<") && has(only_spe, "No limit of T\u00b2: reason one"));
  EXPECT_FALSE(has(only_t2, "reason one") || has(only_spe, "reason two") || has(both, "reason"));
  EXPECT_TRUE(has(both, ">within<"));
}

TEST(PlotSvg, without_an_spe_rows_stand_in_their_order) {
  const Example e = example(30, 4);
  const Matrix<double> k = kernels::rbf({.gamma = 0.1}).matrix(Rows<double>(e.x));
  const auto model = fit(k, {.components = 2, .precomputed = true});
  const Scorer scorer(model);
  const Xml xml = expect_clean(t2spe_svg(scorer(k), scorer.limits()));
  EXPECT_TRUE(says(xml, "row"));
  EXPECT_FALSE(says(xml, "SPE"));
}

TEST(PlotSvg, names_cannot_break_out_and_long_ones_are_shortened) {
  Random random(22);
  const Matrix<double> x = random.normal(30, 3);
  Schema schema;
  schema.feature_names = {"<script>alert(1)</script>",
                          "a \"quoted\" & long " + std::string(200, 'x'),
                          std::string("\xff\x01 bytes")};
  const auto source = from_memory(Rows<double>(x), {}, schema);
  const auto model = fit(*source, {.scale = Scale::std});
  const Matrix<double> y = model.transform(x);
  std::vector<std::string> odd(30, "<b>&</b>");
  odd[3] = std::string(500, 'y');
  for (const std::string& svg :
       {scree_svg(model, {.title = "</svg><script>" + std::string(400, 't')}),
        scores_svg(model, y, {.labels = odd}), biplot_svg(model, y, {.labels = odd}),
        loadings_svg(model), circle_svg(model)}) {
    const Xml xml = expect_clean(svg);
    EXPECT_EQ(svg.find("<script"), svg.npos);
    EXPECT_EQ(svg.find(std::string(120, 'x')), svg.npos);
  }
}

TEST(PlotSvg, sizes_and_equal_rows_are_no_trouble) {
  const Example e = example(20, 5);
  const Matrix<double> y = e.model.transform(e.x);
  for (const auto& [width, height] : {std::pair{240, 200}, {2000, 300}, {400, 1600}}) {
    const PlotOptions options{.width = width, .height = height};
    for (const std::string& svg : {scree_svg(e.model, options), scores_svg(e.model, y, options),
                                   biplot_svg(e.model, y, options), loadings_svg(e.model, options),
                                   circle_svg(e.model, options)}) {
      const Xml xml = test::parse_xml(svg);
      EXPECT_EQ(xml.problem, "");
      EXPECT_EQ(xml.elements[0].attributes.at("width"), std::to_string(width));
    }
  }
  const Matrix<double> same = y.row(0).replicate(7, 1);
  expect_clean(scores_svg(e.model, same, {.labels = labels(7, 1), .ellipses = true}));
  expect_clean(biplot_svg(e.model, Matrix<double>(Matrix<double>::Zero(1, y.cols()))));
}

TEST(PlotSvg, float_models_are_drawn_like_double_ones) {
  const Example e = example(60, 5);
  const Matrix<float> x = e.x.cast<float>();
  const auto model = fit(x, {.components = 2, .tolerance = 1e-5, .scale = Scale::std});
  const Xml xml = expect_clean(biplot_svg(model, model.transform(x)));
  EXPECT_EQ(with_class(xml, "path", "arrow"), 5u);
}

TEST(PlotSvg, what_cannot_be_drawn_is_refused) {
  const Example e = example(20, 5, Scale::none, 2);
  const Matrix<double> y = e.model.transform(e.x);
  const auto refused = [](Errc code, std::initializer_list<const char*> words, const auto& call) {
    test::expect_error(code, words, call);
  };
  ModelParts<double> old = e.model.parts();  // as files of the first format have it
  old.column_variance.resize(0);
  refused(Errc::bad_option, {"variances", "`scale=std`", "loadings"},
          [&] { circle_svg(Model<double>(old)); });
  refused(Errc::bad_option, {"no component 3", "has 2"}, [&] {
    scores_svg(e.model, y, {.components = {0, 2}});
  });
  refused(Errc::bad_option, {"both axes"}, [&] { scores_svg(e.model, y, {.components = {1, 1}}); });
  refused(Errc::bad_option, {"`width=100`"}, [&] { scree_svg(e.model, {.width = 100}); });
  refused(Errc::bad_option, {"`height=9`"}, [&] { loadings_svg(e.model, {.height = 9}); });
  refused(Errc::bad_option, {"3 labels for 20"},
          [&] { scores_svg(e.model, y, {.labels = labels(3, 1)}); });
  refused(Errc::bad_data, {"no rows"}, [&] { scores_svg(e.model, y.topRows(0)); });
  refused(Errc::bad_data, {"1 columns"}, [&] { scores_svg(e.model, y.leftCols(1)); });
  Matrix<double> bad = y;
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  refused(Errc::bad_data, {"finite"}, [&] { scores_svg(e.model, bad); });
  bad(1, 1) = 1e308;
  bad(2, 1) = -1e308;
  refused(Errc::bad_data, {"too far apart"}, [&] { scores_svg(e.model, bad); });
  const auto kernel = fit(e.x, {.components = 2, .kernel = kernels::rbf({.gamma = 0.1})});
  refused(Errc::bad_option, {"linear models"}, [&] { loadings_svg(kernel); });
  refused(Errc::bad_option, {"linear models"}, [&] { biplot_svg(kernel, y); });
  const auto one = fit(e.x, {.components = 1});
  refused(Errc::bad_option, {"one component"},
          [&] { scores_svg(one, Matrix<double>(one.transform(e.x))); });
  refused(Errc::bad_data, {"no rows"}, [&] { t2spe_svg({}, {}); });
}

}  // namespace mercer::plot_svg_test
