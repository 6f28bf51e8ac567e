// A file of compressed rows is refused with an Error, or its rows come out: as many as it says, of
// its width, in either precision.
//
// An input that begins with '{' is the JSON of a header, a zero byte and the arrays: its length and
// checksum are put right first, as no chance change would get past them.

#include "sealed.hpp"

#include <mercer/compress.hpp>
#include <mercer/error.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace mercer;

[[noreturn]] void broken(const char* what) {
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// Only so many rows are taken: some bytes of zeros deflate to very little.
constexpr Index most_rows = 5000;

template <class T>
void check(const std::string& path) {
  try {
    Compressed about;
    const auto source = decompress<T>(path, {.threads = 1}, &about);
    Index rows = 0;
    while (const auto block = source->next()) {
      if (block->rows.cols() != about.columns) broken("rows have the width of the file");
      rows += block->rows.rows();
      if (rows > most_rows) return;
    }
    if (rows != about.rows) broken("there are as many rows as the file says");
  } catch (const Error&) {
    // refused, as it may be
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('{')) bytes = sealed(bytes);
  const int file = memfd_create("rows", 0);
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    broken("there is memory for a file");
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  check<double>(path);
  check<float>(path);
  close(file);
  return 0;
}
