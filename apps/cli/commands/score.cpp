#include "commands/commands.hpp"

#include "commands/limit_remedies.hpp"
#include "commands/score_findings.hpp"
#include "core/packed.hpp"
#include "core/require.hpp"
#include "core/team.hpp"
#include "flags/help.hpp"
#include "flags/through_model.hpp"
#include "rows/numbered_rows.hpp"
#include "rows/reference_rows.hpp"
#include "rows/rows_in_memory.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/job.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/summary.hpp"

#include <mercer/score.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <span>

namespace mercer::cli {

namespace {

constexpr const char* score_examples =
    "  mercer score wine.st new.csv                         how well the model fits new rows\n"
    "  mercer score wine.st new.csv --flag 0.99 -o rows.csv   T2, SPE and a flag of each row\n"
    "  mercer score wine.st new.csv --flag 0.999 --reference good.csv   limits from rows known "
    "to be good\n";

struct ScoreFlags : ThroughModelFlags {
  std::string flag;
  std::string reference;
  bool contributions = false;
  bool json = false;
};

std::vector<std::string> column_names(Index k, bool has_spe, const ScoreFlags& flags) {
  std::vector<std::string> names = {"t2"};
  const auto add = [&](const std::string& stem) {
    for (const std::string& name : numbered(stem + "_pc", k)) names.push_back(name);
  };
  if (has_spe) names.emplace_back("spe");
  if (!flags.flag.empty()) names.emplace_back("flag");
  if (flags.contributions) add("ctr");
  if (flags.contributions && has_spe) add("cos2");
  return names;
}

/// A row of weight w contributes as w rows do.
Matrix<double> weighted_contributions(const RowScores& rows, const Vector<double>& eigenvalues,
                                      const double* weights) {
  Matrix<double> out = rows.contributions(eigenvalues);
  if (weights) out.array().colwise() *= Eigen::Map<const Eigen::ArrayXd>(weights, out.rows());
  return out;
}

Matrix<double> table_of(const RowScores& rows, const std::vector<Flag>& marks,
                        const Vector<double>& eigenvalues, const double* weights, Index columns,
                        const ScoreFlags& flags) {
  Matrix<double> out(rows.t2.size(), columns);
  Index next = 0;
  out.col(next++) = rows.t2;
  if (rows.spe.size() > 0) out.col(next++) = rows.spe;
  if (!flags.flag.empty()) {
    for (Index i = 0; i < out.rows(); ++i)
      out(i, next) = static_cast<double>(marks[static_cast<std::size_t>(i)]);
    ++next;
  }
  if (!flags.contributions) return out;
  for (const Matrix<double>& part :
       {weighted_contributions(rows, eigenvalues, weights), rows.cos2()}) {
    if (part.cols() > 0) out.middleCols(next, part.cols()) = part;
    next += part.cols();
  }
  return out;
}

/// `numbers`: from 0, of the row `first` of the block and those after it.
template <class T, class Numbers>
void take_flagged(const Block<T>& block, Index first, const Numbers& numbers, const RowScores& rows,
                  const std::vector<Flag>& marks, Findings& found) {
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Flag flag = marks[i];
    if (flag == Flag::none) continue;
    ++found.any;
    found.t2 += flag != Flag::spe;
    found.spe += flag != Flag::t2;
    if (found.listed.size() >= most_listed) continue;
    const auto at = static_cast<Index>(i);
    const auto text = static_cast<std::size_t>(block.first_label + first + at);
    found.listed.push_back({numbers(at) + 1, block.ids ? std::string((*block.ids)[text]) : "",
                            block.labels ? std::string((*block.labels)[text]) : "", rows.t2[at],
                            rows.spe.size() > 0 ? rows.spe[at] : 0, flag});
  }
}

template <class T>
Findings stream(const Model<T>& model, const Scorer<T>& scorer, const ScoreLimits& limits,
                const NumberedRows<T>& numbered, const ScoreFlags& flags,
                const ReadOptions& reading, std::size_t piece_bytes,
                std::optional<Sink<double>>& out) {
  Source<T>& source = *numbered.source;
  const std::vector<std::string> names =
      column_names(model.outputs(), scorer.no_spe().empty(), flags);
  if (!flags.output.empty())
    out.emplace(flags.output, names,
                SinkOptions{.id = source.schema().id,
                            .label = source.schema().label,
                            .threads = reading.threads,
                            .team = job().team,
                            .monitor = reading.monitor});
  Findings found;
  found.components = model.outputs();
  found.fitted = model.explained_variance_ratio().sum();
  found.no_spe = scorer.no_spe();
  const Index piece =
      std::max<Index>(256, static_cast<Index>(piece_bytes / 8) / (model.outputs() + 4));
  while (const auto block = source.next()) {
    const Index seen = found.totals.rows;
    for (Index first = 0; first < block->rows.rows(); first += piece) {
      stop_if_interrupted();
      const Index count = std::min(piece, block->rows.rows() - first);
      const RowScores rows = naming(
          source.name(), [&] { return scorer(block->rows.middle(first, count), reading.missing); },
          data_of(flags));
      const std::vector<Flag> marks = flagged(rows, limits);
      found.totals.add(rows,
                       block->weights.empty()
                           ? block->weights
                           : block->weights.subspan(static_cast<std::size_t>(first),
                                                    static_cast<std::size_t>(rows.t2.size())));
      const std::span<const Index> numbers = numbered.numbers();
      const auto number = [&](Index i) {
        return numbers.empty() ? seen + first + i : numbers[static_cast<std::size_t>(first + i)];
      };
      take_flagged(*block, first, number, rows, marks, found);
      if (out)
        out->write(table_of(rows, marks, model.eigenvalues(),
                            block->weights.empty() ? nullptr : block->weights.data() + first,
                            static_cast<Index>(names.size()), flags),
                   block->ids, block->labels, block->first_label + first);
    }
  }
  found.dropped = source.dropped_rows();
  return found;
}

/// Of the first process, on all of them: limits are simulated, or those of other rows.
template <class Work>
ScoreLimits limits_by_first(const Work& work) {
  ScoreLimits limits;
  by_first([&] { limits = work(); });
  if (Team* const team = job().team) {
    std::string bytes =
        packed(limits.level, limits.t2, limits.spe, limits.t2_from, limits.spe_from);
    from_root(*team, bytes);
    unpack(bytes, limits.level, limits.t2, limits.spe, limits.t2_from, limits.spe_from);
  }
  return limits;
}

double level_of(const ScoreFlags& flags) {
  return flags.flag.empty() ? 0.99 : parse_level("--flag", flags.flag);
}

CountMemory scorer_memory(double level) {
  return
      [level](MemoryBudget& budget, const ModelSize& model) { hold_scorer(budget, model, level); };
}

template <class T>
void score_rows(const Model<T>& model, const ScoreFlags& flags) {
  const double level = level_of(flags);
  const Job& here = job();
  ProgressBar bar(!flags.run.quiet && here.leads());
  ReadOptions reading = read_options(flags.rows, flags.run, bar.monitor());
  const MemoryBudget budget = settled(model, flags, reading, scorer_memory(level));
  const NumberedRows<T> source =
      open_numbered(model, flags.model, data_of(flags), reading, here.team);
  const Scorer<T> scorer(model, {.threads = reading.threads,
                                 .monitor = [](const Progress&) { return !interrupted(); }});
  Index good = 0;  // rows of --reference
  const ScoreLimits limits = limits_by_first([&] {
    const ScoreLimits all = flags.reference.empty()
                                ? scorer.limits(level)
                                : reference_limits(model, scorer, flags.model, flags.reference,
                                                   reading, level, flags.run.quiet, budget, &good);
    // Flags that no limit decides would call every row an ordinary one.
    require(flags.flag.empty() || all.t2 || all.spe, Errc::bad_data,
            "no control limits to flag rows: {}; {}", all.t2_from,
            limit_remedies(model, scorer, all, good));
    return all;
  });
  Findings found;
  std::optional<Sink<double>> out;
  together([&] {
    found = stream(model, scorer, limits, source, flags, reading, budget.piece_bytes(), out);
  });
  if (here.team) collect(*here.team, found, source.dropping != nullptr);
  by_first([&] {
    require_complete_rows(*source.source, found.totals.rows, found.dropped);
    require(found.totals.rows > 0, Errc::bad_data, "'{}' has no rows", source.source->name());
  });
  if (out) out->finish();
  together(stop_if_interrupted);
  if (out) out->close();
  bar.erase();
  if (!here.leads()) return;
  note_dropped(found.dropped, flags.run.quiet);
  found.lost_digits = lost_digits(model);
  say_lost_digits(found.lost_digits, flags.run);
  if (!limits.t2 || (!limits.spe && found.no_spe.empty()))
    found.remedies = limit_remedies(model, scorer, limits, good);
  if (flags.json) return print(json_of(found, limits));
  if (flags.run.quiet) return;
  const bool rows_on_stdout = flags.output == "-";
  const Terminal screen = terminal(rows_on_stdout ? STDERR_FILENO : STDOUT_FILENO);
  const std::vector<std::string> data = data_of(flags);
  const std::string text =
      words_of(found, limits, data.size() == 1 ? data[0] : source.source->name(),
               !flags.flag.empty(), screen);
  if (rows_on_stdout) say(text);
  else print(text);
}

void run(const ScoreFlags& flags) {
  FilePlan plan = files_of(flags, "DATA");
  plan.reads("--reference", flags.reference).prints_json(flags.json);
  by_first([&] { plan.check(); });
  if (flags.reference == "-" && std::ranges::count(data_of(flags), "-") > 0)
    throw UsageError("DATA and --reference cannot both be standard input");
  std::visit([&](const auto& model) { score_rows(model, flags); },
             load_model(flags, scorer_memory(level_of(flags))));
}

}  // namespace

double parse_level(std::string_view option, std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end || !(value > 0 && value < 1))
    throw UsageError(
        fmt::format("{} '{}' is not a level between 0 and 1, such as 0.99", option, text));
  return value;
}

void add_score(CLI::App& app) {
  auto flags = std::make_shared<ScoreFlags>();
  flags->output.clear();
  CLI::App& command = add_command(
      app, "score", "Measure how well a model fits new rows, and flag outliers", score_examples);
  add_text(command, "--flag", flags->flag, "LEVEL",
           "flag rows outside the control limits at this confidence level", "Results")
      ->default_str("no flags; limits at 0.99 are shown");
  add_text(command, "--reference", flags->reference, "GOOD",
           "estimate the limits from these rows, known to be good and not in the fit", "Results")
      ->default_str("limits from the model");
  add_switch(command, "--contributions", flags->contributions,
             "also columns ctr_pcN and cos2_pcN: shares of the row in a component and the reverse",
             "Results");
  add_switch(command, "--json", flags->json, "print the result as JSON", "Results");
  add_through_model_flags(
      command, *flags, "DATA",
      "rows with the model's columns, in any order; - for standard input; several files form one "
      "table",
      "T2, SPE and flag of each row (.csv .tsv .npy; - for standard output)", Weights::yes,
      Parts::several);
  command.callback([flags] { run(*flags); });
}

}  // namespace mercer::cli
