#include "data/same_files.hpp"

#include "core/require.hpp"
#include "core/team.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace mercer {

namespace {

/// CRC-32 of some of the bytes.
std::int64_t sample_of(const std::string& path, std::size_t size) {
  constexpr std::size_t places = 64, each = 4096;
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  unsigned long sum = 0;
  const std::size_t rest = size - std::min(size, each);
  for (std::size_t i = 0; i < places; ++i) {
    bytes.resize(std::min(size, each));
    file.clear();
    file.seekg(static_cast<std::streamoff>(rest / (places - 1) * i +
                                           rest % (places - 1) * i / (places - 1)));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    sum = crc32_z(sum, reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<std::size_t>(file.gcount()));
    if (rest == 0) break;
  }
  return static_cast<std::int64_t>(sum);
}

}  // namespace

void require_same_files(const std::vector<std::string>& paths, Team& team) {
  std::vector<std::int64_t>
      mine;  // of each file its size and its sample; what is absent fails later
  for (const std::string& path : paths) {
    std::error_code absent;
    const std::size_t size = std::filesystem::file_size(path, absent);
    mine.push_back(absent ? -1 : static_cast<std::int64_t>(size));
    mine.push_back(absent ? 0 : sample_of(path, size));
  }
  std::string bytes(mine.size() * sizeof(std::int64_t), '\0');
  std::memcpy(bytes.data(), mine.data(), bytes.size());
  from_root(team, bytes);
  std::vector<std::int64_t> first(bytes.size() / sizeof(std::int64_t));
  std::memcpy(first.data(), bytes.data(), bytes.size());
  agree(team, [&] {
    require(first.size() == mine.size(), Errc::bad_data,
            "rank {} reads {} files and rank 0 reads {}; all ranks need the same files",
            team.rank(), paths.size(), first.size() / 2);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (mine[2 * i] < 0 || first[2 * i] < 0) continue;
      require(mine[2 * i] == first[2 * i], Errc::bad_data,
              "'{}' has {} bytes on rank {} and {} on rank 0; all ranks need the same files",
              Input(paths[i]), mine[2 * i], team.rank(), first[2 * i]);
      require(mine[2 * i + 1] == first[2 * i + 1], Errc::bad_data,
              "'{}' has other contents on rank {} than on rank 0; all ranks need the same files",
              Input(paths[i]), team.rank());
    }
  });
}

}  // namespace mercer
