#include "maps/from_text.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/map.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

namespace mercer::kernel_map_test {

using test::error_of;

template <class T>
class KernelMap : public testing::Test {
 protected:
  static constexpr Index d = 6, anchors = 600;  // two strips and a part of one

  KernelMap() {
    test::Random random(5);
    a = random.normal(anchors, d).cast<T>();
    x = random.normal(11, d).cast<T>();
    for (Matrix<T>* m : {&a, &x})
      *m = (m->array() > T(0.5)).select(*m, Matrix<T>::Zero(m->rows(), d));
  }
  static Csr<T> sparse(const Matrix<T>& m) {
    return Csr<T>::from(Eigen::SparseMatrix<T, Eigen::RowMajor>(m.sparseView()));
  }
  Matrix<double> truth() const {
    Matrix<double> k(x.rows(), anchors);
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < anchors; ++j)
        k(i, j) = std::exp(-0.3 * (x.row(i) - a.row(j)).template cast<double>().squaredNorm());
    return k;
  }

  Matrix<T> a, x;
  Kernel kernel = kernels::rbf({.gamma = 0.3});
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelMap, Precisions);

TYPED_TEST(KernelMap, is_the_similarities_to_the_anchors_whole_or_in_strips) {
  using T = TypeParam;
  const Csr<T> sparse_x = this->sparse(this->x);
  const Matrix<double> truth = this->truth();
  const double tolerance = 30 * std::numeric_limits<T>::epsilon();
  for (const auto& phi :
       {kernel_map<T>(this->kernel, this->a), kernel_map<T>(this->kernel, this->sparse(this->a))})
    for (const Rows<T>& x : {Rows<T>(this->x), Rows<T>(sparse_x)}) {
      ASSERT_LT(phi->strip(), phi->features());
      Matrix<T> whole(x.rows(), phi->features());
      phi->apply(x, whole);
      EXPECT_LT((whole.template cast<double>() - truth).cwiseAbs().maxCoeff(), tolerance);
      for (const Index first : {Index{0}, Index{1}, phi->features() - 7}) {
        Matrix<T> part(x.rows(), 7);
        phi->apply_strip(x, first, part);
        EXPECT_LT((part.template cast<double>() - truth.middleCols(first, 7)).cwiseAbs().maxCoeff(),
                  tolerance);
      }
    }
}

TYPED_TEST(KernelMap, knows_its_kernel_and_its_anchors) {
  using T = TypeParam;
  const auto phi = kernel_map<T>(this->kernel, this->a);
  EXPECT_EQ(phi->text(), "kernel");
  EXPECT_EQ(phi->kernel(), "rbf(gamma=0.3)");
  EXPECT_EQ(phi->space(), Space::kernel);
  EXPECT_EQ(phi->inputs(), this->d);
  EXPECT_EQ(phi->features(), this->anchors);
  EXPECT_FALSE(phi->is_identity());
  EXPECT_EQ(Matrix<T>(phi->anchors().dense()), this->a);
  EXPECT_TRUE(kernel_map<T>(this->kernel, this->sparse(this->a))->anchors().sparse());
  const auto again = map_from_parts<T>("kernel", this->d, phi->kernel(), this->a);
  EXPECT_EQ(again->kernel(), phi->kernel());
  EXPECT_EQ(again->features(), phi->features());
  EXPECT_HAS(error_of([&] { map_from_text<T>("kernel", this->d); }).what(), "no map 'kernel'");
}

TYPED_TEST(KernelMap, has_a_complete_kernel_and_anchors_of_its_domain) {
  using T = TypeParam;
  const auto refused = [](Errc code, const char* part, auto call) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), code);
    EXPECT_HAS(error.what(), part);
  };
  refused(Errc::bad_option, "a parameter of rbf() is open",
          [&] { kernel_map<T>(kernels::rbf(), this->a); });
  refused(Errc::bad_data, "0 anchors", [&] { kernel_map<T>(this->kernel, Matrix<T>(0, 3)); });
  refused(Errc::bad_data, "row 1, column 2 is -1", [&] {
    kernel_map<T>(kernels::chi2(), Matrix<T>{{T(0), T(-1)}});
  });
  const auto bad_csr = [&](Csr<T> csr, const char* part) {
    refused(Errc::bad_data, part, [&] { kernel_map<T>(kernels::linear(), csr); });
  };
  bad_csr({2, {}, {}, {}}, "offsets");
  bad_csr({2, {1, 1}, {0}, {T(1)}}, "offsets do not run from 0");
  bad_csr({2, {0, 2}, {0}, {T(1)}}, "offsets do not run from 0");
  bad_csr({2, {0, 3, 1, 2}, {0, 1}, {T(1), T(1)}}, "offsets do not ascend");
  bad_csr({2, {0, 2}, {1, 0}, {T(1), T(1)}}, "columns do not ascend");
  bad_csr({2, {0, 2}, {1, 1}, {T(1), T(1)}}, "columns do not ascend");
  bad_csr({2, {0, 1}, {2}, {T(1)}}, "too large");
  bad_csr({2, {0, 1}, {-1}, {T(1)}}, "columns do not ascend");
  bad_csr({2, {0, 1}, {0, 1}, {T(1)}}, "differ in number");
}

TYPED_TEST(KernelMap, refuses_rows_outside_its_domain_by_their_number) {
  using T = TypeParam;
  const auto phi = kernel_map<T>(kernels::chi2(), Matrix<T>::Ones(2, 3).eval());
  Matrix<T> x = Matrix<T>::Ones(2, 3);
  phi->require_domain(Rows<T>(x), 40);
  x(1, 2) = -1;
  EXPECT_HAS(error_of([&] { phi->require_domain(Rows<T>(x), 40); }).what(), "row 42, column 3");
  kernel_map<T>(kernels::linear(), x)->require_domain(Rows<T>(x), 0);
}

TYPED_TEST(KernelMap, precomputed_copies_similarities) {
  using T = TypeParam;
  const auto phi = precomputed_map<T>(6);
  EXPECT_EQ(phi->text(), "precomputed");
  EXPECT_EQ(phi->space(), Space::precomputed);
  EXPECT_FALSE(phi->is_identity());
  EXPECT_EQ(phi->inputs(), 6);
  EXPECT_EQ(phi->features(), 6);
  EXPECT_EQ(phi->anchors().rows(), 0);
  Matrix<T> out(this->x.rows(), 6);
  phi->apply(Rows<T>(this->x), out);
  EXPECT_EQ(out, this->x);
  EXPECT_EQ(map_from_parts<T>("precomputed", 6, "", {})->features(), 6);
  EXPECT_EQ(error_of([] { precomputed_map<T>(0); }).code(), Errc::bad_option);
}

TEST(Spaces, of_the_other_maps) {
  EXPECT_EQ(identity_map<double>(2)->space(), Space::input);
  EXPECT_EQ(squares_map<double>(2)->space(), Space::features);
  EXPECT_EQ(plain_map<float>(2, 2)->space(), Space::features);
  EXPECT_EQ(squares_map<double>(2)->strip(), 2);
  EXPECT_EQ(squares_map<double>(2)->kernel(), "");
}

}  // namespace mercer::kernel_map_test
