#include "simd/spectrum.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <complex>
#include <limits>

namespace mercer::spectrum_test {

using Number = std::complex<double>;

Index reversed(Index k, Index size) {
  Index out = 0;
  for (Index bit = 1; bit < size; bit *= 2) out = 2 * out + ((k & bit) != 0);
  return out;
}

/// Sequence s by the definition.
std::vector<Number> transform_of(const Matrix<double>& re, const Matrix<double>& im, Index s) {
  const Index size = re.rows();
  std::vector<Number> out(static_cast<std::size_t>(size));
  for (Index k = 0; k < size; ++k)
    for (Index j = 0; j < size; ++j)
      out[static_cast<std::size_t>(k)] +=
          Number(re(j, s), im(j, s)) *
          std::polar(1.0, -6.283185307179586 * static_cast<double>(j * k % size) /
                              static_cast<double>(size));
  return out;
}

/// As the transforms want it, and back.
template <class T>
Matrix<T> packed(const Matrix<T>& re, const Matrix<T>& im) {
  Matrix<T> z(re.rows(), 2 * sequences<T>);
  z << re, im;
  return z;
}
template <class T>
void unpack(const Matrix<T>& z, Matrix<T>& re, Matrix<T>& im) {
  re = z.leftCols(sequences<T>);
  im = z.rightCols(sequences<T>);
}

template <class T>
class Spectrum : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Spectrum, Precisions);

TYPED_TEST(Spectrum, is_the_sum_over_roots_of_unity_and_comes_back) {
  using T = TypeParam;
  test::on_every_target([] {
    for (Index size = 1; size <= 256; size *= 2) {
      test::Random random(1);
      const Matrix<T> re = random.normal(size, sequences<T>).template cast<T>();
      const Matrix<T> im = random.normal(size, sequences<T>).template cast<T>();
      const Vector<T> roots = roots_of_unity<T>(size);
      // Each of the log₂ N steps adds a rounding to numbers of size √N; here 10 deviations of them.
      const double tolerance =
          10 * std::sqrt(size) * 9 * static_cast<double>(std::numeric_limits<T>::epsilon());
      Matrix<T> z = packed(re, im), a, b;
      transform_forward(roots, size, z.data());
      unpack(z, a, b);
      for (Index s = 0; s < sequences<T>; ++s) {
        const auto truth = transform_of(re.template cast<double>(), im.template cast<double>(), s);
        for (Index k = 0; k < size; ++k) {
          const Number expected = truth[static_cast<std::size_t>(reversed(k, size))];
          ASSERT_NEAR(a(k, s), expected.real(), tolerance) << size << " " << k;
          ASSERT_NEAR(b(k, s), expected.imag(), tolerance) << size << " " << k;
        }
      }
      transform_back(roots, size, z.data());
      unpack(z, a, b);
      const auto n = static_cast<T>(size);
      EXPECT_LT((a / n - re).cwiseAbs().maxCoeff(), tolerance);
      EXPECT_LT((b / n - im).cwiseAbs().maxCoeff(), tolerance);
    }
  });
}

TYPED_TEST(Spectrum, products_are_those_of_the_two_real_sequences_or_of_the_complex_one) {
  using T = TypeParam;
  test::on_every_target([] {
    for (Index size = 1; size <= 64; size *= 2)
      for (const bool both : {false, true}) {
        test::Random random(2);
        Matrix<T> z[4];  // a, b, and a product that is there already
        for (Matrix<T>& part : z) part = random.normal(size, sequences<T>).template cast<T>();
        const Matrix<double> zero = Matrix<double>::Zero(size, sequences<T>);
        const Matrix<double> a = z[0].template cast<double>(), b = z[1].template cast<double>();
        const Matrix<T> before[2] = {z[2], z[3]};
        Matrix<T> both_parts = packed(z[0], z[1]), product = packed(z[2], z[3]);
        transform_forward(roots_of_unity<T>(size), size, both_parts.data());
        multiply_transforms(size, both_parts.data(), both, product.data());
        unpack(product, z[2], z[3]);
        for (Index s = 0; s < sequences<T>; ++s) {
          const auto first = transform_of(a, both ? zero : b, s), second = transform_of(b, zero, s);
          for (Index k = 0; k < size; ++k) {
            const auto at = static_cast<std::size_t>(reversed(k, size));
            const Number expected =
                Number(before[0](k, s), before[1](k, s)) * first[at] * (both ? second[at] : 1.0);
            const double tolerance = 2000 * static_cast<double>(std::numeric_limits<T>::epsilon());
            ASSERT_NEAR(z[2](k, s), expected.real(), tolerance * size) << size << " " << k;
            ASSERT_NEAR(z[3](k, s), expected.imag(), tolerance * size) << size << " " << k;
          }
        }
      }
  });
}

TYPED_TEST(Spectrum, of_a_sequence_does_not_depend_on_the_others) {
  using T = TypeParam;
  test::on_every_target([] {
    constexpr Index size = 32;
    Matrix<T> z = test::Random(3).normal(size, 2 * sequences<T>).template cast<T>(), other = z;
    other.middleCols(1, sequences<T> - 1).setConstant(T(1e30));
    const Vector<T> roots = roots_of_unity<T>(size);
    transform_forward(roots, size, z.data());
    transform_forward(roots, size, other.data());
    EXPECT_EQ(Vector<T>(z.col(0)), Vector<T>(other.col(0)));
  });
}

}  // namespace mercer::spectrum_test
