// No command overwrites one of its inputs: every command, each of its outputs, each of its inputs.

#include "cli/support.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

namespace mercer::test::overwrite_test {

/// A command with the names of its files as `--help` has them: inputs in the order they are given
/// (positional where the name has no dashes), and outputs.
struct Command {
  std::string name;
  std::vector<std::pair<std::string, std::string>> inputs;  ///< option, file
  std::vector<std::string> outputs;                         ///< option
  std::vector<std::string> more;                            ///< what else it needs
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"fit",
       {{"DATA", "holes.csv"}},
       {"--output", "--scores", "--imputed"},
       {"--missing", "em", "-k", "1", "--label", "class", "-q"}},
      {"tune",
       {{"DATA", "rings.csv"}},
       {"--output", "--table", "--plot", "--checkpoint"},
       {"--label", "class", "--kernel", "rbf(gamma=1)", "-k", "1", "--rows", "20", "-q"}},
      {"transform", {{"MODEL", "model.st"}, {"DATA", "rings.csv"}}, {"--output"}, {"-q"}},
      {"inverse",
       {{"MODEL", "kernel.st"}, {"SCORES", "scores.csv"}},
       {"--output", "--distances"},
       {"-q"}},
      {"denoise",
       {{"MODEL", "kernel.st"}, {"DATA", "rings.csv"}},
       {"--output", "--distances"},
       {"-q"}},
      {"compress", {{"MODEL", "model.st"}, {"DATA", "rings.csv"}}, {"--output"}, {"-q"}},
      {"decompress", {{"FILE", "rows.mrc"}}, {"--output"}, {"-q"}},
      {"inspect", {{"MODEL", "kernel.st"}, {"--gradient", "rings.csv"}}, {"--output"}, {}},
      {"score",
       {{"MODEL", "model.st"}, {"DATA", "rings.csv"}, {"--reference", "good.csv"}},
       {"--output"},
       {"-q"}},
      {"moments", {{"DATA", "rings.csv"}}, {"--output"}, {"--label", "class", "-q"}},
      {"merge", {{"MODELS", "model.st"}, {"MODELS", "other.st"}}, {"--output"}, {"-q"}},
      {"contour",
       {{"MODEL", "model.st"}, {"--data", "rings.csv"}},
       {"--output"},
       {"--label", "class", "-q"}},
      {"plot",
       {{"MODEL", "model.st"}, {"DATA", "rings.csv"}, {"--reference", "good.csv"}},
       {"--output"},
       {"--kind", "t2spe", "-q"}},
      {"learn",
       {{"DATA", "rings.csv"}, {"--mean", "mean.csv"}},
       {"--output", "--trace", "--plot", "--checkpoint"},
       {"--label", "class", "--epochs", "1", "-q"}},
      {"kernel matrix", {{"DATA", "rings.csv"}}, {"--output"}, {"--label", "class", "-q"}},
      {"kernel check", {{"DATA", "rings.csv"}}, {}, {"--label", "class", "-q"}},
      {"eigs", {{"MATRIX", "matrix.csv"}}, {"--output"}, {"-k", "1", "-q"}},
      {"export", {{"MODEL", "model.st"}}, {"--output"}, {"--what", "components"}},
      {"matrix", {{"DATA", "rings.csv"}}, {"--output"}, {"--label", "class", "-q"}},
      {"map", {{"DATA", "rings.csv"}}, {"--output"}, {"--label", "class", "-q"}},
      {"data", {}, {"--output"}, {"circle", "--rows", "3"}},
      {"probe", {{"DATA", "rings.csv"}}, {}, {"--label", "class", "--direction", "1,1", "-q"}},
  };
  return all;
}

class CliOverwrite : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir = new TempDir;
    std::string rings = slurp(data_file("rings.csv"));
    rings.resize(rings.find('\n', 2000) + 1);
    dir->file("rings.csv", rings);
    dir->file("good.csv", rings);
    std::string holes = rings;
    const std::size_t row = holes.find('\n') + 1;
    holes.erase(row, holes.find(',', row) - row);  // the first cell of the first row
    dir->file("holes.csv", holes);
    dir->file("mean.csv", "0,0\n");
    dir->file("matrix.csv", "a,b\n2,1\n1,2\n");
    const auto make = [](std::vector<std::string> words) {
      const test::Run run = mercer(std::move(words), {.directory = dir->path()});
      ASSERT_EQ(run.exit_code, 0) << run.err;
    };
    make({"fit", "rings.csv", "--label", "class", "-k", "1", "-q", "-o", "model.st"});
    make({"fit", "good.csv", "--label", "class", "-k", "1", "-q", "-o", "other.st"});
    make({"fit", "rings.csv", "--label", "class", "--kernel", "rbf(gamma=1)", "-k", "2", "-q", "-o",
          "kernel.st", "--scores", "scores.csv"});
    make({"compress", "model.st", "rings.csv", "-q", "-o", "rows.mrc"});
  }
  static void TearDownTestSuite() { delete dir; }

  /// The command with its inputs, and outputs as they are given.
  static std::vector<std::string> words_of(
      const Command& command, const std::vector<std::pair<std::string, std::string>>& outputs) {
    std::vector<std::string> words = split(command.name, ' ');
    if (words[0] == "kernel") words.emplace_back("rbf(gamma=1)");
    if (words[0] == "map") words.emplace_back("squares");
    for (const auto& [option, file] : command.inputs) {
      if (option.starts_with("--")) words.push_back(option);
      words.push_back(file);
    }
    words.insert(words.end(), command.more.begin(), command.more.end());
    for (const auto& [option, path] : outputs) {
      words.push_back(option);
      words.push_back(path);
    }
    return words;
  }

  static std::map<std::string, std::string> contents() {
    std::map<std::string, std::string> all;
    for (const std::string& name : dir->list()) all[name] = slurp(*dir / name);
    return all;
  }

  static test::Run in_dir(const std::vector<std::string>& words) {
    return mercer(words, {.directory = dir->path()});
  }

  static inline TempDir* dir = nullptr;
};

/// One that the output may have.
std::string extension_of(const Command& command, const std::string& option) {
  if (option == "--plot") return ".svg";
  if (option != "--output") return ".csv";
  for (const char* name : {"fit", "tune", "merge", "learn"})
    if (command.name == name) return ".st";
  if (command.name == "moments") return ".mom";
  if (command.name == "contour" || command.name == "plot") return ".svg";
  return command.name == "compress" ? ".mrc" : ".csv";
}

TEST_F(CliOverwrite, outputs_of_their_own_are_written) {
  const TempDir out;
  for (const Command& command : commands()) {
    std::vector<std::pair<std::string, std::string>> outputs;
    for (const std::string& option : command.outputs)
      outputs.emplace_back(
          option, out / (split(command.name, ' ').back() + option + extension_of(command, option)));
    const test::Run run = in_dir(words_of(command, outputs));
    EXPECT_EQ(run.exit_code, 0) << command.name << ": " << run.err;
    for (const auto& output : outputs)
      EXPECT_TRUE(std::filesystem::exists(output.second)) << command.name << " " << output.first;
  }
}

TEST_F(CliOverwrite, M_P6_no_output_of_any_command_may_be_one_of_its_inputs) {
  const auto before = contents();
  std::filesystem::create_directory(*dir / "sub");
  int pairs = 0;
  for (const Command& command : commands())
    for (const std::string& output : command.outputs)
      for (const auto& [input, file] : command.inputs) {
        ++pairs;
        const std::string extension = std::filesystem::path(file).extension();
        const std::string soft = "sub/soft" + extension, hard = "sub/hard" + extension;
        std::filesystem::create_symlink("../" + file, *dir / soft);
        std::filesystem::create_hard_link(*dir / file, *dir / hard);
        for (const std::string& spelling : {file, "sub/../" + file, soft, hard}) {
          SCOPED_TRACE(fmt::format("{} {} {} as {}", command.name, input, output, spelling));
          expect_error(in_dir(words_of(command, {{output, spelling}})), 2, {input, output, file});
        }
        std::filesystem::remove(*dir / soft);
        std::filesystem::remove(*dir / hard);
      }
  std::filesystem::remove(*dir / "sub");
  EXPECT_EQ(contents(), before);
  EXPECT_GE(pairs, 40);
}

TEST_F(CliOverwrite, no_two_outputs_of_any_command_may_be_one_file) {
  const auto before = contents();
  for (const Command& command : commands())
    for (const std::string& one : command.outputs)
      for (const std::string& other : command.outputs) {
        if (one == other) continue;
        SCOPED_TRACE(fmt::format("{} {} {}", command.name, one, other));
        for (const std::string spelling : {"new.csv", "./new.csv"})
          expect_error(in_dir(words_of(command, {{one, "new.csv"}, {other, spelling}})), 2,
                       {one, other, "new.csv"});
      }
  EXPECT_EQ(contents(), before);
}

TEST_F(CliOverwrite, M_P6_what_a_checkpoint_keeps_beside_it_counts_too) {
  const auto rings = slurp(*dir / "rings.csv");
  for (const std::string name : {"run.previous", "trace.csv.partial"}) {
    dir->file(name, rings);
    expect_error(in_dir({"learn", name, "--format", "csv", "--label", "class", "-q", "--checkpoint",
                         "run", "--trace", "trace.csv"}),
                 2, {"DATA", name});
    EXPECT_EQ(slurp(*dir / name), rings);
    std::filesystem::remove(*dir / name);
  }
}

TEST_F(CliOverwrite, M_P6_a_file_that_is_no_trace_does_not_stop_the_next_run) {
  const auto learn = [&](const std::string& rows) {
    return in_dir({"learn", rows, "--label", "class", "-q", "-k", "1", "--checkpoint", "run",
                   "--trace", "trace.csv", "--resume"});
  };
  dir->file("trace.csv", "old");
  dir->file("bad.csv", slurp(*dir / "rings.csv") + "x,1,inner\n");
  expect_error(learn("bad.csv"), 1, {"bad.csv", "is not a number"});
  EXPECT_EQ(slurp(*dir / "trace.csv"), "old");
  EXPECT_EQ(learn("rings.csv").exit_code, 0);
  EXPECT_EQ(slurp(*dir / "trace.csv").substr(0, 5), "step,");
}

TEST_F(CliOverwrite, M_P6_standard_input_and_output_count_too) {
  const auto before = contents();
  const auto shell = [](const std::string& words) {
    return run({"sh", "-c", "cd '" + dir->path() + "' && '" + mercer_program() + "' " + words});
  };
  expect_error(shell("fit - --label class -q -o rings.csv < rings.csv"), 2, {"DATA", "--output"});
  expect_error(shell("transform model.st rings.csv >> rings.csv"), 2, {"DATA", "--output"});
  expect_error(shell("fit rings.csv --label class >> rings.csv"), 2, {"DATA", "standard output"});
  expect_error(shell("inspect model.st >> model.st"), 2, {"MODEL", "standard output"});
  expect_error(shell("kernel check rbf rings.csv >> rings.csv"), 2, {"DATA", "standard output"});
  expect_error(shell("fit rings.csv --label class -q -o new.st --scores - > new.st"), 2,
               {"--output", "--scores"});
  std::filesystem::remove(*dir / "new.st");
  EXPECT_EQ(contents(), before);
}

TEST_F(CliOverwrite, M_P6_standard_output_may_not_be_another_output) {
  const TempDir out;
  const auto shell = [&](const std::string& words) {
    return run({"sh", "-c", "cd '" + out.path() + "' && '" + mercer_program() + "' " + words});
  };
  const std::string rows = "'" + *dir / "rings.csv" + "' --label class ";
  expect_error(shell("fit " + rows + "-o m.st > m.st"), 2, {"standard output", "--output", "m.st"});
  expect_error(shell("fit " + rows + "--scores s.csv > s.csv"), 2, {"--scores", "s.csv"});
  expect_error(shell("learn " + rows + "-q -o m.st >> m.st"), 2, {"--output", "m.st"});
}

TEST_F(CliOverwrite, M_P6_a_link_to_a_file_that_is_not_there_yet_stands_for_that_file) {
  const TempDir out;
  std::filesystem::create_directory(out / "store");
  std::filesystem::create_symlink("store/real.st", out / "link.st");
  std::filesystem::create_symlink("link.st", out / "second.st");
  const std::vector<std::string> fit = {"fit", *dir / "rings.csv", "--label", "class", "-q"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), fit.begin(), fit.end());
    return mercer(more, {.directory = out.path()});
  };
  ASSERT_EQ(with({"-o", "second.st"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(out / "link.st"));
  EXPECT_TRUE(std::filesystem::is_symlink(out / "second.st"));
  EXPECT_TRUE(std::filesystem::is_regular_file(out / "store/real.st"));
  std::filesystem::create_symlink("store/new.csv", out / "link.csv");
  expect_error(with({"--imputed", "link.csv", "--missing", "em", "--scores", "store/new.csv"}), 2,
               {"--scores", "--imputed", "same file"});
}

TEST_F(CliOverwrite, devices_may_be_given_twice) {
  EXPECT_EQ(in_dir({"fit", "rings.csv", "--label", "class", "-q", "-o", "/dev/null"}).exit_code, 0);
  EXPECT_EQ(
      run({"sh", "-c", "'" + mercer_program() + "' fit - -q -o /dev/null < /dev/null > /dev/null"})
          .exit_code,
      1);  // no rows, not wrong usage
}

/// What an option is called in the help, and what follows it.
TEST_F(CliOverwrite, the_table_has_every_file_of_every_command) {
  const std::regex option(R"(^  (?:-\w,)?(--[\w-]+) \S*(?:FILE|MODEL|DATA|GOOD|FOLDER|DIR)\S* .*)");
  const std::regex positional(R"(^  ([A-Z]+)  .*)");
  const std::regex command_line(R"(^  ([a-z]+)  .*)");
  const auto listed = [&](const std::vector<std::string>& words) {
    std::vector<std::string> found;
    for (const std::string& line : split(mercer(words).out, '\n'))
      if (std::smatch match; std::regex_match(line, match, command_line)) found.push_back(match[1]);
    return found;
  };
  std::set<std::string> names;
  for (const std::string& name : listed({"--help"})) names.insert(name);
  ASSERT_TRUE(names.erase("kernel") == 1);
  for (const std::string& name : listed({"kernel", "--help"})) names.insert("kernel " + name);
  ASSERT_GE(names.size(), 18u);
  for (const std::string& name : names) {
    std::set<std::string> in_help, in_table;
    std::vector<std::string> words = split(name, ' ');
    words.emplace_back("--help");
    for (const std::string& line : split(mercer(words).out, '\n'))
      for (const std::regex& form : {option, positional})
        if (std::smatch match; std::regex_match(line, match, form)) in_help.insert(match[1]);
    in_help.erase("EXPR");
    for (const char* no_file : {"SHELL", "COMMAND", "NAME"}) in_help.erase(no_file);
    if (name == "lecture") in_help.erase("--output");  // a folder: lecture_test.cpp
    if (name == "fit") in_help.erase("--checkpoint");  // a folder: checkpoint_folder_test.cpp
    for (const Command& command : commands()) {
      if (command.name != name) continue;
      for (const auto& input : command.inputs) in_table.insert(input.first);
      in_table.insert(command.outputs.begin(), command.outputs.end());
    }
    EXPECT_EQ(in_help, in_table) << name;
  }
}

}  // namespace mercer::test::overwrite_test
