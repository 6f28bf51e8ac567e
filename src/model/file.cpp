#include <mercer/model.hpp>

#include "core/output_file.hpp"
#include "data/bytes.hpp"
#include "model/codec.hpp"

#include <algorithm>
#include <utility>

namespace mercer {

namespace {

/// Reads until `buffer` has `size` bytes or the stream ends; memory grows with what is there.
void read_up_to(ByteStream& stream, std::string& buffer, std::size_t size) {
  constexpr std::size_t chunk = 4 << 20;
  while (buffer.size() < size) {
    const std::size_t old = buffer.size();
    const std::size_t wanted = std::min(size - old, chunk);
    buffer.resize(old + wanted);
    const std::size_t got = stream.read(buffer.data() + old, wanted);
    buffer.resize(old + got);
    if (got < wanted) return;
  }
}

/// Reads the file up to the end of its header into `buffer`. (A model is never taken for gzip: its
/// first byte is a multiple of 8.)
safetensors::Header read_header(ByteStream& stream, std::string& buffer) {
  read_up_to(stream, buffer, safetensors::length_bytes);
  const std::size_t length = safetensors::header_length(buffer, stream.name());
  read_up_to(stream, buffer, safetensors::length_bytes + length);
  return decode_header(buffer, stream.name());
}

struct WholeFile {
  std::string name, bytes;
  bool single;  // precision
};

WholeFile read_whole(const std::string& path) {
  const auto stream = open_bytes(path, {});
  std::string bytes;
  const safetensors::Header header = read_header(*stream, bytes);
  if (stream->size() != 0 && stream->size() < header.file_size)
    truncated(stream->name(), stream->size(), header.file_size);
  // A buffer that grows by itself takes up to twice the file for a moment; a pipe's header may lie.
  if (stream->size() != 0) bytes.reserve(header.file_size + 1);
  read_up_to(*stream, bytes, header.file_size + 1);  // one more: there must be none
  const auto components = header.tensors.find("components");
  if (components == header.tensors.end())
    safetensors::damaged(stream->name(), "'components' is missing");
  return {stream->name(), std::move(bytes), components->second.dtype == "F32"};
}

/// The file is gone before the model computes anything from its parts.
template <class T>
Model<T> loaded(WholeFile file, const LoadOptions<T>& options) {
  ModelParts<T> parts = decode<T>(file.bytes, file.name, options);
  file.bytes = std::string();
  return Model<T>(std::move(parts));
}

}  // namespace

template <class T>
std::string Model<T>::serialize() const {
  const Encoded file = encode(parts_);
  std::string bytes = file.header;
  for (const std::string_view array : file.arrays) bytes += array;
  return bytes;
}

template <class T>
void Model<T>::save(const std::string& path) const {
  const Encoded encoded = encode(parts_);
  OutputFile file(path);
  file.write(encoded.header);
  for (const std::string_view array : encoded.arrays) file.write(array);
  file.finish();
  file.publish();
}

template <class T>
Model<T> Model<T>::deserialize(std::string_view bytes, const std::string& name,
                               const LoadOptions<T>& options) {
  return Model(decode<T>(bytes, name, options));
}

template <class T>
Model<T> Model<T>::load(const std::string& path, const LoadOptions<T>& options) {
  return loaded<T>(read_whole(path), options);
}

AnyModel load_any(const std::string& path, const std::vector<Kernel>& kernels) {
  WholeFile file = read_whole(path);
  if (file.single) return loaded<float>(std::move(file), {kernels, {}});
  return loaded<double>(std::move(file), {kernels, {}});
}

#define MERCER_INSTANTIATE(T)                                                   \
  template std::string Model<T>::serialize() const;                             \
  template void Model<T>::save(const std::string&) const;                       \
  template Model<T> Model<T>::deserialize(std::string_view, const std::string&, \
                                          const LoadOptions<T>&);               \
  template Model<T> Model<T>::load(const std::string&, const LoadOptions<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
