// mercer lecture: every worked example, the report, and folders that must not be overwritten.

#include "cli/support.hpp"

#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace mercer::test::lecture_test {

using Json = nlohmann::json;

const std::vector<std::string> names = {"variance-probe",
                                        "two-clouds",
                                        "encode-decode",
                                        "compression",
                                        "hebb-growth",
                                        "oja-normalized",
                                        "gha",
                                        "rings",
                                        "digits",
                                        "conic-to-plane",
                                        "monomials",
                                        "gram",
                                        "circle-to-line",
                                        "polynomial-kernel",
                                        "mercer-condition",
                                        "modes",
                                        "six-conditions"};

/// Names in the list, in order.
std::vector<std::string> listed() {
  std::vector<std::string> found;
  for (const std::string& line : split(mercer({"lecture"}).out, '\n'))
    if (line.starts_with("  ")) found.push_back(split(line.substr(2), ' ').front());
  return found;
}

class CliLecture : public testing::TestWithParam<std::string> {};

TEST_P(CliLecture, M_T10_example_agrees_with_its_lecture) {
  TempDir dir;
  const std::string folder = (dir / "out");
  const auto run = mercer({"lecture", GetParam(), "-o", folder, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json example = Json::parse(run.out);
  EXPECT_GT(example["commands"].size(), 1U);
  EXPECT_GT(example["numbers"].size(), 1U);
  for (const Json& number : example["numbers"]) EXPECT_TRUE(number["agrees"]) << number;
  EXPECT_GE(example["figures"].size(), 1U);
  for (const Json& figure : example["figures"])
    EXPECT_THAT(slurp(folder + "/" + figure.get<std::string>()), testing::HasSubstr("<svg"));
  EXPECT_THAT(slurp(folder + "/explanation.md"), testing::StartsWith("# "));
}

INSTANTIATE_TEST_SUITE_P(Each, CliLecture, testing::ValuesIn(names), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(CliLectures, M_T10_the_list_has_every_example_in_the_order_of_the_documents) {
  EXPECT_EQ(listed(), names);
}

TEST(CliLectures, M_T10_a_run_shows_its_commands_and_the_numbers_of_the_lecture) {
  const auto run = mercer({"lecture", "two-clouds"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* text : {"$ mercer data clouds", "$ mercer fit clouds.csv", "0.14425", "0.02161",
                           "quantity", "principal components and Hebbian learning"})
    EXPECT_THAT(run.out, testing::HasSubstr(text));
  EXPECT_THAT(run.out, testing::Not(testing::HasSubstr("  NO\n")));
}

TEST(CliLectures, M_T10_commands_that_are_shown_give_the_same_files) {
  TempDir dir;
  const std::string folder = (dir / "out");
  const auto run = mercer({"lecture", "polynomial-kernel", "-o", folder, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::filesystem::create_directory((dir / "again"));
  std::string script;
  const Json example = Json::parse(run.out);
  for (const Json& command : example["commands"]) script += command.get<std::string>() + "\n";
  std::filesystem::create_directory((dir / "bin"));
  std::filesystem::create_symlink(mercer_program(), (dir / "bin") + "/mercer");
  RunOptions options;
  options.directory = (dir / "again");
  options.environment = {"PATH=" + (dir / "bin") + ":/usr/bin:/bin"};
  const auto again = test::run({"/bin/bash", "-euc", script}, options);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  for (const char* file : {"K.csv", "Phi.csv", "Kc.csv"})
    EXPECT_EQ(slurp(folder + "/" + file), slurp((dir / "again") + "/" + file)) << file;
}

TEST(CliLectures, M_T10_all_examples_make_one_page_without_network) {
  TempDir dir;
  const auto run = mercer({"lecture", "all", "-o", (dir / "report")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string page = slurp((dir / "report") + "/index.html");
  EXPECT_LT(page.size(), 5U << 20);
  for (const std::string& name : names) {
    EXPECT_THAT(page, testing::HasSubstr("id=\"" + name + "\""));
    EXPECT_TRUE(std::filesystem::exists((dir / "report") + "/" + name + "/explanation.md"));
  }
  EXPECT_THAT(page, testing::HasSubstr("<svg"));
  for (const char* absent :
       {"<script", "<link", "<img", "src=\"", "href=\"http", "@import", "differs\">"})
    EXPECT_THAT(page, testing::Not(testing::HasSubstr(absent)));
}

TEST(CliLectures, M_T10_a_folder_with_files_is_refused_and_nothing_in_it_changes) {
  TempDir dir;
  const std::string folder = (dir / "out");
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/pair.csv") << "mine";
  for (const char* name : {"polynomial-kernel", "all"}) {
    expect_error(mercer({"lecture", name, "-o", folder}), 2,
                 {"--output", folder, "not empty", "--force"});
    EXPECT_EQ(slurp(folder + "/pair.csv"), "mine");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  }
  std::ofstream(folder + "/notes.txt") << "mine too";
  EXPECT_EQ(mercer({"lecture", "polynomial-kernel", "-o", folder, "--force"}).exit_code, 0);
  EXPECT_THAT(slurp(folder + "/pair.csv"), testing::StartsWith("x1,x2"));
  EXPECT_EQ(slurp(folder + "/notes.txt"), "mine too");
}

TEST(CliLectures, M_T10_numbers_have_a_source_and_a_tolerance) {
  const auto run = mercer({"lecture", "two-clouds", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  int printed = 0;
  const Json example = Json::parse(run.out);
  for (const Json& number : example["numbers"]) {
    EXPECT_THAT(number["source"].get<std::string>(), testing::AnyOf("lecture", "theory"));
    EXPECT_THAT(number["tolerance"].get<std::string>(),
                testing::AnyOf("exact", testing::StartsWith("± ")));
    printed += number["source"] == "lecture";
  }
  EXPECT_EQ(printed, 4);  // λ1, λ2, q11, q21: the rest is in no document
}

/// Characters of UTF-8.
std::size_t columns_in(const std::string& line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

TEST(CliLectures, M_T10_commands_are_shown_with_their_output_in_80_columns) {
  for (const char* name : {"oja-normalized", "six-conditions", "polynomial-kernel"}) {
    const auto run = mercer({"lecture", name});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, testing::Not(testing::HasSubstr("--json")));
    std::vector<std::string> commands;
    bool continued = false;
    for (const std::string& line : split(run.out, '\n')) {
      if (!continued && !line.starts_with("$ ")) continue;
      // A word in quotes is not broken.
      if (line.find('\'') == line.npos) EXPECT_LE(line.size(), 80U) << line;
      std::string text =
          continued ? " " + line.substr(line.find_first_not_of(' ')) : line.substr(2);
      const bool more = text.ends_with(" \\");
      if (more) text.resize(text.size() - 2);
      if (continued) commands.back() += text;
      else commands.push_back(text);
      continued = more;
    }
    for (const std::string& line : split(run.out, '\n'))
      if (line.find(' ', 60) != line.npos) EXPECT_LE(columns_in(line), 100U) << line;
    // Joined, they are the commands that ran.
    const auto json = mercer({"lecture", name, "--json"});
    EXPECT_EQ(commands, Json::parse(json.out)["commands"].get<std::vector<std::string>>());
  }
}

TEST(CliLectures, M_T10_an_interrupted_report_leaves_nothing) {
  TempDir dir;
  std::filesystem::create_directory((dir / "empty"));
  for (const std::string& folder : {dir / "new/report", dir / "empty"})
    for (const int signal : {SIGINT, SIGTERM}) {
      RunOptions options;
      options.signal = signal;
      options.signal_after_ms = 300;
      const auto run = mercer({"lecture", "all", "-o", folder}, options);
      EXPECT_EQ(run.exit_code, 128 + signal) << run.err;
      EXPECT_EQ(run.err, "mercer: interrupted\n");
      EXPECT_FALSE(std::filesystem::exists((dir / "new")));
      EXPECT_TRUE(std::filesystem::is_empty((dir / "empty")));
    }
  // An existing folder that is empty gets the same files as a new one.
  ASSERT_EQ(mercer({"lecture", "gram", "-o", dir / "empty"}).exit_code, 0);
  ASSERT_EQ(mercer({"lecture", "gram", "-o", (dir / "other") + "/"}).exit_code, 0);
  const auto names_in = [](const std::string& folder) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  };
  EXPECT_EQ(names_in(dir / "empty"), names_in(dir / "other"));
  EXPECT_THAT(names_in(dir / "empty"), testing::Contains("explanation.md"));
}

TEST(CliLectures, M_T10_missing_bundled_data_are_named_before_anything_is_written) {
  TempDir dir;
  std::filesystem::create_directories((dir / "install/bin"));
  const std::string program = (dir / "install/bin/mercer");
  std::filesystem::copy_file(mercer_program(), program);
  for (const auto& [name, file] : {std::pair{"gha", "wine.csv"}, {"all", "iris.csv"}}) {
    const auto run = test::run({program, "lecture", name, "-o", (dir / "new/out")});
    EXPECT_EQ(run.exit_code, 1);
    for (const std::string& text : {std::string(file), (dir / "install/share/mercer/data")})
      EXPECT_THAT(run.err, testing::HasSubstr(text));
    EXPECT_EQ(run.out, "");
    EXPECT_FALSE(std::filesystem::exists((dir / "new")));
  }
  // An example without bundled data runs.
  EXPECT_EQ(test::run({program, "lecture", "polynomial-kernel"}).exit_code, 0);
}

TEST(CliLectures, M_T10_wrong_usage_is_named) {
  TempDir dir;
  expect_error(mercer({"lecture", "two-cluods"}), 2, {"two-cluods", "did you mean two-clouds?"});
  expect_error(mercer({"lecture", "all"}), 2, {"--output FOLDER"});
  expect_error(mercer({"lecture", "-o", (dir / "x")}), 2, {"NAME"});
  std::ofstream((dir / "file")) << "mine";
  expect_error(mercer({"lecture", "rings", "-o", (dir / "file")}), 2, {"not a folder"});
  EXPECT_EQ(slurp((dir / "file")), "mine");
}

}  // namespace mercer::test::lecture_test
