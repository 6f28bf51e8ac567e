#include "core/require.hpp"
#include "maps/from_text.hpp"
#include "model/checksum.hpp"
#include "model/codec.hpp"
#include "model/description.hpp"
#include "model/parts.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

namespace mercer {

namespace {

using safetensors::damaged;
using safetensors::Header;
using safetensors::Tensor;

/// Text from a file, fit for a one-line message.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 60)) out += c >= ' ' && c < 127 ? c : '?';
  return out;
}

void check_checksum(std::string_view bytes, const std::string& file) {
  if (bytes.substr(safetensors::length_bytes, checksum::before.size()) != checksum::before)
    damaged(file, "it has no checksum");
  if (!checksum::matches(bytes)) damaged(file, "its checksum does not match its content");
}

/// Copies an array of stored numbers S into `out`. Scales are divisors: there, one that vanishes
/// in single precision is as bad as an overflow.
template <class S, class T>
void convert(const char* from, Matrix<T>& out, const char* name, const std::string& file) {
  const bool divisor = std::string_view(name) == "scale";
  for (Index i = 0; i < out.size(); ++i) {
    S stored;
    std::memcpy(&stored, from + i * static_cast<Index>(sizeof(S)), sizeof(S));
    if (!std::isfinite(stored)) damaged(file, fmt::format("'{}' is not finite", name));
    const T value = static_cast<T>(stored);
    require(std::isfinite(value) && !(divisor && value == 0 && stored != 0), Errc::bad_file,
            "'{}' has numbers in '{}' that exceed single precision: use double", file, name);
    out.data()[i] = value;
  }
}

/// Position of an array of one or two dimensions. Its size is checked against the size of the file
/// before anything is allocated.
struct Found {
  const char* data;
  bool single;
  Index rows, cols;  // a vector is one row
};

Found find_array(const Header& header, std::string_view bytes, const char* name,
                 std::size_t dimensions, std::string_view wide, std::string_view narrow,
                 const std::string& file) {
  const std::uint64_t least = std::string_view(name).starts_with("anchors_") ? 0 : 1;
  const auto found = header.tensors.find(name);
  if (found == header.tensors.end()) damaged(file, fmt::format("'{}' is missing", name));
  const Tensor& tensor = found->second;
  const bool single = tensor.dtype == narrow;
  if (!single && tensor.dtype != wide) {
    if (wide == narrow) damaged(file, fmt::format("'{}' is not {}", name, wide));
    damaged(file, fmt::format("'{}' is neither {} nor {}", name, narrow, wide));
  }
  std::size_t size = tensor.dtype.ends_with("32") ? 4 : 8;
  bool fits = tensor.shape.size() == dimensions;
  for (const std::uint64_t n : tensor.shape)
    fits = fits && n >= least && !__builtin_mul_overflow(size, n, &size);
  if (!fits || size != tensor.end - tensor.begin)
    damaged(file, fmt::format("the shape of '{}' does not match its size", name));
  return {bytes.data() + header.data_begin + tensor.begin, single,
          dimensions == 1 ? 1 : static_cast<Index>(tensor.shape.front()),
          static_cast<Index>(tensor.shape.back())};
}

template <class T>
Matrix<T> read_array(const Header& header, std::string_view bytes, const char* name,
                     std::size_t dimensions, const std::string& file) {
  const Found from = find_array(header, bytes, name, dimensions, "F64", "F32", file);
  Matrix<T> out(from.rows, from.cols);
  if (from.single) convert<float>(from.data, out, name, file);
  else convert<double>(from.data, out, name, file);
  return out;
}

std::vector<double> read_list(const Header& header, std::string_view bytes, const char* name,
                              const std::string& file) {
  const Matrix<double> values = read_array<double>(header, bytes, name, 1, file);
  return {values.data(), values.data() + values.size()};
}

/// What `mean`, read as T, lacks of the mean that the file has in two numbers; it may have them in
/// another precision.
template <class T>
Vector<T> read_rest(const Header& header, std::string_view bytes, const char* name,
                    const char* rest_name, const Vector<T>& mean, const std::string& file) {
  if (!header.tensors.contains(rest_name)) return {};
  Vector<double> rest = read_array<double>(header, bytes, rest_name, 1, file).transpose();
  if (rest.size() == mean.size())
    rest +=
        read_array<double>(header, bytes, name, 1, file).transpose() - mean.template cast<double>();
  return rest.cast<T>();
}

template <class I>
std::vector<I> read_integers(const Header& header, std::string_view bytes, const char* name,
                             const std::string& file) {
  const char* type = sizeof(I) == 4 ? "I32" : "I64";
  const Found from = find_array(header, bytes, name, 1, type, type, file);
  std::vector<I> out(static_cast<std::size_t>(from.cols));
  if (!out.empty()) std::memcpy(out.data(), from.data, out.size() * sizeof(I));
  return out;
}

template <class T>
Anchors<T> read_anchors(const Header& header, std::string_view bytes, Index cols,
                        const std::string& file) {
  if (!header.tensors.contains("anchors_offsets")) {
    Matrix<T> anchors = read_array<T>(header, bytes, "anchors", 2, file);
    if (anchors.cols() != cols)
      damaged(file, fmt::format("'anchors' has {} columns, not {}", anchors.cols(), cols));
    return anchors;
  }
  Csr<T> csr;
  csr.cols = cols;
  csr.offsets = read_integers<std::int64_t>(header, bytes, "anchors_offsets", file);
  csr.columns = read_integers<std::int32_t>(header, bytes, "anchors_columns", file);
  const Matrix<T> values = read_array<T>(header, bytes, "anchors_values", 1, file);
  csr.values.assign(values.data(), values.data() + values.size());
  return csr;
}

/// The map that description and arrays define; any error in them is a bad file.
template <class T>
std::shared_ptr<const Map<T>> read_map(const Description& words, Index inputs, const Header& header,
                                       std::string_view bytes, const std::string& file,
                                       const LoadOptions<T>& own) {
  Anchors<T> anchors;
  if (const Index cols = anchor_columns(words.map, inputs); cols > 0)
    anchors = read_anchors<T>(header, bytes, cols, file);
  std::shared_ptr<const Map<T>> map;
  try {
    map = map_from_parts<T>(words.map, inputs, words.kernel, std::move(anchors),
                            {own.kernels, own.maps},
                            words.map_columns.empty() ? words.feature_names : words.map_columns);
  } catch (const Error& error) {
    fail(Errc::bad_file, "'{}' has a map that cannot be constructed: {}", file, error.what());
  }
  require(map != nullptr, Errc::bad_file,
          "'{}' uses the map '{}', which is unknown to this version: update Mercer", file,
          shown(words.map));
  return map;
}

}  // namespace

void truncated(const std::string& file, std::size_t has, std::size_t needs) {
  fail(Errc::bad_file,
       "'{}' is truncated ({} bytes of {}); get a fresh copy or fit the model again", file, has,
       needs);
}

Header decode_header(std::string_view bytes, const std::string& file) {
  const std::size_t needs = safetensors::length_bytes + safetensors::header_length(bytes, file);
  const bool complete = bytes.size() >= needs;
  bytes = bytes.substr(safetensors::length_bytes);
  require(bytes.starts_with('{'), Errc::bad_file,
          "'{}' is not a Mercer model file; are the model and the data swapped?", file);
  if (!complete) truncated(file, safetensors::length_bytes + bytes.size(), needs);

  Header header =
      safetensors::parse_header(bytes.substr(0, needs - safetensors::length_bytes), file);
  require(header.metadata["format"] != "mercer-moments", Errc::bad_file,
          "'{}' is a moment file, not a model; merge it into a model first", file);
  require(header.metadata["format"] == "mercer", Errc::bad_file,
          "'{}' is not a Mercer model (it is a safetensors file of another kind)", file);
  const std::string& text = header.metadata["format_version"];
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 1)
    damaged(file, "its format version is not a number");
  require(
      version <= model_format_version, Errc::bad_file,
      "'{}' was written by a newer Mercer (format {}; this one reads {}): update Mercer, or fit "
      "the model again",
      file, version, model_format_version);
  return header;
}

template <class T>
ModelParts<T> decode(std::string_view bytes, const std::string& file,
                     const LoadOptions<T>& options) {
  Header header = decode_header(bytes, file);
  if (bytes.size() < header.file_size) truncated(file, bytes.size(), header.file_size);
  if (bytes.size() > header.file_size) damaged(file, "it has extra bytes at its end");
  check_checksum(bytes, file);

  ModelParts<T> parts;
  parts.components = read_array<T>(header, bytes, "components", 2, file);
  parts.mean = read_array<T>(header, bytes, "mean", 1, file).transpose();
  parts.eigenvalues = read_array<double>(header, bytes, "eigenvalues", 1, file).transpose();
  parts.mean_rest = read_rest(header, bytes, "mean", "mean_rest", parts.mean, file);
  if (header.tensors.contains("scale"))
    parts.scale = read_array<T>(header, bytes, "scale", 1, file).transpose();

  if (header.tensors.contains("input_mean"))
    parts.input_mean = read_array<T>(header, bytes, "input_mean", 1, file).transpose();
  parts.input_rest = read_rest(header, bytes, "input_mean", "input_rest", parts.input_mean, file);

  if (header.tensors.contains("column_variance"))
    parts.column_variance =
        read_array<double>(header, bytes, "column_variance", 1, file).transpose();

  if (header.tensors.contains("rows")) parts.rows = read_array<T>(header, bytes, "rows", 2, file);

  // As many as there are bytes for: a map may allocate in proportion to them.
  const Index inputs =
      parts.input_mean.size() > 0 ? parts.input_mean.size() : parts.components.cols();
  // One value for each name and residual, and room for keys of later versions.
  const auto values = static_cast<std::size_t>(parts.components.rows() + inputs);
  Description words = parse_description(header.metadata["mercer"], values + 100'000,
                                        std::stoi(header.metadata["format_version"]), file);
  if (words.inputs != 0 && words.inputs != inputs)
    damaged(file, fmt::format("it declares {} columns and has {}", words.inputs, inputs));
  parts.map = read_map<T>(words, inputs, header, bytes, file, options);
  parts.feature_names = std::move(words.feature_names);
  parts.label_column = std::move(words.label_column);
  parts.id_column = std::move(words.id_column);
  parts.report = std::move(words.report);
  if (header.tensors.contains("eigenvalues_low")) {
    parts.report.certificate.low = read_list(header, bytes, "eigenvalues_low", file);
    parts.report.certificate.high = read_list(header, bytes, "eigenvalues_high", file);
  }
  const std::string wrong = problem(parts);
  if (!wrong.empty()) damaged(file, wrong);
  return parts;
}

template ModelParts<float> decode(std::string_view, const std::string&, const LoadOptions<float>&);
template ModelParts<double> decode(std::string_view, const std::string&,
                                   const LoadOptions<double>&);

}  // namespace mercer
