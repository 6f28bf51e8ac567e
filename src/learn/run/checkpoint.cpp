#include "learn/run/checkpoint.hpp"

#include "core/json_text.hpp"
#include "core/output_file.hpp"
#include "core/require.hpp"
#include "data/bytes.hpp"
#include "model/checksum.hpp"
#include "model/safetensors.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace mercer {

namespace {

using safetensors::Array;

constexpr const char* checkpoint_format = "mercer-checkpoint";
constexpr const char* checkpoint_version = "2";
constexpr const char* learner_name = "learner";

std::string previous(const std::string& path) { return path + ".previous"; }
std::string fresh_previous(const std::string& path) { return previous(path) + ".new"; }

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

/// By a second name for the same file, so that PATH itself is there at every moment.
void keep_as_previous(const std::string& path) {
  if (!exists(path)) return;
  const std::string kept = previous(path), fresh = fresh_previous(path);
  unlink(fresh.c_str());
  const bool linked = link(path.c_str(), fresh.c_str()) == 0;
  const char* from = linked ? fresh.c_str() : path.c_str();  // not every file system has links
  if (std::rename(from, kept.c_str()) == 0) return;
  const int error = errno;
  unlink(fresh.c_str());
  fail(Errc::io, "cannot write '{}': {}", kept, std::strerror(error));
}

/// What is wrong, as a clause.
struct Damage {
  std::string why;
};

std::string read_file(const std::string& path) {
  const auto stream = open_bytes(path, {});
  std::string bytes;
  constexpr std::size_t chunk = 1 << 20;
  for (std::size_t got = chunk; got == chunk;) {
    const std::size_t old = bytes.size();
    bytes.resize(old + chunk);
    got = stream->read(bytes.data() + old, chunk);
    bytes.resize(old + got);
  }
  return bytes;
}

safetensors::Header header_of(const std::string& bytes, const std::string& path) {
  const std::size_t begin = safetensors::length_bytes;
  const std::size_t length = safetensors::header_length(bytes, path);
  if (bytes.size() < begin + length) throw Damage{"it is truncated"};
  safetensors::Header header =
      safetensors::parse_header(std::string_view(bytes).substr(begin, length), path);
  if (header.metadata["format"] != checkpoint_format) throw Damage{"it is a file of another kind"};
  if (bytes.size() != header.file_size) throw Damage{"it is truncated"};
  if (!checksum::matches(bytes)) throw Damage{"its checksum does not match its content"};
  return header;
}

Checkpoint parse(const std::string& bytes, const std::string& path) {
  safetensors::Header header = header_of(bytes, path);
  require(header.metadata["format_version"] == checkpoint_version, Errc::bad_option,
          "checkpoint '{}' was written by another version of Mercer (format {}, this one reads "
          "{}); start again without `resume`",
          path, header.metadata["format_version"], checkpoint_version);
  Checkpoint out;
  const auto run = safetensors::parse_json(header.metadata["run"], 3, 1000);
  const auto counts = safetensors::parse_json(header.metadata["counts"], 3, 1000);
  const auto texts = safetensors::parse_json(header.metadata["texts"], 3, 1000);
  if (!run.is_array() || !counts.is_object() || !texts.is_object())
    throw Damage{"its description is not complete"};
  for (const auto& pair : run) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      throw Damage{"its description is not complete"};
    out.run.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  }
  for (const auto& [name, value] : counts.items()) {
    if (!value.is_number_integer()) throw Damage{"a count is not a number"};
    out.counts[name] = value.get<std::int64_t>();
  }
  for (const auto& [name, value] : texts.items()) {
    if (!value.is_string()) throw Damage{"a text is not a string"};
    out.texts[name] = value.get<std::string>();
  }
  for (const auto& [name, tensor] : header.tensors) {
    const char* data = bytes.data() + header.data_begin + tensor.begin;
    const std::size_t size = tensor.end - tensor.begin;
    if (name == learner_name) {
      out.learner.assign(data, size);
      continue;
    }
    if (tensor.shape.size() != 2 || tensor.dtype != "F64" || tensor.shape[0] > size ||
        tensor.shape[1] > size || tensor.shape[0] * tensor.shape[1] * sizeof(double) != size)
      throw Damage{fmt::format("the shape of '{}' is wrong", name)};
    Matrix<double> array(static_cast<Index>(tensor.shape[0]), static_cast<Index>(tensor.shape[1]));
    if (size > 0) std::memcpy(array.data(), data, size);
    out.arrays.emplace(name, std::move(array));
  }
  return out;
}

}  // namespace

void save_checkpoint(const Checkpoint& checkpoint, const std::string& path) {
  auto run = nlohmann::ordered_json::array();
  for (const auto& [name, value] : checkpoint.run) run.push_back({name, value});
  nlohmann::ordered_json counts = nlohmann::ordered_json::object();
  for (const auto& [name, value] : checkpoint.counts) counts[name] = value;
  nlohmann::ordered_json texts = nlohmann::ordered_json::object();
  for (const auto& [name, value] : checkpoint.texts) texts[name] = value;
  std::vector<Array> arrays;
  for (const auto& [name, array] : checkpoint.arrays) {
    const auto rows = static_cast<std::uint64_t>(array.rows());
    const auto cols = static_cast<std::uint64_t>(array.cols());
    arrays.push_back({name,
                      "F64",
                      {rows, cols},
                      {reinterpret_cast<const char*>(array.data()), rows * cols * sizeof(double)}});
  }
  arrays.push_back({learner_name, "U8", {checkpoint.learner.size()}, checkpoint.learner});
  std::string bytes = safetensors::make_header({{"checksum", std::string(checksum::zeros)},
                                                {"format", checkpoint_format},
                                                {"format_version", checkpoint_version},
                                                {"run", json_text(run)},
                                                {"counts", json_text(counts)},
                                                {"texts", json_text(texts)}},
                                               arrays);
  for (const Array& array : arrays)
    if (!array.bytes.empty()) bytes += array.bytes;
  bytes.replace(checksum::position, checksum::zeros.size(),
                checksum::text(checksum::add(0, bytes)));

  OutputFile file(path);
  file.write(bytes);
  file.finish();
  keep_as_previous(path);
  file.publish();
}

bool has_checkpoint(const std::string& path) { return exists(path) || exists(previous(path)); }

std::optional<Checkpoint> load_checkpoint(const std::string& path) {
  const bool kept = exists(previous(path));
  if (!exists(path)) {
    require(!kept, Errc::bad_file,
            "checkpoint '{}' is missing, but '{}' exists: rename it to resume from it, or remove "
            "it to start again",
            path, previous(path));
    return std::nullopt;
  }
  std::string why;
  try {
    return parse(read_file(path), path);
  } catch (const Damage& damage) {
    why = damage.why;
  } catch (const Error& error) {
    if (error.code() == Errc::bad_option) throw Error(Errc::bad_file, error.what());
    if (error.code() != Errc::bad_file) throw;
    why = "its header cannot be read";
  }
  if (kept)
    fail(Errc::bad_file,
         "checkpoint '{}' is damaged ({}); the previous one is '{}': rename it to '{}' and resume "
         "from there",
         path, why, previous(path), path);
  fail(Errc::bad_file,
       "checkpoint '{}' is damaged ({}), and there is no '{}'; start again without `resume`", path,
       why, previous(path));
}

void require_own_checkpoint(const std::string& path) {
  for (const std::string& file : {path, previous(path), fresh_previous(path)}) {
    if (!exists(file)) continue;
    char begin[256];  // the format is the second entry of the header
    const std::size_t size = open_bytes(file, {})->read(begin, sizeof begin);
    require(size == 0 || std::string_view(begin, size).find(checkpoint_format) != std::string::npos,
            Errc::bad_file,
            "'{}' is not a checkpoint and would be overwritten; choose another file", file);
  }
}

void require_same_run(const Checkpoint& found,
                      const std::vector<std::pair<std::string, std::string>>& now,
                      const std::string& path) {
  const std::map<std::string, std::string> then(found.run.begin(), found.run.end());
  for (const auto& [name, value] : now) {
    const auto old = then.find(name);
    const std::string& was = old == then.end() ? "(none)" : old->second;
    require(was == value, Errc::bad_file,
            "checkpoint '{}' belongs to another run: its {} is {}, not {}; choose another "
            "checkpoint file, or start again without `resume`",
            path, name, was, value);
  }
}

}  // namespace mercer
