// mercer learn: the stability theorem, first weights, angles, and two rules on the same rows.

#include "cli/support.hpp"

#include <fmt/format.h>
#include <mercer/data.hpp>
#include <mercer/model.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace mercer::test::learn_theorem_test {

using Json = nlohmann::json;
using testing::HasSubstr;

class CliLearnTheorem : public testing::Test {
 protected:
  std::vector<std::string> on(const std::string& data, std::vector<std::string> more) const {
    std::vector<std::string> all = {"learn", data};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::vector<std::string> iris(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--label", "species"});
    return on(data_file("iris.csv"), more);
  }
  std::vector<std::string> wine(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--label", "cultivar", "--scale", "std"});
    return on(data_file("wine.csv"), more);
  }
  /// R = diag(0.14425, 0.02161), the variances of the two clouds.
  std::string clouds() const {
    const double a = std::sqrt(2 * 0.14425), b = std::sqrt(2 * 0.02161);
    return dir.file("clouds.csv", fmt::format("x,y\n{0},0\n-{0},0\n0,{1}\n0,-{1}\n", a, b));
  }
  TempDir dir;
};

TEST_F(CliLearnTheorem, M_T5_text_and_json_have_the_six_conditions) {
  const std::vector<std::string> words = {"--rule",   "oja", "--rate",   "power(c=0.05,t0=20)",
                                          "--epochs", "20",  "--theorem"};
  const auto run = mercer(iris(words));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* text :
       {"1 rate            proved", "2 bounded weights proved", "3 smooth h        proved",
        "4 mean field      proved", "5 stable point    proved", "6 basin           measured",
        "w(n) → ±q₁ with probability 1", "time constants", "predicted"})
    EXPECT_THAT(run.out, HasSubstr(text));
  auto in_json = words;
  in_json.push_back("--json");
  const auto json = mercer(iris(in_json));
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const Json t = Json::parse(json.out)["learning"]["theorem"];
  ASSERT_EQ(t["conditions"].size(), 6u);
  EXPECT_EQ(t["conditions"][0]["finding"], "proved");
  EXPECT_EQ(t["holds"], true);
  EXPECT_NEAR(t["jacobian"][3].get<double>(), -2 * t["eigenvalues"][0].get<double>(), 1e-12);
  EXPECT_NEAR(t["time_constants"][0].get<double>(),
              1 / (t["eigenvalues"][0].get<double>() - t["eigenvalues"][1].get<double>()), 1e-12);
  EXPECT_EQ(t["steps"], 3000);
}

TEST_F(CliLearnTheorem, M_T5_what_is_violated_is_named) {
  const auto constant =
      mercer(iris({"--rule", "oja", "--rate", "constant(0.001)", "--epochs", "2", "--theorem"}));
  ASSERT_EQ(constant.exit_code, 0) << constant.err;
  EXPECT_THAT(constant.out, HasSubstr("1 rate            violated"));
  EXPECT_THAT(constant.out, HasSubstr("the theorem does not apply: violated 1 (rate)"));
  const std::string equal = dir.file("equal.csv", "x,y\n1,0\n-1,0\n0,1\n0,-1\n");
  const auto same = mercer(on(equal, {"--rule", "oja", "--rate", "1/n", "--theorem", "-q"}));
  EXPECT_EQ(same.exit_code, 0) << same.err;
  const auto shown = mercer(on(equal, {"--rule", "oja", "--rate", "1/n", "--theorem"}));
  EXPECT_THAT(shown.out, HasSubstr("5 stable point    violated  λ₁ = 0.5 has multiplicity 2"));
  EXPECT_THAT(shown.out, HasSubstr("span(q₁ … q₂)"));
}

TEST_F(CliLearnTheorem, M_T5_rules_without_an_ode_and_streams_are_refused_in_one_line) {
  expect_error(mercer(iris({"--rule", "ccipca", "--theorem"})), 2,
               {"--theorem", "--rule ccipca", "hebb, hebb-normalized, oja, gha or block-oja"});
  const std::string text = slurp(data_file("rings.csv"));
  expect_error(mercer({"learn", "-", "--label", "class", "--theorem"}, {.input = text}), 2,
               {"--theorem", "read only once"});
}

TEST_F(CliLearnTheorem, M_T5_a_limit_that_the_component_exceeds_is_named) {
  const auto run = mercer(
      iris({"--rule", "oja", "--rate", "1/n", "--limit", "0.5", "--epochs", "2", "--theorem"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("5 stable point    violated  ±q₁ cannot be reached: its largest "
                                 "weight is 0.857, and --limit 0.5"));
  EXPECT_THAT(run.out,
              HasSubstr("predicted  the ODE never comes within 1°: ±q₁ cannot be reached"));
  EXPECT_EQ(run.out.find("with probability 1"), std::string::npos);
}

TEST_F(CliLearnTheorem, M_T6_plain_hebb_with_a_limit_has_no_predicted_number) {
  const auto run = mercer(on(clouds(), {"--rule", "hebb", "--limit", "1", "--rate",
                                        "constant(0.01)", "--start", "0.6,0.8", "--theorem"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("predicted  unknown number of steps from 53.1° to 1°: before that "
                                 "a weight reaches --limit 1"));
}

TEST_F(CliLearnTheorem, M_T7_a_start_orthogonal_to_the_component_has_empty_cells) {
  // Rows on the axes: θ₁ stays 0, and θ₂/θ₁ has no value.
  for (const bool checkpoint : {false, true}) {
    std::vector<std::string> words = {
        "--rule",  "oja",         "--start", "0,1",         "--mean",   "none", "--theory",
        "--trace", dir / "a.csv", "--order", "as-it-comes", "--epochs", "2",    "-q"};
    if (checkpoint) words.insert(words.end(), {"--checkpoint", dir / "a.ckpt"});
    const auto run = mercer(on(clouds(), words));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::string text = slurp(dir / "a.csv");
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_THAT(text, HasSubstr(",,"));
    const auto plot = mercer({"plot", dir / "a.csv", "--kind", "trace", "-o", dir / "a.svg"});
    EXPECT_EQ(plot.exit_code, 0) << plot.err;
  }
}

TEST_F(CliLearnTheorem, plain_hebb_is_unbounded_also_where_its_run_ends) {
  const auto run = mercer(iris({"--rule", "hebb", "--rate", "constant(0.001)", "--epochs", "3"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("plain Hebb is unbounded"));
  EXPECT_EQ(run.out.find("more epochs"), std::string::npos);
}

TEST_F(CliLearnTheorem, M_T6_a_run_that_is_too_short_is_announced_with_a_faster_rate) {
  const auto run = mercer(on(clouds(), {"--rule", "oja", "--rate", "1/n", "--start", "1,1",
                                        "--epochs", "5", "--until-angle", "1", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("mercer: note: about 1.2e+14 steps from 45° to 1° at rate 1/n"));
  EXPECT_THAT(run.err, HasSubstr("this run has 20; --rate 'power("));
  const Json p = Json::parse(run.out)["learning"]["prediction"];
  EXPECT_NEAR(p["start_angle"].get<double>(), 45, 1e-9);
  EXPECT_GT(p["steps"].get<double>(), 1e14);
  EXPECT_EQ(p["reached"], nullptr);
  // The proposed rate keeps its promise.
  const auto fast =
      mercer(on(clouds(), {"--rule", "oja", "--rate", p["better_rate"], "--start", "1,1",
                           "--epochs", "100000", "--until-angle", "1", "--json"}));
  ASSERT_EQ(fast.exit_code, 0) << fast.err;
  const Json learning = Json::parse(fast.out)["learning"];
  EXPECT_EQ(learning["stop"], "angle");
  EXPECT_NEAR(learning["steps"].get<double>() / p["better_steps"].get<double>(), 1, 0.25);
}

TEST_F(CliLearnTheorem, M_T7_any_start_by_numbers_by_file_or_by_length) {
  const auto first = [&](const std::string& start, const std::string& k) {
    const auto run =
        mercer(iris({"--rate", "constant(0.001)", "--start", start, "-k", k, "--epochs", "1",
                     "--trace", dir / "t.csv", "--trace-weights", "-q"}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return cells(slurp(dir / "t.csv"));
  };
  auto rows = first("1,0,-2.5,0.125", "1");
  EXPECT_EQ(rows[0].back(), "w1_4");
  EXPECT_EQ(rows[1][0], "0");
  EXPECT_EQ((std::vector<std::string>(rows[1].end() - 4, rows[1].end())),
            (std::vector<std::string>{"1", "0", "-2.5", "0.125"}));
  rows = first("1,0,0,0;0,1,0,0", "2");
  EXPECT_EQ(rows[0].back(), "w2_4");
  rows = first(dir.file("w0.csv", "0.5,0.25,0,1\n0,0,1,1\n"), "2");
  EXPECT_EQ(rows[1][rows[1].size() - 8], "0.5");
  rows = first("random(norm=2)", "1");
  EXPECT_NEAR(number(rows[1][3]), 2, 1e-12);
  // The trace with weights is drawn.
  const auto plot = mercer({"plot", dir / "t.csv", "--kind", "trace", "-o", dir / "t.svg"});
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
}

TEST_F(CliLearnTheorem, M_T7_exported_components_are_a_start) {
  ASSERT_EQ(mercer({"fit", data_file("iris.csv"), "--label", "species", "-k", "3", "-q", "-o",
                    dir / "iris.st"})
                .exit_code,
            0);
  std::string by_numbers;
  for (const std::string& name : {"w.csv", "w.tsv", "w.npy", "r.csv"}) {
    const std::string style = name == "r.csv" ? "r" : "mercer";
    ASSERT_EQ(mercer({"export", dir / "iris.st", "--what", "components", "--names", style, "-o",
                      dir / name})
                  .exit_code,
              0);
    for (const char* k : {"1", "3"}) {
      const auto run = mercer(iris({"--start", dir / name, "-k", k, "--rate", "constant(1e-9)",
                                    "--epochs", "1", "-o", dir / "again.st"}));
      ASSERT_EQ(run.exit_code, 0) << name << run.err;
      const auto exported = mercer({"export", dir / "again.st", "--what", "components"});
      const auto first = split(exported.out, '\n'), all = split(slurp(dir / "w.csv"), '\n');
      for (std::size_t j = 1; j <= std::stoul(k); ++j) expect_near(first.at(j), all.at(j), 1e-6);
    }
  }
  // Fewer components than are learned, and other columns.
  expect_error(mercer(iris({"--start", dir / "w.csv", "-k", "4", "--rule", "gha"})), 2,
               {"--start", "3", "4"});
  expect_error(mercer(iris({"--start", dir.file("bad.csv", "n,a,b\np,1,x\n")})), 1, {"bad.csv"});
}

TEST_F(CliLearnTheorem, M_T7_a_bad_start_is_one_line) {
  const auto refused = [&](const std::string& start, const std::vector<std::string>& words) {
    expect_error(mercer(iris({"--rule", "oja", "--start", start})), 2, words);
  };
  refused("0,0,0,0", {"--start", "all 0"});
  refused("1e-200,0,0,0", {"--start", "length 1e-200; give a length from 1e-50 to 1000"});
  refused("nan,1,0,0", {"--start", "weight 1 of component 1 is nan"});
  refused("1,0", {"--start has 2 numbers per component, the rows have 4 features"});
  refused("1,0,0,0;1,1", {"4 and 2 numbers"});
  refused("1,0,0,0;1,1,0,0", {"2 rows of weights for -k 1"});
  refused("random(norm=0)", {"random(norm=A)"});
  refused("nothing.csv", {"neither random", "nor a file"});
  expect_error(mercer(iris({"--start", dir.file("h.csv", "a,b,c,d\n1,,0,0\n")})), 1,
               {"h.csv", "line 2"});
  expect_error(mercer(iris({"--start", "1,0,0,0", "--rule", "ccipca"})), 2, {"--start", "ccipca"});
  expect_error(mercer(iris({"--trace-weights"})), 2, {"--trace-weights requires --trace"});
  const std::string file = dir.file("w.csv", "1,0,0,0\n");
  expect_error(mercer(iris({"--start", file, "--trace", file})), 2, {"--start", "--trace"});
  EXPECT_EQ(slurp(file), "1,0,0,0\n");
}

TEST_F(CliLearnTheorem, M_T8_two_rules_on_the_same_rows) {
  const auto gap = [&](const std::string& rate) {
    const auto run = mercer(wine({"--compare", "hebb-normalized,oja", "--rate", rate, "--json"}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out)["comparison"];
  };
  const Json coarse = gap("constant(0.0002)"), fine = gap("constant(0.0001)");
  EXPECT_NEAR(coarse["mean_gap_per_step"].get<double>() / fine["mean_gap_per_step"].get<double>(),
              4, 0.2);
  EXPECT_EQ(fine["steps"], 178);
  const auto shown = mercer(wine({"--compare", "hebb-normalized,oja", "--rate", "constant(0.001)",
                                  "--trace", dir / "gap.csv"}));
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("gap per step  mean"));
  EXPECT_THAT(slurp(dir / "gap.csv"),
              testing::StartsWith("step,time,eta,gap_per_step,gap,first_norm,second_norm\n1,"));
  expect_error(mercer(wine({"--compare", "oja"})), 2, {"--compare 'oja' is not two rules"});
  expect_error(mercer(wine({"--compare", "oja,hebbb"})), 2, {"hebbb"});
  expect_error(mercer(wine({"--compare", "oja,gha", "-o", dir / "m.st"})), 2,
               {"--compare and --output are mutually exclusive"});
}

TEST_F(CliLearnTheorem, M_T7_a_run_that_diverges_leaves_its_trace_and_plot) {
  for (const char* theory : {"--theory", "--no-plot"}) {
    const auto run = mercer(wine({"--rule", "hebb", "--rate", "constant(0.01)", "--plot",
                                  dir / "p.svg", "--trace", dir / "t.csv", theory}));
    expect_error(run, 1, {"unbounded", "--limit 1", "no rate bounds it"});
    const auto rows = cells(slurp(dir / "t.csv"));
    EXPECT_GT(number(rows.back()[3]), 1e5);  // up to the end
    const std::string svg = slurp(dir / "p.svg");
    EXPECT_THAT(svg, HasSubstr("Norm and e^(λ1 t)"));
    std::remove((dir / "p.svg").c_str());
  }
  const auto wild = mercer(wine({"--rule", "oja", "--rate", "constant(5)", "--plot", dir / "p.svg",
                                 "--trace", dir / "t.csv"}));
  expect_error(wild, 1, {"diverge", "--limit 1", "--rate auto"});
  EXPECT_THAT(slurp(dir / "p.svg"), HasSubstr("<svg"));
}

TEST_F(CliLearnTheorem, M_T5_with_a_limit_the_textbook_rate_works_on_wine) {
  // Without it, 1/n begins with steps that are too long for rows of 13 z-scores.
  for (const int seed : {1, 2, 3, 4}) {
    const auto run = mercer(wine({"--rule", "oja", "--rate", "1/n", "--limit", "1", "--epochs",
                                  "100", "--theory", "--seed", std::to_string(seed), "--json"}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const double angle = Json::parse(run.out)["learning"]["theory"]["angles"][0];
    EXPECT_LT(angle, seed == 1 ? 0.01 : 0.03) << seed;
  }
}

TEST_F(CliLearnTheorem, M_T7_variances_have_the_divisor_of_fit_on_request) {
  const auto variance = [&](std::vector<std::string> words) {
    words.push_back("--json");
    const auto run = mercer(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out);
  };
  const Json exact = variance({"fit", data_file("iris.csv"), "--label", "species", "-k", "1"});
  const Json learned = variance(iris({"--ddof", "1", "--epochs", "50"}));
  EXPECT_EQ(learned["ddof"], 1);
  EXPECT_NEAR(learned["total_variance"].get<double>(), exact["total_variance"].get<double>(), 1e-9);
  const auto shown = mercer(iris({"--ddof", "1", "--epochs", "1"}));
  EXPECT_THAT(shown.out, HasSubstr("variances over N-1"));
  expect_error(mercer(iris({"--ddof", "2"})), 2, {"--ddof"});
}

}  // namespace mercer::test::learn_theorem_test
