#include "pictures/figure.hpp"

#include "core/require.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

using svg::number;

constexpr double letter_width = 0.6 * font_size;
constexpr double right_margin = 18, legend_line = 20, note_line = 17, axis_height = 46;

std::string mark_at(const LegendEntry& entry, double x, double y) {
  switch (entry.mark) {
    case Mark::dot:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>", number(x + 6),
                         number(y), entry.colour);
    case Mark::ring:
      return fmt::format(
          "<circle cx=\"{}\" cy=\"{}\" r=\"3.4\" fill=\"none\" stroke=\"{}\" "
          "stroke-width=\"1.4\"/>",
          number(x + 6), number(y), entry.colour);
    case Mark::bar:
      return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{}\"/>",
                         number(x + 1), number(y - 5), entry.colour);
    case Mark::line:
      return fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"2\" d=\"M{} {}h12\"/>",
                         entry.colour, number(x), number(y));
  }
  return {};
}

constexpr std::size_t most_letters = 24;  // of a name in the legend

double entry_width(const LegendEntry& entry) { return 36 + text_width(entry.name, most_letters); }

/// Lines that the entries take.
std::vector<std::vector<const LegendEntry*>> lines_of(const std::vector<LegendEntry>& entries,
                                                      double room) {
  std::vector<std::vector<const LegendEntry*>> lines;
  double used = 0;
  for (const LegendEntry& entry : entries) {
    const double width = entry_width(entry);
    if (lines.empty() || used + width > room) {
      lines.emplace_back();
      used = 0;
    }
    lines.back().push_back(&entry);
    used += width;
  }
  return lines;
}

}  // namespace

double text_width(std::string_view utf8) {
  double count = 0;
  for (const char c : utf8) count += (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
  return letter_width * count;
}

double text_width(std::string_view utf8, std::size_t most) {
  return std::min(text_width(utf8), letter_width * static_cast<double>(most));
}

std::string text_at(double x, double y, const char* anchor, const std::string& escaped,
                    const char* more) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", number(x),
                     number(y), anchor, more, escaped);
}

std::string group_colour(std::size_t group) {
  return svg::label_colour(group < most_groups ? group % svg::label_colours : svg::label_colours);
}

void check_size(const PlotOptions& options) {
  require(options.width >= 240 && options.width <= 4000, Errc::bad_option,
          "`width={}` is not between 240 and 4000 pixels", options.width);
  require(options.height >= 200 && options.height <= 4000, Errc::bad_option,
          "`height={}` is not between 200 and 4000 pixels", options.height);
}

std::string component_title(Index component, const Vector<double>& ratio) {
  return fmt::format("PC{} ({:.1f} %)", component + 1, 100 * ratio[component]);
}

std::vector<Index> chosen_components(const PlotOptions& options, Index outputs, std::size_t least,
                                     std::size_t most) {
  std::vector<Index> chosen = options.components;
  if (chosen.empty())
    for (Index c = 0; c < std::min<Index>(outputs, static_cast<Index>(most)); ++c)
      chosen.push_back(c);
  require(chosen.size() >= least, Errc::bad_option,
          "{} component{} do{} not make a plot: it needs {}", chosen.size(),
          chosen.size() == 1 ? "" : "s", chosen.size() == 1 ? "es" : "", least);
  require(options.components.size() <= std::max(most, least * 4), Errc::bad_option,
          "{} components are more than the {} that can be drawn", chosen.size(),
          std::max(most, least * 4));
  for (const Index c : chosen)
    require(c >= 0 && c < outputs, Errc::bad_option, "there is no component {}: the model has {}",
            c + 1, outputs);
  return chosen;
}

std::string with_commas(Index number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

Figure::Figure(const PlotOptions& options, const std::string& title,
               const std::vector<LegendEntry>& legend, const std::vector<std::string>& notes,
               double left)
    : width_(options.width),
      height_(options.height),
      title_(options.title.empty() ? title : options.title) {
  check_size(options);
  const auto letters = static_cast<std::size_t>((width_ - 24) / (0.62 * 14));
  around_ = text_at(12, 22, "start", svg::text(title_, letters),
                    " font-size=\"14\" font-weight=\"bold\"");
  const auto lines = lines_of(legend, width_ - left - right_margin);
  const double below = legend_line * static_cast<double>(lines.size()) +
                       note_line * static_cast<double>(notes.size()) + 8;
  box_ = {left, 36, width_ - left - right_margin, height_ - 36 - axis_height - below};
  double y = height_ - below + 6;
  for (const auto& line : lines) {
    double x = left;
    for (const LegendEntry* entry : line) {
      around_ += mark_at(*entry, x, y) +
                 text_at(x + 18, y + 4, "start", svg::text(entry->name, most_letters));
      x += entry_width(*entry);
    }
    y += legend_line;
  }
  const auto note_letters = static_cast<std::size_t>((width_ - left) / (0.55 * 11));
  for (const std::string& note : notes) {
    around_ += text_at(left, y + 4, "start", svg::text(note, note_letters),
                       " font-size=\"11\" fill=\"#666666\"");
    y += note_line;
  }
}

std::string Figure::axes(const Frame& f, const std::string& x_title, const std::string& y_title) {
  std::string out;
  const Box& b = f.box;
  const double bottom = b.y + b.height;
  for (const svg::Tick& tick : f.across.ticks(std::max(2, static_cast<int>(b.width / 90)))) {
    const std::string x = number(f.x(tick.value));
    out += fmt::format(
               "<path class=\"grid\" d=\"M{0} {1}V{2}\"/><path class=\"tick\" d=\"M{0} "
               "{2}v4\"/>",
               x, number(b.y), number(bottom)) +
           text_at(f.x(tick.value), bottom + 17, "middle", tick.text);
  }
  for (const svg::Tick& tick : f.up.ticks(std::max(2, static_cast<int>(b.height / 60)))) {
    const double y = f.y(tick.value);
    out += fmt::format(
               "<path class=\"grid\" d=\"M{0} {1}h{2}\"/><path class=\"tick\" d=\"M{0} "
               "{1}h-4\"/>",
               number(b.x), number(y), number(b.width)) +
           text_at(b.x - 7, y + 4, "end", tick.text);
  }
  out += text_at(b.x + b.width / 2, bottom + 36, "middle", svg::text(x_title, 60));
  const auto letters = static_cast<std::size_t>(std::max(8.0, b.height / letter_width));
  return out + fmt::format(
                   "<text transform=\"translate({} {})rotate(-90)\" "
                   "text-anchor=\"middle\">{}</text>\n",
                   number(b.x - 52), number(b.y + b.height / 2), svg::text(y_title, letters));
}

std::string Figure::border(const Box& b) {
  return fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                     number(b.x), number(b.y), number(b.width), number(b.height));
}

std::string Figure::page(const std::string& content) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
             "{0} {1}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
             "<title>{2}</title>\n"
             "<style>.grid{{fill:none;stroke:#ececec}}.zero{{fill:none;stroke:#bbbbbb}}"
             ".tick,.frame{{fill:none;stroke:#555555}}.limit{{fill:none;stroke:#555555;"
             "stroke-dasharray:5 4}}.arrow{{fill:none;stroke:#8f1d14;stroke-width:1.3}}"
             ".name{{paint-order:stroke;stroke:#ffffff;stroke-opacity:.8;stroke-width:3px;stroke-"
             "linejoin:round}}"
             ".lead{{fill:none;stroke:#999999;stroke-width:.6}}</style>\n"
             "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
             number(width_), number(height_), svg::text(title_, 100)) +
         content + around_ + "</svg>\n";
}

std::string origin_lines(const Frame& f) {
  std::string out;
  const Box& b = f.box;
  if (const double x = f.x(0); x > b.x && x < b.x + b.width)
    out += fmt::format("<path class=\"zero\" d=\"M{} {}v{}\"/>", number(x), number(b.y),
                       number(b.height));
  if (const double y = f.y(0); y > b.y && y < b.y + b.height)
    out += fmt::format("<path class=\"zero\" d=\"M{} {}h{}\"/>\n", number(b.x), number(y),
                       number(b.width));
  return out;
}

std::string arrow(double x0, double y0, double x1, double y1) {
  const double length = std::hypot(x1 - x0, y1 - y0);
  if (length < 1) return {};
  const double ux = (x1 - x0) / length, uy = (y1 - y0) / length, head = std::min(7.0, length / 2);
  const double bx = x1 - head * ux, by = y1 - head * uy;
  return fmt::format("<path class=\"arrow\" d=\"M{} {}L{} {}M{} {}L{} {} {} {}\"/>\n", number(x0),
                     number(y0), number(x1), number(y1), number(bx - 0.45 * head * uy),
                     number(by + 0.45 * head * ux), number(x1), number(y1),
                     number(bx + 0.45 * head * uy), number(by - 0.45 * head * ux));
}

}  // namespace mercer
