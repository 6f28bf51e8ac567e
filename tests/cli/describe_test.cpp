// mercer --describe, and what is made from it: help, errors, manual page, documentation.

#include "cli/support.hpp"

#include <mercer/mercer.hpp>

#include <nlohmann/json.hpp>

namespace mercer::test::describe_test {

using Json = nlohmann::json;

Json description() {
  const auto run = mercer({"--describe"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  return Json::parse(run.out);
}

/// visit(words, command) for every command that has none below it.
template <class Visit>
void for_each_command(const Json& command, const Visit& visit,
                      std::vector<std::string> words = {}) {
  if (command["commands"].empty()) visit(words, command);
  for (const Json& below : command["commands"]) {
    auto more = words;
    more.push_back(below["name"]);
    for_each_command(below, visit, more);
  }
}

Json option_named(const Json& command, const std::string& name) {
  for (const Json& option : command["options"])
    for (const Json& spelling : option["names"])
      if (spelling == name) return option;
  ADD_FAILURE() << command["name"] << " has no " << name;
  return {};
}

std::vector<std::string> names_of(const Json& values) {
  std::vector<std::string> names;
  for (const Json& value : values) names.push_back(value["name"]);
  return names;
}

TEST(CliDescribe, every_option_of_the_help_is_in_the_description_and_the_reverse) {
  for_each_command(description(), [](std::vector<std::string> words, const Json& command) {
    words.emplace_back("--help");
    const std::string help = mercer(words).out;
    std::size_t listed = 0;
    for (const std::string& line : split(help, '\n')) listed += line.starts_with("  -");
    EXPECT_EQ(listed, command["options"].size()) << help;
    for (const Json& option : command["options"]) {
      const std::string name = option["names"].back();
      EXPECT_THAT(help, testing::HasSubstr(name));
      EXPECT_NE(option["help"], "") << name;
      EXPECT_NE(option["group"], "") << name;
      if (!option["default"].is_null()) {
        EXPECT_EQ(option["required"], false) << name;
      }
    }
    for (const Json& argument : command["arguments"])
      EXPECT_THAT(help, testing::HasSubstr(argument["names"][0].get<std::string>()));
  });
}

TEST(CliDescribe, values_come_from_the_tables_of_the_library) {
  const Json program = description();
  for_each_command(program, [](const std::vector<std::string>& words, const Json& command) {
    std::vector<std::string> expected;
    if (words == std::vector<std::string>{"fit"}) {
      for (const SolverEntry& entry : solver_table()) expected.push_back(entry.name);
      EXPECT_EQ(names_of(option_named(command, "--solver")["values"]), expected);
      expected = {"auto"};
      for (const FormatEntry& entry : format_table()) expected.push_back(entry.name);
      EXPECT_EQ(names_of(option_named(command, "--format")["values"]), expected);
      expected.clear();
      for (const KernelEntry& entry : kernel_table()) expected.push_back(entry.name);
      EXPECT_EQ(names_of(option_named(command, "--kernel")["values"]), expected);
      EXPECT_EQ(option_named(command, "--kernel")["closed"], false);
    }
    if (words == std::vector<std::string>{"learn"}) {
      for (const RuleEntry& entry : rule_table()) expected.push_back(entry.name);
      expected.push_back("sanger");  // another name of gha
      EXPECT_EQ(names_of(option_named(command, "--rule")["values"]), expected);
      expected.clear();
      for (const RateEntry& entry : rate_table()) expected.push_back(entry.example);
      EXPECT_EQ(names_of(option_named(command, "--rate")["values"]), expected);
    }
  });
}

TEST(CliDescribe, a_value_outside_a_closed_set_is_refused_with_the_set) {
  int closed = 0;
  for_each_command(description(), [&](const std::vector<std::string>& words, const Json& command) {
    for (const Json& option : command["options"]) {
      if (option["closed"] == false) continue;
      ++closed;
      auto call = words;
      call.push_back(option["names"].back());
      call.emplace_back("xyzzy");
      std::vector<std::string> listed = names_of(option["values"]);
      listed.push_back(option["names"].back().get<std::string>() + " 'xyzzy' is unknown");
      expect_error(mercer(call), 2, listed);
      if (!option["default"].is_null() && option["names"].back() != "--precision") {
        EXPECT_THAT(listed, testing::Contains(option["default"].get<std::string>()));
      }
    }
  });
  EXPECT_GT(closed, 40);
}

TEST(CliDescribe, the_default_seed_is_that_of_the_library) {
  int seeds = 0;
  for_each_command(description(), [&](const std::vector<std::string>&, const Json& command) {
    for (const Json& option : command["options"])
      if (option["names"].back() == "--seed") {
        ++seeds;
        EXPECT_EQ(option["default"], std::to_string(default_seed));
      }
  });
  EXPECT_GT(seeds, 10);
  const auto fitted = [](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"fit", data_file("wine.csv"), "--label", "cultivar", "--kernel", "rbf(gamma=1e-5)",
                 "-k", "2", "--approx", "fourier(features=64)", "-o", "-", "--quiet"});
    return mercer(more).out;
  };
  EXPECT_EQ(fitted({}), fitted({"--seed", std::to_string(default_seed)}));
  EXPECT_NE(fitted({}), fitted({"--seed", "0"}));
}

TEST(CliDescribe, help_of_a_command_is_that_of_its_flag) {
  EXPECT_EQ(mercer({"help"}).out, mercer({"--help"}).out);
  EXPECT_EQ(mercer({"help", "fit"}).out, mercer({"fit", "--help"}).out);
  EXPECT_EQ(mercer({"help", "kernel", "check"}).out, mercer({"kernel", "check", "--help"}).out);
  expect_error(mercer({"help", "frobnicate"}), 2, {"unknown command 'frobnicate'"});
  expect_error(mercer({"help", "kernel", "frobnicate"}), 2, {"'kernel frobnicate'"});
}

TEST(CliDescribe, the_manual_page_is_troff_without_warnings) {
  const TempDir dir;
  dir.file("mercer.1", mercer({"help", "--man"}).out);
  const auto page =
      mercer::test::run({"groff", "-k", "-man", "-ww", "-Tutf8", "-P-cbou", dir / "mercer.1"});
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_EQ(page.err, "");
  EXPECT_THAT(page.out, testing::HasSubstr("EXIT STATUS"));
}

TEST(CliDescribe, the_tables_of_the_documentation_are_up_to_date) {
  const auto run =
      mercer::test::run({"python3", data_file("../docs/tables.py"), "--check", mercer_program()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

}  // namespace mercer::test::describe_test
