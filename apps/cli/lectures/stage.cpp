#include "lectures/stage.hpp"

#include "core/output_file.hpp"
#include "core/require.hpp"
#include "lectures/bundled.hpp"
#include "lectures/child.hpp"
#include "lectures/render.hpp"
#include "terminal/terminal.hpp"

#include <mercer/data.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <iterator>

namespace mercer::cli {

namespace {

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.finish();
  file.publish();
}

/// The header and the rows [begin, end).
std::string some_rows(std::string_view csv, Index begin, Index end) {
  std::string out;
  Index row = -1;
  for (std::size_t at = 0; at < csv.size(); ++row) {
    const std::size_t next = std::min(csv.find('\n', at), csv.size() - 1) + 1;
    if (row < 0 || (row >= begin && (end < 0 || row < end))) out += csv.substr(at, next - at);
    at = next;
  }
  return out;
}

/// As the argument of printf in single quotes.
std::string escaped_lines(std::string_view lines) {
  std::string out;
  for (const char c : lines) out += c == '\n' ? std::string("\\n") : std::string(1, c);
  return out;
}

Comparison compared(std::string quantity, double expected, std::string source, double here,
                    double tolerance) {
  return {std::move(quantity),
          fmt::format("{:.6g}", expected),
          std::move(source),
          fmt::format("{:.6g}", here),
          tolerance > 0 ? fmt::format("± {:.2g}", tolerance) : "exact",
          std::abs(here - expected) <= tolerance};
}

/// By the last line that the command printed, its message.
[[noreturn]] void refuse_child(std::string_view line, const ChildRun& child) {
  std::string_view said = child.both;
  while (said.ends_with('\n')) said.remove_suffix(1);
  said = said.substr(said.rfind('\n') + 1);  // all, if it is one line
  constexpr std::string_view program = "mercer: ";
  if (said.starts_with(program)) said.remove_prefix(program.size());
  fail(Errc::bad_data, "the command {} ended with exit code {}{}{}", line, child.exit_code,
       said.empty() ? "" : ": ", said);
}

}  // namespace

Stage::Stage(std::string folder, bool live) : folder_(std::move(folder)), live_(live) {}

std::string Stage::path(std::string_view file) const { return fmt::format("{}/{}", folder_, file); }

void Stage::add(Step step) {
  if (live_) print(text_of(step));
  steps_.push_back(std::move(step));
}

void Stage::text(std::string_view paragraph) {
  add({Step::Kind::text, std::string(paragraph), ""});
}

void Stage::formula(std::string_view line) { add({Step::Kind::formula, std::string(line), ""}); }

void Stage::run(std::string_view line, int exit_code) {
  const ChildRun child = run_child(line, folder_);
  if (child.exit_code != exit_code) refuse_child(line, child);
  output_ = child.both;
  add({Step::Kind::command, std::string(line), output_});
}

nlohmann::json Stage::json(std::string_view line) {
  const ChildRun child = run_child(line, folder_);
  if (child.exit_code != 0) refuse_child(line, child);
  output_ = child.out;
  return nlohmann::json::parse(child.out);
}

void Stage::write(std::string_view file, std::string_view lines) {
  write_file(path(file), lines);
  add({Step::Kind::command, fmt::format("printf '{}' > {}", escaped_lines(lines), file), ""});
}

void Stage::copy_bundled(std::string_view file, std::string_view to, Index begin, Index end) {
  const std::string rows = bundled_file(file);
  const bool all = begin == 0 && end < 0;
  write_file(path(to), all ? rows : some_rows(rows, begin, end));
  const std::string copied =
      all       ? fmt::format("{} comes with Mercer.", file)
      : end < 0 ? fmt::format("{}: the rows from {} on of {}, which comes with Mercer.", to,
                              begin + 1, file)
                : fmt::format("{}: rows {} to {} of {}, which comes with Mercer.", to, begin + 1,
                              end, file);
  add({Step::Kind::text, copied, ""});
}

void Stage::show(std::string_view file) {
  add({Step::Kind::command, fmt::format("cat {}", file), content(file)});
}

void Stage::picture(std::string_view file, std::string_view caption) {
  require(!content(file).empty(), Errc::bad_data, "the picture '{}' is empty", file);
  add({Step::Kind::picture, std::string(file), std::string(caption)});
}

void Stage::compare(std::string quantity, double expected, double here, double tolerance) {
  comparisons_.push_back(compared(std::move(quantity), expected, "theory", here, tolerance));
}

void Stage::compare_printed(std::string quantity, double printed, double here, double tolerance) {
  comparisons_.push_back(compared(std::move(quantity), printed, "lecture", here, tolerance));
}

void Stage::compare(std::string quantity, std::string expected, std::string here,
                    std::string source) {
  const bool agrees = expected == here;
  comparisons_.push_back({std::move(quantity), std::move(expected), std::move(source),
                          std::move(here), "exact", agrees});
}

void Stage::report(std::string quantity, double here) {
  comparisons_.push_back({std::move(quantity), "", "", fmt::format("{:.6g}", here), "", true});
}

Model<double> Stage::model(std::string_view file) const { return Model<double>::load(path(file)); }

Matrix<double> Stage::rows(std::string_view file, std::string_view label) const {
  ReadOptions options;
  options.label = std::string(label);
  return read<double>(path(file), options).x;
}

Vector<double> Stage::column(std::string_view file, std::string_view name) const {
  ReadOptions options;
  options.columns = std::string(name);
  return read<double>(path(file), options).x.col(0);
}

std::vector<std::string> Stage::labels(std::string_view file, std::string_view label) const {
  ReadOptions options;
  options.label = std::string(label);
  const Table<double> table = read<double>(path(file), options);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < table.labels.size(); ++i) texts.emplace_back(table.labels[i]);
  return texts;
}

std::string Stage::content(std::string_view file) const {
  std::ifstream in(path(file), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace mercer::cli
