#include "pca/linear/merge_check.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <unordered_map>

namespace mercer {

namespace {

template <class T>
std::string space_of(const Model<T>& model) {
  const Map<T>& map = model.map();
  switch (map.space()) {
    case Space::input:
      return "linear PCA";
    case Space::kernel:
      return "kernel " + map.kernel();
    case Space::precomputed:
      return "a precomputed kernel matrix";
    case Space::features:
      break;
  }
  return map.text();
}

/// What keeps a model from being merged with any other, as a clause; empty: nothing.
template <class T>
std::string obstacle(const Model<T>& model) {
  const Space space = model.map().space();
  if (space == Space::kernel || space == Space::precomputed)
    return "a kernel model has its own anchors; fit all rows together";
  if (model.map().anchors().rows() > 0)
    return "random features have their own random numbers; fit all rows together";
  if (model.report().method != "pca")
    return "its components were learned and are not those of its covariance matrix";
  if (model.scale().size() > 0)
    return "z-scores have their own scales; fit without `scale`, or all rows together";
  return {};
}

/// Where each of `wanted` stands among `names`: the same names, each once; empty otherwise.
std::vector<Index> places(const std::vector<std::string>& wanted,
                          const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, Index> place;
  for (std::size_t j = 0; j < names.size(); ++j) place[names[j]] = static_cast<Index>(j);
  std::vector<Index> order;
  for (const std::string& name : wanted) {
    const auto found = place.find(name);
    if (found == place.end()) return {};
    order.push_back(found->second);
    place.erase(found);
  }
  return order;
}

const std::string* lacking(const std::vector<std::string>& names,
                           const std::vector<std::string>& others) {
  const auto found = std::ranges::find_if(names, [&](const std::string& name) {
    return std::ranges::find(others, name) == others.end();
  });
  return found == names.end() ? nullptr : &*found;
}

/// Two models, what messages call them, and the order of columns that makes them alike.
template <class T>
struct Pair {
  const Model<T>&a, &b;
  const std::string &a_name, &b_name;

  void require_space() const {
    const std::string text = space_of(a), other = space_of(b);
    const std::string wrong = obstacle(a).empty() ? obstacle(b) : obstacle(a);
    require(wrong.empty(), Errc::bad_option, "cannot merge '{}' ({}) and '{}' ({}): {}", a_name,
            text, b_name, other, wrong);
    require(text == other, Errc::bad_option,
            "cannot merge '{}' ({}) and '{}' ({}): their components lie in different spaces",
            a_name, text, b_name, other);
    require(a.report().centered == b.report().centered, Errc::bad_option,
            "cannot merge '{}' and '{}': only one of them is centred", a_name, b_name);
    require(a.report().ddof == b.report().ddof, Errc::bad_option,
            "cannot merge '{}' (`ddof={}`) and '{}' (`ddof={}`): their variances have different "
            "divisors",
            a_name, a.report().ddof, b_name, b.report().ddof);
  }

  std::vector<Index> require_columns() const {
    const auto &names = a.feature_names(), &others = b.feature_names();
    if (!names.empty() && !others.empty() && names != others) {
      if (const std::string* name = lacking(names, others))
        fail(Errc::bad_data, "cannot merge '{}' and '{}': only the first has the column '{}'",
             a_name, b_name, *name);
      if (const std::string* name = lacking(others, names))
        fail(Errc::bad_data, "cannot merge '{}' and '{}': only the second has the column '{}'",
             a_name, b_name, *name);
      std::vector<Index> order = places(names, others);
      require(names.size() == others.size() && !order.empty() && a.map().is_identity(),
              Errc::bad_data, "cannot merge '{}' and '{}': they have columns in different orders",
              a_name, b_name);
      return order;
    }
    require(a.inputs() == b.inputs() && a.components().cols() == b.components().cols(),
            Errc::bad_data,
            "cannot merge '{}' and '{}': one has {} columns, the other {}, so column {} is in one "
            "of them only",
            a_name, b_name, a.inputs(), b.inputs(), std::min(a.inputs(), b.inputs()) + 1);
    return {};
  }
};

}  // namespace

template <class T>
std::vector<std::vector<Index>> require_mergeable(const std::vector<Model<T>>& models,
                                                  const std::vector<std::string>& given) {
  require(models.size() >= 2, Errc::bad_option, "merging needs two models or more, not {}",
          models.size());
  std::vector<std::string> names = given;
  for (std::size_t i = names.size(); i < models.size(); ++i)
    names.push_back(fmt::format("model {}", i + 1));
  // Columns are held against the first model that has names.
  std::size_t named = 0;
  while (named + 1 < models.size() && models[named].feature_names().empty()) ++named;
  if (models[named].feature_names().empty()) named = 0;
  for (std::size_t i = 1; i < models.size(); ++i)
    Pair<T>{models[0], models[i], names[0], names[i]}.require_space();
  std::vector<std::vector<Index>> orders;
  for (std::size_t i = 0; i < models.size(); ++i)
    orders.push_back(
        i == named ? std::vector<Index>()
                   : Pair<T>{models[named], models[i], names[named], names[i]}.require_columns());
  return orders;
}

template std::vector<std::vector<Index>> require_mergeable(const std::vector<Model<float>>&,
                                                           const std::vector<std::string>&);
template std::vector<std::vector<Index>> require_mergeable(const std::vector<Model<double>>&,
                                                           const std::vector<std::string>&);

}  // namespace mercer
