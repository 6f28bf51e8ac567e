// Help, completions and the texts that must have every command and flag.

#include "cli/support.hpp"

#include <mercer/fit.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <set>

namespace mercer::test::usage_test {

/// Every command that has none below it, as words: "kernel check".
std::vector<std::string> commands_of(const nlohmann::json& command, const std::string& words = "") {
  std::vector<std::string> all;
  for (const auto& below : command["commands"]) {
    const std::string name = words + below["name"].get<std::string>();
    const auto found =
        below["commands"].empty() ? std::vector{name} : commands_of(below, name + " ");
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

const std::vector<std::string>& commands() {
  static const auto all = commands_of(nlohmann::json::parse(mercer({"--describe"}).out));
  return all;
}

std::vector<std::string> call(const std::string& command, const std::string& flag) {
  std::vector<std::string> words = split(command, ' ');
  words.push_back(flag);
  return words;
}

/// Every --flag that the help of a command lists.
std::set<std::string> flags_of(const std::string& command) {
  std::set<std::string> flags;
  const std::string help = mercer(call(command, "--help")).out;
  const std::regex listed("\n  (?:-\\w,)?(--[a-z-]+)");
  for (std::sregex_iterator i(help.begin(), help.end(), listed), end; i != end; ++i)
    flags.insert((*i)[1]);
  return flags;
}

TEST(CliUsage, version) {
  const auto run = mercer({"--version"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(std::regex_match(run.out, std::regex("mercer \\d+\\.\\d+\\.\\d+\n"))) << run.out;
}

TEST(CliUsage, help_shows_examples_first) {
  std::vector<std::vector<std::string>> calls = {{"--help"}, {"-h"}, {"kernel", "-h"}};
  for (const std::string& command : commands()) {
    calls.push_back(call(command, "--help"));
    calls.push_back(call(command, "-h"));
  }
  for (const auto& words : calls) {
    const auto run = mercer(words);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_LT(run.out.find("Examples:\n  "), run.out.find("Usage: mercer"));
    EXPECT_LT(run.out.find("Usage: mercer"), run.out.find("--help  "));
    for (const std::string& line : split(run.out, '\n')) EXPECT_LE(line.size(), 120u) << line;
  }
  for (const std::string& command : commands())
    EXPECT_THAT(mercer({"--help"}).out,
                testing::HasSubstr("\n  " + split(command, ' ').front() + " "));
}

TEST(CliUsage, completions_and_manual_know_every_flag) {
  const auto bash = mercer({"completion", "bash"}), zsh = mercer({"completion", "zsh"}),
             fish = mercer({"completion", "fish"});
  std::string manual = mercer({"help", "--man"}).out;
  manual = std::regex_replace(manual, std::regex("\\\\-"), "-");
  const std::string reference = slurp(data_file("../docs/cli.md"));
  for (const std::string& command : commands()) {
    EXPECT_THAT(manual, testing::HasSubstr("mercer " + command));
    EXPECT_THAT(reference, testing::HasSubstr("\n### " + command + "\n"));
    for (const std::string& flag : flags_of(command)) {
      EXPECT_THAT(manual, testing::HasSubstr(flag));
      EXPECT_THAT(bash.out, testing::HasSubstr(flag));
      EXPECT_THAT(zsh.out, testing::HasSubstr(flag));
      EXPECT_THAT(fish.out, testing::HasSubstr("-l " + flag.substr(2)));
      if (flag != "--help") {
        EXPECT_THAT(reference, testing::HasSubstr(flag));
      }
    }
  }
}

/// What bash offers for a line, its last word being the one that is completed.
std::string completed(const std::vector<std::string>& words) {
  std::string script = "source <('" + mercer_program() + "' completion bash); COMP_WORDS=(";
  for (const std::string& word : words) script += "'" + word + "' ";
  script += "); COMP_CWORD=" + std::to_string(words.size() - 1) + "; _mercer; echo ${COMPREPLY[*]}";
  const auto run = mercer::test::run({"bash", "-c", script});
  EXPECT_EQ(run.err, "");
  return run.out;
}

TEST(CliUsage, bash_completes_commands_flags_and_values) {
  EXPECT_EQ(completed({"mercer", "in"}), "inverse inspect\n");
  EXPECT_EQ(completed({"mercer", "fit", "x.csv", "--so"}), "--solver\n");
  std::string solvers;
  for (const SolverEntry& entry : solver_table()) solvers += entry.name + ' ';
  solvers.back() = '\n';
  EXPECT_EQ(completed({"mercer", "fit", "--solver", ""}), solvers);
  EXPECT_EQ(completed({"mercer", "inspect", "--j"}), "--json\n");
  EXPECT_EQ(completed({"mercer", "kernel", ""}), "list check matrix --help\n");
  EXPECT_EQ(completed({"mercer", "completion", ""}), "bash zsh fish --help\n");
}

TEST(CliUsage, bash_completion_offers_exactly_the_flags_of_each_command) {
  for (const std::string& command : commands()) {
    std::vector<std::string> words = call(command, "--");
    words.insert(words.begin(), "mercer");
    std::string offered = completed(words);
    offered.pop_back();
    const auto list = split(offered, ' ');
    EXPECT_EQ(std::set<std::string>(list.begin(), list.end()), flags_of(command)) << command;
  }
}

TEST(CliUsage, wrong_usage_is_one_line_with_a_hint) {
  const std::string iris = data_file("iris.csv");
  const auto wrong = [](const std::vector<std::string>& arguments,
                        const std::vector<std::string>& words) {
    expect_error(mercer(arguments), 2, words);
  };
  wrong({}, {"a command is missing", "(see mercer --help)"});
  wrong({"ift", iris}, {"unknown command 'ift'", "(see mercer --help)"});
  wrong({"--frobnicate"}, {"unknown option '--frobnicate'"});
  wrong({"fit"}, {"DATA", "required", "(see mercer fit --help)"});
  wrong({"transform", "m.st"}, {"DATA", "required", "(see mercer transform --help)"});
  wrong({"fit", iris, "--kernels", "rbf"}, {"unknown option '--kernels'"});
  wrong({"inspect", "m.st", "another.st"}, {"unexpected argument 'another.st'"});
  wrong({"inspect", "m.st", "-o", "x.csv"}, {"--output", "--loadings or --gradient"});
  wrong({"inspect", "m.st", "--loadings", "--gradient", "x.csv"}, {"mutually exclusive"});
  wrong({"inspect", "m.st", "--gradient", "x.csv", "--json"}, {"not JSON"});
  wrong({"score", "m.st"}, {"DATA", "required", "(see mercer score --help)"});
  wrong({"score", "m.st", "-", "--reference", "-"}, {"both be standard input"});
  wrong({"score", "m.st", iris, "--json", "-o", "-"}, {"--json"});
  wrong({"merge"}, {"MODELS", "required", "(see mercer merge --help)"});
  wrong({"fit", "-", "-"}, {"standard input"});
  wrong({"fit", iris, "-k"}, {"--components needs a value"});
  // An empty value, as of a shell variable that is not set, is not the default.
  for (const char* option : {"--output", "--components", "--memory", "--scores", "--label",
                             "--columns", "--time", "--seed", "--delimiter"}) {
    wrong({"fit", iris, option, ""}, {fmt::format("{} needs a value", option)});
    wrong({"fit", iris, fmt::format("{}=", option)}, {option});
  }
  wrong({"fit", iris, "-o", "", "-q"}, {"--output needs a value"});
  wrong({"fit", ""}, {"DATA needs a value"});
  wrong({"fit", iris, "--scale", "max"}, {"--scale 'max'", "none or std"});
  wrong({"fit", iris, "--precision", "half"}, {"--precision 'half'", "double or float"});
  wrong({"fit", iris, "--missing", "zero"}, {"--missing 'zero'", "error, drop, mean or em"});
  wrong({"fit", iris, "--header", "maybe"}, {"--header 'maybe'", "auto, yes or no"});
  wrong({"fit", iris, "--format", "xls"}, {"--format 'xls'"});
  wrong({"fit", iris, "--ddof", "2"}, {"--ddof '2'", "use 1 or 0"});
  wrong({"fit", iris, "--tolerance", "0"}, {"--tolerance '0'"});
  wrong({"fit", iris, "--threads", "-1"}, {"--threads '-1'"});
  wrong({"fit", iris, "--threads", "two"}, {"--threads 'two'"});
  wrong({"fit", iris, "--seed", "x"}, {"--seed 'x'"});
  wrong({"fit", iris, "--memory", "lots"}, {"--memory 'lots'"});
  wrong({"fit", iris, "--delimiter", "ab"}, {"--delimiter 'ab'"});
  wrong({"fit", iris, "--delimiter", "5"}, {"--delimiter '5'"});
  wrong({"fit", iris, "--label", "specie"}, {"--label 'specie'", "did you mean 'species'"});
  wrong({"fit", iris, "--columns", "9-12"}, {"--columns", "5 columns"});
  wrong({"fit", iris, "--label", "species", "-o", "-", "--scores", "-"}, {"both '-'"});
  wrong({"fit", iris, "--label", "species", "-o", "-", "--json"}, {"--json"});
  wrong({"completion", "csh"}, {"'csh'", "bash, zsh or fish"});
  wrong({"inspect", "m.st", "--threads", "2"}, {"unknown option '--threads'"});
}

TEST(CliUsage, control_characters_in_a_message_stay_on_the_line) {
  const auto run = mercer({"fit", "no\nsuch\x1b[31m.csv"});
  expect_error(run, 1, {"such", "[31m.csv"});
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
}

}  // namespace mercer::test::usage_test
