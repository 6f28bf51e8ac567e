#pragma once
/// \file
/// Hebbian learning of a `Model` from a stream of rows, with an optional comparison with theory.
///
///     auto source = mercer::open<double>("wine.csv", {.label = "cultivar"});
///     auto learned = mercer::learn(*source, {.learner = {.rule = "gha", .components = 3},
///                                            .scale = mercer::Scale::std,
///                                            .theory = true});
///     learned.model.save("wine.st");
///     learned.convergence.text;             // summary of the convergence
///     learned.theory->mean_gap;             // distance of the run from its ODE
///
/// Rows are processed in order, or shuffled for each epoch if they are in memory. A run can be
/// stopped or killed at any moment, and resumes from its checkpoint bit for bit.
///
/// A row of weight w acts like w rows in the limit of small rates: see `Hebbian::update`. Mean,
/// scale, theory and variances are weighted too.
///
/// A step costs O(k·D); memory does not grow with the rows. Theory costs a fit before the run (all
/// eigenpairs: N·D² + D³), and O(k·D²) for each row of the trace.

#include <mercer/fit.hpp>
#include <mercer/hebbian.hpp>
#include <mercer/theorem.hpp>
#include <mercer/trace.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

enum class Order {
  automatic,    ///< shuffled if the rows are in memory, otherwise in order
  as_it_comes,  ///< in the order of the stream or file, in each epoch
  shuffled,     ///< in each epoch, by the learner's seed
};

/// Callbacks for the trace. All of them may be empty.
struct TraceOutput {
  std::function<void(const TraceRow&)> row;
  std::function<void()> flush;  ///< before each checkpoint: rows so far must be durable
  /// Before the first row: this run has already emitted `rows` rows, 0 unless it is resumed;
  /// discard any after them.
  std::function<void(std::int64_t rows)> keep;
};

struct Learned;

struct LearnOptions {
  LearnerOptions learner{};
  std::shared_ptr<const Map<double>> map{};  ///< learn in feature space; null: the columns
  std::optional<Kernel> kernel{};            ///< or in that of a kernel
  /// Number of landmarks that span the feature space, evenly spaced (the first rows of a stream).
  /// 0: kernel Hebbian learning (`KernelHebbian`) over all rows, which must fit into memory; its
  /// rule is gha (or oja), row by row, without theory.
  Index landmarks = 0;

  /// Passes over the rows. 0: one over a stream; over rows in memory until no weight vector rotates
  /// by more than `until`, at most 100. If that is 0 as well: until the rotation is at most 0.1
  /// degrees and the run has converged, or is less than 0.001.
  int epochs = 0;
  Order order = Order::automatic;
  Scale scale = Scale::none;  ///< `std` needs a pass before learning
  double until = 0;           ///< stop when no weight vector rotates by more: degrees; 0: never
  /// Stop when every weight vector is within this angle of its exact component: degrees; 0: never.
  /// Needs passes before. Checked at every step.
  double until_angle = 0;
  /// Divisor N − ddof of the variances of the model and, with `scale`, of the columns: 0 or 1.
  /// None: N, but N − 1 for kernel Hebbian learning over all rows.
  std::optional<int> ddof{};
  std::size_t memory = 0;  ///< rows that fit into half of it are kept; 0: half of what is free

  bool theory = false;  ///< compare with exact eigenpairs and the ODE; needs passes before
  Index modes = 0;      ///< in the trace; 0: one per component, up to 16 for a single neuron
  /// Report on the conditions of the stability theorem (`Learned::theorem`); needs passes before.
  bool theorem = false;
  bool trace_weights = false;  ///< the trace has the weights too, from the start on
  TraceOutput trace{};
  std::int64_t trace_every = 0;  ///< steps; 0: about 1000 rows in all, or every 1000 steps

  std::string checkpoint{};           ///< path; the previous one is kept as PATH.previous
  std::int64_t checkpoint_every = 0;  ///< steps; 0: every ten seconds. Also one at the end
  /// Resume from the checkpoint; without one, start from the beginning.
  bool resume = false;

  std::function<void(const Model<double>&)> on_model{};  ///< every `model_every` steps
  std::int64_t model_every = 0;

  /// Rows that cannot be read end the run with their error. If the source cannot be rewound (a
  /// stream), a checkpoint is saved before if there is a path for it, and this is called with the
  /// result of the rows before them, unless those have no variance.
  std::function<void(const Learned&)> on_bad_rows{};

  /// Before the first step, with `theorem` or `until_angle`: the number of steps that the ODE
  /// takes, and the number of this run (0: unknown).
  std::function<void(const StepPrediction&, std::int64_t steps)> on_prediction{};
  /// A run that diverges throws; before, this is called with what it has.
  std::function<void(const std::vector<TraceRow>&, const std::optional<Theorem>&)> on_divergence{};

  /// Stopping ends the run early, with a model if there were rows. The note of `Progress` describes
  /// the convergence.
  Monitor monitor{};
};

enum class LearnStop {
  end,          ///< all rows of all epochs
  converged,    ///< by `until`, and the components are within their error bound
  not_moving,   ///< by `until`, but the components may not have converged
  angle,        ///< by `until_angle`
  interrupted,  ///< by the monitor, or by rows that cannot be read
};

/// Comparison of a run with the exact components.
struct TheoryReport {
  Vector<double> eigenvalues;  ///< λ of the second moment about the mean (divisor N), of the modes
  Vector<double> angles;       ///< of each weight vector to its eigenvector, degrees
  /// Mean of ‖θ(n) − θ_ode(t_n)‖ over the trace, up to the sign of each neuron; NaN where there is
  /// no ODE.
  double mean_gap = 0;
  double last_gap = 0;
};

struct Learned {
  Model<double> model;
  Convergence convergence;
  LearnStop stop = LearnStop::end;
  std::int64_t rows = 0;     ///< rows learned, over all epochs
  std::int64_t skipped = 0;  ///< rows with missing values
  std::int64_t steps = 0;
  double time = 0;  ///< Ση
  int epochs = 0;   ///< started
  bool shuffled = false;
  std::optional<std::int64_t> resumed_at{};  ///< row at which the run resumed
  std::vector<TraceRow> trace;  ///< thinned evenly to at most 1024 rows, the last one included
  std::optional<TheoryReport> theory{};
  std::optional<StepPrediction> prediction{};  ///< with `theorem` or `until_angle`
  std::optional<std::int64_t> reached{};       ///< first step within the angle of the prediction
  std::optional<Theorem> theorem{};            ///< if requested
};

/// Throws what `Hebbian` throws; `Errc::bad_option` for options that need a second pass over a
/// source that cannot be rewound; `Errc::bad_data` for a source without rows; `Errc::bad_file` for
/// a checkpoint that is damaged or belongs to another run; `Errc::interrupted` when the monitor
/// stops it before the first row.
Learned learn(Source<double>& source, const LearnOptions& options = {});

/// The same over rows in memory. `weights`: one per row, as if rows were repeated.
Learned learn(const Rows<double>& rows, const LearnOptions& options = {}, Weights weights = {});

}  // namespace mercer
