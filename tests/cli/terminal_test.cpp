// What a person sees: colour and braille on a terminal, plain characters elsewhere.

#include "cli/support.hpp"

#include <chrono>
#include <cstdio>
#include <regex>

namespace mercer::test::terminal_test {

const std::vector<std::string> utf8 = {"LC_ALL=C.UTF-8", "TERM=xterm-256color", "NO_COLOR="};

bool has_escapes(const std::string& text) { return text.find('\x1b') != std::string::npos; }

/// Braille patterns are U+2801 … U+28FF: e2 a0 81 … e2 a3 bf.
bool has_braille(const std::string& text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i)
    if (text[i] == '\xe2' && text[i + 1] >= '\xa0' && text[i + 1] <= '\xa3') return true;
  return false;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::vector<std::string> fit_iris(std::vector<std::string> flags = {}) {
  flags.insert(flags.begin(), {"fit", data_file("iris.csv"), "--label", "species"});
  return flags;
}

TEST(CliTerminal, plain_characters_when_nobody_watches) {
  const auto run = mercer(fit_iris(), {.environment = utf8});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(is_ascii(run.out));
  EXPECT_FALSE(has_escapes(run.out));
  EXPECT_THAT(run.out, testing::HasSubstr("##"));
  for (const std::string& line : split(run.out, '\n')) EXPECT_LE(line.size(), 92u) << line;
}

TEST(CliTerminal, braille_and_colour_on_a_terminal) {
  const auto run = mercer(fit_iris(), {.environment = utf8, .terminal_out = true});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has_braille(run.out));
  EXPECT_THAT(run.out, testing::HasSubstr("\x1b[38;5;"));
  EXPECT_THAT(run.out, testing::HasSubstr("██"));
  EXPECT_THAT(run.out, testing::HasSubstr("●"));
}

TEST(CliTerminal, no_color_keeps_the_picture_and_tells_labels_apart_by_letters) {
  auto environment = utf8;
  environment.back() = "NO_COLOR=1";
  const auto run = mercer(fit_iris(), {.environment = environment, .terminal_out = true});
  EXPECT_FALSE(has_escapes(run.out));
  EXPECT_THAT(run.out, testing::HasSubstr("██"));
  EXPECT_THAT(run.out, testing::HasSubstr("o setosa 50   x versicolor 50   + virginica 50"));
}

TEST(CliTerminal, another_locale_or_a_dumb_terminal_gets_plain_characters) {
  EXPECT_TRUE(is_ascii(
      mercer(fit_iris(), {.environment = {"LC_ALL=C", "TERM=xterm"}, .terminal_out = true}).out));
  EXPECT_FALSE(has_escapes(
      mercer(fit_iris(), {.environment = {"LC_ALL=C.UTF-8", "TERM=dumb"}, .terminal_out = true})
          .out));
}

TEST(CliTerminal, lines_keep_to_the_width_of_the_terminal) {
  for (const int columns : {60, 80, 120}) {
    const auto run = mercer(fit_iris({"--exclude", "sepal_width"}),
                            {.environment = utf8, .terminal_out = true, .columns = columns});
    const std::string text = std::regex_replace(run.out, std::regex("\x1b\\[[0-9;]*m"), "");
    for (const std::string& line : split(text, '\n')) {
      if (line.find("flops") != std::string::npos || line.find(".csv") != std::string::npos)
        continue;  // prose
      const auto width = std::count_if(line.begin(), line.end(),
                                       [](char c) { return (c & 0xc0) != 0x80 && c != '\r'; });
      EXPECT_LE(width, columns) << line;
    }
  }
}

TEST(CliTerminal, every_row_of_two_clusters_lands_on_its_side) {
  // Two far clusters on a line: the picture's left half holds only one letter, the right the other.
  const TempDir dir;
  std::string csv = "x,y,side\n";
  for (int i = 0; i < 40; ++i)
    csv += std::to_string(i < 20 ? i % 5 : 1000 + i % 5) + "," + std::to_string(i % 7) +
           (i < 20 ? ",left\n" : ",right\n");
  const auto run = mercer({"fit", dir.file("two.csv", csv), "--label", "side"});
  std::size_t left = 0, right = 0;
  for (const std::string& line : split(run.out, '\n')) {
    if (line.size() < 9 || (line[8] != '|' && line[8] != '+')) continue;
    const std::string row = line.substr(9);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == 'l') {
        ++left;
        EXPECT_LT(i, 20u);
      }
      if (row[i] == 'r') {
        ++right;
        EXPECT_GT(i, 40u);
      }
    }
  }
  EXPECT_GT(left, 0u);
  EXPECT_GT(right, 0u);
}

TEST(CliTerminal, constant_scores_and_huge_numbers_can_be_drawn) {
  for (const std::string csv : {"a,b\n1,1\n1,2\n", "a,b\n1e150,2\n-1e150,3\n5,5\n",
                                "a,b\n1e-200,0\n0,1e-200\n1e-200,1e-200\n"}) {
    const auto run = mercer({"fit", "-"}, {.input = csv});
    EXPECT_TRUE(run.exit_code == 0 || (run.exit_code == 1 && run.err.starts_with("mercer: ")))
        << run.err;
  }
}

TEST(CliTerminal, no_progress_bar_without_a_terminal_or_before_a_second) {
  EXPECT_EQ(mercer(fit_iris(), {.environment = utf8}).err, "");
  const auto begin = std::chrono::steady_clock::now();
  const auto quick = mercer(fit_iris(), {.environment = utf8, .terminal = true});
  // A machine on which this takes a second may show one.
  if (std::chrono::steady_clock::now() - begin < std::chrono::seconds(1)) {
    EXPECT_EQ(quick.err, "");
  }
}

TEST(CliTerminal, a_progress_bar_comes_after_a_second_and_is_erased) {
  const std::string slow = "(head -n 20 '" + data_file("iris.csv") +
                           "'; sleep 1.3; for i in 1 2 3 4; do tail -n +2 '" +
                           data_file("iris.csv") + "'; sleep 0.2; done) | '" + mercer_program() +
                           "' fit - --label species --no-plot";
  const auto drawn = run({"sh", "-c", slow}, {.environment = utf8, .terminal = true});
  EXPECT_EQ(drawn.exit_code, 0);
  EXPECT_THAT(drawn.err, testing::HasSubstr("\r\x1b[Kreading  "));
  EXPECT_THAT(drawn.err, testing::HasSubstr("/s"));
  EXPECT_TRUE(drawn.err.ends_with("\r\x1b[K"));
  EXPECT_EQ(run({"sh", "-c", slow + " -q"}, {.environment = utf8, .terminal = true}).err, "");
  EXPECT_EQ(run({"sh", "-c", slow}, {.environment = utf8}).err, "");
}

}  // namespace mercer::test::terminal_test
