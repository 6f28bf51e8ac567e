#include "commands/inspect_columns.hpp"

#include "core/json_text.hpp"
#include "core/parallel.hpp"
#include "rows/model_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/summary.hpp"

#include <mercer/gradient.hpp>
#include <mercer/loadings.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>

namespace mercer::cli {

namespace {

constexpr Index most_components = 6;  // across a page
constexpr Index gradient_piece = 64;  // rows between two looks for Ctrl-C

using Json = nlohmann::ordered_json;

Json json_of(const Matrix<double>& table) {
  if (table.size() == 0) return nullptr;
  Json rows = Json::array();
  for (Index j = 0; j < table.rows(); ++j) {
    const Vector<double> row = table.row(j).transpose();
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

std::string block(const char* title, const Loadings& all, const Matrix<double>& table,
                  double factor, const Terminal& out) {
  const Index k = std::min(table.cols(), most_components);
  std::size_t widest = 12;
  for (const std::string& name : all.names)
    widest = std::max(widest, columns_of(shown(name, 24, out.unicode)));
  std::string text = padded(title, widest);
  for (Index c = 0; c < k; ++c) text += fmt::format("{:>9}", fmt::format("PC{}", c + 1));
  text = out.bold(text) + "\n";
  for (Index j = 0; j < table.rows(); ++j) {
    text += padded(shown(all.names[static_cast<std::size_t>(j)], 24, out.unicode), widest);
    for (Index c = 0; c < k; ++c)
      text += fmt::format("{:>9.{}f}", factor * table(j, c), factor > 1 ? 1 : 3);
    text += '\n';
  }
  if (k < table.cols())
    text += out.dim(fmt::format("{} more components: --json or -o\n", table.cols() - k));
  return text;
}

void write_table(const Loadings& all, const std::string& path) {
  std::vector<std::string> names;
  std::vector<const Matrix<double>*> parts;
  const auto add = [&](const char* stem, const Matrix<double>& part) {
    if (part.size() == 0) return;
    for (const std::string& name : numbered(std::string(stem) + "_pc", part.cols()))
      names.push_back(name);
    parts.push_back(&part);
  };
  add("loading", all.loadings);
  add("contribution", all.contributions);
  add("correlation", all.correlations);
  add("cos2", all.cos2);
  Matrix<double> table(all.loadings.rows(), static_cast<Index>(names.size()));
  Index next = 0;
  for (const Matrix<double>* part : parts) {
    table.middleCols(next, part->cols()) = *part;
    next += part->cols();
  }
  TextColumn ids;
  for (const std::string& name : all.names) ids.push_back(name);
  Sink<double> out(path, names, {"column", ""});
  out.write(table, &ids, nullptr);
  out.finish();
  stop_if_interrupted();
  out.close();
}

}  // namespace

MemoryBudget settled(const ModelSize& model, const ColumnFlags& flags) {
  MemoryBudget budget(flags.memory);
  budget.hold_model(model);
  // Loadings, contributions, correlations and their squares; once more in the table of a file.
  // Components of up to 100,000 numbers are in the report, as values and as text.
  if (flags.json && !model.kernel) budget.hold(80 * std::min(model.components(), 1e5));
  if (!flags.matrix.empty()) budget.hold(10 * 8 * model.components());  // cells of text
  if (flags.loadings) budget.hold((flags.output.empty() ? 5 : 9) * 8 * model.components());
  if (!flags.gradient.empty() && !model.linear) {
    // A kernel is differentiated at all anchors; other features at both sides of a row in every
    // column. Models in float are copied in double, through their file.
    const double features = model.features, columns = model.inputs;
    budget.hold(8 * (gradient_piece * (features + 4 * columns) +
                     thread_count(0) * 2 * columns * (features + columns)));
    if (model.number_bytes < 8) budget.hold(4 * bytes_of(model));
  }
  int threads = 1;
  budget.settle(8 * std::max(model.inputs, model.outputs), threads);
  return budget;
}

template <class T>
void show_loadings(const Model<T>& model, const ColumnFlags& flags) {
  require(model.map().is_identity(), Errc::bad_option,
          "'{}' is not a linear model: its components have no loadings{}", flags.model,
          model.map().space() == Space::precomputed ? "" : "; use --gradient DATA instead");
  const Loadings all = loadings(model);
  if (!flags.output.empty()) write_table(all, flags.output);
  if (flags.json) {
    const Vector<double> ratio = model.explained_variance_ratio();
    const Json json{{"n_components", model.outputs()},
                    {"explained_variance_ratio", std::vector<double>(ratio.begin(), ratio.end())},
                    {"columns", all.names},
                    {"loadings", json_of(all.loadings)},
                    {"contributions", json_of(all.contributions)},
                    {"correlations", json_of(all.correlations)},
                    {"cos2", json_of(all.cos2)}};
    return print(json_text(json, 2) + "\n");
  }
  if (!flags.output.empty()) return;
  const Terminal out = terminal(STDOUT_FILENO);
  const bool scaled = model.scale().size() > 0;
  std::string text = block(scaled ? "correlation" : "loading", all, all.loadings, 1, out) + "\n" +
                     block("share, %", all, all.contributions, 100, out) + "\n";
  if (!scaled && all.correlations.size() > 0)
    text += block("correlation", all, all.correlations, 1, out) + "\n";
  if (all.cos2.size() > 0) text += block("cos2", all, all.cos2, 1, out);
  else
    text += out.dim(
        "no correlations and no cos2: this model file does not contain the variances of the "
        "columns; fit it again\n");
  print(text);
}

template <class T>
void write_gradient(const Model<T>& model, const ColumnFlags& flags) {
  const Index component = parse_integer("--component", flags.component, 1, model.outputs()) - 1;
  ReadOptions reading;
  reading.block_bytes = settled(size_of(model), flags).block_bytes();
  const auto source = open_for(model, flags.model, {flags.gradient}, reading);
  const Schema& schema = source->schema();
  const std::vector<std::string> names =
      model.feature_names().empty() ? numbered("x", model.inputs()) : model.feature_names();
  Sink<double> out(flags.output.empty() ? "-" : flags.output, names, {schema.id, schema.label});
  while (const auto block = source->next())
    for (Index first = 0; first < block->rows.rows(); first += gradient_piece) {
      stop_if_interrupted();
      const Index count = std::min(gradient_piece, block->rows.rows() - first);
      out.write(
          naming(source->name(),
                 [&] { return gradient(model, block->rows.middle(first, count), component); }),
          block->ids, block->labels, block->first_label + first);
    }
  out.finish();
  stop_if_interrupted();
  out.close();
}

#define MERCER_INSTANTIATE(T)                                       \
  template void show_loadings(const Model<T>&, const ColumnFlags&); \
  template void write_gradient(const Model<T>&, const ColumnFlags&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer::cli
