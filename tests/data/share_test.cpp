// Files that several processes read together: the shares, one after the other, are the whole.
#include "data/share.hpp"
#include "core/team.hpp"

#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/temp_dir.hpp"
#include "support/thread_team.hpp"

#include <mercer/data.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

void expect_shares(const std::vector<std::string>& paths, const ReadOptions& options,
                   const std::vector<int>& counts = {1, 2, 3, 4, 5, 6, 7, 8}) {
  const auto all = open_parts<double>(paths, options);
  const std::string expected = text_of(*all);
  for (const int ranks : counts) {
    std::vector<std::string> parts(static_cast<std::size_t>(ranks)), again = parts;
    with_team(ranks, [&](Team& team) {
      const auto rank = static_cast<std::size_t>(team.rank());
      const auto source = open_share<double>(paths, options, team);
      parts[rank] = text_of(*source);
      source->rewind();
      again[rank] = text_of(*source);
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

/// What a pass over the rows says: the same on one rank and on several, by all of them.
void expect_refusal(const std::vector<std::string>& paths, const ReadOptions& options = {},
                    const std::vector<int>& counts = {2, 3, 8}) {
  const std::string expected =
      refusal([&] { text_of(*open_parts<double>(paths, options)); }, Errc::bad_data);
  for (const int ranks : counts)
    with_team(ranks, [&](Team& team) {
      EXPECT_EQ(refusal(
                    [&] {
                      const auto share = open_share<double>(paths, options, team);
                      agree(team, [&] { text_of(*share); });
                    },
                    Errc::bad_data),
                expected)
          << ranks;
    });
}

TEST(Share, M_G2_errors_are_those_of_one_process_on_all_ranks) {
  const TempDir dir;
  std::string text = "name,a,b\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("\"row\n\"\"{}\"\"\",{},{}\n", i, i, 0.5 * i);
  const auto refused = [&](const std::string& from, const std::string& to,
                           ReadOptions options = {}) {
    std::string bad = text;
    bad.replace(bad.find(from), from.size(), to);
    options.exclude = "name";
    options.block_bytes = 100;
    expect_refusal({dir.file("good.csv", text), dir.file("bad.csv", bad)}, options);
    expect_refusal({dir.file("bad.csv", bad)}, options);
  };
  refused(",3,1.5", ",3,x");
  refused(",40,20", ",40,x");
  refused(",40,20", ",40");
  refused(",40,20", ",40,20,21");
  refused(",40,20", ",40,inf");
  refused(",20,10", ",20,10\"");          // the quotes after it are the other way round
  refused("\"\"20\"\"\"", "\"\"20\"\"");  // a quote that is never closed
  refused("\"\"0\"\"\"", "\"\"0\"\"");
  refused(",30,15", ",30,\x01");
  refused(",30,15", ",30,");  // the cells of all pieces are counted
  refused(",0,0\n", ",0,\n");
  refused(",30,15", ",30,", {.weights = "b"});
  // The first one in file order.
  std::string two = text;
  two.replace(two.find(",44,22"), 6, ",x,22").replace(two.find(",9,4.5"), 6, ",,y");
  expect_refusal({dir.file("two.csv", two)}, {.exclude = "name"});
  two.replace(two.find(",,y"), 3, ",,4.5");
  expect_refusal({dir.file("two.csv", two)}, {.exclude = "name"});
}

TEST(Share, M_G2_rows_with_missing_cells_are_counted_over_all_ranks) {
  const TempDir dir;
  const std::string holes = dir.file("holes.csv", "a,b\n,1\n2,\n?,NA\n");
  const std::string good = dir.file("good.csv", "a,b\n1,2\n3,4\n5,6\n7,9\n");
  const std::string bad = dir.file("bad.csv", "a,b\n1,2\n3,4\n5,6\n7,x\n");
  for (const Missing missing : {Missing::drop, Missing::mean}) {
    const ReadOptions options{.missing = missing};
    expect_refusal({good, bad}, options);
    if (missing == Missing::mean) expect_shares({good, holes, good}, options);
    else expect_refusal({good, holes, bad}, options);  // nothing is left of the second
  }
  Sink<double> file(dir / "x.npy", {"a", "b"});
  Matrix<double> x = Random(3).normal(40, 2);
  x(7, 1) = x(31, 0) = std::nan("");
  file.write(x);
  file.close();
  expect_refusal({dir / "x.npy"});
  expect_shares({dir / "x.npy", good}, {.missing = Missing::mean});
  expect_shares({dir / "x.npy", good}, {.missing = Missing::drop});
  expect_shares({good, dir.file("x.svm", "1 1:0.5 2:nan\n0 2:1\n1 1:1 2:3\n")},
                {.missing = Missing::drop});
}

/// Every place of the text is where a piece begins.
TEST(Share, M_G2_text_is_cut_at_every_byte) {
  const TempDir dir;
  Random random(7);
  const std::vector<std::string> cells = {
      "1", "-2.5", "3e2", "\"4\"", " \"5\" ", "\"a,b\nc\"", "\"\"\"\n\"\"\"", "\"\r\n\""};
  for (int text = 0; text < 25; ++text) {
    const auto pick = [&](std::size_t count) {
      return static_cast<std::size_t>(std::abs(random.normal(1, 1)(0, 0)) * 1e6) % count;
    };
    const std::string end = pick(2) == 0 ? "\n" : "\r\n";
    std::string bytes = pick(2) == 0 ? "\xef\xbb\xbf" : "";
    bytes += pick(2) == 0 ? end : "";
    bytes += "x,\"na\nme\"" + end;
    for (std::size_t row = 0; row < 1 + pick(6); ++row) {
      if (pick(4) == 0) bytes += end;
      bytes += cells[pick(5)] + "," + cells[pick(cells.size())] + end;
    }
    if (pick(2) == 0) bytes.resize(bytes.size() - end.size());
    const std::string file = dir.file("x.csv", bytes);
    ReadOptions options{.label = "na\nme"};
    options.block_bytes = 64;
    expect_shares({file}, options, {static_cast<int>(bytes.size()), 3});
  }
}

TEST(Share, M_G2_parts_compressed_sparse_and_in_other_orders) {
  const TempDir dir;
  const std::string one = dir.file("one.csv", "a,b,c\n1,2,3\n4,5,6\n"),
                    two = dir.file("two.csv", "c,b,a\n7,8,9\n"),
                    three = dir.file("three.tsv", "b\ta\tc\n1\t2\t3\n4\t5\t6\n");
  ASSERT_EQ(run({"gzip", "-k", one, two}).exit_code, 0);
  expect_shares({one, two, three}, {});
  expect_shares({one + ".gz", three, two + ".gz", one}, {});
  expect_shares({one, two}, {.like = {.features = {"b", "c", "a"}}});
  expect_shares(
      {dir.file("x.svm", "1 1:0.5 3:2\n0 2:1\n1 1:1 2:3\n"), dir.file("y.svm", "0 1:2\n")}, {});
  expect_shares({dir.file("x.mtx",
                          "%%MatrixMarket matrix coordinate real general\n4 3 3\n1 1 2\n"
                          "3 2 1\n4 3 5\n"),
                 one},
                {});
  const std::string colors = dir.file("colors.csv", "a,color\n1,red\n2,blue\n3,red\n4,green\n");
  expect_shares({colors, colors}, {.onehot = "color"});
  expect_shares({colors}, {.like = {.features = {"color=red", "a", "color=green", "color=blue"}}});
}

TEST(Share, M_G2_a_row_longer_than_a_share) {
  const TempDir dir;
  const std::string text = "a,b\n1,2\n\"" + std::string(3'000'000, ' ') + "\n\",3\n4,5\n";
  expect_shares({dir.file("x.csv", text)}, {.label = "a"}, {2, 7});
}

TEST(Share, M_G2_what_cannot_be_shared_is_refused_with_a_remedy) {
  const TempDir dir;
  const std::string file = dir.file("x.csv", "a,b\n1,2\n");
  ASSERT_EQ(run({"gzip", file}).exit_code, 0);
  ASSERT_EQ(run({"mkfifo", dir / "pipe"}).exit_code, 0);
  with_team(2, [&](Team& team) {
    expect_error(Errc::bad_option, {"standard input cannot be shared by several processes"},
                 [&] { open_share<double>({"-"}, {}, team); });
    expect_error(Errc::bad_option, {"can be read only once", "save it to a file"},
                 [&] { open_share<double>({dir / "pipe"}, {.format = Format::csv}, team); });
    expect_error(Errc::bad_option, {"x.csv.gz", "uncompress it", "split it into several files"},
                 [&] { open_share<double>({file + ".gz"}, {}, team); });
    // As ranks see it whose working directories differ.
    const std::string absent = team.rank() == 0 ? dir / "x.csv.gz" : dir / "absent.csv";
    expect_error(Errc::io, {"cannot open", "absent.csv"}, [&] {
      open_share<double>({absent, absent}, {}, team);
    });
  });
}

TEST(Share, M_G2_files_that_differ_between_ranks_are_an_error_on_all) {
  const TempDir dir;
  const std::string here = dir.file("here.csv", "a,b\n1,2\n3,4\n5,6\n7,9\n");
  const std::string shorter = dir.file("shorter.csv", "a,b\n1,2\n3,4\n");
  const std::string other = dir.file("other.csv", "a,b\n1,2\n3,4\n5,6\n7,8\n");
  const auto differ = [&](const std::vector<std::string>& there, const char* words) {
    with_team(3, [&](Team& team) {
      const std::vector<std::string> mine = team.rank() == 1 ? there : std::vector{here, here};
      expect_error(Errc::bad_data, {words}, [&] { open_share<double>(mine, {}, team); });
    });
  };
  differ({here, shorter}, {"shorter.csv' has 12 bytes on rank 1 and 20 on rank 0; all ranks need"});
  differ({here, other}, {"other.csv' has other contents on rank 1 than on rank 0; all ranks need"});
  differ({here}, {"rank 1 reads 1 files and rank 0 reads 2; all ranks need the same files"});
}

}  // namespace mercer::test::share_test
