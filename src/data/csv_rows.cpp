#include "data/csv_rows.hpp"

#include "data/csv_lanes.hpp"
#include "data/number.hpp"

#include <cmath>
#include <limits>
#include <unordered_map>

namespace mercer::csv {

namespace {

template <class T>
class RowParser {
 public:
  RowParser(const Chunk& chunk, const Layout& layout, bool drop, ParsedRows<T>& out)
      : end_(chunk.end),
        layout_(layout),
        drop_(drop),
        has_quotes_(chunk.has_quotes),
        out_(out),
        cell_(chunk.begin),
        separators_(chunk.begin, layout.delimiter),
        codes_(layout.plan.categories.size()) {
    out_.levels.resize(codes_.size());
  }

  void parse() {
    while (cell_ < end_) {
      if (*cell_ == '\n' || (cell_[0] == '\r' && cell_[1] == '\n')) {
        cell_ = separators_.next() + 1;
      } else if (!parse_row()) {
        return;
      }
    }
  }

 private:
  enum class Row : unsigned char { going_on, blank, problem };

  // False: a problem.
  bool parse_row() {
    row_ = cell_;
    column_ = 0;
    row_missing_ = 0;
    category_ = 0;
    value_ = out_.values + out_.rows * layout_.plan.schema.features;
    for (const Run& run : layout_.runs) {
      Index left = run.count;
      while (left > 0) {
        if (run.role == Role::feature && &run != &layout_.runs.back()) left -= plain_features(left);
        if (left == 0) break;
        const Row state = any_cell(run.role);
        if (state != Row::going_on) return state == Row::blank;
        --left;
      }
    }
    end_row();
    return true;
  }

  // The common case: up to `most` numbers, each before a delimiter. Returns how many.
  Index plain_features(Index most) {
    const char delimiter = layout_.delimiter;
    Separators separators = separators_;
    const char* cell = cell_;
    T* value = value_;
    Index count = 0;
    for (; count < most; ++count) {
      const char* stop = separators.next();
      if (*stop != delimiter ||
          (!parse_plain(cell, stop, *value) && !parse_finite(cell, stop, *value))) {
        separators.seek(cell);
        break;
      }
      ++value;
      cell = stop + 1;
    }
    separators_ = separators;
    cell_ = cell;
    value_ = value;
    column_ += count;
    return count;
  }

  Row any_cell(Role role) {
    CellSpan cell = next_cell();
    if (cell.fault != Fault::none) return fail({Problem::Kind::fault, cell.fault, cell_, column_});
    if ((*cell.stop == '\n') != (column_ + 1 == layout_.columns)) {
      if (*cell.stop == '\n' && column_ == 0 && is_blank_line(cell)) return skip_blank(cell);
      return fail({Problem::Kind::ragged, Fault::none, row_, column_});
    }
    if (role == Role::feature) {
      if (!parse_plain(cell.text.data(), cell.text.data() + cell.text.size(), *value_)) {
        const Cell kind = parse_cell(cell.text, *value_);
        if (kind == Cell::missing) {
          if (layout_.columns == 1 && is_blank_line(cell)) return skip_blank(cell);
          note_missing();
        } else if (kind != Cell::number) {
          return fail({kind == Cell::text ? Problem::Kind::text : Problem::Kind::infinite,
                       Fault::none, cell_, column_});
        }
      }
      ++value_;
    } else if (role == Role::category) {
      assign_content(cell, level_);
      if (T ignored; parse_cell(level_, ignored) == Cell::missing) note_missing();
      else *value_ = static_cast<T>(code_of(level_));
      ++value_;
      ++category_;
    } else if (role == Role::label) {
      assign_content(cell, label_);
    } else if (role == Role::id) {
      assign_content(cell, id_);
    } else if (role == Role::weight) {
      if (parse_cell(cell.text, weight_) != Cell::number || weight_ < 0)
        return fail({Problem::Kind::weight, Fault::none, cell_, column_});
    }
    cell_ = cell.stop + 1;
    ++column_;
    return Row::going_on;
  }

  CellSpan next_cell() {
    if (has_quotes_) {
      const CellSpan cell = scan_cell(cell_, end_, layout_.delimiter);
      separators_.seek(cell.stop + 1);
      return cell;
    }
    const char* stop = separators_.next();
    return {unquoted(cell_, stop), stop};
  }

  static bool is_blank_line(const CellSpan& cell) {
    return !cell.quoted && cell.text.find_first_not_of(" \t") == cell.text.npos;
  }

  Row skip_blank(const CellSpan& cell) {
    cell_ = cell.stop + 1;
    return Row::blank;
  }

  Row fail(Problem problem) {
    out_.problem = problem;
    return Row::problem;
  }

  /// The place of a category among those of its column so far.
  std::size_t code_of(const std::string& level) {
    auto& levels = out_.levels[category_];
    const auto [place, fresh] = codes_[category_].try_emplace(level, levels.size());
    if (fresh) levels.push_back(level);
    return place->second;
  }

  void note_missing() {
    *value_ = std::numeric_limits<T>::quiet_NaN();
    ++row_missing_;
    if (!out_.first_missing) {
      out_.first_missing = cell_;
      out_.first_missing_column = column_;
      out_.first_missing_row = out_.rows;
    }
  }

  void end_row() {
    out_.missing += row_missing_;
    if (drop_ && row_missing_ > 0) {
      ++out_.dropped;
      return;
    }
    const Schema& schema = layout_.plan.schema;
    if (!schema.label.empty()) out_.labels.push_back(label_);
    if (!schema.id.empty()) out_.ids.push_back(id_);
    if (schema.weighted) out_.weights[out_.rows] = weight_;
    ++out_.rows;
  }

  const char* end_;
  const Layout& layout_;
  bool drop_;
  bool has_quotes_;
  ParsedRows<T>& out_;

  const char* row_ = nullptr;
  const char* cell_;
  Separators separators_;  // its next one ends the cell, if that has no quotes
  Index column_ = 0;
  Index row_missing_ = 0;
  T* value_ = nullptr;
  std::string label_, id_, level_;
  double weight_ = 0;
  std::size_t category_ = 0;  // how many columns of categories the row had so far
  std::vector<std::unordered_map<std::string, std::size_t>> codes_;
};

}  // namespace

template <class T>
void parse_rows(const Chunk& chunk, const Layout& layout, bool drop, ParsedRows<T>& out) {
  RowParser<T>(chunk, layout, drop, out).parse();
}

template void parse_rows(const Chunk&, const Layout&, bool, ParsedRows<float>&);
template void parse_rows(const Chunk&, const Layout&, bool, ParsedRows<double>&);

}  // namespace mercer::csv
