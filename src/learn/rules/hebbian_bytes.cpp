// The state of a learner as bytes: the layout and checksum of a model file.
#include "core/require.hpp"
#include "learn/rules/hebbian_state.hpp"
#include "model/checksum.hpp"
#include "model/safetensors.hpp"

#include <cstring>

namespace mercer {

namespace {

constexpr const char* learner_format = "mercer-learner";
constexpr const char* learner_version = "4";
constexpr const char* named = "learner state";

/// What must be the same for a state to be of use.
std::string settings(const std::shared_ptr<const Map<double>>& map, const LearnerOptions& o) {
  return fmt::format(
      "rule {}, {} components, rate {}, batch {}, centre {}, forgetting {}, limit {}, missing {}, "
      "seed {}, map {} of {} columns{}",
      o.rule, o.components, o.rate.text(), o.batch, static_cast<int>(o.centre), o.forgetting,
      o.limit, static_cast<int>(o.missing), o.seed, map->text(), map->inputs(),
      o.watch ? ", watched" : "");
}

using Numbers = std::vector<double>;

/// Everything that changes, as named lists of numbers.
template <class State, class Visit>
void each_part(State& s, Numbers& counts, Numbers& rate, Visit&& visit) {
  visit("counts", counts.data(), static_cast<Index>(counts.size()));
  visit("rate", rate.data(), static_cast<Index>(rate.size()));
  visit("memory", s.neurons.memory.data(), static_cast<Index>(s.neurons.memory.size()));
  visit("weights", s.neurons.w.data(), s.neurons.w.size());
  visit("average", s.average.data(), s.average.size());
  visit("mean", s.mean.data(), s.mean.size());
  visit("mean_lost", s.mean_lost.data(), s.mean_lost.size());
  visit("input_sum", s.input_sum.data(), s.input_sum.size());
  visit("input_lost", s.input_lost.data(), s.input_lost.size());
  visit("covariance", s.covariance.data(), s.covariance.size());
  visit("pending", s.pending.data(), s.waiting * s.features());
  visit("pending_weights", s.pending_weights.data(), s.waiting);
  visit("recent", s.recent.data(), s.recent.size());
  visit("recent_outputs", s.recent_outputs.data(), s.recent_outputs.size());
  visit("energy", s.energy.data(), s.energy.size());
  visit("known", s.known.data(), s.known.size());
  visit("looked_at", s.looked_at.data(), s.looked_at.size());
  if (s.watch.on()) Watch::each_part(s.watch, visit);
}

}  // namespace

std::string Hebbian::save_state() const {
  const State& s = *state_;
  Numbers counts{static_cast<double>(s.rows),
                 static_cast<double>(s.skipped),
                 static_cast<double>(s.steps),
                 static_cast<double>(s.waiting),
                 static_cast<double>(s.remembered),
                 s.looked_at.size() > 0 ? 1.0 : 0.0,
                 s.time,
                 s.eta,
                 s.total,
                 s.recent_total,
                 s.weight,
                 s.weighted ? 1.0 : 0.0};
  Numbers rate = s.rate.state();
  std::vector<safetensors::Array> arrays;
  each_part(s, counts, rate, [&](const char* name, const double* data, Index size) {
    const auto n = static_cast<std::size_t>(size);
    arrays.push_back({name, "F64", {n}, {reinterpret_cast<const char*>(data), n * sizeof(double)}});
  });
  std::string bytes = safetensors::make_header({{"checksum", std::string(checksum::zeros)},
                                                {"format", learner_format},
                                                {"format_version", learner_version},
                                                {"settings", settings(s.map, s.options)}},
                                               arrays);
  for (const auto& array : arrays)
    if (!array.bytes.empty()) bytes += array.bytes;
  bytes.replace(checksum::position, checksum::zeros.size(),
                checksum::text(checksum::add(0, bytes)));
  return bytes;
}

void Hebbian::load_state(const std::string& bytes) {
  const std::size_t length = safetensors::header_length(bytes, named);
  const std::size_t end = safetensors::length_bytes + length;
  if (bytes.size() < end) safetensors::damaged(named, "it is truncated");
  safetensors::Header header = safetensors::parse_header(
      std::string_view(bytes).substr(safetensors::length_bytes, length), named);
  require(header.metadata["format"] == learner_format, Errc::bad_file,
          "this is not the state of a learner");
  require(header.metadata["format_version"] == learner_version, Errc::bad_file,
          "the learner's state is of version '{}'; this Mercer reads {}",
          header.metadata["format_version"], learner_version);
  if (bytes.size() != header.file_size) safetensors::damaged(named, "its size is wrong");
  if (!checksum::matches(bytes))
    safetensors::damaged(named, "its checksum does not match its content");

  const LearnerOptions& options = state_->options;
  const std::string wanted = settings(state_->map, options);
  require(header.metadata["settings"] == wanted, Errc::bad_file,
          "the learner's state belongs to another run ({}); this one has {}",
          header.metadata["settings"], wanted);

  const auto size_of = [&](const char* name) {
    const auto found = header.tensors.find(name);
    if (found == header.tensors.end() || found->second.dtype != "F64")
      safetensors::damaged(named, fmt::format("'{}' is missing", name));
    return (found->second.end - found->second.begin) / sizeof(double);
  };
  // The settings agree, so sizes follow from them; only these lists vary.
  auto fresh = std::make_unique<State>(state_->map, options);
  State& s = *fresh;
  s.waiting = static_cast<Index>(size_of("pending")) / s.features();
  if (s.waiting >= options.batch) safetensors::damaged(named, "too many rows are pending");
  if (size_of("looked_at") > 0) s.looked_at.resize(s.components(), s.features());
  Numbers counts(12), rate = s.rate.state();
  each_part(s, counts, rate, [&](const char* name, double* data, Index size) {
    const auto n = static_cast<std::size_t>(size);
    if (size_of(name) != n)
      safetensors::damaged(named, fmt::format("the size of '{}' is wrong", name));
    if (n > 0)
      std::memcpy(data, bytes.data() + header.data_begin + header.tensors[name].begin,
                  n * sizeof(double));
  });
  s.rate.restore(rate);
  s.rows = static_cast<std::int64_t>(counts[0]);
  s.skipped = static_cast<std::int64_t>(counts[1]);
  s.steps = static_cast<std::int64_t>(counts[2]);
  if (static_cast<Index>(counts[3]) != s.waiting) safetensors::damaged(named, "rows are missing");
  s.remembered = static_cast<std::int64_t>(counts[4]);
  s.time = counts[6];
  s.eta = counts[7];
  s.total = counts[8];
  s.recent_total = counts[9];
  s.weight = counts[10];
  s.weighted = counts[11] != 0;
  state_ = std::move(fresh);
}

}  // namespace mercer
