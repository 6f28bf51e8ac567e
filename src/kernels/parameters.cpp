// The numbers of a kernel by name.
#include "kernels/row.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace mercer {

namespace {

/// A parameter, and where it is in the expression.
struct Numbered {
  std::size_t leaf, index;  // of all leaves, and of the leaf's parameters
  std::string kernel;       // "rbf", "rbf#2"
  const TextForm& form;
  double value;

  const TextParameter& parameter() const { return form.parameters[index]; }
  std::string address() const { return fmt::format("{}.{}", kernel, parameter().name); }
};

std::vector<Numbered> numbered(const KernelNode& node) {
  std::vector<Numbered> all;
  std::map<std::string_view, int> seen;
  std::size_t place = 0;
  node.with_leaves([&](const KernelNode& n) {
    if (const auto leaf = n.leaf()) {
      const TextForm& form = leaf->row.text;
      const int times = ++seen[form.name];
      const std::string kernel =
          times == 1 ? std::string(form.name) : fmt::format("{}#{}", form.name, times);
      for (std::size_t i = 0; i < leaf->values.size(); ++i)
        all.push_back({place, i, kernel, form, leaf->values[i]});
    }
    ++place;
    return n.shared_from_this();
  });
  return all;
}

/// The name alone where no other parameter has it.
std::string name_among(const std::vector<Numbered>& all, const Numbered& one) {
  const auto same = std::ranges::count_if(
      all, [&](const Numbered& n) { return n.parameter().name == one.parameter().name; });
  return same == 1 ? std::string(one.parameter().name) : one.address();
}

}  // namespace

std::vector<KernelParameter> Kernel::parameters() const {
  const std::vector<Numbered> all = numbered(*node_);
  std::vector<KernelParameter> out;
  for (const Numbered& one : all) {
    KernelParameter next{name_among(all, one), {}};
    if (!std::isnan(one.value)) next.value = one.value;
    out.push_back(std::move(next));
  }
  return out;
}

Kernel Kernel::with(std::string_view name, double value) const {
  const std::vector<Numbered> all = numbered(*node_);
  require(!all.empty(), Errc::bad_option, "{} has no parameters", text());
  // `sigma` is a spelling of `gamma`.
  const std::size_t dot = name.rfind('.');
  const std::string_view kernel = dot == name.npos ? "" : name.substr(0, dot);
  const std::string_view spelling = name.substr(dot == name.npos ? 0 : dot + 1);
  std::vector<const Numbered*> found;
  for (const Numbered& one : all) {
    const TextParameter& p = one.parameter();
    const bool named = spelling == p.name || (!p.other.empty() && spelling == p.other);
    if (named && (dot == name.npos || kernel == one.kernel)) found.push_back(&one);
  }
  if (found.size() != 1) {
    std::vector<std::string> names;
    for (const Numbered& one : all)
      if (found.empty()) names.push_back(name_among(all, one));
    for (const Numbered* one : found) names.push_back(one->address());
    const std::vector<std::string_view> listed(names.begin(), names.end());
    if (found.empty())
      fail(Errc::bad_option, "{} has {}", text(), no_such("parameter", name, listed));
    fail(Errc::bad_option, "{} has several parameters '{}': name {}", text(), name,
         either_of(listed));
  }
  const Numbered& one = *found.front();
  const double set = value_spelled(one.form, one.parameter(), spelling, value);
  std::size_t place = 0;
  return Kernel(node_->with_leaves([&](const KernelNode& n) {
    if (place++ != one.leaf) return n.shared_from_this();
    const LeafView leaf = *n.leaf();
    std::vector<double> values(leaf.values.begin(), leaf.values.end());
    values[one.index] = set;
    return make_leaf(leaf.row, std::move(values));
  }));
}

}  // namespace mercer
