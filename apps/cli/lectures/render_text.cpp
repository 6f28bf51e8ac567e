#include "lectures/render.hpp"
#include "terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {

namespace {

constexpr std::size_t text_width = 96;

std::string wrapped(std::string_view paragraph, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < paragraph.size();) {
    const std::size_t end = std::min(paragraph.find(' ', at), paragraph.size());
    const std::string_view word = paragraph.substr(at, end - at);
    const std::size_t length = columns_of(word);
    if (column > 0 && column + 1 + length > width) {
      out += '\n';
      column = 0;
    }
    if (column > 0) out += ' ';
    out += word;
    column += length + (column > 0);
    at = end + 1;
  }
  return out;
}

std::string indented(std::string_view text, std::string_view margin) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out += fmt::format("{}{}\n", margin, text.substr(at, end - at));
    else out += '\n';
    at = end + 1;
  }
  return out;
}

std::string_view agreement_of(const Comparison& c) {
  return c.expected.empty() ? "" : c.agrees ? "yes" : "NO";
}

}  // namespace

std::string command_of(const Step& step) {
  std::string out;
  std::size_t column = 0;
  bool quoted = false;
  const std::string& line = step.text;
  for (std::size_t at = 0; at < line.size(); ++at, ++column) {
    if (line[at] == '\'') quoted = !quoted;
    // A line ends before an option that would not fit with its value.
    const bool option = !quoted && line.compare(at, 2, " -") == 0;
    const std::size_t next = std::min(line.find(" -", at + 1), line.size());
    if (option && column + (next - at) > text_width - 4) {
      out += " \\\n   ";
      column = 3;
    }
    out += line[at];
  }
  return out;
}

std::string heading_of(const Lecture& lecture) {
  return fmt::format("{}\n{}\n\n", lecture.title, lecture.document);
}

std::string text_of(const Step& step) {
  switch (step.kind) {
    case Step::Kind::text:
      return wrapped(step.text, text_width) + "\n\n";
    case Step::Kind::formula:
      return "    " + step.text + "\n\n";
    case Step::Kind::picture:
      return fmt::format("figure {}: {}\n\n", step.text, step.more);
    case Step::Kind::command:
      break;
  }
  return fmt::format("$ {}\n{}{}", command_of(step), indented(step.more, "    "),
                     step.more.ends_with("\n\n") ? "" : "\n");
}

std::string text_of(const std::vector<Comparison>& comparisons) {
  std::size_t width = 8;
  for (const Comparison& c : comparisons) width = std::max(width, columns_of(c.quantity));
  const auto row = [&](const Comparison& c, std::string_view agrees) {
    return padded(c.quantity, width) + padded_left(c.expected, 12) + "  " + padded(c.source, 9) +
           padded_left(c.here, 12) +
           (agrees.empty() ? "\n" : padded_left(c.tolerance, 12) + fmt::format("  {}\n", agrees));
  };
  std::string out = row({"quantity", "expected", "source", "here", "tolerance", true}, "agrees");
  for (const Comparison& c : comparisons) out += row(c, agreement_of(c));
  return out;
}

std::string markdown_of(const Lecture& lecture, const Stage& stage) {
  std::string out = fmt::format("# {}\n\nLecture: {}\n\n", lecture.title, lecture.document);
  for (const Step& step : stage.steps()) switch (step.kind) {
      case Step::Kind::text:
        out += wrapped(step.text, text_width) + "\n\n";
        break;
      case Step::Kind::formula:
        out += "    " + step.text + "\n\n";
        break;
      case Step::Kind::picture:
        out += fmt::format("![{}]({})\n\n", step.more, step.text);
        break;
      case Step::Kind::command:
        out += fmt::format("```sh\n{}\n```\n", command_of(step));
        if (!step.more.empty()) out += fmt::format("```text\n{}```\n", step.more);
        out += '\n';
    }
  out +=
      "| quantity | expected | source | here | tolerance | agrees |\n|---|---|---|---|---|---|\n";
  for (const Comparison& c : stage.comparisons())
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", c.quantity, c.expected, c.source,
                       c.here, c.tolerance, agreement_of(c));
  return out;
}

}  // namespace mercer::cli
