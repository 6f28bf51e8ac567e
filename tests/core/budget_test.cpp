// What limits the memory of this process: control groups, seen through files of a made-up machine.

#include "core/budget.hpp"
#include "core/cgroup_memory.hpp"

#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace mercer::test::budget_test {

class Cgroups : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(dir / path).parent_path());
    dir.file(path, content);
  }
  std::optional<std::size_t> left() const { return cgroup_memory_left(dir.path()); }

  TempDir dir;
};

TEST_F(Cgroups, a_machine_without_them_has_no_limit) {
  EXPECT_EQ(left(), std::nullopt);
  file("proc/self/cgroup", "0::/user.slice\n");
  EXPECT_EQ(left(), std::nullopt);
  file("sys/fs/cgroup/user.slice/memory.max", "max\n");
  EXPECT_EQ(left(), std::nullopt);
}

TEST_F(Cgroups, version_2_counts_what_is_taken_without_the_pages_of_files) {
  file("proc/self/cgroup", "0::/a\n");
  file("sys/fs/cgroup/a/memory.max", "1000000\n");
  EXPECT_EQ(left(), 1000000u);
  file("sys/fs/cgroup/a/memory.current", "600000\n");
  EXPECT_EQ(left(), 400000u);
  file("sys/fs/cgroup/a/memory.stat",
       "anon 300000\nfile 300000\ninactive_file 200000\nactive_file 50000\n");
  EXPECT_EQ(left(), 650000u);
  file("sys/fs/cgroup/a/memory.current", "2000000\n");
  EXPECT_EQ(left(), 0u);
}

TEST_F(Cgroups, the_tightest_of_a_group_and_those_above_it_counts) {
  file("proc/self/cgroup", "0::/a/b/c\n");
  file("sys/fs/cgroup/a/b/c/memory.max", "max\n");
  file("sys/fs/cgroup/a/b/memory.max", "5000\n");
  file("sys/fs/cgroup/a/memory.max", "9000\n");
  file("sys/fs/cgroup/a/memory.current", "6000\n");
  EXPECT_EQ(left(), 3000u);
  file("sys/fs/cgroup/a/b/c/memory.high", "1000\n");
  EXPECT_EQ(left(), 1000u);
}

TEST_F(Cgroups, a_container_sees_its_limit_at_the_root_of_its_mount) {
  file("proc/self/cgroup", "0::/\n");
  file("sys/fs/cgroup/memory.max", "2147483648\n");
  EXPECT_EQ(left(), std::size_t{2} << 30);
}

TEST_F(Cgroups, version_1_in_a_container_whose_path_is_that_of_the_host) {
  file("proc/self/cgroup", "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n0::/docker/x\n");
  file("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096000\n");
  file("sys/fs/cgroup/memory/memory.usage_in_bytes", "96000\n");
  EXPECT_EQ(left(), 4000000u);
  file("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 6000\n");
  EXPECT_EQ(left(), 4006000u);
  file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  EXPECT_EQ(left(), std::nullopt);
}

TEST_F(Cgroups, M_P5_the_budget_is_half_of_the_smaller_of_free_memory_and_the_limit) {
  file("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable:    8000 kB\n");
  EXPECT_EQ(available_memory_bytes(dir.path()), 8'192'000u);
  EXPECT_EQ(Budget(0, dir.path()).bytes(), 4'096'000u);
  file("proc/self/cgroup", "0::/a\n");
  file("sys/fs/cgroup/a/memory.max", "1000000\n");
  file("sys/fs/cgroup/a/memory.current", "400000\n");
  EXPECT_EQ(Budget(0, dir.path()).bytes(), 300'000u);
  file("sys/fs/cgroup/a/memory.max", "90000000\n");  // more than is free
  EXPECT_EQ(Budget(0, dir.path()).bytes(), 4'096'000u);
  file("proc/self/cgroup", "4:memory:/b\n");
  file("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "2000000\n");
  EXPECT_EQ(Budget(0, dir.path()).bytes(), 1'000'000u);
}

TEST_F(Cgroups, M_P5_a_budget_that_was_asked_for_is_taken_and_none_is_ever_zero) {
  file("proc/meminfo", "MemAvailable: 8000 kB\n");
  EXPECT_EQ(Budget(123, dir.path()).bytes(), 123u);
  EXPECT_EQ(Budget(std::size_t{1} << 50, dir.path()).bytes(), std::size_t{1} << 50);
  file("proc/meminfo", "MemAvailable: 0 kB\n");
  EXPECT_EQ(Budget(0, dir.path()).bytes(), 1u);
}

TEST(Memory, a_limit_of_the_address_space_counts) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{rlim_t{1} << 32, rlim_t{1} << 32};
    setrlimit(RLIMIT_AS, &limit);
    const std::size_t left = Budget().bytes();
    _exit(left > 0 && left < std::size_t{1} << 31 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace mercer::test::budget_test
