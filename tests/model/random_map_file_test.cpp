// Files of models whose map was drawn at random: they hold the numbers that were drawn.

#include "model/sample.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace mercer::random_map_file_test {

using test::error_of;
using test::forge;
using test::forge_description;
using Json = nlohmann::ordered_json;

template <class T>
class RandomMapFile : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(RandomMapFile, Precisions);

TYPED_TEST(RandomMapFile, holds_the_numbers_bit_for_bit) {
  using T = TypeParam;
  for (const auto& map :
       {fourier_map<T>(Kernel::parse("0.3*rbf(gamma=0.7)"), 5, 60, {.orthogonal = true, .seed = 3}),
        fourier_map<T>(Kernel::parse("laplacian(gamma=0.1)"), 5, 2,
                       {.orthogonal = true, .seed = 4}),
        tensor_sketch_map<T>(Kernel::parse("2*poly(degree=3)"), 5, 64, {.seed = 5}),
        tensor_sketch_map<T>(Kernel::parse("linear"), 5, 1 << 20, {.seed = 6})}) {
    const Model<T> model(test::mapped_parts<T>(map));
    const std::string bytes = model.serialize();
    const auto again = Model<T>::deserialize(bytes);
    test::expect_same(again.parts(), model.parts());
    EXPECT_EQ(again.map().kernel(), map->kernel());
    EXPECT_EQ(again.map().text(), map->text());
    EXPECT_EQ(again.serialize(), bytes);
    const Matrix<T> x =
        Matrix<T>::NullaryExpr(7, 5, [](Index i, Index j) { return T(0.37) * T(i * i - 3 * j); });
    EXPECT_EQ(again.transform(x), model.transform(x));
  }
}

TEST(RandomMapFile, is_read_in_either_precision) {
  const auto narrow =
      Model<float>::deserialize(Model<double>(test::fourier_parts<double>()).serialize());
  test::expect_same(narrow.map().anchors(), test::fourier_parts<float>().map->anchors());
  const auto wide =
      Model<double>::deserialize(Model<float>(test::tensor_sketch_parts<float>()).serialize());
  test::expect_same(wide.map().anchors(), test::tensor_sketch_parts<double>().map->anchors());
}

/// Loading fails with one line about `part`.
void expect_bad(const std::string& bytes, const std::string& part) {
  const Error error = error_of([&] { Model<double>::deserialize(bytes, "m.st"); });
  EXPECT_EQ(error.code(), Errc::bad_file) << error.what();
  EXPECT_HAS(error.what(), part);
  EXPECT_HAS(error.what(), "'m.st' ");
}

std::string fourier_file() { return Model<double>(test::fourier_parts<double>()).serialize(); }
std::string sketch_file() { return Model<double>(test::tensor_sketch_parts<double>()).serialize(); }

std::string with_word(const std::string& file, const char* key, const Json& value) {
  return forge_description(file, [&](Json& d) { d[key] = value; });
}
std::string with_shape(const std::string& file, const Json& shape) {
  return forge(file, [&](Json& h, auto&) { h["anchors"]["shape"] = shape; });
}
std::string with_number(const std::string& file, std::size_t at, double value) {
  return forge(file, [&](Json& h, std::string& data) {
    const auto begin = h["anchors"]["data_offsets"][0].get<std::size_t>();
    std::memcpy(data.data() + begin + at * sizeof value, &value, sizeof value);
  });
}

TEST(BadRandomMapFile, has_hash_functions_that_lead_nowhere) {
  for (const double wrong : {0.0, 5.0, -5.0, 2.5, 1e300})
    expect_bad(with_number(sketch_file(), 5, wrong), "is not a signed bucket from 1 to 4");
  for (const auto& file : {sketch_file(), fourier_file()})
    expect_bad(with_number(file, 5, std::numeric_limits<double>::infinity()),
               "'anchors' is not finite");
}

TEST(BadRandomMapFile, has_numbers_of_another_shape) {
  expect_bad(with_shape(fourier_file(), {3, 2}), "'anchors' has 2 columns, not 3");
  expect_bad(with_shape(fourier_file(), {6}), "shape of 'anchors'");
  expect_bad(with_shape(sketch_file(), {4, 2}), "'anchors' has 2 columns, not 4");
  expect_bad(with_shape(sketch_file(), {1ULL << 60, 4}), "shape of 'anchors'");
  expect_bad(with_word(sketch_file(), "kernel", "poly(degree=3)"), "with 2 hash functions");
  for (const auto& file : {sketch_file(), fourier_file()})
    expect_bad(forge(file,
                     [](Json& h, auto&) {
                       h["other"] = Json(h["anchors"]);
                       h.erase("anchors");
                     }),
               "'anchors' is missing");
}

TEST(BadRandomMapFile, has_a_map_or_a_kernel_that_cannot_be_made) {
  for (const char* text : {"tensorsketch", "tensorsketch(", "tensorsketch(features=)",
                           "tensorsketch(features=4) ?", "tensorsketch(degree=4)"})
    expect_bad(with_word(sketch_file(), "map", text),
               "has a map that cannot be constructed: map, column ");
  for (const char* text : {"tensorsketch(features=0)", "tensorsketch(features=-4)"})
    expect_bad(with_word(sketch_file(), "map", text), "must be an integer from 1");
  for (const char* text : {"tensorsketch(features=6)", "tensorsketch(features=2097152)"})
    expect_bad(with_word(sketch_file(), "map", text), "must be a power of two");
  expect_bad(with_word(sketch_file(), "map", "tensorsketch(features=1048576)"), "differ in length");
  expect_bad(with_word(sketch_file(), "map", "tensorsketch(features=2)"), "not a signed bucket");
  expect_bad(with_word(sketch_file(), "kernel", "rbf(gamma=1)"), "has no TensorSketch");
  expect_bad(with_word(fourier_file(), "kernel", "linear"), "has no Fourier features");
  expect_bad(with_word(fourier_file(), "kernel", "rbf"), "is open");
  expect_bad(with_word(fourier_file(), "kernel", ""), "cannot be constructed");
  expect_bad(with_word(fourier_file(), "map", "fourier(features=4)"), "fourier has no parameters");
  const std::string sparse = Model<double>(test::sparse_kernel_parts<double>()).serialize();
  expect_bad(with_word(sparse, "map", "fourier"), "are sparse");
}

TEST(BadRandomMapFile, every_flipped_bit_is_noticed) {
  for (const std::string& good : {fourier_file(), sketch_file()}) {
    std::string bytes = good;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(good[i] ^ (1 << i % 8));
      EXPECT_THROW(Model<double>::deserialize(bytes), Error) << i;
      bytes[i] = good[i];
    }
  }
}

TEST(RandomMapJson, names_map_and_kernel) {
  const Json json = Json::parse(to_json(Model<double>(test::fourier_parts<double>())));
  EXPECT_EQ(json["space"], "features");
  EXPECT_EQ(json["map"], "fourier");
  EXPECT_EQ(json["kernel"], "0.5*matern(nu=1.5, length=2)");
}

}  // namespace mercer::random_map_file_test
