// Files that appear whole or not at all, however the program ends.

#include "core/output_file.hpp"

#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mercer::test::output_file_test {

using Names = std::vector<std::string>;

/// Does the file system have files without names?
bool has_unnamed(const TempDir& dir) {
  const int fd = ::open(dir.path().c_str(), O_TMPFILE | O_RDWR, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

TEST(OutputFile, is_there_when_it_is_published_and_not_before) {
  const TempDir dir;
  {
    OutputFile file(dir / "x");
    file.write("one ");
    file.write("two");
    file.finish();
    for (const std::string& name : dir.list()) EXPECT_NE(name, "x");
    if (has_unnamed(dir)) {
      EXPECT_EQ(dir.list(), Names{});
    }
    file.publish();
    EXPECT_EQ(dir.list(), Names{"x"});
  }
  EXPECT_EQ(dir.list(), Names{"x"});
  EXPECT_EQ(slurp(dir / "x"), "one two");
}

TEST(OutputFile, replaces_another_and_keeps_its_mode) {
  const TempDir dir;
  const std::string path = dir.file("x", "old");
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  OutputFile file(path);
  file.write("........");
  file.write_at(2, "new");
  file.publish();
  EXPECT_EQ(slurp(path), "..new...");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
}

TEST(OutputFile, M_P6_leaves_nothing_behind_when_it_is_given_up) {
  const TempDir dir;
  dir.file("x", "old");
  {
    OutputFile file(dir / "x");
    file.write("new");
  }
  {
    OutputFile file(dir / "x");
    file.write("new");
    file.finish();
  }
  EXPECT_EQ(dir.list(), Names{"x"});
  EXPECT_EQ(slurp(dir / "x"), "old");
}

TEST(OutputFile, M_P6_leaves_nothing_behind_when_the_program_ends_without_it) {
  const TempDir dir;
  if (!has_unnamed(dir)) GTEST_SKIP() << "this file system has no files without names";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    OutputFile file(dir / "x");
    file.write("new");
    file.finish();
    _exit(0);  // as if killed, or as a library that calls exit
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(dir.list(), Names{});
}

}  // namespace mercer::test::output_file_test
