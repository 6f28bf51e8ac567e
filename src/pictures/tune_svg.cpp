// What a search has found: errors over a parameter, a map of two, or a line for each kernel.
#include "core/require.hpp"
#include "pictures/figure.hpp"
#include "pictures/tune_grid.hpp"

#include <mercer/picture.hpp>
#include <mercer/tune.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace mercer {

namespace {

using svg::number;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_kernels = 40;  // of those that have nothing in common

struct Extent {
  double low = infinity, high = -infinity;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Equal ratios are more informative than equal steps.
  bool wide() const { return low > 0 && high > 9 * low; }
  AxisScale scale(double length) const { return {low, high, wide(), length}; }
};

const char* score_title(Criterion criterion) {
  switch (criterion) {
    case Criterion::preimage_cv:
      return "held-out error, share of the variance";
    case Criterion::parallel:
      return "share of variance above chance";
    case Criterion::likelihood:
      break;
  }
  return "log-likelihood per row";
}

std::string k_name(Index k) { return k > 0 ? fmt::format("k = {}", k) : "score"; }

/// Cells with a score, what they have in common, and the caption.
struct Search {
  const Tuned& tuned;
  Criterion criterion;
  std::vector<const TuneCell*> cells;
  std::vector<Index> ks;  // one line each; one 0 where the number belongs to the kernel
  std::vector<std::string> notes;
  Extent scores;

  Search(const Tuned& from, Criterion by) : tuned(from), criterion(by) {
    std::set<Index> numbers;
    std::set<std::string> bad;
    const bool lines = by == Criterion::preimage_cv;
    for (const TuneCell& cell : from.cells) {
      if (std::isfinite(cell.score)) cells.push_back(&cell);
      else bad.insert(cell.kernel);
      if (std::isfinite(cell.score)) numbers.insert(lines ? cell.components : 0);
      scores.add(cell.score);
    }
    require(!cells.empty() && from.best < from.cells.size(), Errc::bad_data,
            "the search has no scores to draw");
    ks.assign(numbers.begin(), numbers.end());
    if (ks.size() > most_groups) {
      // Evenly spaced ones, and that of the best.
      std::vector<Index> some;
      for (std::size_t i = 0; i < most_groups; ++i)
        some.push_back(ks[i * (ks.size() - 1) / (most_groups - 1)]);
      if (std::ranges::find(some, best().components) == some.end())
        *std::ranges::lower_bound(some, best().components) = best().components;
      notes.push_back(fmt::format("{} of {} numbers of components", some.size(), ks.size()));
      ks = std::move(some);
    }
    const std::string k = best().components > 0 ? fmt::format(", k = {}", best().components) : "";
    notes.insert(
        notes.begin(),
        fmt::format("Best: {}{}, {:.4g}{}", best().kernel, k, best().score,
                    best().spread > 0 ? fmt::format(" \u00b1 {:.2g}", best().spread) : ""));
    // With some numbers of components a kernel may have a score, and none with others.
    for (const TuneCell* cell : cells) bad.erase(cell->kernel);
    if (!bad.empty())
      notes.push_back(fmt::format("{} kernel{} no score, such as {}", bad.size(),
                                  bad.size() == 1 ? " has" : "s have", *bad.begin()));
  }

  const TuneCell& best() const { return tuned.cells[tuned.best]; }
  std::size_t line_of(const TuneCell& cell) const {
    if (criterion != Criterion::preimage_cv) return 0;
    return static_cast<std::size_t>(std::ranges::find(ks, cell.components) - ks.begin());
  }
  std::vector<LegendEntry> legend() const {
    std::vector<LegendEntry> out;
    for (std::size_t i = 0; i < ks.size() && criterion == Criterion::preimage_cv; ++i)
      out.push_back({k_name(ks[i]), group_colour(i), ring(i) ? Mark::ring : Mark::dot});
    return out;
  }
  /// Colours come a second time as rings.
  static bool ring(std::size_t line) { return line >= svg::label_colours; }
};

std::string dot(double x, double y, std::size_t line) {
  const std::string colour = group_colour(line);
  return fmt::format(
      "<circle class=\"cell\" cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"1.4\"/>\n",
      number(x), number(y), Search::ring(line) ? "#ffffff" : colour, colour);
}

std::string best_mark(double x, double y) {
  return fmt::format(
      "<circle class=\"best\" cx=\"{}\" cy=\"{}\" r=\"7.5\" fill=\"none\" stroke=\"#222222\" "
      "stroke-width=\"1.6\"/>\n",
      number(x), number(y));
}

/// Scores over one parameter, a line for each number of components.
std::string over_parameter(const Search& s, const TuneGrid& grid, const PlotOptions& options) {
  const Figure figure(options, fmt::format("Choosing {}", grid.names[0]), s.legend(), s.notes);
  const Box& b = figure.box();
  Extent across, up = s.scores;
  for (const TuneCell* cell : s.cells) across.add(grid.at(*cell, 0));
  up.add(s.best().score - s.best().spread);
  up.add(s.best().score + s.best().spread);
  const Frame frame{b, across.scale(b.width), up.scale(b.height)};
  std::string out =
      Figure::axes(frame, grid.names[0] + " of " + grid.family, score_title(s.criterion));
  std::vector<std::size_t> order(s.ks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The line of the best lies on top.
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return i != s.line_of(s.best()); });
  for (const std::size_t line : order) {
    std::vector<std::pair<double, double>> points;
    for (const TuneCell* cell : s.cells)
      if (s.line_of(*cell) == line) points.emplace_back(grid.at(*cell, 0), cell->score);
    std::ranges::sort(points);
    std::string path, dots;
    for (const auto& [value, score] : points) {
      const double x = frame.x(value), y = frame.y(score);
      path += fmt::format("{}{} {}", path.empty() ? "M" : " ", number(x), number(y));
      dots += dot(x, y, line);
    }
    if (path.empty()) continue;
    out += fmt::format(
               "<path class=\"line\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" "
               "stroke-linejoin=\"round\"{} d=\"{}\"/>\n",
               group_colour(line), Search::ring(line) ? " stroke-dasharray=\"5 3\"" : "", path) +
           dots;
  }
  const double x = frame.x(grid.at(s.best(), 0)), y = frame.y(s.best().score);
  if (s.best().spread > 0)
    out +=
        fmt::format("<path class=\"spread\" fill=\"none\" stroke=\"#222222\" d=\"M{} {}V{}\"/>\n",
                    number(x), number(frame.y(s.best().score + s.best().spread)),
                    number(frame.y(s.best().score - s.best().spread)));
  return figure.page(out + best_mark(x, y) + Figure::border(b));
}

/// The best score of each pair of parameters, as a colour and a number.
std::string over_pairs(const Search& s, const TuneGrid& grid, const PlotOptions& options) {
  std::vector<std::string> notes = s.notes;
  const bool least = s.criterion == Criterion::preimage_cv;
  if (least && s.ks.size() > 1)
    notes.emplace_back("Each square shows the best number of components");
  const Figure figure(options, fmt::format("Choosing {} and {}", grid.names[0], grid.names[1]), {},
                      notes);
  const Box& b = figure.box();
  const std::vector<double>&across = grid.values[0], &up = grid.values[1];
  const double width = b.width / static_cast<double>(across.size());
  const double height = b.height / static_cast<double>(up.size());
  const auto place = [](const std::vector<double>& values, double value) {
    return static_cast<double>(std::ranges::lower_bound(values, value) - values.begin());
  };
  std::map<std::pair<double, double>, const TuneCell*> squares;
  for (const TuneCell* cell : s.cells) {
    const TuneCell*& found = squares[{grid.at(*cell, 0), grid.at(*cell, 1)}];
    if (!found || (least ? cell->score < found->score : cell->score > found->score)) found = cell;
  }
  squares[{grid.at(s.best(), 0), grid.at(s.best(), 1)}] = &s.best();
  Extent tones;
  for (const auto& [at, cell] : squares) tones.add(cell->score);
  std::string out, marks;
  for (const auto& [at, cell] : squares) {
    const double x = b.x + width * place(across, at.first);
    const double y = b.y + b.height - height * (place(up, at.second) + 1);
    const double range = tones.high - tones.low;
    const double share = range > 0 ? (cell->score - tones.low) / range : 0.5;
    // Good is the darker violet, bad the darker orange.
    out += fmt::format(
        "<rect class=\"cell\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
        number(x), number(y), number(width), number(height),
        svg::hex(svg::diverging(least ? 2 * share - 1 : 1 - 2 * share)));
    if (width >= 46 && height >= 18)
      marks += text_at(x + width / 2, y + height / 2 + 4, "middle",
                       fmt::format("{:.3g}", cell->score), " font-size=\"11\"");
    if (cell == &s.best())
      marks += fmt::format(
          "<rect class=\"best\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" "
          "stroke=\"#222222\" stroke-width=\"2.4\"/>\n",
          number(x + 1.2), number(y + 1.2), number(width - 2.4), number(height - 2.4));
  }
  const auto every = [](double step, double room) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(room / step)));
  };
  for (std::size_t i = 0; i < across.size(); i += every(width, 52))
    out += text_at(b.x + width * (static_cast<double>(i) + 0.5), b.y + b.height + 17, "middle",
                   fmt::format("{:.4g}", across[i]));
  for (std::size_t j = 0; j < up.size(); j += every(height, 16))
    out += text_at(b.x - 7, b.y + b.height - height * (static_cast<double>(j) + 0.5) + 4, "end",
                   fmt::format("{:.4g}", up[j]));
  out += text_at(b.x + b.width / 2, b.y + b.height + 36, "middle",
                 svg::text(grid.names[0] + " of " + grid.family, 60));
  out += fmt::format(
      "<text transform=\"translate({} {})rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      number(b.x - 52), number(b.y + b.height / 2), svg::text(grid.names[1], 20));
  return figure.page(out + marks + Figure::border(b));
}

/// A line for each kernel, its scores along it.
std::string by_kernel(const Search& s, const PlotOptions& options) {
  std::vector<std::string> kernels;
  for (const TuneCell* cell : s.cells)
    if (std::ranges::find(kernels, cell->kernel) == kernels.end()) kernels.push_back(cell->kernel);
  std::vector<std::string> notes = s.notes;
  if (kernels.size() > most_kernels) {
    // Those near the best: a grid is ordered.
    const auto at =
        static_cast<std::size_t>(std::ranges::find(kernels, s.best().kernel) - kernels.begin());
    const std::size_t first =
        std::min(at - std::min(at, most_kernels / 2), kernels.size() - most_kernels);
    notes.push_back(fmt::format("{} of {} kernels", most_kernels, kernels.size()));
    kernels = {kernels.begin() + static_cast<std::ptrdiff_t>(first),
               kernels.begin() + static_cast<std::ptrdiff_t>(first + most_kernels)};
  }
  double widest = 0;
  for (const std::string& name : kernels) widest = std::max(widest, text_width(name, 30));
  const Figure figure(options, "Choosing a kernel", s.legend(), notes, std::max(68.0, widest + 22));
  const Box& b = figure.box();
  const Frame frame{b, s.scores.scale(b.width), AxisScale(0, 1, false, b.height)};
  const double row = b.height / static_cast<double>(kernels.size()), bottom = b.y + b.height;
  std::string out;
  for (const svg::Tick& tick : frame.across.ticks(std::max(2, static_cast<int>(b.width / 90))))
    out += fmt::format("<path class=\"grid\" d=\"M{} {}V{}\"/>", number(frame.x(tick.value)),
                       number(b.y), number(bottom)) +
           text_at(frame.x(tick.value), bottom + 17, "middle", tick.text);
  const auto height = [&](const std::string& kernel) {
    const auto at = static_cast<double>(std::ranges::find(kernels, kernel) - kernels.begin());
    return b.y + row * (at + 0.5);
  };
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(14 / row)));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double y = height(kernels[i]);
    out += fmt::format("<path class=\"grid\" d=\"M{} {}h{}\"/>", number(b.x), number(y),
                       number(b.width));
    if (i % every == 0) out += text_at(b.x - 8, y + 4, "end", svg::text(kernels[i], 30));
  }
  for (const TuneCell* cell : s.cells)
    if (std::ranges::find(kernels, cell->kernel) != kernels.end() && s.line_of(*cell) < s.ks.size())
      out += dot(frame.x(cell->score), height(cell->kernel), s.line_of(*cell));
  out += best_mark(frame.x(s.best().score), height(s.best().kernel));
  out += text_at(b.x + b.width / 2, bottom + 36, "middle", score_title(s.criterion));
  return figure.page(out + Figure::border(b));
}

}  // namespace

std::string tune_svg(const Tuned& tuned, Criterion criterion, const PlotOptions& options) {
  const Search search(tuned, criterion);
  const TuneGrid grid(search.cells);
  if (grid.names.size() == 1) return over_parameter(search, grid, options);
  if (grid.names.size() == 2) return over_pairs(search, grid, options);
  return by_kernel(search, options);
}

}  // namespace mercer
