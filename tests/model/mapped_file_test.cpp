// Files of models with maps other than the identity: whole, and damaged.

#include "model/sample.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

namespace mercer::mapped_file_test {

using test::error_of;
using test::forge;
using test::forge_description;
using Json = nlohmann::ordered_json;

template <class T>
class MappedFile : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(MappedFile, Precisions);

TYPED_TEST(MappedFile, gives_back_every_field_and_the_same_scores) {
  using T = TypeParam;
  const test::TempDir dir;
  for (const ModelParts<T>& parts : test::all_mapped_parts<T>()) {
    SCOPED_TRACE(parts.map->text());
    const Model<T> model(parts);
    model.save(dir / "model.st");
    const AnyModel any = load_any(dir / "model.st");
    ASSERT_TRUE(std::holds_alternative<Model<T>>(any));
    const Model<T>& loaded = std::get<Model<T>>(any);
    test::expect_same(loaded.parts(), parts);
    EXPECT_EQ(loaded.serialize(), model.serialize());
    const Matrix<T> x = Matrix<T>::Constant(3, model.inputs(), T(0.5));
    EXPECT_EQ(loaded.transform(x), model.transform(x));
  }
}

TYPED_TEST(MappedFile, holds_sparse_anchors_without_entries) {
  using T = TypeParam;
  auto parts = test::sparse_kernel_parts<T>();
  parts.map = kernel_map<T>(kernels::linear(), Csr<T>{3, {0, 0, 0, 0, 0}, {}, {}});
  test::expect_same(Model<T>::deserialize(Model<T>(parts).serialize()).parts(), parts);
}

TEST(MappedFile, is_read_in_either_precision) {
  const auto dense =
      Model<float>::deserialize(Model<double>(test::kernel_parts<double>()).serialize());
  test::expect_same(dense.map().anchors(), test::kernel_parts<float>().map->anchors());
  const auto sparse =
      Model<double>::deserialize(Model<float>(test::sparse_kernel_parts<float>()).serialize());
  test::expect_same(sparse.map().anchors(), test::sparse_kernel_parts<double>().map->anchors());
  EXPECT_EQ(sparse.input_mean(), test::sparse_kernel_parts<double>().input_mean);
}

TEST(MappedFile, has_aligned_arrays) {
  const auto check = [](const std::string& file) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), 8);
    const Json header = Json::parse(file.substr(8, length));
    for (const auto& [name, tensor] : header.items()) {
      if (name == "__metadata__") continue;
      const std::size_t size = tensor["dtype"].get<std::string>().ends_with("64") ? 8 : 4;
      EXPECT_EQ(tensor["data_offsets"][0].get<std::size_t>() % size, 0U) << name;
    }
  };
  for (const auto& parts : test::all_mapped_parts<float>()) check(Model<float>(parts).serialize());
  for (const auto& parts : test::all_mapped_parts<double>())
    check(Model<double>(parts).serialize());
}

/// The file of version 1 loads, that of version 2 is what is written today, and both give the
/// same scores.
void check_golden(const std::string& name, const ModelParts<double>& parts) {
  const auto golden = std::filesystem::path(__FILE__).parent_path() / "golden";
  const auto old = Model<double>::load((golden / (name + "-v1.st")).string());
  test::expect_same_v1(old.parts(), parts);
  const std::string path = (golden / (name + "-v2.st")).string();
  const auto model = Model<double>::load(path);
  test::expect_same(model.parts(), parts);
  EXPECT_EQ(model.serialize(), test::slurp(path));
  const Matrix<double> x = Matrix<double>::NullaryExpr(
      3, model.inputs(), [](Index i, Index j) { return 0.5 * static_cast<double>(i - 2 * j); });
  EXPECT_EQ(old.transform(x), model.transform(x));
}

TEST(MappedFile, golden_kernel_models_of_both_versions_load_and_give_the_same_scores) {
  check_golden("kernel", test::kernel_parts<double>());
  check_golden("kernel-sparse", test::sparse_kernel_parts<double>());
}

TEST(MappedFile, golden_model_with_kept_rows_loads_and_is_written_the_same) {
  auto parts = test::mapped_parts<double>(polynomial_map<double>(2, 2));
  parts.scale.resize(2);
  parts.scale << 0.5, 4;
  parts.rows.resize(3, 2);
  parts.rows << 0.25, -1.5, 1e-300, 0.1, 7, 1e6;
  check_golden("map-rows", parts);
  const auto path = std::filesystem::path(__FILE__).parent_path() / "golden" / "map-rows-v1.st";
  EXPECT_EQ(Model<double>::load(path.string()).rows(), parts.rows);
  // A reader that does not know of rows would still find the rest where it always was.
  EXPECT_EQ(Model<float>::load(path.string()).rows(), parts.rows.cast<float>());
}

TEST(MappedFile, M_P1_a_mean_in_two_numbers_stays_exact_in_another_precision) {
  auto parts = test::kernel_parts<double>();
  const Index d = parts.input_mean.size();
  parts.scale = Vector<double>::Ones(d);
  parts.input_mean = Vector<double>::Constant(d, 1e9 + 0x1p-10);
  parts.input_rest = Vector<double>::Constant(d, 0x1p-40 / 3);
  const std::string file = Model<double>(parts).serialize();
  const auto same = Model<double>::deserialize(file);
  EXPECT_EQ(same.input_mean(), parts.input_mean);
  EXPECT_EQ(same.input_rest(), parts.input_rest);
  // Two floats have 48 bits.
  const auto single = Model<float>::deserialize(file);
  for (Index j = 0; j < d; ++j)
    EXPECT_NEAR(
        static_cast<double>(single.input_mean()[j]) + static_cast<double>(single.input_rest()[j]),
        1e9 + 0x1p-10, 1e9 * 0x1p-48);
  // z-scores are what both make of a row: k(x, ·) at a row beside the mean.
  Matrix<double> x = Matrix<double>::Constant(1, d, 1e9 + 0.5);
  auto near = parts;
  near.input_mean.setZero();
  near.input_rest.setConstant(0x1p-10);
  const Matrix<double> z = Matrix<double>::Constant(1, d, 0.5);
  EXPECT_LT((same.transform(x) - Model<double>(near).transform(z)).cwiseAbs().maxCoeff(), 1e-11);
  parts.input_rest.resize(d + 1);
  EXPECT_THROW(Model<double>{parts}, Error);
}

/// Loading fails with one line about `part`.
template <class T = double>
void expect_bad(const std::string& bytes, const std::string& part) {
  const Error error = error_of([&] { Model<T>::deserialize(bytes, "m.st"); });
  EXPECT_EQ(error.code(), Errc::bad_file) << error.what();
  EXPECT_HAS(error.what(), part);
  EXPECT_HAS(error.what(), "'m.st' ");
}

std::string dense_file() { return Model<double>(test::kernel_parts<double>()).serialize(); }
std::string sparse_file() { return Model<double>(test::sparse_kernel_parts<double>()).serialize(); }

std::string rename(const std::string& file, const char* name) {
  return forge(file, [&](Json& h, auto&) {
    const Json array = h[name];
    h.erase(name);
    h["other"] = array;
  });
}

/// The file with entry `at` of an array replaced.
template <class S>
std::string with(const std::string& file, const char* name, std::size_t at, S value) {
  return forge(file, [&](Json& h, std::string& data) {
    const auto begin = h[name]["data_offsets"][0].get<std::size_t>();
    std::memcpy(data.data() + begin + at * sizeof(S), &value, sizeof value);
  });
}

TEST(BadMappedFile, lacks_an_array) {
  expect_bad(rename(dense_file(), "anchors"), "'anchors' is missing");
  expect_bad(rename(sparse_file(), "anchors_offsets"), "'anchors' is missing");
  expect_bad(rename(sparse_file(), "anchors_columns"), "'anchors_columns' is missing");
  expect_bad(rename(sparse_file(), "anchors_values"), "'anchors_values' is missing");
  expect_bad(rename(dense_file(), "input_mean"), "it declares 2 columns and has 4");
}

TEST(BadMappedFile, claims_sizes_that_it_has_not) {
  const auto shaped = [](const std::string& file, const char* name, const Json& shape) {
    return forge(file, [&](Json& h, auto&) { h[name]["shape"] = shape; });
  };
  for (const Json& shape : {Json::array({1ULL << 40, 2}), Json::array({1ULL << 62, 1ULL << 62}),
                            Json::array({4}), Json::array({0, 2}), Json::array({4, 3})})
    expect_bad(shaped(dense_file(), "anchors", shape), "shape of 'anchors' does not match");
  for (const char* name : {"anchors_offsets", "anchors_columns", "anchors_values"})
    for (const Json& shape : {Json::array({1ULL << 40}), Json::array({0}),
                              Json::array({1ULL << 61}), Json::array({5, 1})})
      expect_bad(shaped(sparse_file(), name, shape), "does not match its size");
  for (const char* name : {"anchors_offsets", "anchors_columns"})
    expect_bad(forge(sparse_file(), [&](Json& h, auto&) { h[name]["dtype"] = "F64"; }),
               " is not I");
  for (const std::uint64_t inputs : {1ULL, 3ULL, 1ULL << 31, 1ULL << 62})
    expect_bad(forge_description(sparse_file(), [&](Json& d) { d["inputs"] = inputs + 1; }),
               "columns and has 3");
  expect_bad(forge_description(dense_file(), [](Json& d) { d["inputs"] = -1; }), "not a count");
  expect_bad(forge_description(dense_file(), [](Json& d) { d["inputs"] = "2"; }), "not a count");
}

TEST(BadMappedFile, has_anchors_of_another_width) {
  for (const Json& shape : {Json::array({2, 4}), Json::array({8, 1})})
    expect_bad(forge(dense_file(), [&](Json& h, auto&) { h["anchors"]["shape"] = shape; }),
               "'anchors' has " + shape[1].dump() + " columns, not 2");
  const std::string more = forge(dense_file(), [](Json& h, std::string& data) {
    const auto begin = h["anchors"]["data_offsets"][0].get<std::size_t>();
    h["anchors"]["shape"] = {5, 2};
    h["anchors"]["data_offsets"][1] = begin + 80;
    data.resize(begin + 80);
  });
  expect_bad(more, "differ in length");
}

TEST(BadMappedFile, has_sparse_anchors_out_of_order) {
  using Offset = std::int64_t;
  using Column = std::int32_t;
  const std::string file = sparse_file();
  expect_bad(with(file, "anchors_offsets", 0, Offset{1}), "offsets do not run from 0");
  expect_bad(with(file, "anchors_offsets", 4, Offset{6}), "offsets do not run from 0");
  expect_bad(with(file, "anchors_offsets", 4, Offset{-1}), "offsets do not run from 0");
  expect_bad(with(file, "anchors_offsets", 2, Offset{1}), "offsets do not ascend");
  expect_bad(with(file, "anchors_offsets", 2, Offset{1} << 60), "offsets do not ascend");
  expect_bad(with(file, "anchors_offsets", 1, Offset{-5}), "offsets do not ascend");
  expect_bad(with(file, "anchors_columns", 1, Column{3}), "too large");
  expect_bad(with(file, "anchors_columns", 1, Column{0}), "do not ascend");
  expect_bad(with(file, "anchors_columns", 0, Column{-1}), "do not ascend");
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  expect_bad(with(file, "anchors_values", 0, nan), "'anchors_values' is not finite");
  expect_bad(with(dense_file(), "anchors", 0, nan), "'anchors' is not finite");
  expect_bad(with(dense_file(), "input_mean", 0, nan), "'input_mean' is not finite");
  expect_bad<float>(with(dense_file(), "anchors", 0, 1e300), "exceed single precision");
}

TEST(BadMappedFile, has_a_kernel_or_a_map_that_cannot_be_made) {
  const auto kernel = [](const Json& text) {
    return forge_description(dense_file(), [&](Json& d) { d["kernel"] = text; });
  };
  const auto map = [](const std::string& file, const Json& text) {
    return forge_description(file, [&](Json& d) { d["map"] = text; });
  };
  for (const char* text :
       {"", "garbage", "rbf(gamma=)", "rbf(gamma=-1)", "rbf(gamma=nan)", "1*", "\n"})
    expect_bad(kernel(text), "has a map that cannot be constructed: ");
  expect_bad(kernel(std::string(1'000'000, '(')), "cannot be constructed");
  expect_bad(kernel("rbf"), "is open");
  expect_bad(kernel("function(mine)"), "the kernel 'mine' is a user-defined function");
  expect_bad(kernel("chi2()"), "needs numbers of at least 0");
  expect_bad(kernel(5), "'kernel' is not text");
  expect_bad(forge_description(dense_file(), [](Json& d) { d.erase("kernel"); }),
             "cannot be constructed");
  expect_bad(map(dense_file(), "function(mine)"), "a user-defined function");
  expect_bad(map(dense_file(), "kernels"),
             "uses the map 'kernels', which is unknown to this version");
  const std::string features = Model<double>(test::features_parts<double>()).serialize();
  expect_bad(map(features, "plain(degree=)"), "column 14: unexpected ')', expected a number");
  expect_bad(map(features, "plain(degree=31)"), "from 1 to 30");
  expect_bad(map(features, "plain(degree=30)"), "differ in length");
  expect_bad(map(features, "kernel"), "'anchors' is missing");
  expect_bad(map(features, "identity"), "differ in length");
}

TEST(BadMappedFile, every_flipped_bit_and_every_truncation_is_noticed) {
  for (const std::string& good : {dense_file(), sparse_file()}) {
    std::string bytes = good;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(good[i] ^ (1 << i % 8));
      EXPECT_THROW(Model<double>::deserialize(bytes), Error) << i;
      bytes[i] = good[i];
      EXPECT_THROW(Model<double>::deserialize(good.substr(0, i)), Error) << i;
    }
  }
}

TEST(MappedJson, names_space_kernel_and_map) {
  const auto json = [](const ModelParts<double>& parts) {
    return Json::parse(to_json(Model<double>(parts)));
  };
  const Json kernel = json(test::kernel_parts<double>());
  EXPECT_EQ(kernel["space"], "kernel");
  EXPECT_EQ(kernel["kernel"], "rbf(gamma=0.5) + 0.25*linear()");
  EXPECT_TRUE(kernel["map"].is_null());
  EXPECT_EQ(kernel["n_features"], 2);
  EXPECT_EQ(kernel["feature_names"], Json({"length", "width"}));
  const Json features = json(test::features_parts<double>());
  EXPECT_EQ(features["space"], "features");
  EXPECT_EQ(features["map"], "plain(degree=2)");
  EXPECT_TRUE(features["kernel"].is_null());
  const Json precomputed = json(test::precomputed_parts<double>());
  EXPECT_EQ(precomputed["space"], "precomputed");
  EXPECT_TRUE(precomputed["map"].is_null() && precomputed["kernel"].is_null());
}

}  // namespace mercer::mapped_file_test
