// Transform through maps other than the identity, against sums over pairs in double.

#include "model/sample.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <cmath>
#include <limits>

namespace mercer::mapped_transform_test {

using test::error_of;

template <class T>
Csr<T> sparse(const Matrix<T>& m) {
  return Csr<T>::from(Eigen::SparseMatrix<T, Eigen::RowMajor>(m.sparseView()));
}

template <class T>
class MappedTransform : public testing::Test {
 protected:
  static constexpr Index d = 7;
  static constexpr double gamma = 0.2;
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  /// Normal numbers, two thirds of them 0.
  Matrix<T> rows(Index n) {
    Matrix<T> x = random.normal(n, d).cast<T>();
    return (x.array() > T(0.43)).select(x, T(0));
  }
  ModelParts<T> parts(std::shared_ptr<const Map<T>> map, Index k) {
    ModelParts<T> p = test::mapped_parts<T>(map);
    p.components = random.normal(k, map->features()).template cast<T>();
    p.mean = random.normal(map->features(), 1).template cast<T>();
    p.input_mean = random.normal(map->inputs(), 1).template cast<T>();
    p.eigenvalues = Vector<double>::Ones(k);
    p.report.solver.residuals.clear();
    return p;
  }
  /// Scores of rows that φ gets as they are.
  static Matrix<double> truth(const ModelParts<T>& p, const Matrix<double>& x,
                              const Matrix<T>& anchors) {
    Matrix<double> y = Matrix<double>::Zero(x.rows(), p.components.rows());
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < anchors.rows(); ++j) {
        const double phi =
            std::exp(-gamma * (x.row(i) - anchors.row(j).template cast<double>()).squaredNorm());
        for (Index c = 0; c < y.cols(); ++c)
          y(i, c) +=
              static_cast<double>(p.components(c, j)) * (phi - static_cast<double>(p.mean[j]));
      }
    return y;
  }
  static void expect_near(const Matrix<T>& y, const Matrix<double>& truth) {
    const double tolerance = 200 * std::numeric_limits<T>::epsilon() * truth.cwiseAbs().maxCoeff();
    EXPECT_LT((y.template cast<double>() - truth).cwiseAbs().maxCoeff(), tolerance);
  }

  test::Random random{17};
  Kernel kernel = kernels::rbf({.gamma = gamma});
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(MappedTransform, Precisions);

TYPED_TEST(MappedTransform, is_the_sum_over_anchors_for_dense_and_sparse_rows_and_anchors) {
  using T = TypeParam;
  for (const Index anchors : {1, 256, 300, 515})  // strips that do and do not divide
    for (const Index k : {1, 3, 25}) {            // by hand and by panels
      SCOPED_TRACE(testing::Message() << anchors << " anchors, k = " << k);
      const Matrix<T> a = this->rows(anchors), x = this->rows(143);  // a block and a part of one
      const Csr<T> sparse_x = sparse(x);
      ModelParts<T> p = this->parts(kernel_map<T>(this->kernel, a), k);
      const Matrix<double> truth = this->truth(p, x.template cast<double>(), a);
      const Model<T> dense_anchors(p);
      p.map = kernel_map<T>(this->kernel, sparse(a));
      const Model<T> sparse_anchors(p);
      for (const Model<T>* model : {&dense_anchors, &sparse_anchors})
        for (const Rows<T>& rows : {Rows<T>(x), Rows<T>(sparse_x)})
          this->expect_near(model->transform(rows), truth);
    }
}

TYPED_TEST(MappedTransform, is_the_same_for_every_number_of_threads) {
  using T = TypeParam;
  const Matrix<T> x = this->rows(2100);
  for (const Index k : {2, 30})
    for (const auto& map :
         {kernel_map<T>(this->kernel, this->rows(700)), plain_map<T>(this->d, 3)}) {
      const Model<T> model(this->parts(map, k));
      const Matrix<T> one = model.transform(x, {.threads = 1});
      for (const int threads : {2, 3, 7}) EXPECT_EQ(model.transform(x, {.threads = threads}), one);
    }
}

TYPED_TEST(MappedTransform, fills_and_standardises_before_the_map) {
  using T = TypeParam;
  const Matrix<T> a = this->rows(20);
  ModelParts<T> p = this->parts(kernel_map<T>(this->kernel, a), 2);
  Matrix<T> x = this->rows(150);
  x(0, 0) = x(140, 3) = this->nan;
  for (const bool scale : {false, true}) {
    if (scale)
      p.scale = this->random.normal(this->d, 1).cwiseAbs().template cast<T>().array() + T(0.5);
    const Model<T> model(p);
    Matrix<double> z = x.template cast<double>();
    for (Index i = 0; i < z.rows(); ++i)
      for (Index j = 0; j < z.cols(); ++j) {
        const auto mean = static_cast<double>(p.input_mean[j]);
        if (std::isnan(z(i, j))) z(i, j) = mean;
        if (scale) z(i, j) = (z(i, j) - mean) / static_cast<double>(p.scale[j]);
      }
    const Csr<T> sparse_x = sparse(x);
    ASSERT_LT(Rows<T>(sparse_x).entries(), x.size());
    for (const Rows<T>& rows : {Rows<T>(x), Rows<T>(sparse_x)}) {
      this->expect_near(model.transform(rows, {.missing = Missing::mean}), this->truth(p, z, a));
      EXPECT_HAS(error_of([&] { model.transform(rows); }).what(), "row 1, column 1 is nan");
    }
  }
}

TYPED_TEST(MappedTransform, of_explicit_features_is_the_plain_product) {
  using T = TypeParam;
  const Matrix<T> x = this->rows(40);
  ModelParts<T> p = this->parts(plain_map<T>(this->d, 2), 3);
  p.scale = Vector<T>::Constant(this->d, T(2));
  const Matrix<T> z = (x.rowwise() - p.input_mean.transpose()) / T(2);
  Matrix<T> phi(x.rows(), p.map->features());
  p.map->apply(Rows<T>(z), phi);
  const Matrix<double> truth = (phi.rowwise() - p.mean.transpose()).template cast<double>() *
                               p.components.transpose().template cast<double>();
  this->expect_near(Model<T>(p).transform(x), truth);
}

TYPED_TEST(MappedTransform, of_similarities_takes_them_as_they_are) {
  using T = TypeParam;
  const Matrix<T> a = this->rows(30), x = this->rows(50);
  ModelParts<T> p = this->parts(kernel_map<T>(this->kernel, a), 3);
  const Matrix<T> y = Model<T>(p).transform(x);
  p.map = precomputed_map<T>(30);
  p.input_mean.resize(0);
  const Model<T> model(p);
  const Matrix<T> k = this->kernel.matrix(Rows<T>(x), Rows<T>(a));
  EXPECT_LT((model.transform(k) - y).norm(), 100 * std::numeric_limits<T>::epsilon() * y.norm());
  EXPECT_EQ(error_of([&] { model.transform(k, {.missing = Missing::mean}); }).code(),
            Errc::bad_option);
}

TYPED_TEST(MappedTransform, blames_the_cell_by_its_place_in_all_rows) {
  using T = TypeParam;
  Matrix<T> x = this->rows(1000).cwiseAbs();
  const auto complaint = [&](const Kernel& kernel) {
    const Model<T> model(this->parts(kernel_map<T>(kernel, Matrix<T>(x.topRows(300))), 2));
    return [&x, model](T value) {
      Matrix<T> wrong = x;
      wrong(900, 4) = value;
      const Error error = error_of([&] { model.transform(wrong); });
      EXPECT_EQ(error.code(), Errc::bad_data);
      return std::string(error.what());
    };
  };
  EXPECT_HAS(complaint(this->kernel)(this->nan), "row 901, column 5 is nan");
  EXPECT_HAS(complaint(this->kernel)(std::numeric_limits<T>::infinity()),
             "row 901, column 5 is inf");
  EXPECT_HAS(complaint(kernels::matern({.length = 1}))(this->nan), "row 901, column 5 is nan");
  EXPECT_HAS(complaint(kernels::chi2())(-1), "row 901, column 5 is -1");
  EXPECT_HAS(complaint(kernels::poly({.degree = 5}))(std::numeric_limits<T>::max()), "overflows");
}

TYPED_TEST(MappedTransform, takes_no_rows_and_one_row) {
  using T = TypeParam;
  const Model<T> model(this->parts(kernel_map<T>(this->kernel, this->rows(300)), 2));
  EXPECT_EQ(model.transform(this->rows(0)).rows(), 0);
  const Matrix<T> x = this->rows(500);
  const Matrix<T> y = model.transform(x), last = model.transform(x.bottomRows(1));
  EXPECT_LT((last - y.bottomRows(1)).norm(), 1e-4 * y.bottomRows(1).norm());
}

TEST(MappedInverse, is_refused_in_one_line) {
  for (const auto& parts : test::all_mapped_parts<double>()) {
    const Error error = error_of([&] { Model<double>(parts).inverse(Matrix<double>::Ones(1, 2)); });
    EXPECT_EQ(error.code(), Errc::bad_option);
    EXPECT_HAS(error.what(), "inverse: ");
  }
  EXPECT_HAS(error_of([] {
               Model<float>(test::kernel_parts<float>()).inverse(Matrix<float>::Ones(1, 2));
             }).what(),
             "a kernel model has no exact inverse");
}

TEST(MappedParts, that_do_not_fit_together_are_refused) {
  const auto refused = [](auto change, const char* part, bool kernel = true) {
    auto parts = kernel ? test::kernel_parts<double>() : test::precomputed_parts<double>();
    change(parts);
    const Error error = error_of([&] { Model<double> model(parts); });
    EXPECT_EQ(error.code(), Errc::bad_data);
    EXPECT_HAS(error.what(), part);
  };
  using Parts = ModelParts<double>;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](Parts& p) { p.input_mean.resize(0); }, "input mean");
  refused([](Parts& p) { p.input_mean = Vector<double>::Ones(3); }, "input mean");
  refused([](Parts& p) { p.input_mean[0] = nan; }, "finite");
  refused([](Parts& p) { p.scale = Vector<double>::Ones(4); }, "scale");
  refused([](Parts& p) { p.mean = Vector<double>::Ones(3); }, "differ in length");
  refused(
      [](Parts& p) {
        p.map =
            kernel_map<double>(kernels::linear(), Matrix<double>{{1, nan}, {1, 1}, {2, 2}, {3, 3}});
      },
      "finite");
  refused([](Parts& p) { p.scale = Vector<double>::Ones(4); }, "scales kernel values", false);
  auto linear = test::sample_parts<double>();
  linear.input_mean = Vector<double>::Ones(3);
  EXPECT_HAS(error_of([&] { Model<double> model(linear); }).what(), "input mean");
}

}  // namespace mercer::mapped_transform_test
