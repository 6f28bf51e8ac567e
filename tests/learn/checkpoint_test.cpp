// Checkpoints on disk: whole or not at all, and what is wrong with one is said.

#include "learn/run/checkpoint.hpp"

#include "model/checksum.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace mercer::test::checkpoint_test {

Checkpoint sample(std::int64_t row) {
  Checkpoint c;
  c.run = {{"rule", "gha"}, {"rate", "1/n"}};
  c.counts = {{"row", row}, {"epoch", 2}};
  c.texts = {{"note", "a \"b\"\n"}};
  c.arrays["ode"] = Matrix<double>::Random(2, 3);
  c.arrays["none"] = Matrix<double>(0, 0);
  c.learner = std::string("\0\1\2bytes", 8);
  return c;
}

class CheckpointTest : public testing::Test {
 protected:
  std::string problem() const {
    return error_of([&] { load_checkpoint(path); }).what();
  }
  TempDir dir;
  std::string path = dir / "run.ckpt";
};

TEST_F(CheckpointTest, one_of_an_older_version_is_refused_and_says_so) {
  save_checkpoint(sample(1), path);
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::string now = R"("format_version":"2")";
  const std::size_t at = bytes.find(now);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, now.size(), R"("format_version":"1")");
  bytes.replace(checksum::position, checksum::zeros.size(), checksum::zeros);
  bytes.replace(checksum::position, checksum::zeros.size(),
                checksum::text(checksum::add(0, bytes)));
  std::ofstream(path, std::ios::binary) << bytes;
  const Error error = error_of([&] { load_checkpoint(path); });
  EXPECT_EQ(error.code(), Errc::bad_file);
  EXPECT_HAS(error.what(), "another version of Mercer (format 1, this one reads 2)");
  EXPECT_HAS(error.what(), "start again without `resume`");
}

TEST_F(CheckpointTest, M_E9_is_read_back_as_it_was) {
  EXPECT_FALSE(load_checkpoint(path).has_value());
  const Checkpoint c = sample(7);
  save_checkpoint(c, path);
  const auto found = load_checkpoint(path);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->run, c.run);
  EXPECT_EQ(found->counts, c.counts);
  EXPECT_EQ(found->texts, c.texts);
  EXPECT_EQ(found->learner, c.learner);
  EXPECT_EQ(found->arrays.at("ode"), c.arrays.at("ode"));
  EXPECT_EQ(found->arrays.at("none").size(), 0);
}

TEST_F(CheckpointTest, M_E9_the_one_before_it_is_kept) {
  for (const std::int64_t row : {1, 2, 3}) save_checkpoint(sample(row), path);
  EXPECT_EQ(dir.list(), (std::vector<std::string>{"run.ckpt", "run.ckpt.previous"}));
  EXPECT_EQ(load_checkpoint(path)->counts.at("row"), 3);
  EXPECT_EQ(load_checkpoint(path + ".previous")->counts.at("row"), 2);
}

TEST_F(CheckpointTest, M_E9_every_damaged_byte_is_found) {
  save_checkpoint(sample(1), path);
  save_checkpoint(sample(2), path);
  const std::string whole = slurp(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bad = whole;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    dir.file("run.ckpt", bad);
    EXPECT_HAS(problem(), "run.ckpt.previous");
  }
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    dir.file("run.ckpt", whole.substr(0, length));
    EXPECT_HAS(problem(), "is damaged");
    EXPECT_HAS(problem(), "run.ckpt.previous");
  }
  dir.file("run.ckpt", whole + "x");
  EXPECT_HAS(problem(), "is damaged");
}

TEST_F(CheckpointTest, one_that_is_gone_names_the_one_before_it) {
  save_checkpoint(sample(1), path);
  std::rename(path.c_str(), (path + ".previous").c_str());
  EXPECT_HAS(problem(), "is missing, but");
  EXPECT_HAS(problem(), "run.ckpt.previous");
}

TEST_F(CheckpointTest, of_another_run_says_what_differs) {
  const Checkpoint c = sample(1);
  require_same_run(c, c.run, path);
  const auto message = [&](const std::vector<std::pair<std::string, std::string>>& now) {
    return std::string(error_of([&] { require_same_run(c, now, path); }).what());
  };
  EXPECT_HAS(message({{"rule", "gha"}, {"rate", "auto"}}), "its rate is 1/n, not auto");
  EXPECT_HAS(message({{"batch", "3"}}), "its batch is (none), not 3");
}

TEST_F(CheckpointTest, one_that_cannot_be_written_leaves_the_old_one) {
  const std::string nowhere = dir / "missing/run.ckpt";
  EXPECT_EQ(error_of([&] { save_checkpoint(sample(1), nowhere); }).code(), Errc::io);
  save_checkpoint(sample(1), path);
  const std::string before = slurp(path);
  EXPECT_EQ(error_of([&] { save_checkpoint(sample(2), "/dev/full"); }).code(), Errc::io);
  EXPECT_EQ(slurp(path), before);
}

}  // namespace mercer::test::checkpoint_test
