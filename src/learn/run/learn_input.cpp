#include "learn/run/learn_input.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "learn/run/learn_identity.hpp"
#include "learn/run/theory_memory.hpp"
#include "operators/column_means.hpp"
#include "pca/validate.hpp"

#include <mercer/version.hpp>

#include <algorithm>

namespace mercer {

namespace {

constexpr Index most_landmarks = 4000;  // their similarities are decomposed: 4000³ flops

const char* name_of(LearnedMean mean) {
  return mean == LearnedMean::running ? "running" : mean == LearnedMean::known ? "known" : "none";
}

double landmarks_of(const Source<double>& source, const LearnOptions& o) {
  const Index rows = source.can_rewind() ? source.expected_rows() : most_landmarks;
  return static_cast<double>(std::min({o.landmarks, most_landmarks, rows}));
}

/// Columns, features of the map or of landmarks, or rows.
double features_of(const Source<double>& source, const LearnOptions& o) {
  return o.map              ? static_cast<double>(o.map->features())
         : !o.kernel        ? static_cast<double>(source.schema().features)
         : o.landmarks == 0 ? static_cast<double>(source.expected_rows())
                            : landmarks_of(source, o);
}

/// Weights, the 64 rows and the directions by which a run is watched, names and means.
double learner_bytes(const Source<double>& source, const LearnOptions& o) {
  const auto columns = static_cast<double>(source.schema().features);
  const double landmarks = landmarks_of(source, o), d = features_of(source, o);
  const double k = std::min(d, static_cast<double>(o.learner.components));
  // Certifying the components takes a basis of up to 24 passes, and its products, after the run.
  // Landmarks are copied; their kernel matrix is decomposed.
  return 8 * d * std::max(64 + 14 * k + 104, 2 * (24 * k + 25) + 20) +
         8 * landmarks * (3 * columns + 5 * landmarks);
}

/// Buffers of the reader when more memory is allowed: it may then take longer blocks, two of up to
/// a 16th of it and 8 MiB each, in whole huge pages.
double buffers_within(double memory, double now) {
  constexpr double mib = 1 << 20;
  if (now == 0 || memory <= 16 * mib) return now;
  return std::max(now, std::min(16 * mib, memory / 8 + 4 * mib));
}

Vector<double> mean_of(const LearnInput& in) {
  ColumnMeans means(in.memory->cols(), false);
  means.add(*in.memory, in.weights, 1);
  return means.mean();
}

}  // namespace

LearnInput take_in(Source<double>& source, const LearnOptions& o) {
  LearnInput in;
  in.source = &source;
  const auto allowed = static_cast<double>(o.memory);
  const double bytes = static_cast<double>(source.expected_rows()) *
                       static_cast<double>(source.schema().features) * sizeof(double);
  const bool by_number = o.kernel && o.landmarks == 0;
  const bool all_needed = o.order == Order::shuffled || by_number;
  const double own = learner_bytes(source, o), buffers = static_cast<double>(source.buffer_bytes()),
               learner = own + buffers;
  // How many rows a text has is estimated, to a few percent. By number, rows are there four times
  // (as read, to choose from, in the learner and in its model), and a quarter of the memory is for
  // their kernel matrix.
  const double copies = 4.2 * bytes * 4 / 3;
  double least = 0;
  for (int i = 0; i < 20; ++i) {
    const double then = own + buffers_within(least, buffers);
    least = by_number    ? then + copies
            : all_needed ? std::max(then, 1.05 * bytes + std::max(then, bytes))
                         : then;
  }
  const double theory = least_for_theory(source, o, features_of(source, o), [&](double memory) {
    return buffers_within(memory, buffers);
  });
  least = std::max(least, theory);
  require(learner <= allowed && theory <= allowed, Errc::out_of_memory,
          "learning {} component{} of {} columns needs at least {}, and {} are allowed; use a "
          "larger `memory`",
          o.learner.components, o.learner.components == 1 ? "" : "s", source.schema().features,
          format_least_bytes(least), format_bytes(allowed));
  const bool fits =
      source.schema().sparse || (by_number ? learner + copies <= allowed
                                           : bytes <= allowed / 2 && bytes + learner <= allowed);
  require(
      fits || !all_needed, Errc::out_of_memory,
      "{}: its {} do not fit into the memory of {}, and {} needs all rows at once: at least {}; "
      "use {}",
      source.name(), format_bytes(bytes), format_bytes(allowed),
      o.order == Order::shuffled ? "`order=shuffled`" : "a kernel without landmarks",
      format_least_bytes(least),
      o.order == Order::shuffled ? "`order=as_it_comes`, or a larger `memory`"
                                 : "`landmarks`, or a larger `memory`");
  const bool wanted = o.order == Order::automatic && source.can_rewind() && fits;
  if (!all_needed && !wanted) {
    in.rows = source.can_rewind() ? source.expected_rows() : 0;
    return in;
  }
  if (const auto whole = source.whole()) {
    in.memory = whole->rows;
    in.weights = weights_of(whole->weights, whole->rows.rows());
  } else {
    try {
      in.table = read_all(source, static_cast<std::size_t>(allowed / 2));
    } catch (const Error& error) {
      // There were more rows than a file of this size was expected to have.
      if (all_needed || error.code() != Errc::out_of_memory) throw;
      source.rewind();
      in.rows = source.expected_rows();
      return in;
    }
    in.memory = in.table.rows();
    if (!in.table.weights.empty()) in.weights = in.table.weights.data();
  }
  require_weights(in.weights, in.memory->rows());
  in.rows = in.memory->rows();
  require(in.rows > 0, Errc::bad_data, "{} has no rows", Input(source.name()));
  in.shuffled = o.order != Order::as_it_comes;
  return in;
}

std::optional<Standard> standard_of(LearnInput& in, const LearnOptions& o) {
  if (o.scale == Scale::none) return std::nullopt;
  require(
      in.again(), Errc::bad_option,
      "`scale=std` needs a pass before the run, and {} can be read only once; save it to a file, "
      "or scale its columns beforehand",
      in.source->name());
  FitOptions fitting;
  fitting.scale = Scale::std;
  fitting.center = o.learner.centre != LearnedMean::none;
  fitting.ddof = o.ddof.value_or(0);  // as its variances
  fitting.threads = o.learner.threads;
  Passes<double> passes =
      in.memory ? Passes<double>(*in.memory, in.weights, o.monitor) : Passes<double>(*in.source);
  Standard standard = find_standard(passes, fitting);
  require(standard.mean.allFinite() && standard.scale.allFinite(), Errc::bad_data,
          "{}: the standard deviations of its columns overflow; scale the data", in.source->name());
  if (!in.memory) in.source->rewind();
  in.rows = static_cast<Index>(passes.rows());
  return standard;
}

LearnSpace space_of(LearnInput& in, const LearnOptions& o, const Standard* standard,
                    std::unique_ptr<Source<double>>& replay) {
  const Index d = in.source->schema().features;
  if (!o.kernel) return LearnSpace(o.map ? o.map : identity_map<double>(d));
  if (o.landmarks == 0) {
    in.anchors = landmark_rows(*in.memory, in.rows, standard);
    in.input_mean = mean_of(in);
    return LearnSpace(identity_map<double>(1));
  }
  require(o.landmarks <= most_landmarks, Errc::bad_option,
          "`landmarks={}` is too large: their kernel matrix takes {}; use {} or fewer", o.landmarks,
          format_bytes(8.0 * static_cast<double>(o.landmarks) * static_cast<double>(o.landmarks)),
          most_landmarks);
  Matrix<double> landmarks;
  Kernel kernel = *o.kernel;
  if (in.memory) {
    landmarks = landmark_rows(*in.memory, o.landmarks, standard, in.weights);
    kernel = with_width(kernel, *in.memory, standard, in.weights);
  } else {
    Matrix<double> first(0, d);
    std::vector<double> weights;
    while (first.rows() < o.landmarks) {
      const auto block = in.source->next();
      if (!block) break;
      weights.insert(weights.end(), block->weights.begin(), block->weights.end());
      const Matrix<double> rows = landmark_rows(block->rows, block->rows.rows(), nullptr);
      first.conservativeResize(first.rows() + rows.rows(), d);
      first.bottomRows(rows.rows()) = rows;
    }
    require(first.rows() > 0, Errc::bad_data, "{} has no rows", Input(in.source->name()));
    const Rows<double> beginning =
        Rows<double>(first).middle(0, std::min(o.landmarks, first.rows()));
    const double* w = weights.empty() ? nullptr : weights.data();
    landmarks = landmark_rows(beginning, o.landmarks, standard, w);
    kernel = with_width(kernel, beginning, standard, w);
    if (in.source->can_rewind()) {
      in.source->rewind();
    } else {
      replay = replayed(std::move(first), std::move(weights), *in.source);
      in.source = replay.get();
    }
  }
  require(landmarks.rows() > 0, Errc::bad_data, "{}: no row has a weight above 0",
          Input(in.source->name()));
  LearnSpace space(kernel, std::move(landmarks));
  const double bytes =
      8.0 * static_cast<double>(in.rows) * static_cast<double>(space.map()->features());
  if (in.memory && bytes <= static_cast<double>(o.memory) / 4) {
    in.features = space.features(*in.memory, standard, o.learner.threads);
    in.input_mean = mean_of(in);
  }
  return space;
}

std::vector<std::pair<std::string, std::string>> run_description(const LearnOptions& o,
                                                                 const LearnInput& in,
                                                                 const LearnSpace& space) {
  const LearnerOptions& l = o.learner;
  return {
      {"version of Mercer", MERCER_VERSION},
      {"input", identity_of(*in.source, in.in_memory())},
      {"number of columns", columns_of(in.source->schema())},
      {"weights", weights_of(in.source->schema(), in.in_memory(), in.weights)},
      {"rule", l.rule},
      {"number of components", fmt::format("{}", l.components)},
      {"rate", l.rate.text()},
      {"batch", fmt::format("{}", l.batch)},
      {"mean", name_of(l.centre)},
      {"forgetting", fmt::format("{}", l.forgetting)},
      {"limit", fmt::format("{}", l.limit)},
      {"seed", fmt::format("{}", l.seed)},
      {"map", o.kernel && o.landmarks == 0 ? "all rows, " + o.kernel->text() : space.map()->text()},
      {"order", in.shuffled ? "shuffled" : "as it comes"},
      {"scale", o.scale == Scale::std ? "std" : "none"},
      {"start", start_of(l.start, l.start_norm)},
      {"divisor of variances", o.ddof ? fmt::format("N - {}", *o.ddof) : "the default"},
      {"trace of weights", o.trace_weights ? "on" : "off"},
      {"theorem", o.theorem ? "on" : "off"},
      {"theory", o.theory ? "on" : "off"}};
}

}  // namespace mercer
