#pragma once
// A bounded number of scores with their labels: what a picture in a terminal is made of.

#include <mercer/source.hpp>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace mercer::cli {

/// How often each label occurs. Stops telling labels apart when there are too many to matter.
class LabelCounts {
 public:
  void add(std::string_view label, std::size_t times = 1);
  void add(const TextColumn& labels, Index first, Index rows);

  bool empty() const { return counts_.empty(); }
  std::size_t distinct() const { return counts_.size(); }
  bool too_many() const { return too_many_; }

  struct Entry {
    std::string label;
    std::size_t count;
  };
  /// The most frequent first; equal counts in order of appearance.
  std::vector<Entry> by_frequency() const;

 private:
  struct Count {
    std::size_t count, appeared;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, Count, Hash, std::equal_to<>> counts_;
  bool too_many_ = false;
};

/// Points in one or two dimensions, each in a group.
struct Cloud {
  struct Group {
    std::string name;    ///< empty: the only one, without a label
    std::size_t count;   ///< rows of the data, not only of this sample
    bool other = false;  ///< all labels too rare for a separate colour
  };
  std::vector<double> x, y;  ///< y is empty in one dimension
  std::vector<int> group;
  std::vector<Group> groups;
  std::size_t labels = 0;  ///< different labels in the data
};

/// Assigns points to groups by their labels: the most frequent labels get one each, in
/// alphabetical order; the rest share the last. `labels[i]` belongs to point i; null without
/// labels.
void assign_groups(Cloud& cloud, const LabelCounts& counts, const std::vector<std::string>* labels);

}  // namespace mercer::cli
