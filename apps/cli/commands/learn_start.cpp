#include "commands/learn_start.hpp"

#include "core/require.hpp"
#include "flags/options.hpp"

#include <mercer/data.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <vector>

namespace mercer::cli {

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    out.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

/// nan and inf are numbers here: the learner names the weight.
std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0) return std::nullopt;
  return value;
}

/// "1,0;0,1" as rows; none if a part is not a number.
std::optional<Matrix<double>> numbers_of(const std::string& text) {
  std::vector<std::vector<double>> rows;
  for (const std::string& row : parts_of(text, ';')) {
    rows.emplace_back();
    for (const std::string& part : parts_of(row, ',')) {
      const auto value = number_of(part);
      if (!value) return std::nullopt;
      rows.back().push_back(*value);
    }
  }
  for (const auto& row : rows)
    if (row.size() != rows[0].size())
      throw UsageError(fmt::format("--start '{}': its rows have {} and {} numbers", text,
                                   rows[0].size(), row.size()));
  Matrix<double> out(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
  for (Index j = 0; j < out.rows(); ++j)
    for (Index i = 0; i < out.cols(); ++i)
      out(j, i) = rows[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
  return out;
}

bool is_random(const std::string& text) { return text == "random" || text.starts_with("random("); }

double norm_of(const std::string& text) {
  if (text == "random") return 1;
  std::string inside = trimmed(text.substr(7));
  if (inside.ends_with(')')) {
    inside = trimmed(inside.substr(0, inside.size() - 1));
    if (inside.starts_with("norm=")) inside = trimmed(inside.substr(5));
    const auto value = number_of(inside);
    if (value && *value > 0 && *value <= 1e300) return *value;
  }
  throw UsageError(fmt::format("--start '{}' is not random(norm=A) with a length A above 0", text));
}

/// A matrix whose first column may be the names of its rows, as `mercer export` writes it.
Table<double> named_rows(const std::string& path) {
  try {
    return read<double>(path);
  } catch (const Error& error) {
    if (error.code() != Errc::bad_data) throw;
    const std::exception_ptr as_numbers = std::current_exception();
    ReadOptions options;
    options.id = "1";
    try {
      return read<double>(path, options);
    } catch (const Error&) {
      std::rethrow_exception(as_numbers);  // names do not explain it
    }
  }
}

}  // namespace

bool start_is_file(const std::string& text) {
  return !text.empty() && !is_random(text) && !numbers_of(text);
}

void set_start(const std::string& text, LearnerOptions& learner) {
  if (text.empty()) return;
  if (is_random(text)) {
    learner.start_norm = norm_of(text);
    return;
  }
  if (auto numbers = numbers_of(text)) {
    learner.start = std::move(*numbers);
    return;
  }
  if (access(text.c_str(), F_OK) != 0)
    throw UsageError(fmt::format(
        "--start '{}' is neither random, nor random(norm=2), nor numbers such as 1,0, nor a file",
        text));
  const Table<double> table = named_rows(text);
  require(!table.schema.sparse, Errc::bad_data, "--start '{}' must be a dense file", text);
  // The file may have more components than are learned.
  learner.start = table.x.topRows(std::min<Index>(table.x.rows(), learner.components));
}

}  // namespace mercer::cli
