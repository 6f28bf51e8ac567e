#include "maps/from_text.hpp"

#include "core/closest_name.hpp"
#include "maps/expression_map.hpp"
#include "maps/expression_parse.hpp"
#include "maps/map_row.hpp"

#include <algorithm>

namespace mercer {

extern const MapRow identity_row, squares_row, monomials_row, polynomial_row, plain_row,
    precomputed_row, operator_row, kernel_map_row, fourier_row, tensor_sketch_row;

namespace {

// A new map adds its row here.
constexpr const MapRow* map_rows[] = {
    &identity_row,    &squares_row,  &monomials_row,  &polynomial_row, &plain_row,
    &precomputed_row, &operator_row, &kernel_map_row, &fourier_row,    &tensor_sketch_row};

constexpr std::size_t most_of_text = 80;

/// What stands before the parenthesis.
std::string_view map_name(std::string_view text) {
  std::string_view name = text.substr(0, text.find('('));
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  return name;
}

const MapRow* row_of(std::string_view text) {
  const auto found =
      std::ranges::find(map_rows, map_name(text), [](const MapRow* row) { return row->text.name; });
  return found == std::end(map_rows) ? nullptr : *found;
}

void refuse_functions(std::string_view text) {
  require(map_name(text) != "function", Errc::bad_option,
          "the map '{}' is a user-defined function; pass the function under that name",
          text.substr(0, most_of_text));
}

std::span<const MapRow* const> rows_from_text() {
  static const std::vector<const MapRow*> rows = [] {
    std::vector<const MapRow*> all;
    std::ranges::copy_if(map_rows, std::back_inserter(all), &MapRow::from_text);
    return all;
  }();
  return rows;
}

}  // namespace

std::span<const MapEntry> map_table() {
  static const std::vector<MapEntry> entries = [] {
    std::vector<MapEntry> all;
    for (const MapRow* row : rows_from_text())
      all.push_back({signature(row->text), std::string(row->formula), example_of(row->text)});
    return all;
  }();
  return entries;
}

Index anchor_columns(std::string_view text, Index inputs) {
  const MapRow* row = row_of(text);
  return row && row->anchor_columns ? row->anchor_columns(inputs) : 0;
}

bool is_map_name(std::string_view name) { return row_of(name) != nullptr; }

template <class T>
std::shared_ptr<const Map<T>> map_from_text(std::string_view text, Index inputs,
                                            const std::vector<std::string>& names) {
  refuse_functions(text);
  if (is_expression_list(text, {inputs, names})) return expression_map_of<T>(text, inputs, names);
  const std::string_view word = map_name(text);
  if (const std::string* close = row_of(text) ? nullptr : closest_name(word, names))
    TextReader("map", text)
        .refuse(0, fmt::format("no map or column '{}'; did you mean {}?", word, *close));
  const auto [row, values] = read_form("map", text, rows_from_text());
  return row->make(MapRequest<T>{inputs, values});
}

void require_map_text(std::string_view text) {
  const std::vector<std::string> none;
  const ExpressionColumns any{.count = 1, .names = none, .known = false};
  refuse_functions(text);
  if (is_expression_list(text, any)) parse_expressions(text, any);
  else map_from_text<double>(text, 1);
}

template <class T>
std::shared_ptr<const Map<T>> map_from_parts(std::string_view text, Index inputs,
                                             std::string_view kernel, Anchors<T> anchors,
                                             const OwnFunctions<T>& own,
                                             const ColumnNames& columns) {
  for (const auto& map : own.maps)
    if (map && map->text() == text && map->inputs() == inputs) return map;
  refuse_functions(text);
  if (is_expression_list(text, {inputs, columns})) try {
      return expression_map_of<T>(text, inputs, columns);
    } catch (const Error&) {
      return nullptr;  // a file of a later version may have functions that are not here
    }
  if (!row_of(text)) return nullptr;
  const auto [row, values] = read_form("map", text, std::span<const MapRow* const>(map_rows));
  return row->make(MapRequest<T>{inputs, values, kernel, &anchors, own.kernels});
}

template std::shared_ptr<const Map<float>> map_from_text(std::string_view, Index,
                                                         const std::vector<std::string>&);
template std::shared_ptr<const Map<double>> map_from_text(std::string_view, Index,
                                                          const std::vector<std::string>&);
template std::shared_ptr<const Map<float>> map_from_parts(std::string_view, Index, std::string_view,
                                                          Anchors<float>,
                                                          const OwnFunctions<float>&,
                                                          const ColumnNames&);
template std::shared_ptr<const Map<double>> map_from_parts(std::string_view, Index,
                                                           std::string_view, Anchors<double>,
                                                           const OwnFunctions<double>&,
                                                           const ColumnNames&);

}  // namespace mercer
