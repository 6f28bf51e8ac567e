// Rows from a pipe that stays open: given out as they come.

#include <gtest/gtest.h>
#include <mercer/data.hpp>
#include <mercer/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace mercer::test::live_test {

class LivePipe : public testing::Test {
 protected:
  LivePipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0); }
  ~LivePipe() override {
    close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
  }
  void send(const std::string& text) {
    ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void finish() {
    close(ends[1]);
    ends[1] = -1;
  }
  /// Were it to wait for more, the test would not come back.
  std::unique_ptr<Source<double>> open_live() {
    return open<double>("/dev/fd/" + std::to_string(ends[0]), {.live = true});
  }
  int ends[2] = {-1, -1};
};

TEST_F(LivePipe, M_E9_rows_are_given_out_while_the_pipe_is_open) {
  send("a,b\n1,2\n3,4\n");
  const auto source = open_live();
  auto block = source->next();
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->rows.rows(), 2);
  EXPECT_EQ(block->rows.row(1)[1], 4);
  send("5,6\n7,");  // a row and a half
  block = source->next();
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->rows.rows(), 1);
  send("8\n\n9,10");  // the rest of it, a blank line, and one without an end
  block = source->next();
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->rows.row(0)[0], 7);
  finish();
  Index rest = block->rows.rows() - 1;
  while ((block = source->next())) rest += block->rows.rows();
  EXPECT_EQ(rest, 1);
}

TEST_F(LivePipe, what_is_there_at_once_is_the_same_as_ever) {
  std::string text = "x\n";
  for (int i = 0; i < 5000; ++i) text += std::to_string(i) + "\n";
  send(text);
  finish();
  double sum = 0;
  const auto source = open_live();
  while (const auto block = source->next()) sum += block->rows.dense().sum();
  EXPECT_EQ(sum, 4999.0 * 5000 / 2);
}

class LiveBadRow : public LivePipe, public testing::WithParamInterface<const char*> {};

TEST_P(LiveBadRow, rows_before_it_are_given_out_first) {
  send(std::string("a,b\n1,2\n3,4\n") + GetParam() + "\n7,8\n");
  const auto source = open_live();
  const auto block = source->next();
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->rows.rows(), 2);
  EXPECT_EQ(block->rows.row(1)[1], 4);
  for (int again = 0; again < 2; ++again) {  // it does not go on after the bad one
    try {
      source->next();
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_data);
      EXPECT_NE(std::string(error.what()).find("line 4"), std::string::npos) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, LiveBadRow, testing::Values("5", "5,", "5,x"));

TEST_F(LivePipe, an_empty_one_is_empty) {
  finish();
  EXPECT_THROW(open_live(), Error);
}

}  // namespace mercer::test::live_test
