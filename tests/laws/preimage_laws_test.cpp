// Laws of pre-images in the space of every kernel of the table and of every map, by every method
// that the model has. A new kernel joins by its table row.
#include <mercer/mercer.hpp>

#include "kernels/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::preimage_laws_test {

constexpr PreImageMethod methods[] = {PreImageMethod::automatic, PreImageMethod::exact,
                                      PreImageMethod::ridge, PreImageMethod::fixed_point,
                                      PreImageMethod::distances};

Matrix<double> some_rows(Index n, std::uint64_t seed) {
  test::Random random(seed);
  Matrix<double> x = test::nonnegative_rows<double>(random, n, 3);
  x.array() += 0.1;
  return x;
}

/// Runs `check` with every decoder that the model has, and returns how many there were.
template <class Check>
int each_decoder(const Model<double>& model, Check check) {
  int count = 0;
  for (const PreImageMethod method : methods) {
    PreImageOptions options{.method = method};
    try {
      const Decoder<double> decoder(model, options);
      SCOPED_TRACE(decoder.text());
      check(decoder, options);
      ++count;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_option) << error.what();
      EXPECT_NE(method, PreImageMethod::automatic) << error.what();
    }
  }
  return count;
}

/// ‖Φ(x_i) − P_i‖² = k(x, x) − 2 g·k(A, x) + gᵀKg with P = Σ g_j Φ(a_j), N rows of equal weight.
Vector<double> squared_distances(const Kernel& kernel, const Model<double>& model,
                                 const Matrix<double>& x, const Matrix<double>& scores) {
  const Rows<double> anchors = model.map().anchors();
  const Matrix<double> g =
      (scores * model.components()).array() + 1.0 / static_cast<double>(anchors.rows());
  const Matrix<double> across = kernel.matrix(Rows<double>(x), anchors),
                       within = kernel.matrix(anchors);
  Vector<double> out(x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    out[i] = kernel.diagonal(Rows<double>(x))[i] - 2 * g.row(i).dot(across.row(i)) +
             g.row(i) * within * g.row(i).transpose();
  return out;
}

TEST(PreImageLaw, every_kernel_has_pre_images_at_the_distance_they_say) {
  const Matrix<double> x = some_rows(40, 1), fresh = some_rows(9, 2);
  for (const KernelEntry& entry : kernel_table()) {
    const Kernel kernel = Kernel::parse(entry.name).completed(Rows<double>(x));
    if (!kernel.always_valid() || entry.name == "constant") continue;
    SCOPED_TRACE(kernel.text());
    const auto model = fit(x, {.components = 3, .kernel = kernel});
    const Matrix<double> scores = model.transform(fresh);
    const double spread = model.report().total_variance * 39 / 40;
    EXPECT_GE(each_decoder(model,
                           [&](const Decoder<double>& decoder, const PreImageOptions&) {
                             const auto found = decoder(scores);
                             ASSERT_TRUE(found.rows.allFinite());
                             const Vector<double> wanted =
                                 squared_distances(kernel, model, found.rows, scores) / spread;
                             // Squares are compared: near 0 a root doubles the lost digits.
                             const double size =
                                 kernel.diagonal(Rows<double>(fresh)).maxCoeff() / spread;
                             EXPECT_LT((found.distance.cwiseAbs2() - wanted).cwiseAbs().maxCoeff(),
                                       1e-8 * std::max(1.0, size));
                           }),
              2);
  }
}

TEST(PreImageLaw, threads_do_not_change_a_bit_and_blocks_are_independent) {
  const Matrix<double> x = some_rows(50, 3), fresh = some_rows(300, 4);
  for (const char* text : {"rbf", "laplacian", "poly(degree=2)", "linear"}) {
    const auto model = fit(x, {.components = 3, .kernel = Kernel::parse(text)});
    const Matrix<double> scores = model.transform(fresh);
    each_decoder(model, [&](const Decoder<double>& decoder, PreImageOptions options) {
      options.threads = 3;
      const auto one = decoder(scores), three = Decoder<double>(model, options)(scores);
      EXPECT_EQ(one.rows, three.rows);
      EXPECT_EQ(one.distance, three.distance);
      EXPECT_EQ(one.outside, three.outside);
      const auto few = decoder(scores.middleRows(256, 10));
      EXPECT_LT((few.rows - one.rows.middleRows(256, 10)).cwiseAbs().maxCoeff(), 1e-8);
    });
  }
}

TEST(PreImageLaw, every_map_has_pre_images_with_the_rows_it_kept) {
  const Matrix<double> x = some_rows(60, 5), fresh = some_rows(12, 6);
  const FitOptions options{.components = 6, .keep_rows = 60};
  std::vector<Model<double>> models;
  for (const auto& map :
       {monomial_map<double>(3, 2), monomial_map<double>(3, 3), polynomial_map<double>(3, 2),
        plain_map<double>(3, 2), squares_map<double>(3)}) {
    FitOptions all = options;
    all.components = at_most(6);
    models.push_back(fit(x, map, all));
  }
  for (const char* approx :
       {"fourier(features=64)", "nystrom(landmarks=20)", "cholesky(rank=20)"}) {
    FitOptions with = options;
    with.kernel = kernels::rbf();
    with.approx = parse_approx(approx);
    models.push_back(fit(x, with));
  }
  for (const Model<double>& model : models) {
    SCOPED_TRACE(model.map().text());
    const Matrix<double> scores = model.transform(fresh);
    const double spread = model.report().total_variance * 59 / 60;
    each_decoder(model, [&](const Decoder<double>& decoder, const PreImageOptions&) {
      const auto found = decoder(scores);
      ASSERT_TRUE(found.rows.allFinite());
      if (model.map().space() != Space::features) return;
      // The definition, in the coordinates of φ.
      Matrix<double> phi(12, model.map().features());
      model.map().apply(Rows<double>(found.rows), phi);
      const Matrix<double> p = (scores * model.components()).rowwise() + model.mean().transpose();
      const Vector<double> wanted = (phi - p).rowwise().squaredNorm() / spread;
      EXPECT_LT((found.distance.cwiseAbs2() - wanted).cwiseAbs().maxCoeff(),
                1e-9 * (1 + wanted.maxCoeff()));
    });
  }
}

}  // namespace mercer::preimage_laws_test
