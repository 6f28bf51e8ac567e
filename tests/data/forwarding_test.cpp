#include <mercer/source.hpp>

#include <gtest/gtest.h>

namespace mercer::test::forwarding_test {

/// Every member has an answer of its own.
class Odd final : public Source<double> {
 public:
  Odd() { schema_.features = 2; }
  const Schema& schema() const override { return schema_; }
  std::optional<Block<double>> next() override {
    if (given_) return std::nullopt;
    given_ = true;
    return Block<double>{Rows<double>(rows_)};
  }
  void rewind() override { given_ = false; }
  bool can_rewind() const override { return false; }
  Index expected_rows() const override { return 11; }
  std::size_t buffer_bytes() const override { return 12; }
  Index dropped_rows() const override { return 13; }
  Index missing_cells() const override { return 14; }
  std::string name() const override { return "odd"; }
  std::optional<Block<double>> whole() override { return Block<double>{Rows<double>(rows_)}; }
  void require_unchanged() const override { ++asked; }

  mutable int asked = 0;

 private:
  Schema schema_;
  Matrix<double> rows_ = Matrix<double>::Ones(3, 2);
  bool given_ = false;
};

class Single final : public ForwardingSource<float, double> {
 public:
  using ForwardingSource::ForwardingSource;
  std::optional<Block<float>> next() override {
    const auto block = source_.next();
    if (!block) return std::nullopt;
    rows_ = block->rows.dense().cast<float>();
    return Block<float>{Rows<float>(rows_)};
  }

 private:
  Matrix<float> rows_;
};

TEST(ForwardingSource, is_the_other_source_but_for_what_it_says_itself) {
  const auto check = [](Source<float>& single) {
    EXPECT_EQ(single.schema().features, 2);
    for (int pass = 0; pass < 2; ++pass) {
      const auto block = single.next();
      ASSERT_TRUE(block);
      EXPECT_EQ(block->rows.rows(), 3);
      EXPECT_FALSE(single.next());
      single.rewind();
    }
    EXPECT_FALSE(single.can_rewind());
    EXPECT_EQ(single.expected_rows(), 11);
    EXPECT_EQ(single.buffer_bytes(), 12u);
    EXPECT_EQ(single.dropped_rows(), 13);
    EXPECT_EQ(single.missing_cells(), 14);
    EXPECT_EQ(single.name(), "odd");
    EXPECT_FALSE(single.whole());  // those rows are not its own
    single.require_unchanged();
  };
  Odd odd;
  Single borrowed(odd);
  check(borrowed);
  EXPECT_EQ(odd.asked, 1);
  Single owner(std::make_unique<Odd>());
  check(owner);
}

}  // namespace mercer::test::forwarding_test
