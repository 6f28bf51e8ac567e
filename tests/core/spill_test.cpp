#include "core/spill.hpp"

#include "support/errors.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mercer::test::spill_test {

TEST(Spill, M_P5_bytes_come_back_from_memory_and_from_the_file_and_leave_no_file) {
  const TempDir dir;
  for (const std::size_t most : {std::size_t{0}, std::size_t{100}, std::size_t{1} << 20}) {
    Spill spill(dir / "", most);
    std::string all;
    for (int i = 0; i < 300; ++i) {
      const std::string piece(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
      spill.add(piece);
      all += piece;
    }
    EXPECT_EQ(spill.size(), all.size());
    EXPECT_EQ(spill.view(), all) << most;
    spill.release();
    EXPECT_EQ(spill.view(), all) << most;
    EXPECT_TRUE(dir.list().empty());
  }
}

TEST(Spill, a_folder_that_is_not_there_is_an_error_that_names_it) {
  const TempDir dir;
  Spill spill(dir / "none/", 10);
  spill.add("few");  // fits
  expect_error(Errc::io, {"none/", "temporary file"}, [&] { spill.add("more than ten bytes"); });
}

}  // namespace mercer::test::spill_test
