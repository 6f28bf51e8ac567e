#include "preimages/compressed_file.hpp"

#include "core/json_text.hpp"
#include "core/require.hpp"
#include "model/checksum.hpp"
#include "model/safetensors.hpp"
#include "preimages/deflate.hpp"
#include "preimages/score_codec.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

using Json = nlohmann::json;

[[noreturn]] void damaged(const std::string& name, std::string_view why) {
  fail(Errc::bad_file, "'{}' is damaged ({}); get a fresh copy", name, why);
}

/// Names are bytes in any encoding, and JSON is not.
std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

class Reader {
 public:
  Reader(const Json& object, const std::string& name) : object_(object), name_(name) {
    if (!object.is_object()) damaged(name, "its description is not an object");
  }
  const Json& operator()(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) damaged(name_, fmt::format("'{}' is missing", key));
    return *found;
  }
  double number(const char* key) const {
    const Json& value = (*this)(key);
    const double found = value.is_number() ? value.get<double>() : -1;
    if (!(found >= 0 && std::isfinite(found)))
      damaged(name_, fmt::format("'{}' is not a valid number", key));
    return found;
  }
  Index count(const char* key) const {
    const Json& value = (*this)(key);
    constexpr std::uint64_t most = std::uint64_t{1} << 50;
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
      damaged(name_, fmt::format("'{}' is not a count", key));
    return value.get<Index>();
  }
  std::string text(const char* key) const {
    const Json& value = (*this)(key);
    if (!value.is_string()) damaged(name_, fmt::format("'{}' is not text", key));
    return value.get<std::string>();
  }
  std::string bytes(const char* key) const {
    const std::string digits = text(key);
    std::string out;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
      out += static_cast<char>(std::strtol(digits.substr(i, 2).c_str(), nullptr, 16));
    return out;
  }

 private:
  const Json& object_;
  const std::string& name_;
};

}  // namespace

std::string compressed_header(const CompressedFile& f) {
  const Compressed& a = f.about;
  nlohmann::ordered_json words{{"rows", a.rows},
                               {"columns", a.columns},
                               {"components", a.components},
                               {"scores", name_of(a.scores)},
                               {"mean_squared_error", a.loss.mean_squared_error},
                               {"fraction_of_variance", a.loss.fraction_of_variance},
                               {"largest_error", a.loss.largest_error},
                               {"label", hex(f.label)},
                               {"id", hex(f.id)},
                               {"method", name_of(f.preimage.method)},
                               {"alpha", f.preimage.alpha},
                               {"penalty", f.preimage.penalty},
                               {"model_size", f.model_size},
                               {"labels_size", f.labels_size},
                               {"ids_size", f.ids_size}};
  if (a.float_loss) {
    words["float_mean_squared_error"] = a.float_loss->mean_squared_error;
    words["float_fraction_of_variance"] = a.float_loss->fraction_of_variance;
    words["float_largest_error"] = a.float_loss->largest_error;
  }
  const auto array = [](const char* name, std::string_view bytes) {
    return safetensors::Array{name, "U8", {bytes.size()}, bytes};
  };
  std::string header = safetensors::make_header({{"checksum", std::string(checksum::zeros)},
                                                 {"format", "mercer-rows"},
                                                 {"format_version", "1"},
                                                 {"mercer", json_text(words)}},
                                                {array("model", f.model), array("scores", f.scores),
                                                 array("labels", f.labels), array("ids", f.ids)});
  unsigned long sum = checksum::add(0, header);
  for (const std::string_view part : {f.model, f.scores, f.labels, f.ids})
    sum = checksum::add(sum, part);
  header.replace(checksum::position, checksum::zeros.size(), checksum::text(sum));
  return header;
}

CompressedFile decode_compressed(std::string_view bytes, const std::string& name) {
  const auto other = [&] {
    fail(Errc::bad_file, "'{}' is not a file of compressed rows (mercer compress writes them)",
         name);
  };
  constexpr std::size_t before = safetensors::length_bytes;
  if (bytes.size() < before + 2 || bytes[before] != '{') other();
  const std::size_t length = safetensors::header_length(bytes, name);
  if (bytes.size() < before + length) damaged(name, "it is truncated");
  safetensors::Header header = safetensors::parse_header(bytes.substr(before, length), name);
  if (header.metadata["format"] != "mercer-rows") other();
  require(header.metadata["format_version"] == "1", Errc::bad_file,
          "'{}' was written by a newer Mercer: update Mercer", name);
  if (bytes.size() != header.file_size)
    damaged(name, "it is truncated, or has extra bytes at its end");
  if (!checksum::matches(bytes)) damaged(name, "its checksum does not match its content");

  const Json root = safetensors::parse_json(header.metadata["mercer"], 4, 1000);
  const Reader get(root, name);
  CompressedFile f;
  Compressed& a = f.about;
  a.rows = get.count("rows");
  a.columns = get.count("columns");
  a.components = get.count("components");
  a.loss = {get.number("mean_squared_error"), get.number("fraction_of_variance"),
            get.number("largest_error")};
  if (root.contains("float_mean_squared_error"))
    a.float_loss = {get.number("float_mean_squared_error"),
                    get.number("float_fraction_of_variance"), get.number("float_largest_error")};
  f.label = get.bytes("label");
  f.id = get.bytes("id");
  f.preimage.alpha = get.number("alpha");
  f.preimage.penalty = get.number("penalty");
  try {
    a.scores = parse_score_format(get.text("scores"));
    f.preimage.method = parse_preimage_method(get.text("method"));
  } catch (const Error& error) {
    damaged(name, error.what());
  }
  const auto array = [&](const char* key, double size) {
    const auto found = header.tensors.find(key);
    if (found == header.tensors.end() || found->second.dtype != "U8")
      damaged(name, fmt::format("'{}' is missing", key));
    const safetensors::Tensor& t = found->second;
    if (size > most_inflated(t.end - t.begin))
      damaged(name, fmt::format("'{}' is shorter than declared", key));
    return bytes.substr(header.data_begin + t.begin, t.end - t.begin);
  };
  f.model_size = static_cast<std::size_t>(get.count("model_size"));
  f.labels_size = static_cast<std::size_t>(get.count("labels_size"));
  f.ids_size = static_cast<std::size_t>(get.count("ids_size"));
  f.model = array("model", static_cast<double>(f.model_size));
  f.scores = array("scores", static_cast<double>(a.rows) * static_cast<double>(a.components) *
                                 static_cast<double>(score_bytes(a.scores)));
  f.labels = array("labels", static_cast<double>(f.labels_size));
  f.ids = array("ids", static_cast<double>(f.ids_size));
  a.bytes = static_cast<std::int64_t>(bytes.size());
  a.model_bytes = static_cast<std::int64_t>(f.model.size());
  return f;
}

std::string model_header(const CompressedFile& file) {
  Inflater model(file.model);
  std::string begin = model.next(safetensors::length_bytes);
  // A header that claims to be longer than the model is damaged: reading the model fails with a message.
  const std::size_t length = safetensors::header_length(begin, "the model");
  return begin + model.next(std::min(length, file.model_size));
}

}  // namespace mercer
