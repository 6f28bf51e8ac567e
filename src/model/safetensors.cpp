#include "model/safetensors.hpp"

#include "core/json_text.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mercer::safetensors {

namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "model files are little-endian and are written from memory as they are");

constexpr std::uint64_t longest_header = 100 << 20;  // what other readers of the format allow
constexpr std::size_t most_values = 100'000;         // of a header that lists a handful of arrays

constexpr std::size_t largest_data = std::size_t{1} << 60;

struct TooMuch {};

Tensor parse_tensor(const Json& value, const std::string& file) {
  const auto wrong = [&] { damaged(file, "its header has an invalid array description"); };
  const auto list = [&](const char* key) {
    const auto found = value.find(key);
    if (found == value.end() || !found->is_array()) wrong();
    std::vector<std::uint64_t> numbers;
    for (const Json& number : *found) {
      if (!number.is_number_unsigned()) wrong();
      numbers.push_back(number.get<std::uint64_t>());
    }
    return numbers;
  };
  if (!value.is_object()) wrong();
  Tensor tensor;
  const auto dtype = value.find("dtype");
  if (dtype == value.end() || !dtype->is_string()) wrong();
  tensor.dtype = dtype->get<std::string>();
  tensor.shape = list("shape");
  const auto offsets = list("data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) wrong();
  tensor.begin = offsets[0];
  tensor.end = offsets[1];
  return tensor;
}

/// Where the data end; they must follow each other without gaps.
std::size_t data_size(const std::map<std::string, Tensor>& tensors, const std::string& file) {
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  spans.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) spans.emplace_back(tensor.begin, tensor.end);
  std::sort(spans.begin(), spans.end());
  std::size_t end = 0;
  for (const auto& span : spans) {
    if (span.first != end) damaged(file, "its arrays overlap or leave gaps");
    end = span.second;
  }
  return end;
}

}  // namespace

void damaged(const std::string& file, std::string_view why) {
  fail(Errc::bad_file, "'{}' is damaged ({}); get a fresh copy or fit the model again", file, why);
}

std::size_t header_length(std::string_view first_bytes, const std::string& file) {
  require(!first_bytes.empty(), Errc::bad_file, "'{}' is not a Mercer model (it is empty)", file);
  require(first_bytes.size() >= length_bytes, Errc::bad_file,
          "'{}' is not a Mercer model (it has only {} bytes)", file, first_bytes.size());
  std::uint64_t length = 0;
  std::memcpy(&length, first_bytes.data(), length_bytes);
  require(length >= 2 && length <= longest_header, Errc::bad_file,
          "'{}' is not a Mercer model file; are the model and the data swapped?", file);
  return length;
}

Json parse_json(std::string_view text, int depth, std::size_t values) {
  std::size_t count = 0;
  const auto limit = [&](int level, Json::parse_event_t, Json&) {
    if (level > depth || ++count > values) throw TooMuch{};
    return true;
  };
  try {
    return Json::parse(text, limit);
  } catch (const Json::exception&) {
  } catch (const TooMuch&) {
  }
  return Json(Json::value_t::discarded);
}

Header parse_header(std::string_view json, const std::string& file) {
  require(json.front() == '{', Errc::bad_file,
          "'{}' is not a Mercer model file; are the model and the data swapped?", file);
  const Json root = parse_json(json, 4, most_values);
  if (!root.is_object()) damaged(file, "its header is not valid JSON");

  Header header;
  for (const auto& [name, value] : root.items()) {
    if (name != "__metadata__") {
      header.tensors.emplace(name, parse_tensor(value, file));
      continue;
    }
    if (!value.is_object()) damaged(file, "its metadata are not an object");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) damaged(file, "its metadata are not text");
      header.metadata.emplace(key, text.get<std::string>());
    }
  }
  header.data_begin = length_bytes + json.size();
  const std::size_t data = data_size(header.tensors, file);
  if (data > largest_data) damaged(file, "its arrays exceed any file");
  header.file_size = header.data_begin + data;
  return header;
}

std::string make_header(const std::vector<std::pair<std::string, std::string>>& metadata,
                        const std::vector<Array>& arrays) {
  // Objects from the start: a null that cannot become one for want of memory is left with neither,
  // and its destructor crashes.
  using Ordered = nlohmann::ordered_json;
  Ordered about = Ordered::object(), root = Ordered::object();
  for (const auto& [key, text] : metadata) about[key] = text;
  if (!metadata.empty()) root["__metadata__"] = std::move(about);
  std::size_t begin = 0;
  for (const Array& array : arrays) {
    const std::size_t end = begin + array.bytes.size();
    root[array.name] = {
        {"dtype", array.dtype}, {"shape", array.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string json = json_text(root);
  json.append((8 - json.size() % 8) % 8, ' ');
  const std::uint64_t length = json.size();
  std::string header(length_bytes, '\0');
  std::memcpy(header.data(), &length, length_bytes);
  return header + json;
}

}  // namespace mercer::safetensors
