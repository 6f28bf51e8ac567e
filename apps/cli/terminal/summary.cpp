#include "terminal/summary.hpp"

#include "terminal/bars.hpp"

#include <mercer/relations.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

namespace mercer::cli {

namespace {

constexpr Index most_rows = 12;     // of the table
constexpr Index most_loadings = 4;  // components whose loadings are listed
constexpr std::size_t most_relation_lines = 4;
constexpr int bar_color = 33;

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string seconds_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} s", seconds);
}

std::string count_text(std::int64_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string loading(double value, const Terminal& terminal) {
  const std::string sign = value < 0 ? (terminal.unicode ? "−" : "-") : "+";
  return terminal.paint(value < 0 ? 208 : 33, fmt::format("{}{:.2f}", sign, std::abs(value)));
}

}  // namespace

std::vector<std::string> numbered(std::string_view stem, Index count) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (Index i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", stem, i));
  return names;
}

template <class T>
Summary summarize(const Model<T>& model) {
  Summary s;
  s.inputs = model.inputs();
  s.label_column = model.label_column();
  s.id_column = model.id_column();
  s.scaled = (model.scale().array() != 1).any();
  s.precision = std::is_same_v<T, float> ? "float" : "double";
  s.eigenvalues = model.eigenvalues();
  s.variance = model.explained_variance();
  s.ratio = model.explained_variance_ratio();
  const Map<T>& map = model.map();
  if (map.space() == Space::input || map.space() == Space::features) {
    const Index shown_components = std::min(model.outputs(), most_loadings);
    s.loadings = model.components().topRows(shown_components).template cast<double>();
    s.loading_names = map.feature_names(
        model.feature_names().empty() ? numbered("x", model.inputs()) : model.feature_names());
  } else {
    s.similarities = map.features();
  }
  if (!map.is_identity()) s.map = map.kernel().empty() ? map.text() : "kernel " + map.kernel();
  s.outputs = model.outputs();
  s.rows = static_cast<double>(model.report().n_samples);
  if (!map.is_identity()) s.space = feature_space(map);
  s.report = model.report();
  s.features = map.features();
  for (const Relation& r : relations(model))
    s.relations.push_back(
        fmt::format("{} (residual {:.1g})", to_text(r, term_names(model)), r.residual));
  return s;
}
template Summary summarize(const Model<float>&);
template Summary summarize(const Model<double>&);

std::string axis_title(const Summary& summary, Index component) {
  return fmt::format("PC{} {:.1f} %", component + 1, 100 * summary.ratio[component]);
}

std::string shape_line(const Summary& summary, const Terminal& terminal) {
  std::string line =
      fmt::format("{} {} {}", count_text(summary.report.n_samples, "row"),
                  terminal.unicode ? "×" : "x", count_text(summary.inputs, "column"));
  if (summary.report.weighted)
    line += fmt::format(", weights sum to {:.6g}", summary.report.weight);
  if (summary.scaled) line += ", z-scores";
  if (!summary.report.centered) line += ", not centred";
  if (summary.report.ddof == 0) line += ", variances over N";
  if (summary.precision == "float") line += ", float";
  if (!summary.map.empty()) line += ", " + summary.map;
  return line;
}

std::string solver_line(const Summary& summary, const Terminal&) {
  const SolverReport& solver = summary.report.solver;
  std::string line =
      fmt::format("{}, {}", solver.name,
                  fmt::format("{} pass{}", solver.passes, solver.passes == 1 ? "" : "es"));
  // A model file does not have the time: equal runs are equal files.
  if (summary.report.seconds > 0) line += ", " + seconds_text(summary.report.seconds);
  if (!solver.why.empty()) line += ": " + solver.why;
  return line;
}

std::string approximation_line(const Summary& summary, const Terminal& terminal) {
  if (!summary.report.approximation) return {};
  const Approximation& a = *summary.report.approximation;
  const char* plus_minus = terminal.unicode ? "±" : "+-";
  const double total = summary.eigenvalues.sum() / summary.ratio.sum();
  std::string line = fmt::format("approximate: {}, {}; ", a.text, count_text(a.rank, "feature"));
  if (a.estimated && summary.report.certificate.confidence == 1)
    line += fmt::format("Frobenius error {} of the kernel matrix, over all pairs of rows",
                        percent(a.error));
  else if (a.estimated)
    line += fmt::format("Frobenius error {} {} {} of the kernel matrix (estimated)",
                        percent(a.error), plus_minus, percent(a.spread));
  else line += fmt::format("trace error {} of the kernel matrix", percent(a.error));
  const double low = a.below / total, high = a.above / total;  // below may be rounding alone
  return line +
         (low > 1e-3 * high
              ? fmt::format("; each ratio within {} {:.2f} percentage points", plus_minus,
                            100 * high)
              : fmt::format("; each ratio up to {:.2f} percentage points larger", 100 * high)) +
         "\n";
}

std::string certificate_line(const Summary& summary) {
  const Certificate& c = summary.report.certificate;
  if (c.low.empty())
    return c.reason.empty() ? "" : fmt::format("eigenvalues without intervals: {}\n", c.reason);
  double below = 0, above = 0;
  for (std::size_t j = 0; j < c.low.size(); ++j) {
    const double value = summary.eigenvalues[static_cast<Index>(j)];
    below = std::max(below, value - c.low[j]);
    above = std::max(above, c.high[j] - value);
  }
  const std::string certain =
      c.confidence == 1 ? "proven" : fmt::format("{:.6g} % confidence", 100 * c.confidence);
  const double first = summary.eigenvalues[0];
  const auto share = [&](double error) {  // of the first, which a model has only above 0
    return error < 1e-4 * first ? fmt::format("{:.2g} of the first", error / first)
                                : fmt::format("{:.2g} % of the first", 100 * error / first);
  };
  std::string line;
  if (above <= 2 * below && below <= 2 * above) {
    line = fmt::format("eigenvalues are within {}", share(std::max(below, above)));
  } else {
    line = "exact eigenvalues are ";
    if (below > 0) line += fmt::format("smaller by at most {}", share(below));
    if (below > 0 && above > 0) line += ", or ";
    if (above > 0) line += fmt::format("larger by at most {}", share(above));
  }
  line += fmt::format(" ({})", certain);
  if (!c.reason.empty()) line += "; " + c.reason;
  return line + "\n";
}

std::string plan_line(const Summary& summary) {
  if (!summary.report.plan) return {};
  const PlanReport& plan = *summary.report.plan;
  const auto costs = [](const PlannedMethod& m) {
    std::string text = m.method;
    const bool estimate = m.method == "krylov" || m.method == "randomized";
    if (m.passes > 0)
      text += fmt::format(", {}{:.0f} pass{}", estimate ? "about " : "", m.passes,
                          m.passes > 1.5 ? "es" : "");
    if (m.flops > 0) text += fmt::format(", {:.2g} flops", m.flops);
    return text;
  };
  std::string line = fmt::format("planned: {}, rows {}", costs(plan.chosen), plan.rows);
  const char* before = "; rejected: ";
  for (const PlannedMethod& m : plan.rejected) {
    line += fmt::format("{}{} ({})", before, costs(m), m.why);
    before = "; ";
  }
  return line + "\n";
}

std::string merge_line(const Summary& summary) {
  const MergeReport& merged = summary.report.merged;
  if (merged.models == 0) return {};
  if (merged.missing_variance == 0)
    return fmt::format("merged from {} models, exact up to rounding\n", merged.models);
  return fmt::format(
      "merged from {} models, not all with all components: each variance is exact or up to {:.3g} "
      "larger; the total is that of all components, up to rounding\n",
      merged.models, merged.missing_variance);
}

std::string choice_lines(const Summary& summary) {
  std::string lines;
  if (const auto& filled = summary.report.imputation)
    lines += fmt::format(
        "{} imputed by iterative PCA, {}, within {:.2g} standard deviations of the limit\n",
        count_text(filled->cells, "missing value"), count_text(filled->iterations, "iteration"),
        filled->change);
  if (const auto& chosen = summary.report.chosen)
    lines += fmt::format("{}: {}\n", chosen->method, chosen->reason);
  return lines;
}

std::string space_lines(const Summary& summary, const Terminal& terminal) {
  if (summary.map.empty()) return {};
  const FeatureSpace& space = summary.space;
  std::string text = space.text.empty() ? "" : space.text + "\n";
  if (summary.outputs > summary.inputs && space.known()) {
    double most = space.most_components(summary.rows, summary.report.centered);
    if (const auto& approximation = summary.report.approximation)
      most = std::min(most, static_cast<double>(approximation->rank));
    text += fmt::format(
        "{} components from {}: components are directions of the feature space, where {} rows can "
        "have up to {:.0f}\n",
        summary.outputs, count_text(summary.inputs, "column"), summary.report.n_samples, most);
  }
  const std::string at_most = "≤";
  if (!terminal.unicode)
    for (auto at = text.find(at_most); at != text.npos; at = text.find(at_most))
      text.replace(at, at_most.size(), "<=");
  return text;
}

std::string component_table(const Summary& summary, const Terminal& terminal) {
  const Index k = summary.eigenvalues.size();
  const Index rows = k <= most_rows + 2 ? k : most_rows;
  const std::vector<double> p =
      summary.report.chosen ? summary.report.chosen->p_values : std::vector<double>{};
  std::string out = terminal.bold(fmt::format("{:>6}{:>13}{:>13}{:>10}{:>10}", "", "eigenvalue",
                                              "variance", "ratio", "total") +
                                  (p.empty() ? "" : fmt::format("{:>8}", "p"))) +
                    "\n";
  const int room = std::clamp(terminal.width - (p.empty() ? 56 : 64), 0, 40);
  const double largest = k > 0 ? summary.ratio[0] : 0;
  double total = 0;
  for (Index i = 0; i < rows; ++i) {
    total += summary.ratio[i];
    out += fmt::format("{:>6}{:>13.6g}{:>13.6g}{:>10}{:>10}", fmt::format("PC{}", i + 1),
                       summary.eigenvalues[i], summary.variance[i], percent(summary.ratio[i]),
                       percent(total));
    if (!p.empty()) out += fmt::format("{:>8.2g}", p[static_cast<std::size_t>(i)]);
    const std::string drawn = bar(largest > 0 ? summary.ratio[i] / largest : 0, room, terminal);
    if (!drawn.empty()) out += "  " + terminal.paint(bar_color, drawn);
    out += '\n';
  }
  if (rows < k)
    out += terminal.dim(fmt::format(
               "{:>6}  {} more, down to {:.4g}, together {}", terminal.unicode ? "⋮" : "...",
               k - rows, summary.variance[k - 1], percent(summary.ratio.tail(k - rows).sum()))) +
           "\n";
  return out;
}

std::string relation_lines(const Summary& summary, const Terminal& terminal) {
  // Of a constant feature alone there is nothing to say.
  if (summary.relations.empty()) return {};
  const std::string terms = summary.scaled && !summary.map.empty() ? " (of z-scores)" : "";
  const std::size_t listed = std::min(summary.relations.size(), most_relation_lines);
  std::string out;
  for (std::size_t i = 0; i < listed; ++i)
    out += i == 0 ? fmt::format("\nrank {} of {}; the rows satisfy {}{}\n", summary.report.rank,
                                summary.features, summary.relations[i], terms)
                  : fmt::format("    {}\n", summary.relations[i]);
  const Index null = summary.features - summary.report.rank;
  if (static_cast<Index>(listed) < null && listed == most_relation_lines)
    out += fmt::format("    and {} more\n", null - static_cast<Index>(listed));
  for (std::size_t at; !terminal.unicode && (at = out.find("·")) != std::string::npos;)
    out.replace(at, std::string_view("·").size(), "*");
  return out;
}

std::string loading_lines(const Summary& summary, const Terminal& terminal) {
  if (summary.similarities > 0)
    return fmt::format("  combinations of the kernel values at {}\n",
                       count_text(summary.similarities, "anchor"));
  std::string out;
  for (Index c = 0; c < summary.loadings.rows(); ++c) {
    std::vector<Index> order(static_cast<std::size_t>(summary.loadings.cols()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto row = summary.loadings.row(c);
    const auto shown_count = std::min<std::size_t>(order.size(), 8);
    // Loadings that are equal up to rounding keep the order of their columns on every machine.
    const auto size = [&](Index j) { return std::llround(1e6 * std::abs(row[j])); };
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown_count), order.end(),
        [&](Index a, Index b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
    out += fmt::format("{:>6}", fmt::format("PC{}", c + 1));
    std::size_t used = 6;
    for (std::size_t i = 0; i < shown_count; ++i) {
      const Index column = order[i];
      const std::string name =
          shown(summary.loading_names[static_cast<std::size_t>(column)], 24, terminal.unicode);
      const std::size_t length = 2 + 5 + 1 + columns_of(name);
      if (i > 0 && used + length > static_cast<std::size_t>(std::min(terminal.width, 120))) break;
      if (i > 0 && std::abs(row[column]) < 0.005) break;
      out += "  " + loading(row[column], terminal) + " " + name;
      used += length;
    }
    out += '\n';
  }
  return out;
}

}  // namespace mercer::cli
