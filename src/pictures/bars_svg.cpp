// Bars: explained variance, loadings.
#include "core/require.hpp"
#include "pictures/figure.hpp"

#include <mercer/loadings.hpp>
#include <mercer/picture.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {

namespace {

using svg::number;

constexpr const char* blue = "#0072b2";
constexpr const char* orange = "#d55e00";

}  // namespace

template <class T>
std::string scree_svg(const Model<T>& model, const PlotOptions& options) {
  constexpr Index most_bars = 200;
  const Vector<double> ratio = model.explained_variance_ratio();
  const Index k = std::min(model.outputs(), most_bars);
  double sum = 0, all = ratio.sum();
  std::vector<std::string> notes;
  if (k < model.outputs())
    notes.push_back(fmt::format("The first {} of {} components", k, model.outputs()));
  else if (all < 1 - 1e-6)
    notes.push_back(fmt::format("The model keeps {:.1f} % of the variance", 100 * all));
  const Figure figure(options, "Explained variance",
                      {{"each component", blue, Mark::bar}, {"running sum", orange, Mark::line}},
                      notes);
  const Box& b = figure.box();
  const double step = b.width / static_cast<double>(k), bottom = b.y + b.height;
  const auto height = [&](double share) { return std::clamp(share, 0.0, 1.0) * 0.96 * b.height; };
  std::string out;
  for (int percent = 0; percent <= 100; percent += 20) {
    const double y = bottom - height(percent / 100.0);
    out += fmt::format(
               "<path class=\"grid\" d=\"M{0} {1}h{2}\"/><path class=\"tick\" d=\"M{0} "
               "{1}h-4\"/>",
               number(b.x), number(y), number(b.width)) +
           text_at(b.x - 7, y + 4, "end", fmt::format("{} %", percent));
  }
  const Index every = std::max<Index>(1, static_cast<Index>(std::ceil(34 / step)));
  std::string line, dots, numbers;
  for (Index c = 0; c < k; ++c) {
    const double x = b.x + step * static_cast<double>(c), middle = x + step / 2;
    const double h = height(ratio[c]);
    out += fmt::format(
        "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
        number(x + 0.12 * step), number(bottom - h), number(0.76 * step), number(h), blue);
    sum += ratio[c];
    const double y = bottom - height(sum);
    line += fmt::format("{}{} {}", c == 0 ? "M" : " ", number(middle), number(y));
    if (k <= 60)
      dots += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\"/>\n", number(middle), number(y));
    if (c % every == 0) numbers += text_at(middle, bottom + 17, "middle", std::to_string(c + 1));
    // In its bar, or on it where the line does not pass.
    if (step >= 34 && h > 24)
      numbers += text_at(middle, bottom - h + 18, "middle", fmt::format("{:.1f}", 100 * ratio[c]),
                         " font-size=\"11\" fill=\"#ffffff\"");
    else if (step >= 34 && bottom - h - 15 > y + 5)
      numbers += text_at(middle, bottom - h - 5, "middle", fmt::format("{:.1f}", 100 * ratio[c]),
                         " font-size=\"11\"");
  }
  out += fmt::format(
      "<path class=\"sum\" fill=\"none\" stroke=\"{0}\" stroke-width=\"2\" d=\"{1}\"/>\n<g "
      "fill=\"{0}\">\n{2}</g>\n",
      orange, line, dots);
  out += numbers + text_at(b.x + b.width / 2, bottom + 36, "middle", "component");
  out += fmt::format(
      "<text transform=\"translate({} {})rotate(-90)\" "
      "text-anchor=\"middle\">share of the variance</text>\n",
      number(b.x - 52), number(b.y + b.height / 2));
  return figure.page(out + Figure::border(b));
}

template <class T>
std::string loadings_svg(const Model<T>& model, const PlotOptions& options) {
  const Loadings table = loadings(model);
  const std::vector<Index> chosen = chosen_components(options, model.outputs(), 1, 3);
  const bool scaled = model.scale().size() > 0;
  const Index d = table.loadings.rows(), panels = static_cast<Index>(chosen.size());
  check_size(options);

  // As many columns as fit, those that weigh most in any of the panels.
  Vector<double> weight = Vector<double>::Zero(d);
  for (const Index c : chosen) weight = weight.cwiseMax(table.loadings.col(c).cwiseAbs());
  std::vector<Index> shown(static_cast<std::size_t>(d));
  std::iota(shown.begin(), shown.end(), Index{0});
  const auto most = static_cast<std::size_t>(std::max(3.0, (options.height - 120) / 14.0));
  std::vector<std::string> notes;
  if (shown.size() > most) {
    std::stable_sort(shown.begin(), shown.end(),
                     [&](Index a, Index b) { return weight[a] > weight[b]; });
    shown.resize(most);
    std::sort(shown.begin(), shown.end());
    notes.push_back(fmt::format("The {} of {} columns with the largest loadings", most, d));
  }
  double widest = 0;
  for (const Index j : shown)
    widest = std::max(widest, text_width(table.names[static_cast<std::size_t>(j)], 26));
  const Figure figure(options, scaled ? "Loadings (correlations)" : "Loadings",
                      {{"positive", blue, Mark::bar}, {"negative", orange, Mark::bar}}, notes,
                      std::max(68.0, widest + 22));
  const Box& all = figure.box();
  const double gap = 18, width = (all.width - gap * static_cast<double>(panels - 1)) /
                                 static_cast<double>(panels);
  const double row = (all.height - 18) / static_cast<double>(shown.size());
  const double bar = std::min(0.7 * row, 22.0);
  double largest = 0;
  for (const Index j : shown) largest = std::max(largest, weight[j]);
  if (scaled) largest = 1;
  if (!(largest > 0)) largest = 1;
  const Vector<double> ratio = model.explained_variance_ratio();
  const auto middle_of = [&](std::size_t i) {
    return all.y + 18 + row * (static_cast<double>(i) + 0.5);
  };
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i)
    out += text_at(all.x - 8, middle_of(i) + 4, "end",
                   svg::text(table.names[static_cast<std::size_t>(shown[i])], 26));
  for (Index p = 0; p < panels; ++p) {
    const Index c = chosen[static_cast<std::size_t>(p)];
    const Box b{all.x + (width + gap) * static_cast<double>(p), all.y + 18, width, all.height - 18};
    const Frame frame{b, AxisScale(-largest, largest, false, b.width),
                      AxisScale(0, 1, false, b.height)};
    out += text_at(b.x + b.width / 2, b.y - 7, "middle", component_title(c, ratio),
                   " font-weight=\"bold\"");
    for (const svg::Tick& tick : frame.across.ticks(std::max(2, static_cast<int>(b.width / 60))))
      out += fmt::format("<path class=\"{}\" d=\"M{} {}v{}\"/>", tick.value == 0 ? "zero" : "grid",
                         number(frame.x(tick.value)), number(b.y), number(b.height)) +
             text_at(frame.x(tick.value), b.y + b.height + 17, "middle", tick.text);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const double value = table.loadings(shown[i], c);
      const double x0 = std::min(frame.x(0), frame.x(value));
      out += fmt::format(
          "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
          number(x0), number(middle_of(i) - bar / 2), number(std::abs(frame.x(value) - frame.x(0))),
          number(bar), value < 0 ? orange : blue);
    }
    out += Figure::border(b);
  }
  return figure.page(out);
}

#define MERCER_INSTANTIATE(T)                                          \
  template std::string scree_svg(const Model<T>&, const PlotOptions&); \
  template std::string loadings_svg(const Model<T>&, const PlotOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
