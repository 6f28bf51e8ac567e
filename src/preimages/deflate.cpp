#include "preimages/deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

namespace mercer {

namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits

Bytef* input(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write to it
}

}  // namespace

struct Deflater::Stream {
  z_stream z{};
};

Deflater::Deflater(Spill& out) : stream_(std::make_unique<Stream>()), out_(out) {
  if (deflateInit(&stream_->z, Z_BEST_COMPRESSION) != Z_OK) throw std::bad_alloc();
}
Deflater::~Deflater() { deflateEnd(&stream_->z); }

void Deflater::run(int flush) {
  std::array<char, 1 << 16> buffer;
  z_stream& z = stream_->z;
  do {
    z.next_out = reinterpret_cast<Bytef*>(buffer.data());
    z.avail_out = static_cast<uInt>(buffer.size());
    deflate(&z, flush);
    out_.add({buffer.data(), buffer.size() - z.avail_out});
  } while (z.avail_out == 0);
}

void Deflater::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), most_at_once);
    stream_->z.next_in = input(bytes);
    stream_->z.avail_in = static_cast<uInt>(count);
    run(Z_NO_FLUSH);
    bytes.remove_prefix(count);
  }
}

void Deflater::finish() {
  stream_->z.avail_in = 0;
  run(Z_FINISH);
}

struct Inflater::Stream {
  z_stream z{};
  std::string_view left;
};

Inflater::Inflater(std::string_view deflated) : stream_(std::make_unique<Stream>()) {
  stream_->left = deflated;
  if (inflateInit(&stream_->z) != Z_OK) throw std::bad_alloc();
}
Inflater::~Inflater() { inflateEnd(&stream_->z); }

std::string Inflater::next(std::size_t size) {
  // Grows with what is there, not with what was claimed.
  std::string out;
  std::array<char, 1 << 16> buffer;
  z_stream& z = stream_->z;
  while (out.size() < size) {
    if (z.avail_in == 0) {
      const std::size_t count = std::min(stream_->left.size(), most_at_once);
      z.next_in = input(stream_->left);
      z.avail_in = static_cast<uInt>(count);
      stream_->left.remove_prefix(count);
    }
    const std::size_t wanted = std::min(buffer.size(), size - out.size());
    z.next_out = reinterpret_cast<Bytef*>(buffer.data());
    z.avail_out = static_cast<uInt>(wanted);
    const int status = inflate(&z, Z_NO_FLUSH);
    const std::size_t got = wanted - z.avail_out;
    out.append(buffer.data(), got);
    if (status != Z_OK || (got == 0 && z.avail_in == 0 && stream_->left.empty())) break;
  }
  return out;
}

}  // namespace mercer
