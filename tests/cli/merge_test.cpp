// Several files as one table, and several models as one.
#include "cli/support.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace mercer::test::merge_test {

using Json = nlohmann::json;

/// Iris cut into two files, the second with its columns in another order.
struct Halves {
  TempDir dir;
  std::string one, two, all = data_file("iris.csv");

  Halves() {
    const auto rows = cells(slurp(all));
    std::string first, second;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& r = rows[i];
      if (i == 0 || i < 60)
        first += r[0] + "," + r[1] + "," + r[2] + "," + r[3] + "," + r[4] + "\n";
      if (i == 0 || i >= 60)
        second += r[3] + "," + r[4] + "," + r[0] + "," + r[2] + "," + r[1] + "\n";
    }
    one = dir.file("one.csv", first);
    two = dir.file("two.csv", second);
  }
};

Json json_of(const std::vector<std::string>& arguments) {
  const auto run = mercer(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return Json::parse(run.out);
}

void expect_same_model(const Json& a, const Json& b) {
  EXPECT_EQ(a["n_samples"], b["n_samples"]);
  EXPECT_EQ(a["feature_names"], b["feature_names"]);
  ASSERT_EQ(a["eigenvalues"].size(), b["eigenvalues"].size());
  for (std::size_t i = 0; i < a["eigenvalues"].size(); ++i)
    EXPECT_NEAR(a["eigenvalues"][i].get<double>(), b["eigenvalues"][i].get<double>(),
                1e-11 * b["eigenvalues"][0].get<double>());
  EXPECT_NEAR(a["total_variance"].get<double>(), b["total_variance"].get<double>(), 1e-12);
}

TEST(CliParts, several_files_are_fitted_as_one_table) {
  const Halves h;
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{}, {"--scale", "std"}, {"--solver", "svd"}}) {
    std::vector<std::string> parts = {"fit", h.one, h.two, "--label", "species", "--json"};
    std::vector<std::string> whole = {"fit", h.all, "--label", "species", "--json"};
    parts.insert(parts.end(), flags.begin(), flags.end());
    whole.insert(whole.end(), flags.begin(), flags.end());
    expect_same_model(json_of(parts), json_of(whole));
  }
}

TEST(CliParts, scores_come_in_the_order_of_the_files_with_their_labels) {
  const Halves h;
  const std::string a = h.dir / "a.csv", b = h.dir / "b.csv";
  ASSERT_EQ(
      mercer({"fit", h.one, h.two, "--label", "species", "-k", "2", "--scores", a, "-q"}).exit_code,
      0);
  ASSERT_EQ(mercer({"fit", h.all, "--label", "species", "-k", "2", "--scores", b, "-q"}).exit_code,
            0);
  expect_near(slurp(a), slurp(b), 1e-10);
}

TEST(CliParts, kernels_take_them_too_and_one_may_be_standard_input) {
  const Halves h;
  const std::vector<std::string> tail = {"--label", "species", "--kernel", "rbf(gamma=0.5)",
                                         "-k",      "3",       "--json"};
  std::vector<std::string> parts = {"fit", "-", h.two}, whole = {"fit", h.all};
  parts.insert(parts.end(), tail.begin(), tail.end());
  whole.insert(whole.end(), tail.begin(), tail.end());
  const auto run = mercer(parts, {.input = slurp(h.one)});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  expect_same_model(Json::parse(run.out), json_of(whole));
}

TEST(CliParts, files_larger_than_the_budget_are_streamed_and_the_passes_are_stated) {
  const TempDir dir;
  const auto value = [](long i, long j) {
    const double t = static_cast<double>(i % 997) * 0.37 * static_cast<double>(j + 1);
    return 3 + std::sin(t) / static_cast<double>(j + 1);
  };
  const std::string one = dir.file("1.npy", npy(60000, 48, value));
  const std::string two =
      dir.file("2.npy", npy(50000, 48, [&](long i, long j) { return value(i + 60000, j); }));
  const std::string all = dir.file("all.npy", npy(110000, 48, value));
  const Json whole = json_of({"fit", all, "-k", "4", "--json"});
  const Json parts = json_of({"fit", one, two, "-k", "4", "--json", "--memory", "24MiB"});
  expect_same_model(parts, whole);
  EXPECT_EQ(parts["solver"]["passes"], 1);
  const auto run = mercer({"fit", two, one, "-k", "4", "--memory", "24MiB", "--solver",
                           "randomized", "--tolerance", "1e-7", "--no-plot"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("2.npy and 1 more"));
  EXPECT_THAT(run.out, testing::ContainsRegex("randomized, [0-9]+ passes"));
}

TEST(CliParts, a_wrong_part_is_named) {
  const Halves h;
  const std::string other = h.dir.file("other.csv", "sepal_length,color,species\n1,2,x\n");
  expect_error(mercer({"fit", h.one, other, "--label", "species"}), 1,
               {"one.csv", "other.csv", "'sepal_width'"});
  const std::string hole = h.dir.file("hole.csv", "1,2\n3,\n");
  const std::string full = h.dir.file("full.csv", "1,2\n3,4\n");
  const auto run = mercer({"fit", full, hole});
  expect_error(run, 1, {"hole.csv", "line 2"});
  EXPECT_EQ(run.err.find("full.csv"), std::string::npos) << run.err;
  expect_error(mercer({"fit", full, h.dir / "none.csv"}), 1, {"none.csv"});
}

TEST(CliMerge, models_with_all_components_give_the_fit_of_all_rows) {
  const Halves h;
  const std::string one = h.dir / "one.st", two = h.dir / "two.st", both = h.dir / "both.st";
  ASSERT_EQ(mercer({"fit", h.one, "--label", "species", "-o", one, "-q"}).exit_code, 0);
  ASSERT_EQ(mercer({"fit", h.two, "--label", "species", "-o", two, "-q"}).exit_code, 0);
  const auto run = mercer({"merge", one, two, "-o", both});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("made of 2 models, exact to rounding"));
  const Json merged = json_of({"inspect", both, "--json"});
  expect_same_model(merged, json_of({"fit", h.all, "--label", "species", "--json"}));
  EXPECT_EQ(merged["merged"]["models"], 2);
  EXPECT_EQ(merged["merged"]["missing_variance"], 0);
  EXPECT_EQ(merged["label"], "species");
  EXPECT_THAT(mercer({"inspect", both}).out, testing::HasSubstr("made of 2 models"));
  // And it is a model like any other.
  EXPECT_EQ(mercer({"transform", both, h.all, "-o", h.dir / "s.csv"}).exit_code, 0);
}

TEST(CliMerge, truncated_models_say_what_may_be_missing_and_float_meets_double) {
  const Halves h;
  const std::string one = h.dir / "one.st", two = h.dir / "two.st";
  ASSERT_EQ(mercer({"fit", h.one, "--label", "species", "-k", "2", "-o", one, "-q"}).exit_code, 0);
  ASSERT_EQ(mercer({"fit", h.two, "--label", "species", "-k", "2", "-o", two, "-q", "--precision",
                    "float"})
                .exit_code,
            0);
  const Json merged = json_of({"merge", one, two, "-k", "3", "--json"});
  const Json truth = json_of({"fit", h.all, "--label", "species", "--json"});
  const double gap = merged["merged"]["missing_variance"];
  EXPECT_GT(gap, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    const double low = merged["explained_variance"][i], exact = truth["explained_variance"][i];
    EXPECT_LE(low, exact + 1e-6);  // float has seven digits
    EXPECT_LE(exact, low + gap + 1e-6);
  }
  EXPECT_EQ(merged["precision"], "double");
  EXPECT_THAT(mercer({"merge", one, two}).out,
              testing::HasSubstr("larger; the total is that of all"));
}

TEST(CliMerge, refuses_in_one_line) {
  const Halves h;
  const auto model = [&](const std::string& name, std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"fit", h.one, "--label", "species", "-o", h.dir / name, "-q"});
    const auto run = mercer(flags);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return h.dir / name;
  };
  const std::string plain = model("plain.st", {});
  const std::string rbf = model("rbf.st", {"--kernel", "rbf(gamma=1)", "-k", "2"});
  const std::string wide = model("wide.st", {"--kernel", "rbf(gamma=2)", "-k", "2"});
  const std::string fewer = model("fewer.st", {"--exclude", "petal_width"});
  const std::string out = h.dir / "out.st";
  expect_error(mercer({"merge", rbf, wide, "-o", out}), 2,
               {"rbf.st", "wide.st", "rbf(gamma=1)", "rbf(gamma=2)"});
  expect_error(mercer({"merge", plain, rbf, "-o", out}), 2, {"plain.st", "rbf.st", "linear PCA"});
  expect_error(mercer({"merge", plain, fewer, "-o", out}), 1,
               {"plain.st", "fewer.st", "'petal_width'"});
  expect_error(mercer({"merge", plain, "-o", out}), 2, {"two models or more, not 1"});
  const std::string bytes = slurp(plain);
  const std::string cut = h.dir.file("cut.st", bytes.substr(0, bytes.size() - 9));
  expect_error(mercer({"merge", plain, cut, "-o", out}), 1, {"cut.st", "truncated"});
  std::string flipped = bytes;
  flipped[flipped.size() - 3] ^= 1;
  expect_error(mercer({"merge", h.dir.file("flipped.st", flipped), plain, "-o", out}), 1,
               {"flipped.st", "damaged"});
  expect_error(mercer({"merge", plain, plain, "--json", "-o", "-"}), 2, {"--json"});
  const auto left = h.dir.list();
  EXPECT_EQ(std::count(left.begin(), left.end(), "out.st"), 0);
}

}  // namespace mercer::test::merge_test
