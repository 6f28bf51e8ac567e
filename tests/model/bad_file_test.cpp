// Files that are not what they should be. Every one is an Errc::bad_file with one line of text.

#include "model/sample.hpp"
#include "support/temp_dir.hpp"

#include <mercer/error.hpp>
#include <mercer/model.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace mercer::bad_file_test {

using test::forge;
using test::forge_description;
using test::sample_parts;
using Json = nlohmann::ordered_json;

template <class T = double>
std::string sample() {
  return Model<T>(sample_parts<T>()).serialize();
}

/// What loading the bytes complains of; "" when it does not.
template <class T = double>
std::string complaint(std::string_view bytes) {
  try {
    Model<T>::deserialize(bytes, "m.st");
    return "";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), Errc::bad_file) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(text.find("'m.st' "), 0U) << text;
    return text;
  }
}

void expect_complaint(std::string_view bytes, const std::string& about) {
  const std::string text = complaint(bytes);
  EXPECT_NE(text.find(about), std::string::npos) << "'" << text << "' lacks '" << about << "'";
}

template <class S>
void put(std::string& data, std::size_t at, S value) {
  std::memcpy(data.data() + at, &value, sizeof value);
}

TEST(BadModelFile, every_flipped_bit_is_noticed) {
  const std::string good = sample();
  ASSERT_EQ(complaint(good), "");
  std::string bytes = good;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<char>(good[i] ^ (1 << bit));
      EXPECT_NE(complaint(bytes), "") << "byte " << i << ", bit " << bit;
      bytes[i] = good[i];
    }
}

TEST(BadModelFile, every_truncation_is_noticed) {
  const std::string good = sample();
  for (std::size_t size = 0; size < good.size(); ++size) {
    const std::string text = complaint(good.substr(0, size));
    EXPECT_NE(text.find(size <= 8 ? "not a Mercer model" : "truncated"), std::string::npos) << text;
  }
  expect_complaint(good + '\0', "extra bytes at its end");
}

TEST(BadModelFile, truncations_are_noticed_on_disk_too) {
  const test::TempDir dir;
  const std::string good = sample();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{100}, good.size() - 1}) {
    const std::string path = dir.file("short.st", good.substr(0, size));
    EXPECT_THROW(Model<double>::load(path), Error);
  }
  EXPECT_THROW(Model<double>::load(dir.file("long.st", good + "x")), Error);
  EXPECT_THROW(load_any(dir.file("short.st", good.substr(0, 100))), Error);
}

TEST(BadModelFile, something_else_is_not_a_model) {
  expect_complaint("", "is not a Mercer model (it is empty)");
  expect_complaint("a,b\n1,2\n", "is not a Mercer model");
  expect_complaint("sepal_length,sepal_width\n1,2\n3,4\n", "is not a Mercer model");
  expect_complaint(std::string(1000, '\0'), "is not a Mercer model");
  expect_complaint(std::string(1000, '\xff'), "is not a Mercer model");
  expect_complaint(std::string("\x02\0\0\0\0\0\0\0{}", 10), "safetensors file of another kind");
  expect_complaint(
      forge(sample(), [](Json& header, auto&) { header["__metadata__"].erase("format"); }),
      "safetensors file of another kind");
}

TEST(BadModelFile, a_newer_version_is_named_before_anything_else_is_understood) {
  std::string newer = forge(sample(), [](Json& header, std::string& data) {
    header["__metadata__"]["format_version"] = "3";
    header.erase("components");
    header.erase("mean");
    header.erase("scale");
    header["eigenvalues"] = {
        {"dtype", "Q7"}, {"shape", Json::array()}, {"data_offsets", {0, data.size()}}};
  });
  newer.back() = static_cast<char>(newer.back() ^ 1);  // a checksum that it may define otherwise
  expect_complaint(newer, "was written by a newer Mercer (format 3; this one reads 2)");
  for (const char* version : {"", "0", "-1", "1.5", "one", "99999999999999999999"})
    expect_complaint(
        forge(sample(),
              [&](Json& header, auto&) { header["__metadata__"]["format_version"] = version; }),
        "format version");
}

TEST(BadModelFile, a_map_that_is_not_known_may_be_that_of_a_newer_version) {
  expect_complaint(forge_description(sample(), [](Json& d) { d["map"] = "monomials\n(degree=2)"; }),
                   "uses the map 'monomials?(degree=2)', which is unknown to this version");
}

TEST(BadModelFile, each_array_must_be_there_with_its_shape_and_type) {
  for (const char* name : {"components", "mean", "eigenvalues"}) {
    expect_complaint(forge(sample(),
                           [&](Json& h, auto&) {
                             const Json array = h[name];
                             h.erase(name);
                             h["other"] = array;
                           }),
                     std::string("'") + name + "' is missing");
    expect_complaint(forge(sample(), [&](Json& h, auto&) { h[name]["dtype"] = "I64"; }),
                     "neither F32 nor F64");
    expect_complaint(forge(sample(), [&](Json& h, auto&) { h[name]["dtype"] = "F32"; }),
                     "does not match its size");
    for (const Json& shape :
         {Json::array(), Json::array({1}), Json::array({2, 3, 1}), Json::array({0}),
          Json::array({0, 3}), Json::array({3, 4}), Json::array({1ULL << 62, 1ULL << 62}),
          Json::array({1ULL << 63, 6}), Json::array({(1ULL << 61) + 6, 1})})
      expect_complaint(forge(sample(), [&](Json& h, auto&) { h[name]["shape"] = shape; }),
                       "does not match its size");
    for (const Json& shape : {Json("3"), Json::array({-1}), Json::array({1.5}), Json::array({"3"}),
                              Json::array({1e30})})
      expect_complaint(forge(sample(), [&](Json& h, auto&) { h[name]["shape"] = shape; }),
                       "invalid array description");
  }
  expect_complaint(forge(sample(),
                         [&](Json& h, auto&) {
                           h["components"]["shape"] = Json::array({3, 2});
                         }),
                   "differ in length");
}

TEST(BadModelFile, arrays_must_follow_each_other_to_the_end_of_the_file) {
  const auto offsets = [](const char* name, const Json& value) {
    return forge(sample(), [&](Json& h, auto&) { h[name]["data_offsets"] = value; });
  };
  expect_complaint(offsets("mean", Json::array({0, 24})), "overlap or leave gaps");
  expect_complaint(offsets("eigenvalues", Json::array({8, 24})), "overlap or leave gaps");
  expect_complaint(offsets("scale", Json::array({88, 1ULL << 40})), "truncated");
  expect_complaint(offsets("scale", Json::array({88, ~0ULL})), "exceed any file");
  expect_complaint(offsets("scale", Json::array({88, 96})), "extra bytes at its end");
  expect_complaint(offsets("mean", Json::array({88, 64})), "invalid array description");
  expect_complaint(offsets("mean", Json::array({64})), "invalid array description");
  expect_complaint(offsets("mean", nullptr), "invalid array description");
}

TEST(BadModelFile, a_header_that_is_not_plain_json_is_refused_without_effort) {
  const auto with_header = [](const std::string& json) {
    const std::uint64_t length = json.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes + json;
  };
  const std::string deep(1'000'000, '[');
  std::string wide = "0";
  for (int i = 0; i < 1'000'000; ++i) wide += ",0";
  const std::string nested = std::string(20, '[') + std::string(20, ']');
  expect_complaint(with_header("{\"a\":" + deep), "not valid JSON");
  expect_complaint(with_header("{\"a\":" + nested + "}"), "not valid JSON");
  expect_complaint(with_header("{\"a\":[" + wide + "]}"), "not valid JSON");
  expect_complaint(with_header("{\"a\":"), "not valid JSON");
  expect_complaint(with_header("{\"a\":\"\xff\"}"), "not valid JSON");
  expect_complaint(with_header(R"({"__metadata__":[]})"), "metadata");
  expect_complaint(with_header(R"({"__metadata__":{"a":1}})"), "metadata");
  expect_complaint(with_header(R"({"a":[]})"), "invalid array description");
  expect_complaint(forge(sample(), [](Json& h, auto&) { h["__metadata__"]["mercer"] = "{"; }),
                   "description is not valid JSON");
  expect_complaint(forge(sample(), [&](Json& h, auto&) { h["__metadata__"]["mercer"] = deep; }),
                   "description is not valid JSON");
  expect_complaint(forge(sample(), [&](Json& h, auto&) { h["__metadata__"]["mercer"] = "[]"; }),
                   "description is not an object");
  std::string unlucky = sample();
  put(unlucky, 0, std::uint64_t{1} << 40);  // a header that would be a tebibyte
  expect_complaint(unlucky, "is not a Mercer model");
}

TEST(BadModelFile, every_member_of_the_description_must_be_there_and_of_its_type) {
  const std::string good = sample();
  std::vector<std::vector<std::string>> paths;
  forge_description(good, [&](Json& d) {
    for (const auto& [key, value] : d.items()) paths.push_back({key});
    for (const char* part : {"solver", "certificate"})
      for (const auto& [key, value] : d[part].items()) paths.push_back({part, key});
  });
  EXPECT_EQ(paths.size(), 23U);
  for (const auto& path : paths) {
    EXPECT_NE(complaint(forge_description(
                  good, [&](Json& d) { (path.size() == 1 ? d : d[path[0]]).erase(path.back()); })),
              "")
        << path.back() << " was missing";
    EXPECT_NE(complaint(forge_description(
                  good,
                  [&](Json& d) {
                    (path.size() == 1 ? d : d[path[0]])[path.back()] = {{"not", "this"}};
                  })),
              "")
        << path.back() << " was an object";
  }
}

TEST(BadModelFile, numbers_must_make_sense) {
  const auto described = [](const char* key, const Json& value) {
    return forge_description(sample(), [&](Json& d) { d[key] = value; });
  };
  expect_complaint(described("ddof", 2), "'ddof' is not a count");
  expect_complaint(described("n_samples", 0), "no rows");
  expect_complaint(described("n_samples", -5), "'n_samples' is not a count");
  expect_complaint(described("n_samples", ~0ULL), "'n_samples' is not a count");
  expect_complaint(described("weight", 0), "no rows");
  expect_complaint(described("weight", -1), "invalid number");
  expect_complaint(described("total_variance", -1), "invalid number");
  expect_complaint(described("total_squares", -1), "invalid number");
  expect_complaint(described("total_squares", "many"), "'total_squares' is not a number");
  expect_complaint(described("feature_names", {"a", "b"}), "one name per feature");
  expect_complaint(forge_description(sample(),
                                     [](Json& d) {
                                       d["solver"]["residuals"] = {1, 2, 3};
                                     }),
                   "one residual per component");
  expect_complaint(forge_description(sample(), [](Json& d) { d["solver"]["passes"] = 1LL << 40; }),
                   "'passes' is not a count");

  // eigenvalues at 0, components at 16, mean at 64, scale at 88
  const auto stored = [](std::size_t at, double value) {
    return forge(sample(), [&](auto&, std::string& data) { put(data, at, value); });
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double wrong : {inf, -inf, std::numeric_limits<double>::quiet_NaN()})
    for (const std::size_t at : {0, 16, 64, 88}) expect_complaint(stored(at, wrong), "not finite");
  expect_complaint(stored(8, 0.5), "eigenvalues are not descending");
  expect_complaint(stored(8, -1e-9), "eigenvalues are not descending");
  expect_complaint(stored(88, 0), "a scale is not positive");
  expect_complaint(stored(88, -1), "a scale is not positive");
  expect_complaint(stored(16, 0.7), "not orthonormal");
  expect_complaint(stored(32, -0.8), "not orthonormal");
}

TEST(BadModelFile, numbers_that_single_precision_cannot_hold_are_refused_there_only) {
  for (const auto& wrong : {std::pair<std::size_t, double>{64, 1e300}, {88, 1e-300}}) {
    const std::string file =
        forge(sample(), [&](auto&, std::string& data) { put(data, wrong.first, wrong.second); });
    EXPECT_EQ(complaint<double>(file), "");
    EXPECT_NE(complaint<float>(file).find("exceed single precision"), std::string::npos);
  }
}

TEST(BadModelFile, a_checksum_must_stand_in_its_place) {
  const auto without = forge(sample(), [](Json& h, auto&) {
    Json metadata = {{"format", "mercer"}};
    for (const auto& [key, value] : h["__metadata__"].items()) metadata[key] = value;
    h["__metadata__"] = metadata;
  });
  expect_complaint(without, "has no checksum");
  std::string upper = sample();
  for (std::size_t i = 0; i < 60; ++i)
    if (upper[i] >= 'a' && upper[i] <= 'f') upper[i] = static_cast<char>(upper[i] - 32);
  EXPECT_NE(complaint(upper), "");
}

}  // namespace mercer::bad_file_test
