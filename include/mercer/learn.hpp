#pragma once
/// \file
/// From a stream of rows to a `Model` by Hebbian learning, with the theory beside the run.
///
///     auto source = mercer::open<double>("wine.csv", {.label = "cultivar"});
///     auto learned = mercer::learn(*source, {.learner = {.rule = "gha", .components = 3},
///                                            .scale = mercer::Scale::std,
///                                            .theory = true});
///     learned.model.save("wine.st");
///     learned.convergence.text;             // how far it has come
///     learned.theory->mean_gap;             // distance of the run from its ODE
///
/// Rows are taken as they come, or shuffled anew for each epoch where they lie in memory. A run
/// can be stopped at any moment, killed even, and goes on from its checkpoint bit for bit.
///
/// Where the rows have weights, a row of weight w acts as w rows do in the limit of small rates:
/// see `Hebbian::update`. Mean, scale, theory and variances are weighted alike.
///
/// A step costs O(k·D), memory does not grow with the rows. Theory costs a fit before the run (all
/// eigenpairs: N·D² + D³), and O(k·D²) for each row of the trace.

#include <mercer/fit.hpp>
#include <mercer/hebbian.hpp>
#include <mercer/trace.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

enum class Order {
  automatic,    ///< shuffled when the rows lie in memory, as they come otherwise
  as_it_comes,  ///< of a stream, or of a file from its beginning in each epoch
  shuffled,     ///< anew for each epoch, by the learner's seed
};

/// Where the trace goes. All of them may be empty.
struct TraceOutput {
  std::function<void(const TraceRow&)> row;
  std::function<void()> flush;  ///< before each checkpoint: what was given so far must last
  /// A resumed run has given `rows` rows already; what came after them is to be forgotten.
  std::function<void(std::int64_t rows)> keep;
};

struct LearnOptions {
  LearnerOptions learner{};
  std::shared_ptr<const Map<double>> map{};  ///< learn in feature space; null: the columns
  std::optional<Kernel> kernel{};            ///< or in that of a kernel
  /// Rows that span what is learned of a kernel's space, evenly spaced (the first of a stream). 0:
  /// kernel Hebbian learning (`KernelHebbian`) over all rows, which then have to fit into memory;
  /// its rule is gha (or oja), row by row, without theory.
  Index landmarks = 0;

  /// Passes over the rows. 0: one over a stream; over rows in memory as many as it takes until
  /// nothing turns by more than `until`, at most 100. When that is 0 as well: until nothing turns
  /// by more than 0.1 degrees and the run has converged, or it turns by less than 0.001.
  int epochs = 0;
  Order order = Order::automatic;
  Scale scale = Scale::none;  ///< `std` needs a pass before
  double until = 0;           ///< stop when no weight vector turns by more: degrees; 0: never
  std::size_t memory = 0;     ///< rows that fit into half of it are kept; 0: half of what is free

  bool theory = false;  ///< exact eigenpairs and the ODE beside the run; needs passes before
  Index modes = 0;      ///< in the trace; 0: one a component, up to 16 of a single neuron
  TraceOutput trace{};
  std::int64_t trace_every = 0;  ///< steps; 0: about 1000 rows in all, or every 1000 steps

  std::string checkpoint{};           ///< path; the one before it is kept as PATH.previous
  std::int64_t checkpoint_every = 0;  ///< steps; 0: every ten seconds. And one at the end
  /// Go on from the checkpoint. When there is none yet the run begins at the beginning.
  bool resume = false;

  std::function<void(const Model<double>&)> on_model{};  ///< every `model_every` steps
  std::int64_t model_every = 0;

  /// Saying stop ends the run early, with a model when there were rows. The note of `Progress` says
  /// how far the run has come.
  Monitor monitor{};
};

enum class LearnStop {
  end,          ///< all rows of all epochs
  converged,    ///< by `until`, and the components are those of the rows
  not_moving,   ///< by `until`, but they may be far from them
  interrupted,  ///< by the monitor
};

/// The run held against the exact answer.
struct TheoryReport {
  Vector<double> eigenvalues;  ///< λ of the second moment about the mean (divisor N), of the modes
  Vector<double> angles;       ///< of each weight vector to its eigenvector, degrees
  double mean_gap = 0;  ///< mean of ‖θ(n) − θ_ode(t_n)‖ over the trace; NaN where there is no ODE
  double last_gap = 0;
};

struct Learned {
  Model<double> model;
  Convergence convergence;
  LearnStop stop = LearnStop::end;
  std::int64_t rows = 0;     ///< that were learned from, all epochs together
  std::int64_t skipped = 0;  ///< that had missing cells
  std::int64_t steps = 0;
  double time = 0;  ///< Ση
  int epochs = 0;   ///< begun
  bool shuffled = false;
  std::optional<std::int64_t> resumed_at{};  ///< row at which a checkpoint was taken up
  std::vector<TraceRow> trace;  ///< thinned evenly to at most 1024 rows, the last one included
  std::optional<TheoryReport> theory{};
};

/// Throws what `Hebbian` throws; `Errc::bad_option` for what needs a second pass over a source that
/// has none; `Errc::bad_data` for a source without rows; `Errc::bad_file` for a checkpoint that is
/// damaged or belongs to another run; `Errc::interrupted` when the monitor stops it before the
/// first row.
Learned learn(Source<double>& source, const LearnOptions& options = {});

/// The same over rows in memory. `weights`: one a row, as if rows were repeated.
Learned learn(const Rows<double>& rows, const LearnOptions& options = {},
              const double* weights = nullptr);

}  // namespace mercer
