#pragma once
// A small model whose every field has a value of its own, and files forged from it.

#include <mercer/model.hpp>

#include <zlib.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <functional>
#include <string>

namespace mercer::test {

template <class T>
ModelParts<T> sample_parts() {
  ModelParts<T> p;
  p.map = identity_map<T>(3);
  p.components.resize(2, 3);
  p.components << T(0.6), T(0), T(0.8), T(0.8), T(0), T(-0.6);
  p.mean.resize(3);
  p.mean << T(0.1), T(-2), T(1e6);
  p.scale.resize(3);
  p.scale << T(2), T(1), T(0.25);
  p.eigenvalues.resize(2);
  p.eigenvalues << 1.0 / 3, 1e-20;
  p.feature_names = {"alcohol", "größe, \"cm\"", "line\nbreak"};
  p.label_column = "cultivar";
  p.id_column = "nr";
  p.report.solver = {"covariance", "5 rows of 3 columns: N ≥ d", 2, {1e-16, 0.1 + 0.2}, 1e-10,
                     true};
  p.report.n_samples = 5;
  p.report.weight = 7.5;
  p.report.weighted = true;
  p.report.centered = true;
  p.report.ddof = 0;
  p.report.total_variance = 0.1;
  p.report.seconds = 0.25;
  p.report.peak_memory_bytes = 123456789012;
  return p;
}

/// Takes a model file apart, lets `change` at its header and its data, and puts it together again
/// with a checksum that is right.
inline std::string forge(
    const std::string& file,
    const std::function<void(nlohmann::ordered_json& header, std::string& data)>& change) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  auto header = nlohmann::ordered_json::parse(file.substr(8, length));
  std::string data = file.substr(8 + length);
  change(header, data);
  header["__metadata__"]["checksum"] = "00000000";
  std::string json = header.dump();
  length = json.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  out += json + data;
  char digits[9];
  std::snprintf(
      digits, sizeof digits, "%08lx",
      crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size())));
  const std::string key = R"("checksum":")";
  out.replace(out.find(key) + key.size(), 8, digits);
  return out;
}

/// The same for the description, which is JSON inside the header's JSON.
inline std::string forge_description(const std::string& file,
                                     const std::function<void(nlohmann::ordered_json&)>& change) {
  return forge(file, [&](nlohmann::ordered_json& header, std::string&) {
    auto& text = header["__metadata__"]["mercer"];
    auto description = nlohmann::ordered_json::parse(text.get<std::string>());
    change(description);
    text = description.dump();
  });
}

}  // namespace mercer::test
