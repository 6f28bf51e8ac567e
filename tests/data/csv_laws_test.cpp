// Laws: what is read does not depend on how it is read.

#include "data/formats.hpp"
#include "read_text.hpp"
#include "support/memory_bytes.hpp"
#include "support/random.hpp"
#include "support/run.hpp"

#include <fmt/format.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <bit>
#include <thread>

namespace mercer::test::csv_laws_test {

using As = MemoryBytes::As;

/// Everything a text gives, as a text: rows in hexadecimal, or the complaint.
template <class T>
std::string outcome(const std::string& text, const ReadOptions& options, As as) {
  try {
    const auto source = open_csv<T>(memory_bytes(text, as), options);
    if (source->can_rewind()) source->rewind();  // forgets the first look: windows become small
    const Table<T> table = read_all(*source);
    std::string all = fmt::format("{}|{}|{}|", fmt::join(table.schema.feature_names, ";"),
                                  table.dropped_rows, table.missing_cells);
    for (Index i = 0; i < table.x.rows(); ++i) {
      for (Index j = 0; j < table.x.cols(); ++j) all += fmt::format("{:a} ", table.x(i, j));
      const auto at = static_cast<std::size_t>(i);
      if (!table.labels.empty()) all += fmt::format("[{}]", table.labels[at]);
      if (!table.ids.empty()) all += fmt::format("<{}>", table.ids[at]);
      if (!table.weights.empty()) all += fmt::format("{{{}}}", table.weights[at]);
      all += '\n';
    }
    return all;
  } catch (const Error& error) {
    return error.what();
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

/// Finite doubles of every size, from their bits; and short ones.
rc::Gen<double> any_double() {
  return rc::gen::oneOf(
      rc::gen::suchThat(
          rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                       [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
          [](double x) { return std::isfinite(x); }),
      rc::gen::map(rc::gen::inRange(-100000, 100000), [](int n) { return n / 1000.0; }));
}

rc::Gen<std::string> any_string() {
  return rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::element(',', '"', '\n', '\r', ' ', ';', '\t', 'a', '1'),
      rc::gen::map(rc::gen::inRange(0x20, 0x100), [](int c) { return static_cast<char>(c); })));
}

RC_GTEST_PROP(CsvLaw, any_table_written_with_quotes_reads_back_exactly, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(1, 6);
  const auto rows = *rc::gen::inRange<std::size_t>(1, 60);
  const auto values = *rc::gen::container<std::vector<double>>(rows * columns, any_double());
  const auto labels = *rc::gen::container<std::vector<std::string>>(rows, any_string());
  const auto names = *rc::gen::container<std::vector<std::string>>(columns, any_string());
  const bool crlf = *rc::gen::arbitrary<bool>();
  const char delimiter = *rc::gen::element(',', ';', '\t', '|');
  const std::string newline = crlf ? "\r\n" : "\n";

  std::string text = "the label";
  for (const std::string& name : names) text += delimiter + quoted(name);
  for (std::size_t i = 0; i < rows; ++i) {
    text += newline + quoted(labels[i]);
    for (std::size_t j = 0; j < columns; ++j)
      text += delimiter + (j % 3 == 2 ? fmt::format("\"{}\"", values[i * columns + j])
                                      : fmt::format("{}", values[i * columns + j]));
  }
  if (*rc::gen::arbitrary<bool>()) text += newline;

  const ReadOptions options{.header = Header::yes,
                            .delimiter = delimiter,
                            .label = "the label",
                            .threads = *rc::gen::inRange(1, 5),
                            .block_bytes = *rc::gen::inRange<std::size_t>(1, 3000)};
  const auto source = open_csv<double>(
      memory_bytes(text, *rc::gen::element(As::pipe, As::gzip, As::file)), options);
  for (int pass = 0; pass < (source->can_rewind() ? 2 : 1); ++pass) {
    const Table<double> table = read_all(*source);
    RC_ASSERT(table.x.rows() == static_cast<Index>(rows));
    for (std::size_t i = 0; i < rows; ++i) {
      RC_ASSERT(table.labels[i] == labels[i]);
      for (std::size_t j = 0; j < columns; ++j)
        RC_ASSERT(
            std::bit_cast<std::uint64_t>(table.x(static_cast<Index>(i), static_cast<Index>(j))) ==
            std::bit_cast<std::uint64_t>(values[i * columns + j]));
    }
    for (std::size_t j = 0; j < columns; ++j)
      RC_ASSERT(table.schema.feature_names[j] ==
                (names[j].empty() ? std::to_string(j + 2) : names[j]));
    if (source->can_rewind()) source->rewind();
  }
}

/// Mostly a table, with all that can go wrong in it now and then.
std::string almost_a_table(Random& random) {
  const auto one_in = [&](std::uint64_t n) { return random.bits() % n == 0; };
  const std::uint64_t columns = 1 + random.bits() % 4;
  const std::uint64_t clean = one_in(2) ? 1000 : 40;  // one odd cell in so many
  std::string text = one_in(2) ? "" : "a,b,c,d\n";
  if (!text.empty()) text = text.substr(0, 2 * columns - 1) + "\n";
  for (std::uint64_t rows = random.bits() % 80; rows > 0; --rows) {
    for (std::uint64_t j = 0; j < columns; ++j) {
      if (j > 0) text += ',';
      if (one_in(clean)) {
        static const std::vector<std::string> odd = {
            "",    "NA",  "x", "inf", "\"",     "a\"b", "\"\"",   " ",          "\n", "\r\n", "1,2",
            "nan", "\"1", ",", "-3",  "\"q\"x", "1e5",  "\"\n\"", "\"a\"\"b\"", "\1", "-"};
        text += odd[random.bits() % odd.size()];
      } else if (one_in(6)) {
        text += quoted(j == 0 && clean == 40 && one_in(4) ? "5\n" : "6.5");
      } else {
        text += fmt::format("{:.{}f}", random.normal() * 100, random.bits() % 5);
      }
    }
    text += one_in(30) ? "\r\n" : "\n";
  }
  return text;
}

template <class T>
void the_outcome_is_one() {
  Random random(11);
  int read = 0, refused = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::string text = almost_a_table(random);
    ReadOptions options;
    options.missing = static_cast<Missing>(random.bits() % 3);
    if (random.bits() % 3 == 0) options.label = "1";
    if (random.bits() % 5 == 0) options.weights = "2";
    options.threads = 1;
    const std::string expected = outcome<T>(text, options, As::pipe);
    ++(expected.find('|') == expected.npos ? refused : read);
    for (const As as : {As::file, As::gzip, As::pipe}) {
      options.threads = 1 + static_cast<int>(random.bits() % 4);
      options.block_bytes = 1 + random.bits() % 1500;
      ASSERT_EQ(outcome<T>(text, options, as), expected)
          << text << "\nthreads " << options.threads << " block " << options.block_bytes;
    }
  }
  EXPECT_GT(read, 200);
  EXPECT_GT(refused, 200);
}

TEST(CsvLaw, threads_blocks_and_streams_change_neither_rows_nor_complaints_in_double) {
  the_outcome_is_one<double>();
}
TEST(CsvLaw, threads_blocks_and_streams_change_neither_rows_nor_complaints_in_float) {
  the_outcome_is_one<float>();
}

TEST(CsvLaw, the_edge_of_a_block_may_fall_anywhere) {
  std::string text;
  for (std::size_t i = 0; i < 200; ++i)
    text += fmt::format("\"{}\r\n\"\"{}\",1.5, \"{}\" \r\n{},\"2\",\"-3\"\r\n\r\n",
                        std::string(i, 'a'), i, i, i);
  ReadOptions options{.label = "1", .threads = 1};
  const std::string expected = outcome<double>(text, options, As::pipe);
  ASSERT_NE(expected.find("199"), expected.npos);
  for (options.block_bytes = 64; options.block_bytes < 264; ++options.block_bytes)
    ASSERT_EQ(outcome<double>(text, options, As::gzip), expected) << options.block_bytes;
}

/// Large enough for many chunks of the default size.
std::string large_table() {
  Random random(3);
  std::string text = "id,x,y\n";
  for (int i = 0; i < 60000; ++i)
    text += fmt::format("{},{:.6f},{}\n",
                        i % 7 ? fmt::format("r{}", i) : quoted(fmt::format("r\n{}", i)),
                        random.normal(), random.normal());
  return text;
}

TEST(CsvLaw, a_large_table_is_the_same_in_one_thread_in_many_packed_and_through_a_pipe) {
  const TempDir folder;
  const std::string text = large_table();
  const std::string path = folder.file("t.csv", text);
  ASSERT_EQ(run({"gzip", "-k", path}).exit_code, 0);
  const auto expected = read<double>(path, {.id = "id", .threads = 1});
  ASSERT_EQ(expected.x.rows(), 60000);
  EXPECT_EQ(expected.ids[7], "r\n7");
  const auto same = [&](const Table<double>& table) {
    EXPECT_EQ(table.x, expected.x);
    EXPECT_EQ(strings(table.ids), strings(expected.ids));
  };
  same(read<double>(path, {.id = "id", .threads = 4}));
  same(read<double>(path + ".gz", {.id = "id", .threads = 2}));

  const int saved = dup(STDIN_FILENO);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  std::jthread writer([&] {
    std::string_view left = text;
    while (!left.empty()) {
      const ssize_t n = write(ends[1], left.data(), std::min<std::size_t>(left.size(), 3333));
      if (n <= 0) break;
      left.remove_prefix(static_cast<std::size_t>(n));
    }
    close(ends[1]);
  });
  const auto source = open<double>("-", {.id = "id", .threads = 2});
  EXPECT_EQ(source->name(), "standard input");
  EXPECT_FALSE(source->can_rewind());
  same(read_all(*source));
  EXPECT_EQ(outcome<double>("", {}, As::pipe), "'memory' is empty");
  dup2(saved, STDIN_FILENO);
  close(saved);
}

TEST(CsvLaw, the_first_mistake_of_many_is_named_with_its_line) {
  std::string text = large_table();
  // Every 7th row has one more line; row 40,000 begins on line 2 + 40,000 + ⌈40,000 / 7⌉.
  std::size_t at = text.find("\nr40000,") + 8;
  text[at] = 'x';
  for (std::size_t later = at; (later = text.find("\nr5", later + 1)) != text.npos;)
    text[text.find(',', later) + 1] = 'y';
  const int line = 2 + 40000 + (40000 + 6) / 7;
  for (const int threads : {1, 2, 4}) {
    const std::string message = refusal(text, {.id = "id", .threads = threads}).message;
    EXPECT_NE(message.find(fmt::format("line {}, column 2 ('x'): 'x", line)), message.npos)
        << message;
  }
}

}  // namespace mercer::test::csv_laws_test
