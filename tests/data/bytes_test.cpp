#include "data/bytes.hpp"

#include "support/temp_dir.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <string>
#include <thread>

namespace mercer::bytes_test {

using test::TempDir;

std::string gzip(const std::string& text) {
  std::string packed(text.size() + text.size() / 1000 + 128, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919 % 100003) + (i % 9 ? "," : "\n");
  return text;
}

std::string drain(ByteStream& bytes, std::size_t step) {
  std::string all;
  std::string part(step, '\0');
  while (const std::size_t got = bytes.read(part.data(), step)) all.append(part, 0, got);
  return all;
}

Errc failure(const std::string& path, std::string* message = nullptr) {
  try {
    drain(*open_bytes(path, {}), 1000);
  } catch (const Error& error) {
    if (message) *message = error.what();
    return error.code();
  }
  ADD_FAILURE() << path << " was read";
  return {};
}

/// Puts a pipe in the place of standard input.
class PipedInput {
 public:
  PipedInput() {
    saved_ = dup(STDIN_FILENO);
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    writer_ = ends[1];
  }
  ~PipedInput() {
    end();
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(writer_, text.data(), text.size());
      ASSERT_GT(n, 0);
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void end() {
    if (writer_ >= 0) close(writer_);
    writer_ = -1;
  }

 private:
  int saved_, writer_;
};

TEST(Bytes, a_file_is_read_whole_in_steps_of_any_size) {
  const TempDir folder;
  const std::string text = numbers(5000);
  const std::string path = folder.file("a.csv", text);
  for (const std::size_t step : {1u, 2u, 3u, 1000u, 1u << 20}) {
    const auto bytes = open_bytes(path, {});
    EXPECT_EQ(drain(*bytes, step), text);
    EXPECT_EQ(bytes->size(), text.size());
    EXPECT_GE(bytes->descriptor(), 0);
    EXPECT_EQ(bytes->fraction_read(), 1);
  }
}

TEST(Bytes, files_of_no_and_one_byte_are_files) {
  const TempDir folder;
  EXPECT_EQ(drain(*open_bytes(folder.file("none", ""), {}), 10), "");
  EXPECT_EQ(drain(*open_bytes(folder.file("one", "\x1f"), {}), 10), "\x1f");
}

TEST(Bytes, rewinding_gives_the_same_bytes_again) {
  const TempDir folder;
  const std::string text = numbers(50000);
  for (const std::string& content : {text, gzip(text)}) {
    const auto bytes = open_bytes(folder.file("x", content), {});
    EXPECT_TRUE(bytes->can_rewind());
    std::string part(1234, '\0');
    ASSERT_EQ(bytes->read(part.data(), part.size()), part.size());
    bytes->rewind();
    EXPECT_EQ(drain(*bytes, 777), text);
    bytes->rewind();
    EXPECT_EQ(drain(*bytes, 4096), text);
  }
}

TEST(Bytes, gzip_is_known_by_its_content_and_may_have_several_members_and_padding) {
  const TempDir folder;
  const std::string a = numbers(100000), b = "the end";
  const std::string path = folder.file("odd.name", gzip(a) + gzip(b) + std::string(512, '\0'));
  const auto bytes = open_bytes(path, {});
  EXPECT_EQ(drain(*bytes, 10007), a + b);
  EXPECT_EQ(bytes->size(), 0u);
  EXPECT_EQ(bytes->descriptor(), -1);
  EXPECT_EQ(bytes->fraction_read(), 1);
}

TEST(Bytes, a_damaged_gzip_file_is_a_bad_file) {
  const TempDir folder;
  const std::string whole = gzip(numbers(20000));
  std::string message;
  for (const std::size_t size : {2ul, 9ul, 30ul, whole.size() / 2, whole.size() - 1}) {
    EXPECT_EQ(failure(folder.file("cut.gz", whole.substr(0, size)), &message), Errc::bad_file);
    EXPECT_NE(message.find("cut.gz' is truncated"), message.npos) << message;
  }
  for (const std::size_t at : {whole.size() / 2, whole.size() - 6}) {
    std::string flipped = whole;
    flipped[at] ^= 0x10;
    EXPECT_EQ(failure(folder.file("flip.gz", flipped), &message), Errc::bad_file);
    EXPECT_NE(message.find("flip.gz' is damaged"), message.npos) << message;
  }
  EXPECT_EQ(failure(folder.file("more.gz", whole + "garbage")), Errc::bad_file);
  EXPECT_EQ(failure(folder.file("pad.gz", whole + std::string(3, '\0') + "x")), Errc::bad_file);
}

TEST(Bytes, what_cannot_be_opened_is_named_with_the_reason) {
  const TempDir folder;
  std::string message;
  EXPECT_EQ(failure(folder / "nowhere.csv", &message), Errc::io);
  EXPECT_EQ(message, "cannot open '" + (folder / "nowhere.csv") + "': No such file or directory");
  EXPECT_EQ(failure(folder.path(), &message), Errc::io);
  EXPECT_EQ(message, "'" + folder.path() + "' is a directory, not a file");
}

TEST(Bytes, standard_input_comes_through_a_pipe_plain_or_packed_and_only_once) {
  const std::string text = numbers(100000);
  for (const std::string& sent : {text, gzip(text)}) {
    PipedInput input;
    std::jthread writer([&] {
      for (std::size_t at = 0; at < sent.size(); at += 5000)
        input.write(std::string_view(sent).substr(at, 5000));
      input.end();
    });
    const auto bytes = open_bytes("-", {});
    EXPECT_EQ(drain(*bytes, 1 << 16), text);
    EXPECT_EQ(bytes->name(), "standard input");
    EXPECT_EQ(bytes->descriptor(), -1);
    EXPECT_FALSE(bytes->can_rewind());
    try {
      bytes->rewind();
      ADD_FAILURE() << "standard input was rewound";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::io);
    }
  }
}

TEST(Bytes, a_named_pipe_is_read_as_it_comes) {
  const TempDir folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(path) << "1,2\n3,4\n"; });
  const auto bytes = open_bytes(path, {});
  EXPECT_EQ(drain(*bytes, 100), "1,2\n3,4\n");
  EXPECT_FALSE(bytes->can_rewind());
}

TEST(Bytes, waiting_for_input_ends_when_the_monitor_says_stop) {
  const PipedInput input;
  input.write("1,2\n");
  int asked = 0;
  const auto bytes = open_bytes("-", [&](const Progress&) { return ++asked < 2; });
  char out[100];
  try {
    bytes->read(out, sizeof out);
    ADD_FAILURE() << "the end of an open pipe was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
  EXPECT_EQ(asked, 2);
}

}  // namespace mercer::bytes_test
