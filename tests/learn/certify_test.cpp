// Bounds on the angle of components to eigenvectors, held against a dense decomposition in long
// double.
#include "learn/theory/certify.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

namespace mercer::certify_test {

class OfMatrix final : public Moment {
 public:
  explicit OfMatrix(Matrix<double> r) : r_(std::move(r)) {}
  Matrix<double> times(const Matrix<double>& v, const Matrix<double>&) override {
    ++passes;
    return v * r_;
  }
  double trace() override { return r_.trace(); }
  int passes = 0;

 private:
  Matrix<double> r_;
};

struct Problem {
  Matrix<double> r;
  Vector<double> values;   // descending
  Matrix<double> vectors;  // rows
};

Problem problem(test::Random& random, const Vector<double>& spectrum) {
  const Index d = spectrum.size();
  const Matrix<double> q = random.rotation(d);
  Problem p;
  p.r = q.transpose() * spectrum.asDiagonal() * q;
  p.r = (0.5 * (p.r + p.r.transpose())).eval();
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::SelfAdjointEigenSolver<Wide> exact(p.r.cast<long double>());
  p.values = exact.eigenvalues().reverse().cast<double>();
  p.vectors = exact.eigenvectors().rowwise().reverse().transpose().cast<double>();
  return p;
}

TEST(Certify, M_P1_bounds_hold_the_true_angles_and_variances) {
  test::Random random(1);
  int known = 0, far = 0;
  for (int i = 0; i < 300; ++i) {
    const auto d = static_cast<Index>(2 + random.bits() % 11);
    const auto k = static_cast<Index>(1 + random.bits() % static_cast<std::uint64_t>(d));
    Vector<double> spectrum(d);
    const double kinds[] = {0.5, 0.9, 0.99, 0.999};
    const double fall = kinds[i % 4];
    for (Index j = 0; j < d; ++j) spectrum[j] = 3 * std::pow(fall, static_cast<double>(j));
    const Problem p = problem(random, spectrum);
    // Components turned by about as much; or any at all; or the wrong ones.
    const double sizes[] = {1e-9, 1e-3, 0.03, 1, 100};
    Matrix<double> b = p.vectors.topRows(k) + sizes[i % 5] * random.normal(k, d);
    if (i % 7 == 0 && k < d) b = p.vectors.bottomRows(k);
    for (Index j = 0; j < k; ++j) {
      for (Index a = 0; a < j; ++a) b.row(j) -= b.row(j).dot(b.row(a)) * b.row(a);
      b.row(j).normalize();
    }
    OfMatrix moment(p.r);
    const Verdict v = certify(moment, b, 2, 7);
    ASSERT_EQ(v.angles.size(), k);
    for (Index j = 0; j < k; ++j) {
      const double angle = turned(b.row(j), p.vectors.row(j));
      EXPECT_LE(angle, v.angles[j] + v.bounds[j] + 1e-6) << i << ' ' << j;
      if (v.bounds[j] < 1) {
        ++known;
        EXPECT_GE(angle, v.angles[j] - v.bounds[j] - 1e-6) << i << ' ' << j;
        // Rounding of the matrix's product: some ε·λ₁.
        EXPECT_NEAR(v.values[j], p.values[j], v.errors[j] + 1e-13 * p.values[0]) << i << ' ' << j;
      }
      far += v.largest() > 2;
    }
  }
  EXPECT_GT(known, 500);
  EXPECT_GT(far, 100);
}

TEST(Certify, M_P7_an_eigenvector_that_is_not_the_leading_one_is_not_taken_for_it) {
  test::Random random(2);
  Vector<double> spectrum = Vector<double>::Ones(40);
  spectrum[0] = 1.2;
  for (int i = 0; i < 20; ++i) {
    spectrum[1] = 1.1;
    const Problem p = problem(random, spectrum);
    OfMatrix moment(p.r);
    // Its residual is 0.
    EXPECT_GT(certify(moment, p.vectors.middleRows(1, 1), 2, 3).largest(), 45);
    OfMatrix again(p.r);
    EXPECT_LT(certify(again, p.vectors.topRows(2), 2, 3).largest(), 0.1);
  }
}

TEST(Certify, equal_variances_have_no_components_to_be_near_to) {
  test::Random random(3);
  const Problem p = problem(random, Vector<double>{{2, 2, 1}});
  OfMatrix moment(p.r);
  EXPECT_EQ(certify(moment, p.vectors.topRows(1), 2, 3).largest(), 90);
}

}  // namespace mercer::certify_test
