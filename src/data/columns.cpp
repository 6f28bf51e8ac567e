#include "data/columns.hpp"

#include "core/closest_name.hpp"
#include "core/require.hpp"
#include "data/like.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace mercer {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<Index> whole_number(std::string_view text) {
  Index value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end || text.front() == '-') return std::nullopt;
  return value;
}

/// Finds the columns of one file by name or number.
class Finder {
 public:
  Finder(Index columns, const std::vector<std::string>& names, const std::string& file)
      : columns_(columns), names_(names), file_(file) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto column = static_cast<Index>(i);
      const auto [place, fresh] = by_name_.try_emplace(names[i], Places{column, -1});
      if (!fresh && place->second.second < 0) place->second.second = column;
    }
  }

  Index one(std::string_view option, std::string_view wanted) const {
    if (const auto column = named(option, wanted)) return *column;
    if (const auto number = whole_number(wanted)) return numbered(option, wanted, *number);
    fail_unknown(option, wanted);
  }

  std::vector<Index> list(std::string_view option, std::string_view text) const {
    if (const auto column = named(option, text)) return {*column};  // a name may hold a comma
    std::vector<Index> found;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string_view item = trimmed(text.substr(begin, end - begin));
      require(!item.empty(), Errc::bad_option, "{} '{}' has an empty entry; write it like a,b,5-9",
              option, text);
      add(option, item, found);
      begin = end + 1;
    }
    return found;
  }

 private:
  struct Places {
    Index first, second;  // second: −1 when the name is unique
  };

  void add(std::string_view option, std::string_view item, std::vector<Index>& found) const {
    const std::size_t dash = item.find('-');
    if (dash == item.npos || named(option, item)) return found.push_back(one(option, item));
    const auto from = whole_number(trimmed(item.substr(0, dash)));
    const auto to = whole_number(trimmed(item.substr(dash + 1)));
    if (!from || !to) return found.push_back(one(option, item));
    require(*from <= *to, Errc::bad_option, "{} '{}' is a descending range", option, item);
    const Index first = numbered(option, item, *from);
    const Index last = numbered(option, item, *to);
    for (Index column = first; column <= last; ++column) found.push_back(column);
  }

  std::optional<Index> named(std::string_view option, std::string_view wanted) const {
    const auto place = by_name_.find(wanted);
    if (place == by_name_.end()) return std::nullopt;
    const auto [first, second] = place->second;
    require(second < 0, Errc::bad_option,
            "{} '{}': columns {} and {} of '{}' have that name; use its number", option, wanted,
            first + 1, second + 1, file_);
    return first;
  }

  Index numbered(std::string_view option, std::string_view wanted, Index number) const {
    require(number >= 1 && number <= columns_, Errc::bad_option,
            "{} '{}': '{}' has {} column{}, counted from 1", option, wanted, file_, columns_,
            columns_ == 1 ? "" : "s");
    return number - 1;
  }

  [[noreturn]] void fail_unknown(std::string_view option, std::string_view wanted) const {
    require(!names_.empty(), Errc::bad_option,
            "{} '{}': the {} columns of '{}' have no names; use a number from 1 to {}", option,
            wanted, columns_, file_, columns_);
    const std::string* closest = closest_name(wanted, names_);
    if (closest)
      fail(Errc::bad_option, "{} '{}': '{}' has no such column; did you mean '{}'?", option, wanted,
           file_, *closest);
    constexpr std::size_t most = 12;
    std::string there;
    for (std::size_t i = 0; i < std::min(names_.size(), most); ++i)
      there += (i == 0 ? "" : ", ") + names_[i];
    if (names_.size() > most) there += fmt::format(", … ({} in total)", names_.size());
    fail(Errc::bad_option, "{} '{}': '{}' has no such column; it has {}", option, wanted, file_,
         there);
  }

  Index columns_;
  const std::vector<std::string>& names_;
  const std::string& file_;
  std::unordered_map<std::string_view, Places> by_name_;
};

}  // namespace

std::string ColumnPlan::describe(Index file_column) const {
  const std::string number = std::to_string(file_column + 1);
  const auto i = static_cast<std::size_t>(file_column);
  if (i >= file_names.size() || file_names[i] == number) return "column " + number;
  return fmt::format("column {} ('{}')", number, file_names[i]);
}

ColumnPlan plan_columns(Index file_columns, std::vector<std::string> names,
                        const ReadOptions& options, const std::string& file) {
  ColumnPlan plan;
  plan.file_names = std::move(names);
  for (std::size_t i = 0; i < plan.file_names.size(); ++i)
    if (plan.file_names[i].empty()) plan.file_names[i] = std::to_string(i + 1);
  const bool by_model =
      options.columns.empty() && !options.like.features.empty() && !plan.file_names.empty();
  plan.roles.assign(static_cast<std::size_t>(file_columns),
                    options.columns.empty() && !by_model ? Role::feature : Role::skip);

  const Finder find(file_columns, plan.file_names, file);
  std::unordered_map<Index, std::string_view> claims;  // which option speaks for a column
  const auto claim = [&](Index column, std::string_view option, Role role) {
    const auto [place, fresh] = claims.try_emplace(column, option);
    require(fresh || place->second == option, Errc::bad_option, "{} and {} both name {} of '{}'",
            place->second, option, plan.describe(column), file);
    plan.roles[static_cast<std::size_t>(column)] = role;
  };
  const auto name_of = [&](Index column) {
    return plan.file_names.empty() ? std::to_string(column + 1)
                                   : plan.file_names[static_cast<std::size_t>(column)];
  };

  std::unordered_map<Index, std::vector<std::string>> known;  // categories of a column
  if (by_model) {
    const auto [wanted, levels] = without_levels(options.like.features, plan.file_names);
    for (const Index column : find_like(wanted, plan.file_names, file)) {
      const auto found = levels.find(name_of(column));
      claim(column, "the model", found == levels.end() ? Role::feature : Role::category);
      if (found != levels.end()) known[column] = found->second;
    }
  }
  std::vector<Index> excluded;
  if (!options.exclude.empty()) excluded = find.list("`exclude`", options.exclude);
  if (!options.columns.empty()) {
    std::vector<bool> out(static_cast<std::size_t>(file_columns));
    for (const Index column : excluded) out[static_cast<std::size_t>(column)] = true;
    for (const Index column : find.list("`columns`", options.columns))
      if (!out[static_cast<std::size_t>(column)]) claim(column, "`columns`", Role::feature);
  }
  for (const Index column : excluded) claim(column, "`exclude`", Role::skip);
  if (!options.label.empty()) {
    const Index column = find.one("`label`", options.label);
    claim(column, "`label`", Role::label);
    plan.schema.label = name_of(column);
  }
  if (!options.id.empty()) {
    const Index column = find.one("`id`", options.id);
    claim(column, "`id`", Role::id);
    plan.schema.id = name_of(column);
  }
  if (!options.onehot.empty() && !by_model) {
    require(!plan.file_names.empty(), Errc::bad_option,
            "`onehot` '{}': the columns of '{}' have no names, which categories need; add a header",
            options.onehot, file);
    for (const Index column : find.list("`onehot`", options.onehot)) {
      Role& role = plan.roles[static_cast<std::size_t>(column)];
      if (role == Role::feature) role = Role::category;  // `columns` may have named it too
      else claim(column, "`onehot`", Role::category);
    }
  }
  // What a model only would like to carry along gives way to every explicit option.
  const auto carry = [&](const std::string& wanted, Role role, std::string& name) {
    const auto place = std::find(plan.file_names.begin(), plan.file_names.end(), wanted);
    if (wanted.empty() || !name.empty() || place == plan.file_names.end()) return;
    const Index column = place - plan.file_names.begin();
    if (!claims.try_emplace(column, "the model").second) return;
    plan.roles[static_cast<std::size_t>(column)] = role;
    name = wanted;
  };
  if (!options.weights.empty()) {
    const Index column = find.one("`weights`", options.weights);
    claim(column, "`weights`", Role::weight);
    plan.schema.weight = name_of(column);
    plan.schema.weighted = true;
  }
  carry(options.like.label, Role::label, plan.schema.label);
  carry(options.like.id, Role::id, plan.schema.id);

  for (Index column = 0; column < file_columns; ++column)
    if (const Role role = plan.roles[static_cast<std::size_t>(column)];
        role == Role::feature || role == Role::category) {
      if (role == Role::category)
        plan.categories.push_back(
            {static_cast<Index>(plan.features.size()), name_of(column), known[column]});
      plan.features.push_back(column);
      if (!plan.file_names.empty()) plan.schema.feature_names.push_back(name_of(column));
    }
  require(!plan.features.empty(), Errc::bad_option,
          "no feature columns remain of the {} in '{}'; check `columns`, `exclude`, `label`, `id` "
          "and `weights`",
          file_columns, file);
  plan.schema.features = static_cast<Index>(plan.features.size());
  return plan;
}

}  // namespace mercer
