#pragma once
// The file of compressed rows: a safetensors container as models are, with deflated bytes as
// arrays. docs/preimages.md describes it.

#include <mercer/compress.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mercer {

/// Everything that a file holds. The arrays are deflated, and borrowed.
struct CompressedFile {
  Compressed about;
  std::string label, id;     ///< names of the columns; empty: none
  PreImageOptions preimage;  ///< method, alpha and penalty
  std::string_view model, scores, labels, ids;
  std::size_t model_size = 0, labels_size = 0, ids_size = 0;  ///< inflated
};

/// Rows whose scores are encoded together: as rows they take 32 MiB at most.
inline Index rows_a_chunk(Index columns) {
  return std::clamp<Index>((Index{1} << 22) / std::max<Index>(columns, 1), 1, 4096);
}

/// What stands before the arrays, with the checksum of all.
std::string compressed_header(const CompressedFile& file);
/// `bytes` must live as long as the result, which borrows from them. Throws `Errc::bad_file` naming
/// `name`. Declared sizes are checked against the bytes of the file.
CompressedFile decode_compressed(std::string_view bytes, const std::string& name);

/// The begin of the model's own file, up to the end of its header.
std::string model_header(const CompressedFile& file);

/// Who asks before memory is taken: for the model, of which the file says how large it is, and for
/// what finds pre-images, which may change the threads. Either may throw.
struct DecompressAsks {
  std::function<void(const CompressedFile&)> before_model = [](const CompressedFile&) {};
  std::function<void(const Model<double>&, PreImageOptions&)> before_decoder =
      [](const Model<double>&, PreImageOptions&) {};
};
template <class T>
std::unique_ptr<Source<T>> decompress(const std::string& path, const RunOptions& options,
                                      Compressed* about, const DecompressAsks& asks);

}  // namespace mercer
