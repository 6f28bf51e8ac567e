#include "learn/run/learn_learner.hpp"

#include "core/require.hpp"
#include "core/weights.hpp"
#include "learn/run/learn_input.hpp"

#include <utility>

namespace mercer {

namespace {

/// What both kinds have alike.
template <class L>
class Common : public RunLearner {
 public:
  explicit Common(L learner) : learner_(std::move(learner)) {}
  Model<double> model() const override { return learner_.model(); }
  std::int64_t steps() const override { return learner_.steps(); }
  double time() const override { return learner_.time(); }
  double rate() const override { return learner_.rate(); }
  Vector<double> output_variances() const override { return learner_.output_variances(); }
  std::string save_state() const override { return learner_.save_state(); }
  void load_state(const std::string& bytes) override { learner_.load_state(bytes); }

 protected:
  L learner_;
};

class OfFeatures final : public Common<Hebbian> {
 public:
  using Common::Common;
  void update(const LearnRows& rows) override { learner_.update(rows.rows, rows.weights); }
  void flush() override { learner_.flush(); }
  std::int64_t rows() const override { return learner_.rows(); }
  std::int64_t skipped() const override { return learner_.skipped(); }
  double norm() const override { return weights().row(0).norm(); }
  Matrix<double> weights() const override { return learner_.weights(); }
  Vector<double> mean() const override { return learner_.mean(); }
  bool has_variance() const override { return learner_.total_variance() > 0; }
  Convergence look(Moment* rows) override { return learner_.look(rows); }
};

class OfRows final : public Common<KernelHebbian> {
 public:
  using Common::Common;
  void update(const LearnRows& rows) override { learner_.update(rows.numbers); }
  void flush() override {}
  std::int64_t rows() const override { return learner_.steps(); }
  std::int64_t skipped() const override { return 0; }
  double norm() const override { return learner_.norm(); }
  Matrix<double> weights() const override { return learner_.coefficients(); }
  Vector<double> mean() const override { return {}; }
  Convergence look(Moment*) override { return learner_.look(); }
};

}  // namespace

std::unique_ptr<RunLearner> hebbian_learner(std::shared_ptr<const Map<double>> map,
                                            const LearnerOptions& options) {
  return std::make_unique<OfFeatures>(Hebbian(std::move(map), options));
}

std::unique_ptr<RunLearner> kernel_learner(const Kernel& kernel, const Matrix<double>& anchors,
                                           const double* weights, const LearnOptions& o) {
  const LearnerOptions& l = o.learner;
  require(l.rule != "oja" || l.components == 1, Errc::bad_option,
          "`rule=oja` learns one component, not {}; gha learns several", l.components);
  return std::make_unique<OfRows>(KernelHebbian(kernel, anchors,
                                                {.components = l.components,
                                                 .rate = l.rate,
                                                 .seed = l.seed,
                                                 .memory = o.memory / 4,
                                                 .threads = l.threads},
                                                as_weights(weights, anchors.rows())));
}

}  // namespace mercer
