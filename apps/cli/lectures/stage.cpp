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
  require(child.exit_code == exit_code, Errc::bad_data, "'{}' ended with exit code {}: {}", line,
          child.exit_code, child.both);
  output_ = child.both;
  add({Step::Kind::command, std::string(line), output_});
}

nlohmann::json Stage::json(std::string_view line) {
  const ChildRun child = run_child(line, folder_);
  require(child.exit_code == 0, Errc::bad_data, "'{}' ended with exit code {}: {}", line,
          child.exit_code, child.both);
  output_ = child.out;
  add({Step::Kind::command, std::string(line), ""});
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
  const std::string which = all       ? ""
                            : end < 0 ? fmt::format(", rows from {} on", begin + 1)
                                      : fmt::format(", rows {} to {}", begin + 1, end);
  add({Step::Kind::text, fmt::format("{} holds the bundled {}{}.", to, file, which), ""});
}

void Stage::show(std::string_view file) {
  add({Step::Kind::command, fmt::format("cat {}", file), content(file)});
}

void Stage::picture(std::string_view file, std::string_view caption) {
  require(!content(file).empty(), Errc::bad_data, "the picture '{}' is empty", file);
  add({Step::Kind::picture, std::string(file), std::string(caption)});
}

void Stage::compare(std::string quantity, double lecture, double here, double tolerance) {
  comparisons_.push_back({std::move(quantity), fmt::format("{:.6g}", lecture),
                          fmt::format("{:.6g}", here), std::abs(here - lecture) <= tolerance});
}

void Stage::compare(std::string quantity, std::string lecture, std::string here) {
  const bool agrees = lecture == here;
  comparisons_.push_back({std::move(quantity), std::move(lecture), std::move(here), agrees});
}

void Stage::report(std::string quantity, double here) {
  comparisons_.push_back({std::move(quantity), "", fmt::format("{:.6g}", here), true});
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
