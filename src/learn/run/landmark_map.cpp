#include <mercer/kernel_hebbian.hpp>

#include "core/require.hpp"
#include "linalg/lapack.hpp"

#include <limits>

namespace mercer {

namespace {

class Landmarks final : public Map<double> {
 public:
  explicit Landmarks(LinearMap<double> linear) : linear_(std::move(linear)) {}

  Index inputs() const override { return linear_.inner->inputs(); }
  Index features() const override { return linear_.a.rows(); }
  std::string text() const override {
    return fmt::format("landmarks({}, {})", linear_.inner->features(), linear_.inner->kernel());
  }
  void require_domain(const Rows<double>& x, Index first) const override {
    linear_.inner->require_domain(x, first);
  }
  void apply(const Rows<double>& x, Eigen::Ref<Matrix<double>> out) const override {
    Matrix<double> sections(x.rows(), linear_.inner->features());
    linear_.inner->apply(x, sections);
    out.noalias() = sections * linear_.a.transpose();
  }
  const LinearMap<double>* linear() const override { return &linear_; }

 private:
  LinearMap<double> linear_;
};

}  // namespace

std::shared_ptr<const Map<double>> landmark_map(const Kernel& kernel, Matrix<double> landmarks) {
  const Kernel complete = kernel.completed(Rows<double>(landmarks));
  const Matrix<double> gram = complete.matrix(Rows<double>(landmarks));
  const Index m = gram.rows();
  const SymmetricEigen pairs = symmetric_eigen(gram, m, 0);
  require(pairs.values[0] > 0, Errc::bad_data, "all kernel values between the landmarks are 0");
  // Landmarks that repeat each other add nothing but rounding errors.
  const double noise =
      static_cast<double>(m) * std::numeric_limits<double>::epsilon() * pairs.values[0];
  Index rank = 0;
  while (rank < m && pairs.values[rank] > 10 * noise) ++rank;
  const auto roots = pairs.values.head(rank).cwiseSqrt();
  LinearMap<double> linear;
  linear.a = roots.cwiseInverse().asDiagonal() * pairs.vectors.topRows(rank);
  linear.inverse = pairs.vectors.topRows(rank).transpose() * roots.asDiagonal();
  linear.inner = kernel_map<double>(complete, std::move(landmarks));
  return std::make_shared<Landmarks>(std::move(linear));
}

}  // namespace mercer
