#pragma once
/// \file
/// Principal components learned from a stream by Hebbian rules, in constant memory.
///
///     mercer::Hebbian neurons(mercer::identity_map<double>(4), {.rule = "gha", .components = 2});
///     while (auto block = source->next()) neurons.update(block->rows, block->weights);
///     mercer::Model<double> model = neurons.model();           // at any time
///
/// `mercer::learn` (learn.hpp) is the complete driver: epochs, order, trace, theory, checkpoints.
///
/// docs/learning.md lists the rules, `rule_table()` their formulas. A step costs O(k·D).

#include <mercer/map.hpp>
#include <mercer/model.hpp>
#include <mercer/progress.hpp>
#include <mercer/rate.hpp>
#include <mercer/rows.hpp>
#include <mercer/seed.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mercer {

namespace detail {
class Moment;  ///< R of rows that can be read again
}

/// Learns from a stream of rows and provides a model at any time.
template <class L>
concept Learner = requires(L& learner, const L& seen, const Rows<double>& rows) {
  learner.update(rows);
  { seen.model() } -> std::same_as<Model<double>>;
};

enum class LearnedMean {
  running,  ///< the mean of the rows so far
  known,    ///< given: LearnerOptions::mean
  none,     ///< rows are not centred
};

enum class MissingRow {
  error,
  skip,  ///< the row is skipped and counted
};

struct LearnerOptions {
  std::string rule = "gha";
  Index components = 1;
  Rate rate{};
  Index batch = 1;  ///< rows per step; 1: the textbook rule
  LearnedMean centre = LearnedMean::running;
  Vector<double> mean{};  ///< of φ, for LearnedMean::known
  /// Discount of the past per row, for streams that drift; 0: none. Limits mean and variances to
  /// about the last 1/forgetting rows, and keeps the rate from falling below forgetting/λ₁, so that
  /// weights adapt at the same speed.
  double forgetting = 0;
  double limit = std::numeric_limits<double>::infinity();  ///< max |w_ij|, never exceeded
  MissingRow missing = MissingRow::error;
  std::uint64_t seed = default_seed;  ///< of the initial weights
  /// First weights, one row per component, of any length; empty: random orthonormal ones.
  Matrix<double> start{};
  double start_norm = 1;  ///< length of random first weights
  int threads = 0;        ///< of mini-batches; 0: one per core
  /// Estimate the error of the components from the rows: without it `look` cannot distinguish a
  /// converged run from one that no longer moves. Costs another O(k·D) per row (products of whole
  /// blocks, an eighth of them after 262,144 rows).
  bool watch = false;
  /// Of `Hebbian::update`; a call that it stops has learned from some of its rows.
  Monitor monitor{};
};

enum class LearnState {
  moving,      ///< rotation of more than 0.7° since the last check
  not_moving,  ///< smaller rotation, but not known to be close to the solution
  converged,   ///< components are within 2° of the exact ones, at 95 % confidence
};
std::string_view name_of(LearnState state);  ///< "moving", "not moving", "converged"

/// Convergence diagnostics, computed without the exact components.
struct Convergence {
  double angle_change = 90;  ///< largest rotation since the last check, degrees
  double norm_error = 0;     ///< max |‖w_j‖ − 1|
  double correlation = 0;    ///< largest |correlation| of two outputs
  double variance_error = 0;  ///< max |variance of y_j / (w_jᵀRw_j/‖w_j‖²) − 1|, R from recent rows
  /// Bound on the angle of any component to the exact one, degrees: from the residual Rw − λw over
  /// the gap to other variances, R and its standard error from the rows. 90: unknown.
  double angle = 90;
  double explained = 0;  ///< explained variance ratio
  LearnState state = LearnState::moving;
  bool converged = false;  ///< state is `converged`: `angle` of at most 2, `norm_error` of 0.02
  std::string text;        ///< one-line summary
  /// Variances λ_j of the rows along their components: values ± errors. Empty: unknown.
  Vector<double> variances{}, errors{};
};

class Hebbian {
 public:
  /// Throws `Errc::bad_option` for invalid options.
  Hebbian(std::shared_ptr<const Map<double>> map, LearnerOptions options);
  ~Hebbian();
  Hebbian(Hebbian&&) noexcept;
  Hebbian& operator=(Hebbian&&) noexcept;

  /// Learns from each row, in order. Steps do not depend on how the stream is split into calls.
  /// `row_weights`: one per row, 0 or more; a row of weight w counts w times in mean and moments,
  /// and its step is w times as long, as w steps are in the limit of small rates. Throws
  /// `Errc::not_converged`, naming the step and a remedy, if the weights diverge.
  void update(const Rows<double>& rows, Weights row_weights = {});
  /// Learns the rows of an incomplete mini-batch as a smaller one: for the end of a stream.
  void flush();
  /// B is W orthonormalised in order, which keeps the span of the first j rows for every j; sorted
  /// by decreasing variance, with fixed signs. Variances are those of recent outputs. In
  /// mini-batches W is the average over the run, with larger weights for later steps (ccipca
  /// averages on its own). Throws `Errc::bad_data` before the first step.
  Model<double> model() const;

  std::int64_t rows() const;     ///< rows learned
  std::int64_t skipped() const;  ///< rows with missing values
  double row_weight() const;     ///< total weight of the rows learned
  std::int64_t steps() const;
  double time() const;             ///< t = Ση
  double rate() const;             ///< η of the last step, times its weight
  Matrix<double> weights() const;  ///< W, k×D, not orthonormalised
  Vector<double> mean() const;
  Vector<double> output_variances() const;  ///< of y_j; later rows have larger weights
  double total_variance() const;            ///< E‖φ(x) − m‖²

  /// Compares with the state at the last call. `rows`: R of all rows, if they can be read again; it
  /// is used once the weights hardly move.
  Convergence look(detail::Moment* rows = nullptr);

  /// The complete state, to resume bit for bit.
  std::string save_state() const;
  void load_state(const std::string& bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

static_assert(Learner<Hebbian>);

/// Entry in the list of rules.
struct RuleEntry {
  std::string name, formula, notes;
};
std::span<const RuleEntry> rule_table();

}  // namespace mercer
