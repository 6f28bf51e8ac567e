// Moment files: a safetensors container with one array, the sums, and a JSON text that says of what
// they are.
#include <mercer/part_moments.hpp>

#include "core/json_text.hpp"
#include "core/output_file.hpp"
#include "core/require.hpp"
#include "data/bytes.hpp"
#include "model/checksum.hpp"
#include "model/safetensors.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace mercer {

namespace {

using Json = nlohmann::json;

constexpr const char* moments_format = "mercer-moments";
constexpr const char* moments_version = "1";

[[noreturn]] void damaged_part(const std::string& name, std::string_view why) {
  fail(Errc::bad_file, "'{}' is damaged ({}); get a fresh copy or sum the rows again", name, why);
}

/// Reads members of the description, each of which must be there and of its kind.
class PartReader {
 public:
  PartReader(const Json& object, const std::string& name) : object_(object), name_(name) {
    if (!object.is_object()) damaged_part(name, "its description is not an object");
  }
  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) wrong(key);
    return value.get<std::string>();
  }
  bool flag(const char* key) const {
    const Json& value = at(key);
    if (!value.is_boolean()) wrong(key);
    return value.get<bool>();
  }
  std::int64_t count(const char* key, std::int64_t most) const {
    const Json& value = at(key);
    if (!value.is_number_unsigned() ||
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
      wrong(key);
    return value.get<std::int64_t>();
  }
  std::vector<std::string> texts(const char* key) const {
    const Json& value = at(key);
    if (!value.is_array()) wrong(key);
    std::vector<std::string> out;
    for (const Json& one : value) {
      if (!one.is_string()) wrong(key);
      out.push_back(one.get<std::string>());
    }
    return out;
  }
  [[noreturn]] void wrong(const char* key) const {
    damaged_part(name_, fmt::format("'{}' is not valid", key));
  }

 private:
  const Json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) damaged_part(name_, fmt::format("'{}' is missing", key));
    return *found;
  }
  const Json& object_;
  const std::string& name_;
};

std::string description_of(const PartMoments& part) {
  const Schema& s = part.schema();
  const PartOptions& o = part.options();
  return json_text(nlohmann::ordered_json{{"features", s.features},
                                          {"feature_names", s.feature_names},
                                          {"label", s.label},
                                          {"id", s.id},
                                          {"weighted", s.weighted},
                                          {"weight", s.weight},
                                          {"center", o.center},
                                          {"scale", o.scale == Scale::std ? "std" : "none"},
                                          {"ddof", o.ddof},
                                          {"map", o.map},
                                          {"parts", part.parts()}});
}

using Numbers = std::vector<double>;

std::string container(const std::string& description,
                      const std::vector<std::pair<std::string, Numbers>>& lists) {
  std::vector<safetensors::Array> arrays;
  for (const auto& [name, numbers] : lists) {
    require(std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }), Errc::bad_data,
            "the sums of these rows are not finite: they contain numbers too large to square; "
            "divide all numbers by a constant");
    arrays.push_back({name,
                      "F64",
                      {numbers.size()},
                      {reinterpret_cast<const char*>(numbers.data()), 8 * numbers.size()}});
  }
  std::string file = safetensors::make_header({{"checksum", std::string(checksum::zeros)},
                                               {"format", moments_format},
                                               {"format_version", moments_version},
                                               {"mercer", description}},
                                              arrays);
  unsigned long sum = checksum::add(0, file);
  for (const safetensors::Array& array : arrays) sum = checksum::add(sum, array.bytes);
  file.replace(checksum::position, checksum::zeros.size(), checksum::text(sum));
  for (const safetensors::Array& array : arrays) file += array.bytes;
  return file;
}

/// The header of a moment file, or a refusal; what comes after it is compared with it.
safetensors::Header header_of(std::string_view bytes, const std::string& name) {
  const bool begun = bytes.size() > safetensors::length_bytes &&
                     bytes.substr(safetensors::length_bytes).starts_with(checksum::before);
  require(begun, Errc::bad_file, "'{}' is not a moment file of Mercer", name);
  const std::size_t length = safetensors::header_length(bytes, name);
  if (bytes.size() < safetensors::length_bytes + length) damaged_part(name, "it is truncated");
  safetensors::Header header =
      safetensors::parse_header(bytes.substr(safetensors::length_bytes, length), name);
  const std::string format = header.metadata["format"];
  require(format != "mercer", Errc::bad_file, "'{}' is a model, not a moment file", name);
  require(format == moments_format, Errc::bad_file, "'{}' is not a moment file of Mercer", name);
  require(header.metadata["format_version"] == moments_version, Errc::bad_file,
          "'{}' was written by another version of Mercer (format {}; this one reads {}); sum the "
          "rows again",
          name, header.metadata["format_version"], moments_version);
  if (bytes.size() < header.file_size) damaged_part(name, "it is truncated");
  if (bytes.size() > header.file_size) damaged_part(name, "it has extra bytes at its end");
  if (!checksum::matches(bytes)) damaged_part(name, "its checksum does not match its content");
  return header;
}

Numbers numbers_of(const safetensors::Header& header, std::string_view bytes, const char* key,
                   const std::string& name) {
  const auto found = header.tensors.find(key);
  if (found == header.tensors.end() || found->second.dtype != "F64")
    damaged_part(name, fmt::format("'{}' is missing", key));
  const std::size_t size = found->second.end - found->second.begin;
  if (size % sizeof(double) != 0) damaged_part(name, fmt::format("'{}' is incomplete", key));
  Numbers out(size / sizeof(double));
  if (size > 0)
    std::memcpy(out.data(), bytes.data() + header.data_begin + found->second.begin, size);
  for (const double number : out)
    if (!std::isfinite(number)) damaged_part(name, fmt::format("'{}' is not finite", key));
  return out;
}

}  // namespace

std::string PartMoments::to_bytes() const {
  return container(description_of(*this), {{"sums", sums_.save_state()},
                                           {"inputs", map_ ? inputs_.save_state() : Numbers()},
                                           {"feature_error", {feature_error_}}});
}

PartMoments PartMoments::from_bytes(std::string_view bytes, const std::string& name) {
  safetensors::Header header = header_of(bytes, name);
  const Numbers sums = numbers_of(header, bytes, "sums", name),
                inputs = numbers_of(header, bytes, "inputs", name),
                rounding = numbers_of(header, bytes, "feature_error", name);
  if (rounding.size() != 1 || rounding[0] < 0) damaged_part(name, "'feature_error' is not valid");
  const std::size_t count = sums.size() + inputs.size();

  // A sum of squares has a number for each column at least, so the file bounds what they cost.
  const Json words = safetensors::parse_json(header.metadata["mercer"], 3, count + 1000);
  if (words.is_discarded()) damaged_part(name, "its description is not valid JSON");
  const PartReader reader(words, name);
  Schema schema{.features = reader.count("features", static_cast<std::int64_t>(count)),
                .feature_names = reader.texts("feature_names"),
                .label = reader.text("label"),
                .id = reader.text("id"),
                .weighted = reader.flag("weighted"),
                .weight = reader.text("weight")};
  if (!schema.feature_names.empty() &&
      schema.feature_names.size() != static_cast<std::size_t>(schema.features))
    reader.wrong("feature_names");
  PartOptions options{.center = reader.flag("center"),
                      .scale = reader.text("scale") == "std" ? Scale::std : Scale::none,
                      .ddof = static_cast<int>(reader.count("ddof", 1)),
                      .map = reader.text("map")};
  try {
    PartMoments part(std::move(schema), std::move(options));
    if (static_cast<std::size_t>(part.sums_.moments().features()) > count)
      damaged_part(name, "it has more features than sums");
    part.sums_.load_state(sums);
    if (part.map_) part.inputs_.load_state(inputs);
    part.feature_error_ = rounding[0];
    part.parts_ = reader.count("parts", std::int64_t{1} << 62);
    part.name_ = fmt::format("'{}'", name);
    return part;
  } catch (const Error& error) {
    if (error.code() == Errc::bad_file || error.code() == Errc::out_of_memory) throw;
    damaged_part(name, error.what());
  }
}

void PartMoments::save(const std::string& path) const {
  OutputFile file(path);
  file.write(to_bytes());
  file.finish();
  file.publish();
}

PartMoments PartMoments::load(const std::string& path) {
  const auto stream = open_bytes(path, {});
  std::string bytes;
  constexpr std::size_t chunk = 4 << 20;
  for (std::size_t got = chunk; got == chunk;) {
    const std::size_t old = bytes.size();
    bytes.resize(old + chunk);
    got = stream->read(bytes.data() + old, chunk);
    bytes.resize(old + got);
  }
  return from_bytes(bytes, stream->name());
}

bool PartMoments::is_file(const std::string& path) {
  if (path == "-") return false;
  const std::string mark = fmt::format(R"("format":"{}")", moments_format);
  try {
    const auto stream = open_bytes(path, {});
    std::string begin(256, '\0');
    begin.resize(stream->read(begin.data(), begin.size()));
    return begin.size() > safetensors::length_bytes &&
           begin.substr(safetensors::length_bytes).starts_with(checksum::before) &&
           begin.find(mark) != std::string::npos;
  } catch (const Error&) {
    return false;  // whoever reads it reports what is wrong
  }
}

}  // namespace mercer
