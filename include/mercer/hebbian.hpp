#pragma once
/// \file
/// Principal components learned from a stream by Hebbian rules, in constant memory.
///
///     mercer::Hebbian neurons(mercer::identity_map<double>(4), {.rule = "gha", .components = 2});
///     while (auto block = source->next()) neurons.update(block->rows, block->weights);
///     mercer::Model<double> model = neurons.model();           // at any time
///
/// `mercer::learn` (learn.hpp) is the whole road: epochs, order, trace, theory, checkpoints.
///
/// Rules, with y = W(φ(x) − m):
///
///     hebb             w += η y x                          grows like e^{λ₁t}: stopped
///     hebb-normalized  w += η y x, w /= ‖w‖                one component
///     oja              w += η y (x − y w)                  one component
///     gha              w_j += η y_j (x − Σ_{i≤j} y_i w_i)  Sanger: k components, in order
///     block-oja        W += η YᵀX, then QR                 mini-batches
///     ccipca           no rate: averages of y_j x          Weng, Zhang & Hwang 2003
///
/// A step costs O(k·D). A new rule is one new file and one row in the table of
/// src/learn/rules/rule_table.cpp.

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

/// Learns from rows as they come, and has a model at any time.
template <class L>
concept Learner = requires(L& learner, const L& seen, const Rows<double>& rows) {
  learner.update(rows);
  { seen.model() } -> std::same_as<Model<double>>;
};

enum class LearnedMean {
  running,  ///< the mean of the rows so far
  known,    ///< given: LearnerOptions::mean
  none,     ///< rows are taken as they are
};

enum class MissingRow {
  error,
  skip,  ///< the row is left out and counted
};

struct LearnerOptions {
  std::string rule = "gha";
  Index components = 1;
  Rate rate{};
  Index batch = 1;  ///< rows per step; 1: the textbook rule
  LearnedMean centre = LearnedMean::running;
  Vector<double> mean{};  ///< of φ, for LearnedMean::known
  /// Share by which what was learned fades with each row, for streams that drift; 0: never. Bounds
  /// the memory of mean and variances to about 1/forgetting rows, and keeps the rate from falling
  /// below forgetting/λ₁, at which weights change as fast as that.
  double forgetting = 0;
  double limit = std::numeric_limits<double>::infinity();  ///< max |w_ij|, never exceeded
  MissingRow missing = MissingRow::error;
  std::uint64_t seed = default_seed;  ///< of the first weights
  int threads = 0;                    ///< of mini-batches; 0: one per core
  /// Measure from the rows, as they come, how far components are from theirs: without it `look`
  /// cannot tell a run that has converged from one that no longer moves. A row then costs O(k·D)
  /// once more (products of whole blocks, an eighth of them after 32,768 rows).
  bool watch = false;
  /// Of `Hebbian::update`; a call that it stops has learned from some of its rows.
  Monitor monitor{};
};

enum class LearnState {
  moving,      ///< rotation of more than 0.7° since the last check
  not_moving,  ///< by less; but they may be far from where they should be
  converged,   ///< components are within 2° of those of the rows, at 95 % confidence
};
std::string_view name_of(LearnState state);  ///< "moving", "not moving", "converged"

/// How far a run has come, judged without knowing the answer.
struct Convergence {
  double angle_change = 90;  ///< largest rotation since the last check, degrees
  double norm_error = 0;     ///< max |‖w_j‖ − 1|
  double correlation = 0;    ///< largest |correlation| of two outputs
  double variance_error = 0;  ///< max |variance of y_j / (w_jᵀRw_j/‖w_j‖²) − 1|, R from recent rows
  /// Bound on the angle of any component to that of the rows, degrees: from the residual Rw − λw
  /// over the gap to other variances, R and its standard error from the rows. 90: not known.
  double angle = 90;
  double explained = 0;  ///< share of the variance that the components have
  LearnState state = LearnState::moving;
  bool converged = false;  ///< state is `converged`: `angle` of at most 2, `norm_error` of 0.02
  std::string text;        ///< in one sentence
  /// Variances λ_j of the rows along their components: values ± errors. Empty: not known.
  Vector<double> variances{}, errors{};
};

class Hebbian {
 public:
  /// `Errc::bad_option` for options that cannot work.
  Hebbian(std::shared_ptr<const Map<double>> map, LearnerOptions options);
  ~Hebbian();
  Hebbian(Hebbian&&) noexcept;
  Hebbian& operator=(Hebbian&&) noexcept;

  /// Learns from each row, in order. Steps do not depend on how the stream is cut into calls.
  /// `row_weights`: one a row, 0 or more; a row of weight w counts w times in mean and moments, and
  /// its step is w times as long, as w steps are in the limit of small rates.
  /// Throws `Errc::not_converged`, naming the step and what to try, when the weights diverge.
  void update(const Rows<double>& rows, Weights row_weights = {});
  /// Learns the rows that wait for their mini-batch to be full, as a smaller one: for the end of a
  /// stream.
  void flush();
  /// B is W made orthonormal from the first row on, which keeps the span of the first j rows for
  /// every j; by falling variance, signs fixed. Variances are those of recent outputs. In
  /// mini-batches W is the average over the run, later steps weighing more (ccipca averages by
  /// itself).
  /// Throws `Errc::bad_data` before the first step.
  Model<double> model() const;

  std::int64_t rows() const;     ///< that were learned from
  std::int64_t skipped() const;  ///< that had missing cells
  double row_weight() const;     ///< sum over the rows that were learned from
  std::int64_t steps() const;
  double time() const;             ///< t = Ση
  double rate() const;             ///< η of the last step, times its weight
  Matrix<double> weights() const;  ///< W, k×D, as the rule has left them
  Vector<double> mean() const;
  Vector<double> output_variances() const;  ///< of y_j; rows count more the later they came
  double total_variance() const;            ///< E‖φ(x) − m‖²

  /// Compares with the state at the last call. `rows`: R of all rows, where they can be read again;
  /// it is asked once little moves.
  Convergence look(detail::Moment* rows = nullptr);

  /// Everything it knows, to go on later bit for bit.
  std::string save_state() const;
  void load_state(const std::string& bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

static_assert(Learner<Hebbian>);

/// What a list of rules shows of one.
struct RuleEntry {
  std::string name, formula, notes;
};
std::span<const RuleEntry> rule_table();

}  // namespace mercer
