#include "learn/run/learn_identity.hpp"

#include "core/require.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace mercer {

namespace {

/// Not for adversaries: FNV-1a on eight bytes at a time, each well mixed.
class Hash {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (; bytes >= 8; p += 8, bytes -= 8) {
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      mix(word);
    }
    for (; bytes > 0; ++p, --bytes) mix(*p);
  }
  std::uint64_t value() const { return state_; }

 private:
  void mix(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15U;
    state_ ^= state_ >> 29;
  }
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

std::string told(std::uint64_t bytes, const Hash& hash) {
  return fmt::format("{} bytes with hash {:016x}", bytes, hash.value());
}

std::string of_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(fd >= 0, Errc::io, "cannot open '{}': {}", path, std::strerror(errno));
  Hash hash;
  std::uint64_t size = 0;
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    // Reads of files are whole until the end, so that words do not straddle them.
    hash.add(buffer.data(), static_cast<std::size_t>(n));
    size += static_cast<std::uint64_t>(n);
  }
  ::close(fd);
  return told(size, hash);
}

}  // namespace

std::string identity_of(const Source<double>& source, const Rows<double>* memory) {
  struct stat info {};
  std::string name = source.name();
  if (source.can_rewind() && stat(name.c_str(), &info) == 0 && S_ISREG(info.st_mode))
    return of_file(name);
  if (!memory) return name;
  Hash hash;
  if (memory->sparse()) {
    const auto& csr = memory->csr();
    const auto n = static_cast<std::size_t>(memory->entries());
    hash.add(csr.columns + csr.offsets[0], n * sizeof(*csr.columns));
    hash.add(csr.values + csr.offsets[0], n * sizeof(double));
  } else {
    for (Index i = 0; i < memory->rows(); ++i)
      hash.add(memory->row(i), static_cast<std::size_t>(memory->cols()) * sizeof(double));
  }
  return told(static_cast<std::uint64_t>(memory->entries()) * sizeof(double), hash);
}

std::string weights_of(const Schema& schema, const Rows<double>* memory, const double* weights) {
  if (!schema.weighted) return "none";
  if (!memory || !weights)
    return schema.weight.empty() ? "as they come" : fmt::format("column '{}'", schema.weight);
  Hash hash;
  hash.add(weights, static_cast<std::size_t>(memory->rows()) * sizeof(double));
  return fmt::format("of hash {:016x}", hash.value());
}

std::string start_of(const Matrix<double>& start, double norm) {
  if (start.size() == 0) return fmt::format("random of length {}", norm);
  Hash hash;
  hash.add(start.data(), static_cast<std::size_t>(start.size()) * sizeof(double));
  return fmt::format("{} weights with hash {:016x}", start.size(), hash.value());
}

std::string columns_of(const Schema& schema) {
  Hash hash;
  for (const std::string& name : schema.feature_names) {
    hash.add(name.data(), name.size());
    hash.add("\n", 1);
  }
  if (schema.feature_names.empty()) return fmt::format("{}", schema.features);
  return fmt::format("{} with names of hash {:016x}", schema.features, hash.value());
}

}  // namespace mercer
