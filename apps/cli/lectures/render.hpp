#pragma once
// An example as text for the terminal, as Markdown, and as a section of the HTML report.

#include "lectures/lecture.hpp"
#include "lectures/stage.hpp"

#include <string>
#include <vector>

namespace mercer::cli {

std::string heading_of(const Lecture& lecture);
std::string text_of(const Step& step);
/// The command of a step; a long one continues on the next line after a backslash.
std::string command_of(const Step& step);
/// The expected numbers next to those computed here.
std::string text_of(const std::vector<Comparison>& comparisons);

/// explanation.md: text, commands, numbers and links to the figures.
std::string markdown_of(const Lecture& lecture, const Stage& stage);

struct Performed {
  const Lecture* lecture;
  Stage stage;
};
/// One page with all examples; figures are inline.
std::string html_of(const std::vector<Performed>& examples);

}  // namespace mercer::cli
