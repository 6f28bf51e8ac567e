#pragma once
// What a run asks of its learner, be its weights vectors of features or combinations of rows.

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
  /// `weights`: one a row, or null.
  virtual void update(const Rows<double>& rows, Weights weights) = 0;
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
  virtual Vector<double> mean() const = 0;  ///< of features, so far
  /// `rows`: R of all rows, where they can be read again and the learner has none of its own.
  virtual Convergence look(Moment* rows) = 0;

  virtual std::string save_state() const = 0;
  virtual void load_state(const std::string& bytes) = 0;
};

std::unique_ptr<RunLearner> hebbian_learner(std::shared_ptr<const Map<double>> map,
                                            const LearnerOptions& options);

/// Its rows are numbers of `anchors`, in one column; `weights` of them are known from the start.
std::unique_ptr<RunLearner> kernel_learner(const Kernel& kernel, const Matrix<double>& anchors,
                                           const double* weights, const LearnOptions& options);

}  // namespace mercer
