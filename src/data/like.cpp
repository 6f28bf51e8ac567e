#include "data/like.hpp"

#include "core/closest_name.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace mercer {

namespace {

/// "'hue' and 2 more": names missing from a file, with the closest ones for the first.
std::string listed(const std::vector<std::string>& missing, const std::vector<std::string>& free) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(missing.size(), most); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", missing[i]);
    if (const std::string* close = closest_name(missing[i], free))
      text += fmt::format(" (did you mean '{}'?)", *close);
  }
  if (missing.size() > most) text += fmt::format(" and {} more", missing.size() - most);
  return text;
}

template <class T>
class InOrder final : public ForwardingSource<T> {
 public:
  InOrder(std::unique_ptr<Source<T>> source, std::vector<Index> order)
      : ForwardingSource<T>(std::move(source)),
        order_(std::move(order)),
        schema_(this->source_.schema()) {
    const std::vector<std::string> names = schema_.feature_names;
    for (std::size_t j = 0; j < order_.size(); ++j)
      schema_.feature_names[j] = names[static_cast<std::size_t>(order_[j])];
  }

  const Schema& schema() const override { return schema_; }

  std::optional<Block<T>> next() override {
    auto block = this->source_.next();
    if (!block) return block;
    const Rows<T>& in = block->rows;
    rows_.resize(in.rows(), in.cols());
    for (Index i = 0; i < in.rows(); ++i) {
      const T* from = in.row(i);
      T* to = rows_.row(i).data();
      for (std::size_t j = 0; j < order_.size(); ++j) to[j] = from[order_[j]];
    }
    block->rows = rows_;
    return block;
  }

  std::size_t buffer_bytes() const override { return 2 * this->source_.buffer_bytes(); }

 private:
  std::vector<Index> order_;  // where each feature lies in the source's rows
  Schema schema_;
  Matrix<T> rows_;
};

}  // namespace

WithoutLevels without_levels(const std::vector<std::string>& wanted,
                             const std::vector<std::string>& file_names) {
  WithoutLevels out;
  const auto has = [&](const std::string& name) {
    return std::find(file_names.begin(), file_names.end(), name) != file_names.end();
  };
  for (const std::string& name : wanted) {
    std::size_t equals = has(name) ? name.npos : name.find('=');
    while (equals != name.npos && !has(name.substr(0, equals))) equals = name.find('=', equals + 1);
    if (equals == name.npos) {
      out.names.push_back(name);
      continue;
    }
    const auto [place, fresh] = out.levels.try_emplace(name.substr(0, equals));
    if (fresh) out.names.push_back(place->first);
    place->second.push_back(name.substr(equals + 1));
  }
  return out;
}

std::vector<Index> find_like(const std::vector<std::string>& wanted,
                             const std::vector<std::string>& file_names, const std::string& file) {
  std::unordered_map<std::string_view, std::deque<Index>> places;
  for (std::size_t i = 0; i < file_names.size(); ++i)
    places[file_names[i]].push_back(static_cast<Index>(i));
  std::vector<Index> found;
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    const auto place = places.find(name);
    if (place == places.end() || place->second.empty()) {
      missing.push_back(name);
      continue;
    }
    found.push_back(place->second.front());
    place->second.pop_front();
  }
  if (missing.empty()) return found;
  std::vector<std::string> free;  // only a column that the model does not know can be meant
  for (std::size_t i = 0; i < file_names.size(); ++i)
    if (std::find(wanted.begin(), wanted.end(), file_names[i]) == wanted.end())
      free.push_back(file_names[i]);
  fail(Errc::bad_data,
       "'{}' lacks {} of the model's {} columns: {}; rename, or list the columns in the model's "
       "order with `columns`",
       Input(file), missing.size(), wanted.size(), listed(missing, free));
}

template <class T>
std::unique_ptr<Source<T>> in_order(std::unique_ptr<Source<T>> source,
                                    const std::vector<std::string>& names) {
  const std::vector<std::string>& there = source->schema().feature_names;
  if (names.empty() || there.empty() || there == names) return source;
  std::vector<Index> order = find_like(names, there, source->name());
  return std::make_unique<InOrder<T>>(std::move(source), std::move(order));
}

template std::unique_ptr<Source<float>> in_order(std::unique_ptr<Source<float>>,
                                                 const std::vector<std::string>&);
template std::unique_ptr<Source<double>> in_order(std::unique_ptr<Source<double>>,
                                                  const std::vector<std::string>&);

}  // namespace mercer
