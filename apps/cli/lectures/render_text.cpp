#include "lectures/render.hpp"
#include "terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace mercer::cli {

namespace {

constexpr std::size_t text_width = 96, command_width = 80;

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

/// A long line of output: what does not fit stands indented below.
std::string continued(std::string_view line, std::string_view margin) {
  const std::size_t spaces = std::min<std::size_t>(line.find_first_not_of(' '), 40);
  std::string out, before = std::string(margin) + std::string(spaces, ' ');
  const std::string text = wrapped(line.substr(spaces), text_width - spaces - 4);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += fmt::format("{}{}\n", before, std::string_view(text).substr(at, end - at));
    if (at == 0) before += "    ";
    at = end + 1;
  }
  return out;
}

std::string indented(std::string_view text, std::string_view margin) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (columns_of(line) > text_width) out += continued(line, margin);
    else if (end > at) out += fmt::format("{}{}\n", margin, line);
    else out += '\n';
    at = end + 1;
  }
  return out;
}

/// Words of a command line; an option stays with its value, and what is in quotes is one word.
std::vector<std::string> pieces_of(std::string_view line) {
  std::vector<std::string> pieces;
  bool quoted = false, with_value = false;
  for (std::size_t at = 0, begin = 0; at <= line.size(); ++at) {
    if (at < line.size() && line[at] == '\'') quoted = !quoted;
    if (at < line.size() && (quoted || line[at] != ' ')) continue;
    const std::string_view word = line.substr(begin, at - begin);
    begin = at + 1;
    const bool option = word.starts_with('-') || word == ">";
    if (with_value && !option) pieces.back().append(" ").append(word);
    else pieces.emplace_back(word);
    with_value = option;
  }
  return pieces;
}

std::string_view agreement_of(const Comparison& c) {
  return c.expected.empty() ? "" : c.agrees ? "yes" : "NO";
}

}  // namespace

std::string command_of(const Step& step) {
  std::string out;
  std::size_t column = 2;  // after the prompt
  for (const std::string& piece : pieces_of(step.text)) {
    const std::size_t length = columns_of(piece);
    if (out.empty()) {
      column += length;
    } else if (column + 1 + length + 2 <= command_width) {
      out += ' ';
      column += 1 + length;
    } else {
      out += " \\\n    ";
      column = 4 + length;
    }
    out += piece;
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
