// mercer learn: model, trace, picture and words.

#include "cli/support.hpp"

#include <fmt/format.h>
#include <mercer/data.hpp>
#include <mercer/model.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace mercer::test::learn_test {

using Json = nlohmann::json;
using testing::HasSubstr;

class CliLearn : public testing::Test {
 protected:
  std::vector<std::string> iris(std::vector<std::string> more) const {
    std::vector<std::string> all = {"learn", data_file("iris.csv"), "--label", "species"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  TempDir dir;
};

TEST_F(CliLearn, M_E4_learns_what_fit_finds) {
  ASSERT_EQ(mercer(iris({"--rule", "gha", "-k", "2", "-q", "-o", dir / "a.st"})).exit_code, 0);
  ASSERT_EQ(mercer({"fit", data_file("iris.csv"), "--label", "species", "-k", "2", "-q", "-o",
                    dir / "b.st"})
                .exit_code,
            0);
  const auto a = Model<double>::load(dir / "a.st"), b = Model<double>::load(dir / "b.st");
  EXPECT_EQ(a.feature_names(), b.feature_names());
  EXPECT_EQ(a.label_column(), "species");
  EXPECT_EQ(a.report().method, "gha");
  EXPECT_EQ(a.report().n_samples, 150);
  // The gap behind the second is 4 % of λ₁: of what it lacked at first, e^{-(λ₂-λ₃)t} is left.
  EXPECT_GT(std::abs(a.components().row(0).dot(b.components().row(0))), std::cos(0.5 * M_PI / 180));
  EXPECT_GT(std::abs(a.components().row(1).dot(b.components().row(1))), std::cos(1.5 * M_PI / 180));
  EXPECT_NEAR(a.explained_variance_ratio()[0], b.explained_variance_ratio()[0], 0.02);
}

TEST_F(CliLearn, weights_are_those_of_fit) {
  std::string rows = "a,b,c,w\n";
  for (int i = 0; i < 200; ++i)
    rows += fmt::format("{},{},{},{}\n", (i % 2) * (i % 11 - 5), (1 - i % 2) * (i % 13 - 6),
                        0.1 * (i % 7), i % 2 == 0 ? 0.25 : 4);
  const std::string data = dir.file("rows.csv", rows);
  const std::vector<std::string> words = {data, "--weights", "w", "-k", "2", "-q"};
  const auto run = [&](const std::string& command, std::vector<std::string> more) {
    std::vector<std::string> all = {command};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), more.begin(), more.end());
    return mercer(all);
  };
  ASSERT_EQ(run("fit", {"-o", dir / "b.st"}).exit_code, 0);
  const auto b = Model<double>::load(dir / "b.st");
  // In epochs from memory, and once as they come.
  const std::vector<std::string> orders[] = {{"--epochs", "40"},
                                             {"--order", "as-it-comes", "--epochs", "40"}};
  for (const auto& order : orders) {
    std::vector<std::string> more = {"-o", dir / "a.st"};
    more.insert(more.end(), order.begin(), order.end());
    const auto learned = run("learn", more);
    ASSERT_EQ(learned.exit_code, 0) << learned.err;
    const auto a = Model<double>::load(dir / "a.st");
    EXPECT_EQ(a.feature_names(), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_TRUE(a.report().weighted);
    EXPECT_NEAR(a.report().weight, b.report().weight, 1e-9);
    EXPECT_LT((a.mean() - b.mean()).norm(), 1e-9);
    EXPECT_GT(std::abs(a.components().row(0).dot(b.components().row(0))), std::cos(2 * M_PI / 180));
  }
  const std::string bad = dir.file("bad.csv", "a,w\n1,1\n2,x\n");
  expect_error(mercer({"learn", bad, "--weights", "w"}), 1, {"bad.csv", "line 3", "weight"});
}

TEST_F(CliLearn, M_E8_trace_and_theory) {
  const auto run =
      mercer(iris({"--rule", "oja", "--theory", "--epochs", "3", "--trace-every", "50", "--trace",
                   dir / "t.csv", "--plot", dir / "p.svg", "-o", dir / "m.st"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("150 rows x 4 columns"));
  EXPECT_THAT(run.out, HasSubstr("3 epochs, shuffled; all rows learned"));
  EXPECT_THAT(run.out, HasSubstr("degrees from the exact component"));
  EXPECT_THAT(run.out, HasSubstr("distance from the ODE: mean"));
  EXPECT_THAT(run.out, HasSubstr("Lyapunov function (log10)"));
  EXPECT_EQ(dir.list(), (std::vector<std::string>{"m.st", "p.svg", "t.csv"}));
  const auto rows = cells(slurp(dir / "t.csv"));
  ASSERT_EQ(rows.size(), 1u + 9);
  EXPECT_THAT(slurp(dir / "t.csv"),
              testing::StartsWith("step,time,eta,norm,output_variance,rayleigh,lyapunov,theta_1,"
                                  "ode_theta_1,angle_1,theta_2,ode_theta_2,angle_2,"));
  EXPECT_EQ(rows[1][0], "50");
  EXPECT_EQ(rows[9][0], "450");
  EXPECT_THAT(slurp(dir / "p.svg"), HasSubstr("<svg"));

  const auto npy =
      mercer(iris({"--trace", dir / "t.npy", "--epochs", "1", "--trace-every", "30", "-q"}));
  ASSERT_EQ(npy.exit_code, 0) << npy.err;
  EXPECT_EQ(read<double>(dir / "t.npy").x.cols(), 7);
  EXPECT_EQ(read<double>(dir / "t.npy").x.rows(), 5);
}

TEST_F(CliLearn, json_has_the_model_and_the_run) {
  const auto run =
      mercer(iris({"--rule", "gha", "-k", "2", "--theory", "--epochs", "20", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["method"], "gha");
  EXPECT_EQ(json["n_components"], 2);
  EXPECT_EQ(json["solver"]["passes"], 20);
  const Json& learning = json["learning"];
  EXPECT_EQ(learning["steps"], 3000);
  EXPECT_EQ(learning["order"], "shuffled");
  EXPECT_EQ(learning["stop"], "end");
  EXPECT_TRUE(learning["convergence"]["text"].is_string());
  EXPECT_EQ(learning["theory"]["angles"].size(), 2u);
  EXPECT_GT(learning["theory"]["mean_gap"].get<double>(), 0);
}

TEST_F(CliLearn, M_E5_explains_a_rate_without_data) {
  const auto good = mercer({"learn", "--explain-rate", "--rate", "power(c=1,t0=100,a=0.75)"});
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.out, HasSubstr("a Robbins-Monro schedule"));
  const auto bad = mercer({"learn", "--explain-rate", "--rate", "constant(0.1)"});
  EXPECT_EQ(bad.exit_code, 0);
  EXPECT_THAT(bad.out, HasSubstr("not a Robbins-Monro schedule"));
  EXPECT_THAT(bad.out, HasSubstr("  no   "));
  EXPECT_THAT(bad.out, HasSubstr("approaches the solution without converging"));
  const auto short_run = mercer({"learn", "--explain-rate", "--rate", "power(c=1,t0=1,a=2)"});
  EXPECT_THAT(short_run.out, HasSubstr("the run stops wherever they end"));
  EXPECT_EQ(short_run.out.find("approaches"), std::string::npos);
}

TEST_F(CliLearn, M_E5_a_rate_with_forgetting_is_no_robbins_monro_schedule) {
  for (const char* rate : {"1/n", "power(c=1,t0=1,a=2)"}) {
    const auto run = mercer({"learn", "--explain-rate", "--rate", rate, "--forget", "0.01"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("  no   η → 0: --forget 0.01 keeps it from falling to 0"));
    EXPECT_THAT(run.out, HasSubstr("  yes  Ση = ∞"));
    EXPECT_THAT(run.out, HasSubstr("approaches the solution without converging"));
  }
  expect_error(mercer({"learn", "--explain-rate", "--forget", "1"}), 2, {"--forget 1", "below 1"});
}

TEST_F(CliLearn, until_stops) {
  const auto run = mercer(iris({"--until", "1deg", "--epochs", "1000", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["learning"]["stop"], "converged");
  EXPECT_LT(json["learning"]["epochs"].get<int>(), 1000);
}

TEST_F(CliLearn, M_P7_not_moving_and_converged_are_different_states) {
  const auto report = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--rule", "oja", "--json"});
    const auto run = mercer(iris(more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out);
  };
  const Json still = report({"--rate", "constant(1e-9)"});
  EXPECT_EQ(still["learning"]["convergence"]["state"], "not moving");
  EXPECT_EQ(still["learning"]["convergence"]["converged"], false);
  EXPECT_EQ(still["learning"]["stop"], "not moving");
  EXPECT_EQ(still["solver"]["converged"], false);
  const Json there = report({});
  EXPECT_EQ(there["learning"]["convergence"]["state"], "converged");
  EXPECT_EQ(there["solver"]["converged"], true);
  EXPECT_LE(there["learning"]["convergence"]["angle"].get<double>(), 2);
}

TEST_F(CliLearn, M_P7_a_run_that_until_stops_while_it_moves_is_not_called_still) {
  const auto run = mercer(iris({"--rule", "oja", "--rate", "constant(0.05)", "--until", "20deg",
                                "--epochs", "50", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json learning = Json::parse(run.out)["learning"];
  ASSERT_EQ(learning["convergence"]["state"], "moving") << learning["convergence"]["text"];
  EXPECT_EQ(learning["stop"], "until");
}

TEST_F(CliLearn, rates_beyond_all_bounds_end_at_once_and_write_only_numbers) {
  for (const char* rule : {"hebb", "gha", "ccipca", "block-oja"})
    for (const char* rate : {"constant(1e6)", "constant(1e300)"}) {
      const std::string path = dir / (std::string(rule) + rate);
      const auto run =
          mercer(iris({"--rule", rule, "--rate", rate, "--epochs", "2", "--theory", "--trace",
                       path + ".csv", "--trace-every", "1", "--plot", path + ".svg", "-q"}));
      EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 1) << run.err;
      for (const char* end : {".csv", ".svg"}) {
        const std::string text = std::filesystem::exists(path + end) ? slurp(path + end) : "";
        for (const char* word : {"nan", "NaN", ",inf", "\"inf", " inf", "-inf"})
          EXPECT_EQ(text.find(word), std::string::npos) << rule << rate << end << word;
      }
    }
  const auto wild = mercer(iris({"--rate", "constant(1e6)", "--epochs", "1000000000"}));
  expect_error(wild, 1, {"diverge", "--rate auto"});
}

TEST_F(CliLearn, M_E6_limit_bounds_every_weight) {
  const auto run = mercer(iris({"--rule", "hebb", "--limit", "0.5", "--epochs", "20", "--rate",
                                "constant(0.01)", "--trace", dir / "t.csv", "-q"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const auto& row : cells(slurp(dir / "t.csv")))
    if (row[0] != "step") EXPECT_LE(number(row[3]), 1.0 + 1e-12);  // 4 weights of at most 0.5
}

TEST_F(CliLearn, M_E1_plain_hebb_is_stopped_and_its_trace_shows_why) {
  const auto run = mercer(iris(
      {"--rule", "hebb", "--trace-every", "10", "-o", dir / "m.st", "--trace", dir / "t.csv"}));
  expect_error(run, 1, {"plain Hebb is unbounded", "lambda_1"});
  EXPECT_EQ(dir.list(), std::vector<std::string>{"t.csv"});
  EXPECT_GT(number(cells(slurp(dir / "t.csv")).back()[3]), 1e4);
}

TEST_F(CliLearn, kernels_maps_z_scores_and_known_means) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--kernel", "rbf(gamma=0.2)", "--landmarks", "40"},
        {"--kernel", "rbf"},
        {"--map", "squares"},
        {"--scale", "std"},
        {"--mean", "none"},
        {"--mean", dir.file("mean.csv", "a,b,c,d\n5.8,3,3.7,1.2\n")},
        {"--rule", "block-oja", "--batch", "10"},
        {"--rule", "ccipca", "--forget", "0.001"},
        {"--order", "as-it-comes"}}) {
    std::vector<std::string> all = iris({"-k", "2", "--epochs", "3", "-q", "-o", dir / "m.st"});
    all.insert(all.end(), more.begin(), more.end());
    const auto run = mercer(all);
    ASSERT_EQ(run.exit_code, 0) << more[0] << more[1] << run.err;
    const auto scores = mercer({"transform", dir / "m.st", data_file("iris.csv")});
    ASSERT_EQ(scores.exit_code, 0) << more[0] << scores.err;
    EXPECT_EQ(cells(scores.out).size(), 151u);
  }
}

TEST_F(CliLearn, M_E4_kernels_are_learned_from_all_rows_or_from_landmarks) {
  const auto method = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--kernel", "rbf(gamma=0.2)", "-k", "2", "--epochs", "2", "--json"});
    const auto run = mercer(iris(more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out)["method"].get<std::string>();
  };
  EXPECT_EQ(method({}), "kernel-hebbian");
  EXPECT_EQ(method({"--landmarks", "30"}), "gha");
  EXPECT_EQ(method({"--trace", dir / "t.csv", "--checkpoint", dir / "c"}), "kernel-hebbian");
  EXPECT_EQ(read<double>(dir / "t.csv").x.cols(), 7);
  expect_error(mercer(iris({"--kernel", "rbf", "--theory"})), 2, {"theory", "landmarks"});
  expect_error(mercer(iris({"--kernel", "rbf", "-k", "150"})), 2, {"-k 150", "150 rows"});
}

TEST_F(CliLearn, wine_is_known_to_have_converged_after_a_hundred_epochs) {
  for (const char* seed : {"1", "2", "3"}) {
    const auto run =
        mercer({"learn", data_file("wine.csv"), "--label", "cultivar", "--scale", "std", "-k", "3",
                "--epochs", "100", "--theory", "--json", "--seed", seed});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json learning = Json::parse(run.out)["learning"];
    EXPECT_TRUE(learning["convergence"]["converged"]) << learning["convergence"]["text"];
    for (const Json& angle : learning["theory"]["angles"]) EXPECT_LT(angle.get<double>(), 0.5);
  }
}

TEST_F(CliLearn, model_every_saves_on_the_way) {
  const auto run =
      mercer(iris({"--model-every", "100", "--epochs", "2", "-o", dir / "m.st", "-q"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(dir.list(), std::vector<std::string>{"m.st"});
}

TEST_F(CliLearn, a_terminal_gets_charts_in_braille) {
  const auto run = mercer(iris({"--rule", "oja", "--theory"}),
                          {.environment = {"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=xterm-256color"},
                           .terminal_out = true});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr("⠁"));
  EXPECT_THAT(run.out, HasSubstr("the ODE"));
}

TEST_F(CliLearn, the_same_seed_gives_the_same_bits_for_any_number_of_threads) {
  for (const char* threads : {"1", "2", "3"})
    ASSERT_EQ(mercer(iris({"--rule", "block-oja", "--batch", "20", "-k", "2", "--epochs", "5",
                           "--threads", threads, "-q", "-o", dir / threads}))
                  .exit_code,
              0);
  const auto a = Model<double>::load(dir / "1");
  for (const char* threads : {"2", "3"})
    EXPECT_EQ(Model<double>::load(dir / threads).components(), a.components());
}

TEST_F(CliLearn, explain_rate_answers_in_json_too) {
  const auto run = mercer({"learn", "--explain-rate", "--rate", "1/n", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json.at("rate"), "1/n");
  EXPECT_EQ(json.at("robbins_monro"), true);
  EXPECT_EQ(json.at("conditions").size(), 3u);
}

TEST_F(CliLearn, the_end_of_plain_hebb_has_the_exact_lambda_1_where_theory_knows_it) {
  // Two columns: variances 4 and 1 over 400 rows, by their corners.
  std::string text = "a,b\n";
  for (int i = 0; i < 100; ++i) text += "2,1\n-2,1\n2,-1\n-2,-1\n";
  const std::string file = dir.file("corners.csv", text);
  const auto run = mercer({"learn", file, "--rule", "hebb", "--theory", "-q", "--mean", "none",
                           "--rate", "constant(0.05)"});
  expect_error(run, 1, {"plain Hebb is unbounded", "the exact lambda_1 of the rows is 4)"});
}

}  // namespace mercer::test::learn_test
