#pragma once
// The learner of a run: its weights are vectors of features or combinations of rows.

#include "learn/run/learn_order.hpp"
#include "learn/theory/certify.hpp"

#include <mercer/hebbian.hpp>
#include <mercer/kernel_hebbian.hpp>
#include <mercer/learn.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace mercer {

class RunLearner {
 public:
  virtual ~RunLearner() = default;
  virtual void update(const LearnRows& rows) = 0;
  virtual void flush() = 0;
  virtual Model<double> model() const = 0;

  virtual std::int64_t rows() const = 0;
  virtual std::int64_t skipped() const = 0;
  virtual std::int64_t steps() const = 0;
  virtual double time() const = 0;
  virtual double rate() const = 0;
  virtual double norm() const = 0;             ///< ‖w_1‖
  virtual Matrix<double> weights() const = 0;  ///< for theory
  virtual Vector<double> output_variances() const = 0;
  virtual Vector<double> mean() const = 0;            ///< of features, so far
  virtual bool has_variance() const { return true; }  ///< whether the rows so far have some
  /// `rows`: R of all rows, if they can be read again and the learner does not have its own.
  virtual Convergence look(Moment* rows) = 0;

  virtual std::string save_state() const = 0;
  virtual void load_state(const std::string& bytes) = 0;
};

std::unique_ptr<RunLearner> hebbian_learner(std::shared_ptr<const Map<double>> map,
                                            const LearnerOptions& options);

/// Learns rows of `anchors` by their numbers; `weights` of all of them are given here.
std::unique_ptr<RunLearner> kernel_learner(const Kernel& kernel, const Matrix<double>& anchors,
                                           const double* weights, const LearnOptions& options);

}  // namespace mercer
