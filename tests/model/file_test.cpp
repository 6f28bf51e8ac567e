#include "model/sample.hpp"
#include "support/temp_dir.hpp"

#include <mercer/error.hpp>
#include <mercer/model.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace mercer::file_test {

using test::expect_same;
using test::forge;
using test::sample_parts;
using test::TempDir;
using Json = nlohmann::ordered_json;

template <class T>
class ModelFile : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ModelFile, Precisions);

TYPED_TEST(ModelFile, gives_back_every_field) {
  const TempDir dir;
  const Model<TypeParam> model(sample_parts<TypeParam>());
  model.save(dir / "model.st");
  const auto loaded = Model<TypeParam>::load(dir / "model.st");
  expect_same(loaded.parts(), model.parts());
  EXPECT_EQ(test::slurp(dir / "model.st"), model.serialize());
  EXPECT_EQ(loaded.serialize(), model.serialize());
  EXPECT_EQ(dir.list(), std::vector<std::string>{"model.st"});
}

TYPED_TEST(ModelFile, tells_how_variance_is_left_out_where_that_is_known) {
  auto parts = sample_parts<TypeParam>();
  EXPECT_EQ(Model<TypeParam>(parts).serialize().find("total_squares"), std::string::npos);
  parts.report.total_squares = 0.125;
  const Model<TypeParam> model(parts);
  EXPECT_EQ(Model<TypeParam>::deserialize(model.serialize()).report().total_squares, 0.125);
}

TYPED_TEST(ModelFile, needs_neither_names_nor_scale) {
  auto parts = sample_parts<TypeParam>();
  parts.scale.resize(0);
  parts.feature_names.clear();
  parts.label_column.clear();
  parts.id_column.clear();
  parts.report.solver.residuals.clear();
  const Model<TypeParam> model(parts);
  expect_same(Model<TypeParam>::deserialize(model.serialize()).parts(), parts);
}

TYPED_TEST(ModelFile, keeps_names_in_any_encoding_byte_for_byte) {
  auto parts = sample_parts<TypeParam>();
  std::string all_bytes;
  for (int c = 0; c < 256; ++c) all_bytes += static_cast<char>(c);
  parts.feature_names = {
      "gr\xF6\xDF"
      "e",
      "größe", all_bytes};
  parts.label_column = "\xFF";
  const Model<TypeParam> model(parts);
  expect_same(Model<TypeParam>::deserialize(model.serialize()).parts(), parts);
}

TYPED_TEST(ModelFile, comes_back_in_its_own_precision) {
  const TempDir dir;
  Model<TypeParam>(sample_parts<TypeParam>()).save(dir / "model.st");
  const AnyModel model = load_any(dir / "model.st");
  ASSERT_TRUE(std::holds_alternative<Model<TypeParam>>(model));
  expect_same(std::get<Model<TypeParam>>(model).parts(), sample_parts<TypeParam>());
}

TEST(ModelFile, is_read_in_either_precision) {
  const Model<double> fine(sample_parts<double>());
  const Model<float> coarse(sample_parts<float>());
  const auto narrowed = Model<float>::deserialize(fine.serialize());
  EXPECT_EQ(narrowed.components(), fine.components().cast<float>());
  EXPECT_EQ(narrowed.mean(), fine.mean().cast<float>());
  EXPECT_EQ(narrowed.eigenvalues(), fine.eigenvalues());
  const auto widened = Model<double>::deserialize(coarse.serialize());
  EXPECT_EQ(widened.components(), coarse.components().cast<double>());
  EXPECT_EQ(widened.scale(), coarse.scale().cast<double>());
  EXPECT_EQ(widened.eigenvalues(), coarse.eigenvalues());
}

TEST(ModelFile, has_the_layout_that_other_safetensors_readers_expect) {
  for (const std::string& file : {Model<double>(sample_parts<double>()).serialize(),
                                  Model<float>(sample_parts<float>()).serialize()}) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), 8);
    EXPECT_EQ(length % 8, 0U);
    ASSERT_LE(8 + length, file.size());
    const Json header = Json::parse(file.substr(8, length));
    for (const auto& [key, value] : header["__metadata__"].items()) EXPECT_TRUE(value.is_string());
    EXPECT_EQ(header["__metadata__"]["format_version"], "2");

    std::size_t end = 0;
    for (const auto& [name, tensor] : header.items()) {
      if (name == "__metadata__") continue;
      EXPECT_EQ(tensor["data_offsets"][0], end) << name;
      std::size_t size = tensor["dtype"] == "F64" ? 8 : 4;
      EXPECT_EQ(end % size, 0U) << name << " is not aligned";
      for (const auto& n : tensor["shape"]) size *= n.get<std::size_t>();
      end += size;
      EXPECT_EQ(tensor["data_offsets"][1], end) << name;
    }
    EXPECT_EQ(8 + length + end, file.size());
    EXPECT_EQ(header["components"]["shape"], Json({2, 3}));
    EXPECT_EQ(header["eigenvalues"]["dtype"], "F64");
    double first = 0;
    std::memcpy(&first, file.data() + 8 + length, 8);
    EXPECT_EQ(first, 1.0 / 3);
  }
}

TEST(ModelFile, golden_file_of_version_1_loads_and_gives_the_same_scores) {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "golden" / "pca-v1.st";
  const auto model = Model<double>::load(path.string());
  test::expect_same_v1(model.parts(), sample_parts<double>());
  EXPECT_TRUE(model.report().certificate.low.empty());
  EXPECT_EQ(model.report().certificate.reason,
            "the model file is of format 1, which has no intervals");
  EXPECT_EQ(model.column_variance().size(), 0);
  Matrix<double> x(2, 3);
  x << 1, 2, 3, -4, 0.5, 1e6;
  // y = B diag(1/scale) (x − m), by hand.
  Matrix<double> y(2, 2);
  for (Index i = 0; i < 2; ++i)
    for (Index c = 0; c < 2; ++c) {
      const auto parts = sample_parts<double>();
      y(i, c) = 0;
      for (Index j = 0; j < 3; ++j)
        y(i, c) += parts.components(c, j) * (x(i, j) - parts.mean[j]) / parts.scale[j];
    }
  // 3 products of numbers up to 4e6, each with a few roundings.
  EXPECT_LT((model.transform(x) - y).cwiseAbs().maxCoeff(), 1e-8);
  const auto again = Model<double>::deserialize(model.serialize());
  EXPECT_EQ(again.transform(x), model.transform(x));
}

TEST(ModelFile, golden_file_of_version_2_loads_and_is_written_the_same) {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "golden" / "pca-v2.st";
  const auto model = Model<double>::load(path.string());
  expect_same(model.parts(), test::certified_parts<double>());
  EXPECT_EQ(model.serialize(), test::slurp(path.string()));
}

TEST(ModelFile, M_P4_of_equal_runs_are_equal_bytes) {
  auto parts = sample_parts<double>();
  const std::string first = Model<double>(parts).serialize();
  parts.report.seconds = 17;
  parts.report.peak_memory_bytes = 1;
  EXPECT_EQ(Model<double>(parts).serialize(), first);
}

TEST(ModelFile, whose_intervals_do_not_hold_their_eigenvalues_is_no_model) {
  for (const int wrong : {0, 1, 2, 3}) {
    auto parts = test::certified_parts<double>();
    Certificate& certificate = parts.report.certificate;
    if (wrong == 0) certificate.low[0] = 0.4;      // above 1/3
    else if (wrong == 1) certificate.high[1] = 0;  // below 1e-20
    else if (wrong == 2) certificate.high.resize(1);
    else certificate.confidence = 1.5;
    EXPECT_THROW(Model<double>{parts}, Error) << wrong;
  }
}

TEST(ModelFile, that_is_missing_or_a_folder_is_an_io_error) {
  const TempDir dir;
  for (const std::string& path : {dir / "missing.st", dir.path()}) {
    try {
      Model<double>::load(path);
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::io);
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
    EXPECT_THROW(load_any(path), Error);
  }
}

TEST(ModelFile, leaves_nothing_behind_when_it_cannot_be_written) {
  const TempDir dir;
  const Model<double> model(sample_parts<double>());
  try {
    model.save(dir / "no/such/folder.st");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::io);
  }
  EXPECT_TRUE(dir.list().empty());
}

TEST(ModelFile, skips_metadata_and_arrays_that_it_does_not_know) {
  const Model<double> model(sample_parts<double>());
  const std::string extended = forge(model.serialize(), [](Json& header, std::string& data) {
    header["__metadata__"]["colour"] = "blue";
    const std::size_t size = data.size();
    header["extra"] = {{"dtype", "BF16"}, {"shape", {3}}, {"data_offsets", {size, size + 6}}};
    data += "abcdef";
  });
  const std::string more = test::forge_description(extended, [](Json& words) {
    words["future"] = {{"a", {1, 2}}, {"b", nullptr}};
  });
  expect_same(Model<double>::deserialize(more).parts(), model.parts());
}

}  // namespace mercer::file_test
