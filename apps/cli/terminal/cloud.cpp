#include "terminal/cloud.hpp"

#include <algorithm>

namespace mercer::cli {

namespace {
constexpr std::size_t most_labels = 100'000;  // bounds memory on a column that is no label at all
constexpr std::size_t most_groups = 10;       // distinguishable by colour
}  // namespace

void LabelCounts::add(std::string_view label, std::size_t times) {
  const auto place = counts_.find(label);
  if (place != counts_.end()) {
    place->second.count += times;
  } else if (counts_.size() < most_labels) {
    counts_.emplace(std::string(label), Count{times, counts_.size()});
  } else {
    too_many_ = true;
  }
}

void LabelCounts::add(const TextColumn& labels, Index first, Index rows) {
  // Runs of the same label, as in sorted files, need one look-up each.
  const auto end = static_cast<std::size_t>(first + rows);
  for (auto i = static_cast<std::size_t>(first); i < end;) {
    const std::string_view label = labels[i];
    std::size_t run = 1;
    while (i + run < end && labels[i + run] == label) ++run;
    add(label, run);
    i += run;
  }
}

std::vector<LabelCounts::Entry> LabelCounts::by_frequency() const {
  std::vector<std::pair<const std::string*, Count>> all;
  for (const auto& [label, count] : counts_) all.emplace_back(&label, count);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.second.count != b.second.count ? a.second.count > b.second.count
                                            : a.second.appeared < b.second.appeared;
  });
  std::vector<Entry> out;
  out.reserve(all.size());
  for (const auto& [label, count] : all) out.push_back({*label, count.count});
  return out;
}

void assign_groups(Cloud& cloud, const LabelCounts& counts,
                   const std::vector<std::string>* labels) {
  cloud.groups.clear();
  cloud.group.assign(cloud.x.size(), 0);
  if (!labels) {
    cloud.groups.push_back({"", cloud.x.size()});
    return;
  }
  std::vector<LabelCounts::Entry> entries = counts.by_frequency();
  cloud.labels = entries.size();
  const bool spill = entries.size() > most_groups;
  std::size_t rest = 0;
  if (spill) {
    for (std::size_t i = most_groups - 1; i < entries.size(); ++i) rest += entries[i].count;
    entries.resize(most_groups - 1);
  }
  // Names in order, so that the same labels look the same from run to run.
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.label < b.label; });
  std::unordered_map<std::string_view, int> index;
  for (const auto& entry : entries) {
    index.emplace(entry.label, static_cast<int>(cloud.groups.size()));
    cloud.groups.push_back({entry.label, entry.count});
  }
  if (spill) cloud.groups.push_back({"other", rest, true});
  for (std::size_t i = 0; i < cloud.x.size(); ++i) {
    const auto place = index.find((*labels)[i]);
    cloud.group[i] =
        place == index.end() ? static_cast<int>(cloud.groups.size()) - 1 : place->second;
  }
}

}  // namespace mercer::cli
