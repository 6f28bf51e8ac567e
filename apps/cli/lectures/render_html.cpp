#include "lectures/render.hpp"

#include <mercer/version.hpp>

#include <fmt/format.h>

#include <regex>

namespace mercer::cli {

namespace {

constexpr std::string_view style =
    "body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:52rem;"
    "margin:2rem auto;padding:0 1rem}"
    "h1,h2{line-height:1.2}h2{margin-top:3rem;border-top:1px solid #ccc;padding-top:1.5rem}"
    "h3.document{color:#555;font-weight:normal;margin-top:-.5rem;font-size:1rem}"
    "pre{background:#f5f5f5;padding:.7rem;white-space:pre-wrap;font-size:.82rem;line-height:1.35}"
    "pre b{color:#0b5394}p.formula{text-align:center;font-family:serif;font-size:1.1rem}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.25rem .6rem}"
    "td.number{text-align:right;font-variant-numeric:tabular-nums}tr.differs{background:#fdd}"
    "figure{margin:1rem 0}figure svg{max-width:100%;height:auto}figcaption{color:#555}"
    "nav ol{columns:2}@media print{h2{break-before:page}}";

std::string as_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

/// The element <svg>, with ids that no other figure of the page has.
std::string inline_svg(std::string svg, int figure) {
  if (const std::size_t begin = svg.find("<svg"); begin != svg.npos) svg.erase(0, begin);
  const std::string unique = fmt::format("f{}-", figure);
  svg = std::regex_replace(svg, std::regex("( id=\"|url\\(#|href=\"#)"), "$1" + unique);
  return svg;
}

std::string section(const Performed& example, int& figures) {
  const Lecture& lecture = *example.lecture;
  std::string out = fmt::format("<h2 id=\"{}\">{}</h2>\n<h3 class=\"document\">{}</h3>\n",
                                lecture.name, as_html(lecture.title), as_html(lecture.document));
  for (const Step& step : example.stage.steps()) switch (step.kind) {
      case Step::Kind::text:
        out += fmt::format("<p>{}</p>\n", as_html(step.text));
        break;
      case Step::Kind::formula:
        out += fmt::format("<p class=\"formula\">{}</p>\n", as_html(step.text));
        break;
      case Step::Kind::command:
        out += fmt::format("<pre><b>$ {}</b>\n{}</pre>\n", as_html(command_of(step)),
                           as_html(step.more));
        break;
      case Step::Kind::picture:
        out += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                           inline_svg(example.stage.content(step.text), ++figures),
                           as_html(step.more));
    }
  out +=
      "<table><tr><th>quantity</th><th>expected</th><th>source</th><th>here</th>"
      "<th>tolerance</th></tr>\n";
  for (const Comparison& c : example.stage.comparisons())
    out += fmt::format(
        "<tr{}><td>{}</td><td class=\"number\">{}</td><td>{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td></tr>\n",
        c.agrees ? "" : " class=\"differs\"", as_html(c.quantity), as_html(c.expected), c.source,
        as_html(c.here), c.tolerance);
  return out + "</table>\n";
}

}  // namespace

std::string html_of(const std::vector<Performed>& examples) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>The lectures, with Mercer</title>\n<style>{}</style></head><body>\n"
      "<h1>The lectures, with Mercer</h1>\n"
      "<p>Worked examples on principal components, kernels and Hebbian learning. Each shows its "
      "commands, their output, and the expected numbers next to those computed by Mercer {}. "
      "Source lecture: the number is printed in the lecture document; source theory: it follows "
      "from a formula, for these rows; source bound: a limit that the example "
      "sets.</p>\n<nav><ol>\n",
      style, MERCER_VERSION);
  for (const Performed& example : examples)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", example.lecture->name,
                       as_html(example.lecture->title));
  out += "</ol></nav>\n";
  int figures = 0;
  for (const Performed& example : examples) out += section(example, figures);
  return out + "</body></html>\n";
}

}  // namespace mercer::cli
