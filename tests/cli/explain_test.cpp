// `fit --explain`: the plan, and nothing else; what was planned is what a fit takes.
#include "support.hpp"

#include <mercer/data.hpp>
#include <mercer/model.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <tuple>

namespace mercer::test::explain_test {

using Json = nlohmann::json;

class CliExplain : public testing::Test {
 protected:
  std::string data(const std::string& name, Index rows, Index columns) const {
    const std::string file = dir / name;
    std::vector<std::string> names;
    for (Index j = 0; j < columns; ++j) names.push_back("x" + std::to_string(j));
    Sink<double> sink(file, names);
    sink.write(Matrix<double>::NullaryExpr(rows, columns, [](Index i, Index j) {
      const auto t = static_cast<double>(i % 9973) * 0.37 + static_cast<double>(j);
      return std::sin(t * t) * static_cast<double>(j % 5 + 1);
    }));
    sink.close();
    return file;
  }
  TempDir dir;
};

TEST_F(CliExplain, M_L7_the_plan_is_printed_and_nothing_is_fitted_or_written) {
  const std::string file = data("rows.csv", 600, 4);
  const auto text = mercer({"fit", file, "--kernel", "rbf(gamma=0.1)", "-k", "3", "--explain", "-o",
                            dir / "m.st", "--scores", dir / "s.csv", "--memory", "1GiB"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  for (const char* part :
       {"600 rows of 4 columns", "chosen", "krylov", "flops", "rejected", "dense", "may be used"})
    EXPECT_THAT(text.out, testing::HasSubstr(part));
  EXPECT_FALSE(std::filesystem::exists(dir / "m.st"));
  EXPECT_FALSE(std::filesystem::exists(dir / "s.csv"));

  const auto run = mercer({"fit", file, "--kernel", "rbf(gamma=0.1)", "-k", "3", "--explain",
                           "--json", "--memory", "1GiB"});
  const Json plan = Json::parse(run.out);
  EXPECT_EQ(plan["method"], "krylov");
  EXPECT_EQ(plan["n_samples"], 600);
  EXPECT_EQ(plan["budget_bytes"].get<double>(), std::pow(2.0, 30) - 600.0 * 4 * 8);
  EXPECT_GT(plan["bytes"].get<double>(), 0);
  EXPECT_EQ(plan["rejected"].size(), 1u);
}

TEST_F(CliExplain, M_L7_refusals_name_flags) {
  const std::string file = data("rows.npy", 3000, 4);
  const auto run = mercer(
      {"fit", file, "--kernel", "rbf", "--solver", "dense", "--memory", "64MiB", "--explain"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("impossible: --solver dense needs"));
  expect_error(mercer({"fit", file, "-k", "0", "--explain"}), 2, {"--components"});
}

TEST_F(CliExplain, M_L7_what_a_fit_refuses_is_not_planned) {
  const std::string file = data("rows.csv", 60, 4), square = data("k.csv", 4, 4);
  const std::string weighted = dir.file("w.csv", "a,b,w\n1,2,1\n2,1,2\n4,3,1\n5,1,1\n");
  std::vector<std::vector<std::string>> refused = {
      {file, "--map", "squares", "--missing", "em", "-k", "2"},
      {weighted, "--weights", "w", "-k", "gavish-donoho"}};
  for (const char* k : {"minka", "gavish-donoho"}) {
    refused.push_back({file, "--kernel", "rbf", "-k", k});
    refused.push_back({file, "--map", "squares", "-k", k});
    refused.push_back({square, "--precomputed", "-k", k});
  }
  for (std::vector<std::string> words : refused) {
    words.insert(words.begin(), "fit");
    words.emplace_back("-q");
    const auto fitted = mercer(words);
    expect_error(fitted, 2, {});
    words.emplace_back("--explain");
    const auto planned = mercer(words);
    expect_error(planned, 2, {});
    EXPECT_EQ(planned.err, fitted.err);
  }
}

TEST_F(CliExplain, M_L7_krylov_for_all_components_is_refused_before_it_starts) {
  const std::string file = data("rows.npy", 3000, 4);
  std::vector<std::string> fit = {"fit", file,  "--kernel", "rbf",   "--solver", "krylov",
                                  "-k",  "all", "--memory", "64MiB", "-q"};
  // "…; at least 812 MiB are needed": by plan and fit alike, and no pass is made.
  const auto run = mercer(fit);
  expect_error(run, 1, {"3000 components of 3000 rows", "; at least ", "--memory"});
  fit.emplace_back("--explain");
  const auto plan = mercer(fit);
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out,
              testing::HasSubstr("impossible: " + run.err.substr(run.err.find("--memory"), 60)));
}

TEST_F(CliExplain, M_L7_planned_passes_are_those_of_the_fit_or_called_an_estimate) {
  const std::string file = data("rows.npy", 3000, 40);
  for (const char* solver : {"covariance", "gram", "svd", "randomized"}) {
    const std::vector<std::string> fit = {"fit", file, "-k", "3", "--solver", solver};
    const auto with = [&](const char* flag) {
      std::vector<std::string> all = fit;
      all.emplace_back(flag);
      return mercer(all).out;
    };
    const Json report = Json::parse(with("--json"));
    const std::string plan = with("--explain");
    const bool about = plan.substr(0, plan.find("\nrejected")).find("about ") != std::string::npos;
    EXPECT_EQ(about, std::string(solver) == "randomized");
    if (!about)
      EXPECT_EQ(report["plan"]["passes"].get<double>(), report["solver"]["passes"].get<double>())
          << solver;
  }
}

TEST_F(CliExplain, M_L7_rows_of_standard_input_are_counted) {
  const std::string file = data("rows.csv", 50, 3);
  const auto run = mercer({"fit", "-", "--explain", "--json"}, {.input = slurp(file)});
  const Json plan = Json::parse(run.out);
  EXPECT_EQ(plan["n_samples"], 50);
  EXPECT_EQ(plan["method"], "covariance");
}

TEST_F(CliExplain, M_L7_a_model_has_its_plan_without_what_depends_on_the_machine) {
  const std::string file = data("rows.csv", 600, 4), one = dir / "1.st", two = dir / "2.st";
  for (const auto& [model, memory, threads] :
       {std::tuple(one, "1GiB", "1"), std::tuple(two, "3GiB", "2")}) {
    const auto run = mercer({"fit", file, "--kernel", "rbf(gamma=0.1)", "-k", "3", "-q", "-o",
                             model, "--memory", memory, "--threads", threads});
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  EXPECT_EQ(slurp(one), slurp(two));
  const Json report = Json::parse(mercer({"inspect", one, "--json"}).out);
  EXPECT_EQ(report["plan"]["method"], "krylov");
  EXPECT_EQ(report["plan"]["rows"], "in memory");
  EXPECT_EQ(report["plan"]["rejected"][0]["method"], "dense");
  EXPECT_FALSE(report["plan"].contains("bytes"));
  EXPECT_THAT(mercer({"inspect", one}).out, testing::HasSubstr("planned: krylov, about 10 passes"));
}

// Predicted bytes are those of the worst case, and the program itself comes on top: a fit takes at
// at most that, and at least two fifths, as not everything is there at once.
TEST_F(CliExplain, M_L7_predicted_bytes_are_what_a_fit_takes_within_a_factor_of_two_and_a_half) {
  struct Case {
    Index rows, columns;
    std::vector<std::string> flags;
  };
  const std::vector<Case> cases = {
      {1600, 3, {"--kernel", "rbf(gamma=0.5)", "--solver", "dense", "-k", "3"}},
      {5000, 3, {"--kernel", "rbf(gamma=0.5)", "-k", "3"}},
      {1500, 1000, {"--solver", "covariance", "-k", "5"}},
      {1200, 2500, {"--solver", "gram", "-k", "5"}}};
  constexpr double program = 30 << 20;
  for (const Case& c : cases) {
    const std::string file = data("rows.npy", c.rows, c.columns);
    const auto run_with = [&](std::vector<std::string> more) {
      std::vector<std::string> command = {"fit", file, "--memory", "1GiB", "--threads", "2"};
      command.insert(command.end(), c.flags.begin(), c.flags.end());
      command.insert(command.end(), more.begin(), more.end());
      return mercer(command);
    };
    const double planned =
        Json::parse(run_with({"--explain", "--json"}).out)["bytes"].get<double>();
    const auto run = run_with({"-q"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const double rows = static_cast<double>(c.rows * c.columns) * 8;  // mapped
    const double taken = static_cast<double>(run.peak_kib) * 1024;
    EXPECT_LE(taken, planned + rows + program) << c.flags[1];
    EXPECT_GE(taken, planned / 2.5) << c.flags[1];
  }
}

TEST_F(CliExplain, M_D2_scores_of_a_fit_are_those_of_its_eigenvectors_with_labels_and_ids) {
  std::string csv = "id,a,b,class\n";
  for (int i = 0; i < 300; ++i)
    csv += fmt::format("r{},{},{},{}\n", i, std::sin(i * i), std::cos(3.0 * i), i % 3);
  dir.file("rows.csv", csv);
  const std::vector<std::string> fit = {"fit",
                                        dir / "rows.csv",
                                        "--label",
                                        "class",
                                        "--id",
                                        "id",
                                        "--kernel",
                                        "rbf(gamma=0.5)",
                                        "-k",
                                        "3",
                                        "-o",
                                        dir / "m.st",
                                        "-q",
                                        "--scores",
                                        dir / "scores.csv"};
  ASSERT_EQ(mercer(fit).exit_code, 0);
  ASSERT_EQ(mercer({"transform", dir / "m.st", dir / "rows.csv", "-q", "-o", dir / "again.csv"})
                .exit_code,
            0);
  const std::string scores = slurp(dir / "scores.csv");
  expect_near(scores, slurp(dir / "again.csv"), 1e-8);
  const Matrix<double> known = Model<double>::load(dir / "m.st").training_scores();
  const auto rows = cells(scores);
  ASSERT_EQ(rows.size(), 301u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"id", "class", "pc1", "pc2", "pc3"}));
  for (Index i = 0; i < 300; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i + 1)];
    EXPECT_EQ(row[0], fmt::format("r{}", i));
    EXPECT_EQ(row[1], fmt::format("{}", i % 3));
    for (Index j = 0; j < 3; ++j)
      EXPECT_EQ(number(row[static_cast<std::size_t>(j + 2)]), known(i, j));  // bit by bit
  }
}

TEST_F(CliExplain, a_long_fit_says_so_before_it_starts) {
  // 2.4·N·m² flops are 1.1e13; it is stopped before it is half done.
  const std::string file = data("long.npy", 1000000, 1);
  std::vector<std::string> command = {"fit",      file,  "--kernel", "rbf(gamma=1)",
                                      "-k",       "3",   "--approx", "nystrom(landmarks=2100)",
                                      "--memory", "1GiB"};
  const auto note = [&](const RunOptions& options) { return mercer(command, options).err; };
  const RunOptions stopped{.signal = SIGINT, .signal_after_ms = 300};
  EXPECT_THAT(note(stopped), testing::HasSubstr("mercer: note: nystrom(landmarks=2100, by=uniform) "
                                                "takes about 1.1e+13 flops"));
  command.push_back("-q");
  EXPECT_EQ(note(stopped).find("note"), std::string::npos);
}

TEST_F(CliExplain, M_L7_an_estimated_number_of_rows_is_called_so) {
  const std::string file = data("rows.csv", 40'000, 20);
  const auto planned = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"fit", file, "-k", "3", "--explain"});
    const auto run = mercer(more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  };
  // 6 MiB of rows: streamed in 8, in memory in 64.
  const std::string text = planned({"--memory", "8MiB"});
  EXPECT_TRUE(text.starts_with("about ")) << text;
  EXPECT_THAT(text, testing::HasSubstr("(estimated from the size of the file)"));
  const Json json = Json::parse(planned({"--memory", "8MiB", "--json"}));
  EXPECT_EQ(json["n_samples_estimated"], true);
  EXPECT_NEAR(json["n_samples"].get<double>(), 40'000, 4'000);
  EXPECT_TRUE(planned({"--memory", "64MiB"}).starts_with("40000 rows of 20 columns"));
  EXPECT_EQ(Json::parse(planned({"--memory", "64MiB", "--json"}))["n_samples_estimated"], false);
}

TEST_F(CliExplain, M_L7_numbers_chosen_from_all_components_are_planned_with_all) {
  const std::string tall = data("tall.npy", 4000, 300), wide = data("wide.npy", 300, 4000);
  const auto bytes = [](const std::string& file, const char* k) {
    const auto run = mercer({"fit", file, "-k", k, "--explain", "--json", "--memory", "1GiB"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out)["bytes"].get<double>();
  };
  EXPECT_EQ(bytes(tall, "minka"), bytes(tall, "all"));
  EXPECT_EQ(bytes(wide, "gavish-donoho"), bytes(wide, "all"));
  EXPECT_LT(bytes(wide, "5"), bytes(wide, "all"));
}

}  // namespace mercer::test::explain_test
