#include "maps/from_text.hpp"
#include "support/errors.hpp"

#include <mercer/map.hpp>

#include <gtest/gtest.h>

namespace mercer::identity_test {

template <class T>
class IdentityMap : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(IdentityMap, Precisions);

TYPED_TEST(IdentityMap, copies_dense_rows_whatever_their_stride) {
  Matrix<TypeParam> x(3, 5);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<TypeParam>(i);
  const auto phi = identity_map<TypeParam>(2);
  Matrix<TypeParam> out = Matrix<TypeParam>::Constant(3, 2, -1);
  phi->apply(Rows<TypeParam>(x.data() + 1, 3, 2, 5), out);
  EXPECT_EQ(out, (x.middleCols(1, 2)));
}

TYPED_TEST(IdentityMap, scatters_sparse_rows_over_zeros) {
  Csr<TypeParam> csr;
  csr.cols = 3;
  csr.offsets = {0, 2, 2, 3};
  csr.columns = {0, 2, 1};
  csr.values = {1, 2, 3};
  Matrix<TypeParam> expected(3, 3);
  expected << 1, 0, 2, 0, 0, 0, 0, 3, 0;
  const auto phi = identity_map<TypeParam>(3);
  Matrix<TypeParam> out = Matrix<TypeParam>::Constant(3, 3, -1);
  phi->apply(Rows<TypeParam>(csr), out);
  EXPECT_EQ(out, expected);

  Matrix<TypeParam> last = Matrix<TypeParam>::Constant(1, 3, -1);
  phi->apply(Rows<TypeParam>(csr).middle(2, 1), last);
  EXPECT_EQ(last, expected.bottomRows(1));
}

TYPED_TEST(IdentityMap, is_found_by_its_text) {
  const auto phi = identity_map<TypeParam>(7);
  EXPECT_TRUE(phi->is_identity());
  const auto again = map_from_text<TypeParam>(phi->text(), 7);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->text(), "identity");
  EXPECT_EQ(again->inputs(), 7);
  EXPECT_EQ(again->features(), 7);
  test::expect_error(Errc::bad_option, {"no map 'identities'", "did you mean identity?"},
                     [] { map_from_text<TypeParam>("identities", 7); });
  EXPECT_EQ(map_from_parts<TypeParam>("no such map", 7, "", {}), nullptr);
}

}  // namespace mercer::identity_test
