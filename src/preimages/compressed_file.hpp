#pragma once
// The file of compressed rows: a safetensors container as models are, with deflated bytes as
// arrays. docs/preimages.md describes it.

#include <mercer/compress.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace mercer {

/// Everything that a file holds. The arrays are deflated.
struct CompressedFile {
  Compressed about;
  std::string label, id;     ///< names of the columns; empty: none
  PreImageOptions preimage;  ///< method, alpha and penalty
  std::string model, scores, labels, ids;
  std::size_t model_size = 0, labels_size = 0, ids_size = 0;  ///< inflated
};

/// Rows whose scores are encoded together: as rows they take 32 MiB at most.
inline Index rows_a_chunk(Index columns) {
  return std::clamp<Index>((Index{1} << 22) / std::max<Index>(columns, 1), 1, 4096);
}

std::string encode_compressed(const CompressedFile& file);
/// Throws `Errc::bad_file` naming `name`. No claim of the file is believed that its bytes cannot
/// hold.
CompressedFile decode_compressed(std::string_view bytes, const std::string& name);

}  // namespace mercer
