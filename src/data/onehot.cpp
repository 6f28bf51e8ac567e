#include "data/onehot.hpp"

#include "core/closest_name.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace mercer {

namespace {

constexpr std::size_t most_levels = 1000;

/// How one feature of the file becomes features of the rows.
struct Place {
  Index from = 0, to = 0;
  std::vector<Index> order;  ///< of the categories by name; empty: a number, taken as it is
};

template <class T>
class OneHot final : public ForwardingSource<T> {
 public:
  OneHot(std::unique_ptr<CategorySource<T>> source, const ReadOptions& options)
      : ForwardingSource<T>(std::move(source)),
        from_(static_cast<CategorySource<T>&>(this->source_)) {
    const bool known = std::ranges::none_of(from_.categories(),
                                            [](const Category& c) { return c.levels.empty(); });
    if (!known) {
      require(
          !options.live, Errc::bad_option,
          "`onehot` needs a pass over all rows, and a stream has none; save it to a file first");
      if (from_.can_rewind()) {
        while (from_.next()) continue;
        from_.rewind();
      } else {
        kept_ = read_all<T>(from_);
        memory_ = from_memory(kept_->rows(), kept_->weights);
      }
    }
    plan(known);
  }

  const Schema& schema() const override { return schema_; }

  std::optional<Block<T>> next() override {
    auto block = memory_ ? memory_->next() : from_.next();
    if (!block) return block;
    if (kept_) {
      if (!schema_.label.empty()) block->labels = &kept_->labels;
      if (!schema_.id.empty()) block->ids = &kept_->ids;
      block->first_label = given_;
      given_ += block->rows.rows();
    }
    expand(block->rows);
    block->rows = rows_;
    return block;
  }

  void rewind() override {
    if (memory_) memory_->rewind();
    else from_.rewind();
    given_ = 0;
  }
  bool can_rewind() const override { return memory_ || from_.can_rewind(); }
  Index expected_rows() const override {
    return memory_ ? memory_->expected_rows() : from_.expected_rows();
  }
  std::size_t buffer_bytes() const override {
    const std::size_t read = from_.buffer_bytes();
    const auto widths = static_cast<std::size_t>(schema_.features / from_.schema().features);
    return read + (widths + 1) * read / 2;
  }

 private:
  /// Categories stand where their column stood, by name or as the model has them.
  void plan(bool known) {
    schema_ = from_.schema();
    std::vector<std::string> names = std::exchange(schema_.feature_names, {});
    std::size_t category = 0;
    for (Index j = 0; j < from_.schema().features; ++j) {
      Place place{j, static_cast<Index>(schema_.feature_names.size()), {}};
      const auto& categories = from_.categories();
      if (category < categories.size() && categories[category].feature == j) {
        const std::vector<std::string>& levels = from_.levels()[category++].names();
        place.order.resize(levels.size());
        std::iota(place.order.begin(), place.order.end(), Index{0});
        if (!known)
          std::ranges::sort(place.order, {}, [&](Index i) -> const std::string& {
            return levels[static_cast<std::size_t>(i)];
          });
        for (const Index i : place.order)
          schema_.feature_names.push_back(names[static_cast<std::size_t>(j)] + "=" +
                                          levels[static_cast<std::size_t>(i)]);
        // From the place of a name to the place of a number.
        std::vector<Index> numbers(place.order.size());
        for (std::size_t i = 0; i < numbers.size(); ++i)
          numbers[static_cast<std::size_t>(place.order[i])] = static_cast<Index>(i);
        place.order = std::move(numbers);
      } else {
        schema_.feature_names.push_back(names[static_cast<std::size_t>(j)]);
      }
      places_.push_back(std::move(place));
    }
    schema_.features = static_cast<Index>(schema_.feature_names.size());
  }

  void expand(const Rows<T>& in) {
    rows_.setZero(in.rows(), schema_.features);
    for (Index i = 0; i < in.rows(); ++i)
      for (const Place& place : places_) {
        const T value = in.row(i)[place.from];
        if (place.order.empty()) rows_(i, place.to) = value;
        else if (std::isnan(value))
          rows_.row(i).segment(place.to, static_cast<Index>(place.order.size())).setConstant(value);
        else rows_(i, place.to + place.order[static_cast<std::size_t>(value)]) = 1;
      }
  }

  CategorySource<T>& from_;
  std::optional<Table<T>> kept_;  // what a pipe gave
  std::unique_ptr<Source<T>> memory_;
  std::vector<Place> places_;
  Schema schema_;
  Matrix<T> rows_;
  Index given_ = 0;
};

}  // namespace

Levels::Levels(const Category& category, const std::string& file)
    : column_(category.name),
      file_(file),
      fixed_(!category.levels.empty()),
      names_(category.levels) {
  for (std::size_t i = 0; i < names_.size(); ++i) numbers_.emplace(names_[i], i);
}

template <class T>
void Levels::renumber(const std::vector<std::string>& names, T* values, Index rows, Index stride) {
  std::vector<std::size_t> numbers;
  numbers.reserve(names.size());
  for (const std::string& name : names) {
    const auto [place, fresh] = numbers_.try_emplace(name, names_.size());
    numbers.push_back(place->second);
    if (!fresh) continue;
    if (fixed_) {
      const std::string* close = closest_name(name, names_);
      fail(Errc::bad_data,
           "'{}': column '{}' has the category '{}', which the model does not have{}", Input(file_),
           column_, name,
           close ? fmt::format("; did you mean '{}'?", *close)
                 : std::string("; drop such rows, or fit the model to rows that have it"));
    }
    names_.push_back(name);
    require(names_.size() <= most_levels, Errc::bad_data,
            "'{}': column '{}' has more than {} categories; use it as `id` instead", Input(file_),
            column_, most_levels);
  }
  for (Index i = 0; i < rows; ++i) {
    T& value = values[i * stride];
    if (!std::isnan(value)) value = static_cast<T>(numbers[static_cast<std::size_t>(value)]);
  }
}

template <class T>
std::unique_ptr<Source<T>> one_hot(std::unique_ptr<CategorySource<T>> source,
                                   const ReadOptions& options) {
  return std::make_unique<OneHot<T>>(std::move(source), options);
}

#define MERCER_INSTANTIATE(T)                                                        \
  template void Levels::renumber(const std::vector<std::string>&, T*, Index, Index); \
  template std::unique_ptr<Source<T>> one_hot(std::unique_ptr<CategorySource<T>>,    \
                                              const ReadOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
