#include "commands/learn_options.hpp"

#include "commands/learn_compare.hpp"
#include "commands/learn_start.hpp"
#include "core/require.hpp"
#include "flags/file_plan.hpp"
#include "flags/memory_budget.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <limits>
#include <utility>

namespace mercer::cli {

namespace {

std::int64_t steps(const char* option, const std::string& text) {
  return text.empty() ? 0
                      : parse_integer(option, text, 1, std::numeric_limits<std::int64_t>::max());
}

struct OrderName {
  const char* name;
  Order order;
};
constexpr OrderName orders[] = {
    {"auto", Order::automatic}, {"as-it-comes", Order::as_it_comes}, {"shuffled", Order::shuffled}};

Order parse_order(const std::string& text) {
  for (const OrderName& row : orders)
    if (row.name == text) return row.order;
  refuse_value("--order", text, order_values());
}

/// `0.5deg`, `0.5`.
double parse_angle(const char* option, std::string text) {
  const std::string all = text;
  for (const char* unit : {"degrees", "deg", "°"})
    if (text.ends_with(unit)) text.resize(text.size() - std::string(unit).size());
  while (text.ends_with(' ')) text.pop_back();
  try {
    const double degrees = parse_positive(option, text);
    if (degrees < 90) return degrees;
  } catch (const UsageError&) {
  }
  throw UsageError(
      fmt::format("{} '{}' is not an angle between 0 and 90 degrees, such as 0.5deg", option, all));
}

void set_mean(const std::string& text, LearnerOptions& learner) {
  if (text == "running") return;
  if (text == "none") {
    learner.centre = LearnedMean::none;
    return;
  }
  if (access(text.c_str(), F_OK) != 0)
    throw UsageError(fmt::format("--mean '{}' is neither running, nor none, nor a file", text));
  const Table<double> table = read<double>(text);
  require(!table.schema.sparse && table.x.rows() == 1, Errc::bad_data,
          "--mean '{}' has {} rows; the mean is one row, with one number per column", text,
          table.rows().rows());
  learner.centre = LearnedMean::known;
  learner.mean = table.x.row(0).transpose();
}

}  // namespace

std::vector<OptionValue> order_values() {
  std::vector<OptionValue> values;
  for (const OrderName& row : orders) values.push_back({row.name, ""});
  return values;
}

LearnOptions learn_options(const LearnFlags& flags, const Monitor& monitor) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  LearnOptions o;
  LearnerOptions& l = o.learner;
  l.rule = flags.rule;
  l.components = parse_integer("--components", flags.components, 1, largest);
  l.rate = Rate::parse(flags.rate);
  l.batch = parse_integer("--batch", flags.batch, 1, largest);
  set_mean(flags.mean, l);
  if (!flags.forget.empty()) l.forgetting = parse_positive("--forget", flags.forget);
  if (!flags.limit.empty()) l.limit = parse_positive("--limit", flags.limit);
  l.seed = static_cast<std::uint64_t>(parse_integer("--seed", flags.run.seed, 0, largest));
  l.threads = static_cast<int>(parse_integer("--threads", flags.run.threads, 0, 4096));
  if (!flags.kernel.empty() && !flags.map.empty())
    throw UsageError("--kernel and --map are mutually exclusive");
  if (!flags.kernel.empty()) o.kernel = Kernel::parse(flags.kernel);
  if (!flags.landmarks.empty()) {
    if (flags.kernel.empty()) throw UsageError("--landmarks requires --kernel");
    o.landmarks = parse_integer("--landmarks", flags.landmarks, 1, largest);
  }
  if (!flags.epochs.empty())
    o.epochs = static_cast<int>(parse_integer("--epochs", flags.epochs, 1, 1'000'000'000));
  o.order = parse_order(flags.order);
  o.scale = parse_scale(flags.scale);
  if (!flags.until.empty()) o.until = parse_angle("--until", flags.until);
  if (!flags.until_angle.empty()) o.until_angle = parse_angle("--until-angle", flags.until_angle);
  if (!flags.ddof.empty()) o.ddof = static_cast<int>(parse_integer("--ddof", flags.ddof, 0, 1));
  set_start(flags.start, l);
  o.theorem = flags.theorem;
  o.trace_weights = flags.trace_weights;
  if (flags.trace_weights && flags.trace.empty())
    throw UsageError("--trace-weights requires --trace FILE");
  o.memory = memory_of(flags.memory);
  o.theory = flags.theory;
  o.trace_every = steps("--trace-every", flags.trace_every);
  o.checkpoint = flags.checkpoint;
  o.checkpoint_every = steps("--checkpoint-every", flags.checkpoint_every);
  o.model_every = steps("--model-every", flags.model_every);
  o.resume = flags.resume;
  if (flags.resume && flags.checkpoint.empty())
    throw UsageError("--resume requires --checkpoint FILE");
  if (o.checkpoint_every > 0 && flags.checkpoint.empty())
    throw UsageError("--checkpoint-every needs --checkpoint FILE");
  if (o.model_every > 0 && (flags.model.empty() || flags.model == "-"))
    throw UsageError("--model-every needs -o MODEL, a file");
  o.monitor = monitor;
  return o;
}

void check_compare(const LearnFlags& flags) {
  if (flags.compare.empty()) return;
  two_rules(flags.compare);
  const std::pair<const char*, bool> others[] = {{"--output", !flags.model.empty()},
                                                 {"--plot", !flags.plot.empty()},
                                                 {"--checkpoint", !flags.checkpoint.empty()},
                                                 {"--theory", flags.theory},
                                                 {"--theorem", flags.theorem},
                                                 {"--trace-weights", flags.trace_weights},
                                                 {"--until", !flags.until.empty()},
                                                 {"--until-angle", !flags.until_angle.empty()}};
  for (const auto& [option, given] : others)
    if (given) throw UsageError(fmt::format("--compare and {} are mutually exclusive", option));
}

void check_outputs(const LearnFlags& flags) {
  if (flags.checkpoint == "-") throw UsageError("--checkpoint must be a file");
  FilePlan plan;
  plan.reads("DATA", flags.rows.data)
      .writes("--output", flags.model, Content::model)
      .writes("--trace", flags.trace, Content::rows)
      .writes("--plot", flags.plot, Content::picture)
      .writes("--checkpoint", flags.checkpoint, Content::checkpoint)
      .prints_json(flags.json);
  if (flags.mean != "running" && flags.mean != "none") plan.reads("--mean", flags.mean);
  if (start_is_file(flags.start)) plan.reads("--start", flags.start);
  if (!flags.checkpoint.empty()) {  // what goes on from a checkpoint keeps more beside its files
    for (const char* end : {".previous", ".previous.new"})
      plan.writes("--checkpoint", flags.checkpoint + end, Content::checkpoint);
    if (!flags.trace.empty()) plan.writes("--trace", flags.trace + ".partial", Content::checkpoint);
  }
  plan.check();
}

}  // namespace mercer::cli
