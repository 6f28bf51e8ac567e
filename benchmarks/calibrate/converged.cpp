// How often a learning run that says "converged" is farther than 2 degrees from the components: the
// eigenvectors of the rows' covariance for rows in memory, of the population for streams.
#include "calibrate.hpp"

#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/learn.hpp>

#include <Eigen/QR>
#include <Eigen/SVD>

namespace calibrate {

namespace {

constexpr double most_degrees = 2;

/// Rows that come once.
class Stream : public mercer::Source<double> {
 public:
  explicit Stream(const Matrix<double>& rows) : rows_(rows), view_(rows_) {
    schema_.features = rows.cols();
  }
  const mercer::Schema& schema() const override { return schema_; }
  std::optional<mercer::Block<double>> next() override {
    if (at_ == rows_.rows()) return std::nullopt;
    const Index n = std::min<Index>(1000, rows_.rows() - at_);
    at_ += n;
    return mercer::Block<double>{mercer::Rows<double>(view_).middle(at_ - n, n)};
  }
  void rewind() override { throw mercer::Error(mercer::Errc::io, "a stream has no beginning"); }
  bool can_rewind() const override { return false; }
  std::string name() const override { return "stream"; }

 private:
  const Matrix<double>& rows_;
  mercer::MatrixRef<double> view_;
  mercer::Schema schema_;
  Index at_ = 0;
};

struct Run {
  const char* name;
  std::vector<double> deviations;
  Index rows;
  bool stream;
  Index k;
  const char* rule = "gha";
  Index batch = 1;
  const char* rate = "";
  const char* kernel = "";
};

std::vector<double> far(const Run& run, std::uint64_t seed) {
  Draw draw(seed);
  const auto d = static_cast<Index>(run.deviations.size());
  const Matrix<double> turn =
      Eigen::HouseholderQR<Eigen::MatrixXd>(draw.normal(d, d)).householderQ() *
      Eigen::MatrixXd::Identity(d, d);
  const Vector<double> deviations = Eigen::Map<const Vector<double>>(run.deviations.data(), d);
  const Matrix<double> x = (draw.normal(run.rows, d) * deviations.asDiagonal() * turn).array() + 1;
  mercer::LearnOptions options;
  options.learner.rule = run.rule;
  options.learner.components = run.k;
  options.learner.batch = run.batch;
  options.learner.seed = seed;
  options.learner.threads = 1;
  options.learner.watch = true;
  if (*run.rate) options.learner.rate = mercer::Rate::parse(run.rate);
  if (*run.kernel) options.kernel = mercer::Kernel::parse(run.kernel);
  Stream stream(x);
  const mercer::MatrixRef<double> rows(x);
  const mercer::Learned learned = run.stream ? mercer::learn(stream, options)
                                             : mercer::learn(mercer::Rows<double>(rows), options);
  if (!learned.convergence.converged) return {refused};
  // Components as the slopes of scores: the same for linear kernels.
  const Matrix<double> centred = x.rowwise() - x.colwise().mean();
  Matrix<double> scores = learned.model.transform(x);
  scores.rowwise() -= scores.colwise().mean().eval();
  const Eigen::MatrixXd slopes =
      Eigen::MatrixXd(centred).colPivHouseholderQr().solve(Eigen::MatrixXd(scores));
  const Eigen::MatrixXd truth =
      run.stream ? Eigen::MatrixXd(turn.topRows(run.k).transpose())
                 : Eigen::MatrixXd(Eigen::BDCSVD<Eigen::MatrixXd>(centred, Eigen::ComputeThinV)
                                       .matrixV()
                                       .leftCols(run.k));
  double least = 1;
  for (Index c = 0; c < run.k; ++c)
    least = std::min(least, std::abs(slopes.col(c).normalized().dot(truth.col(c))));
  return {least < std::cos(most_degrees * M_PI / 180) ? 1.0 : 0.0};
}

}  // namespace

std::vector<Case> converged_cases() {
  const Run all[] = {
      {"rows in memory, gha, gap 0.5", {3, 2, 1, 0.5}, 300, false, 2},
      {"rows in memory, gha, gap 0.05", {1, 0.975, 0.5, 0.3}, 300, false, 1},
      {"rows in memory, ccipca, gap 0.02", {1, 0.99, 0.5, 0.3, 0.2}, 300, false, 1, "ccipca"},
      {"rows in memory, ccipca in batches, gap 0.1",
       {1, 0.95, 0.5, 0.3, 0.2},
       500,
       false,
       2,
       "ccipca",
       20},
      {"rows in memory, oja, rate 1e-9", {3, 2, 1}, 200, false, 1, "oja", 1, "constant(1e-9)"},
      {"rows in memory, linear kernel", {3, 1.5, 1}, 80, false, 2, "gha", 1, "", "linear"},
      {"stream, ccipca, gap 0.9", {3, 1, 0.5}, 20000, true, 1, "ccipca"},
      {"stream, gha, gap 0.9", {3, 1, 0.5}, 20000, true, 1},
      {"stream, ccipca, gap 0.55", {3, 2, 1, 0.5}, 20000, true, 1, "ccipca"},
      {"stream, ccipca in batches, 2 of 4", {3, 2, 1, 0.5}, 30000, true, 2, "ccipca", 50},
      {"stream, oja, rate 1e-9", {3, 2, 1}, 10000, true, 1, "oja", 1, "constant(1e-9)"},
  };
  std::vector<Case> out;
  for (const Run& run : all)
    out.push_back(
        {"converged", run.name, {{run.name, Judge::at_most, 0.05}}, [run](std::uint64_t seed) {
           return far(run, seed);
         }});
  return out;
}

}  // namespace calibrate
