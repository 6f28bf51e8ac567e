// Captions of the probe: numbers as they are read.
#include <mercer/fit.hpp>
#include <mercer/picture.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mercer::test::probe_caption_test {

TEST(ProbeCaption, zeros_have_no_sign) {
  // q₁ is (∓1e-5, ±1) up to rounding: 0.000 with three digits.
  for (const double slant : {1e-5, -1e-5}) {
    Matrix<double> x(4, 2);
    x << 2 * slant, 2, -2 * slant, -2, 1, -slant, -1, slant;
    const std::string svg = probe_svg(fit(x));
    EXPECT_EQ(svg.find("-0.000"), std::string::npos);
    EXPECT_EQ(svg.find("\u22120.000"), std::string::npos);
    EXPECT_THAT(svg, testing::HasSubstr("q1 = (0.000, "));
  }
}

}  // namespace mercer::test::probe_caption_test
