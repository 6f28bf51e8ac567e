// Files that several processes read together: the shares, one after the other, are the whole.
#include "data/share.hpp"

#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"
#include "support/thread_team.hpp"

#include <mercer/data.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mercer::test::share_test {

/// Rows, weights, labels and ids as text, a line per row.
std::string text_of(Source<double>& source) {
  std::string out;
  while (const auto block = source.next()) {
    Matrix<double> x = Matrix<double>::Zero(block->rows.rows(), block->rows.cols());
    if (block->rows.sparse()) {
      const CsrView<double> csr = block->rows.csr();
      for (Index i = 0; i < x.rows(); ++i)
        for (auto at = csr.offsets[i]; at < csr.offsets[i + 1]; ++at)
          x(i, csr.columns[at]) = csr.values[at];
    } else {
      x = block->rows.dense();
    }
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < x.cols(); ++j) out += fmt::format("{} ", x(i, j));
      const auto at = static_cast<std::size_t>(block->first_label + i);
      if (!block->weights.empty())
        out += fmt::format("w{} ", block->weights[static_cast<std::size_t>(i)]);
      if (block->labels) out += fmt::format("l{} ", (*block->labels)[at]);
      if (block->ids) out += fmt::format("i{} ", (*block->ids)[at]);
      out += ";\n";
    }
  }
  return out;
}

void expect_shares(const std::vector<std::string>& paths, const ReadOptions& options) {
  const auto all = open_parts<double>(paths, options);
  const std::string expected = text_of(*all);
  const Index rows = std::ranges::count(expected, ';');
  for (const int ranks : {1, 2, 3, 5, 8}) {
    std::vector<std::string> parts(static_cast<std::size_t>(ranks)), again = parts;
    with_team(ranks, [&](Team& team) {
      const auto rank = static_cast<std::size_t>(team.rank());
      const auto source = open_share<double>(paths, options, team);
      parts[rank] = text_of(*source);
      source->rewind();
      again[rank] = text_of(*source);
      const Index mine = std::ranges::count(parts[rank], ';');
      EXPECT_EQ(source->expected_rows(), mine);
      EXPECT_GE(mine, rows / ranks);
      EXPECT_LE(mine, rows / ranks + 1);
      EXPECT_EQ(source->dropped_rows(), all->dropped_rows());
      EXPECT_EQ(source->missing_cells(), all->missing_cells());
    });
    std::string joined;
    for (const std::string& part : parts) joined += part;
    EXPECT_EQ(joined, expected) << ranks;
    EXPECT_EQ(again, parts);
  }
}

TEST(Share, of_text_with_quoted_newlines_weights_labels_and_missing_cells) {
  const TempDir dir;
  std::string text = "name,a,b,w,class\r\n";
  for (Index i = 0; i < 60; ++i)
    text += fmt::format("\"row\n{}\",{},{},{},{}\r\n", i, i, i % 7 == 2 ? "" : "0.5", 1 + i % 4,
                        i % 3 == 0 ? "x" : "y,z");
  text = text.substr(0, text.size() - 2);  // no last newline
  for (std::size_t at = text.find("y,z"); at != text.npos; at = text.find("y,z", at + 5))
    text.replace(at, 3, "\"y,z\"");
  const std::string file = dir.file("x.csv", text);
  ReadOptions options{.label = "class", .id = "name", .weights = "w"};
  options.block_bytes = 200;
  options.missing = Missing::drop;
  expect_shares({file, file}, options);
}

TEST(Share, of_fewer_rows_than_ranks_and_of_matrices) {
  const TempDir dir;
  expect_shares({dir.file("few.csv", "a,b\n1,2\n3,4\n5,6\n")}, {});
  Random random(1);
  Sink<double> file(dir / "x.npy", {"a", "b", "c"});
  file.write(random.normal(1000, 3));
  file.close();
  expect_shares({dir / "x.npy"}, {});
  expect_shares({dir / "x.npy", dir / "x.npy"}, {.columns = "1,3"});
  expect_shares({dir.file("x.svm", "1 1:0.5 3:2\n0 2:1\n1 1:1 2:3\n")}, {});
}

TEST(Share, M_G2_errors_are_those_of_one_process_on_all_ranks) {
  const TempDir dir;
  const std::string bad = dir.file("bad.csv", "a,b\n1,2\n3,4\n5,x\n7,8\n9,10\n");
  const std::string expected =
      refusal([&] { text_of(*open_parts<double>({bad}, {})); }, Errc::bad_data);
  with_team(3, [&](Team& team) {
    EXPECT_EQ(refusal([&] { text_of(*open_share<double>({bad}, {}, team)); }, Errc::bad_data),
              expected);
  });
  with_team(2, [&](Team& team) {
    expect_error(Errc::bad_option, {"standard input cannot be shared by several processes"},
                 [&] { open_share<double>({"-"}, {}, team); });
  });
}

TEST(Share, M_G2_a_file_with_fewer_rows_on_another_machine_is_an_error) {
  const TempDir dir;
  const std::string here = dir.file("here.csv", "a,b\n1,2\n3,4\n5,6\n7,9\n");
  const std::string there = dir.file("there.csv", "a,b\n1,2\n3,4\n");
  with_team(2, [&](Team& team) {
    const auto source = open_share<double>({team.rank() == 0 ? here : there}, {}, team);
    if (team.rank() == 0) return;
    expect_error(Errc::bad_data, {"there.csv", "all ranks need the same files"},
                 [&] { text_of(*source); });
  });
}

}  // namespace mercer::test::share_test
