#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/temp_dir.hpp"

#include "preimages/compressed_file.hpp"
#include "preimages/deflate.hpp"
#include "preimages/score_codec.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace mercer::test::compress_test {

/// Rows of rank 3 and a little noise.
Matrix<double> low_rank(Index n, Index d, unsigned seed) {
  Random random(seed);
  const Matrix<double> factors = random.normal(3, d);
  return random.normal(n, 3) * factors + 0.01 * random.normal(n, d);
}

Matrix<double> all_rows(Source<double>& source) { return read_all(source).x; }

TEST(Compress, rows_come_back_with_the_loss_that_was_stated) {
  const TempDir dir;
  const Matrix<double> x = low_rank(300, 20, 1);
  const auto model = fit(x, {.components = 3});
  double last = 0;
  for (const auto format : {ScoreFormat::float32, ScoreFormat::float16, ScoreFormat::int8}) {
    const auto file = compress(model, *from_memory<double>(x), dir / "x.mrc", {.scores = format});
    Compressed about;
    const Matrix<double> again = all_rows(*decompress<double>(dir / "x.mrc", {}, &about));
    ASSERT_EQ(again.rows(), 300);
    const Matrix<double> off = again - x;
    EXPECT_NEAR(file.loss.mean_squared_error, off.squaredNorm() / 6000, 1e-12);
    EXPECT_NEAR(file.loss.largest_error, off.cwiseAbs().maxCoeff(), 1e-12);
    const Matrix<double> centred = x.rowwise() - x.colwise().mean();
    EXPECT_NEAR(file.loss.fraction_of_variance, off.squaredNorm() / centred.squaredNorm(), 1e-12);
    EXPECT_EQ(about.loss.mean_squared_error, file.loss.mean_squared_error);
    EXPECT_EQ(file.bytes, static_cast<std::int64_t>(slurp(dir / "x.mrc").size()));
    EXPECT_LT(file.bytes, 300 * 20 * 8 / 3);
    EXPECT_GT(file.loss.mean_squared_error, last);  // fewer bits, a larger loss
    last = file.loss.mean_squared_error * 0.999;
  }
  // Steps of 1/16 of a deviation: their rounding has a variance of 1/12 of their square.
  EXPECT_LT(last, 1e-3 * x.squaredNorm() / 6000);
}

TEST(Compress, M_P7_rows_in_single_precision_have_the_loss_that_is_stated_for_them) {
  const TempDir dir;
  const Matrix<double> x = low_rank(200, 6, 5).array() + 1e8;  // floats there are 8 apart
  const auto mse = [&](const Matrix<double>& again) { return (again - x).squaredNorm() / 1200; };
  const auto file = compress(fit(x, {.components = 3}), *from_memory<double>(x), dir / "x.mrc",
                             {.scores = ScoreFormat::float32});
  Compressed about;
  const Matrix<float> again = read_all(*decompress<float>(dir / "x.mrc", {}, &about)).x;
  const double truth = mse(again.cast<double>());
  EXPECT_GT(truth, 1);
  EXPECT_NEAR(about.loss.mean_squared_error, truth, 1e-9 * truth);
  EXPECT_NEAR(about.loss.largest_error, (again.cast<double>() - x).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_EQ(file.float_loss->mean_squared_error, about.loss.mean_squared_error);
  decompress<double>(dir / "x.mrc", {}, &about);
  EXPECT_EQ(about.loss.mean_squared_error, file.loss.mean_squared_error);
  EXPECT_LT(about.loss.mean_squared_error, 1e-3);
  // A model in single precision: rows come back from it in double, with the loss that this has.
  const Matrix<float> f = low_rank(200, 6, 6).cast<float>();
  compress(fit(f, {.components = 3}), *from_memory<float>(f), dir / "f.mrc");
  const Matrix<double> off =
      all_rows(*decompress<double>(dir / "f.mrc", {}, &about)) - f.cast<double>();
  EXPECT_NEAR(about.loss.mean_squared_error, off.squaredNorm() / 1200, 1e-15);
}

TEST(Compress, M_P7_single_precision_without_a_stated_loss_is_refused) {
  const TempDir dir;
  const Matrix<double> x = low_rank(20, 3, 7) * 1e60;  // beyond any float
  compress(fit(x, {.components = 2}), *from_memory<double>(x), dir / "x.mrc");
  expect_error(Errc::bad_data, {"x.mrc", "single precision", "double precision"},
               [&] { decompress<float>(dir / "x.mrc"); });
  EXPECT_EQ(all_rows(*decompress<double>(dir / "x.mrc")).rows(), 20);
}

TEST(Compress, scores_are_rounded_and_never_more) {
  Matrix<double> y(3, 2);
  y << 1.0 / 3, -1e9, 0, 1e-3, -2.5, 7;
  const Vector<double> deviations = Vector<double>::Constant(2, 2);
  const auto through = [&](ScoreFormat format) {
    return decode_scores(format, encode_scores(format, y, deviations), 3, deviations);
  };
  EXPECT_EQ(through(ScoreFormat::float32), y.cast<float>().cast<double>());
  const Matrix<double> half = through(ScoreFormat::float16);
  EXPECT_NEAR(half(0, 0), y(0, 0), std::ldexp(y(0, 0), -11));
  EXPECT_EQ(half(0, 1), -2 * 65504.0);  // the largest there is
  EXPECT_EQ(half(2, 1), 7);
  const Matrix<double> byte = through(ScoreFormat::int8);
  EXPECT_NEAR(byte(0, 0), y(0, 0), 2.0 / 32);
  EXPECT_EQ(byte(0, 1), -2 * 127.0 / 16);
}

TEST(Compress, labels_and_ids_come_along_over_chunks) {
  const TempDir dir;
  const Index n = 2 * rows_a_chunk(2) + 5;
  Table<double> table;
  table.schema = {.features = 2, .feature_names = {"a", "b"}, .label = "kind", .id = "n\xff"};
  table.x = low_rank(n, 2, 2);
  std::ofstream(dir / "t.csv") << "";
  {
    Sink<double> out(dir / "t.csv", {"a", "b"}, {"nr", "kind"});
    TextColumn ids, labels;
    for (Index i = 0; i < n; ++i) {
      ids.push_back(std::to_string(i));
      labels.push_back(i % 3 == 0 ? "" : i % 3 == 1 ? "käse" : "x,\"y");
    }
    out.write(table.x, &ids, &labels);
    out.close();
  }
  const auto source = open<double>(dir / "t.csv", {.label = "kind", .id = "nr"});
  const auto model = fit(*source, {.scale = Scale::std});
  source->rewind();
  compress(model, *source, dir / "t.mrc", {.scores = ScoreFormat::float32});
  const auto rows = decompress<double>(dir / "t.mrc");
  EXPECT_EQ(rows->schema().feature_names, (std::vector<std::string>{"a", "b"}));
  for (int pass = 0; pass < 2; ++pass) {
    const Table<double> again = read_all(*rows);
    ASSERT_EQ(again.x.rows(), n);
    EXPECT_LT((again.x - table.x).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_EQ(again.ids[static_cast<std::size_t>(n - 1)], std::to_string(n - 1));
    EXPECT_EQ(again.labels[1], "käse");
    EXPECT_EQ(again.labels[2], "x,\"y");
    rows->rewind();
  }
}

TEST(Compress, kernel_models_decode_by_pre_images) {
  const TempDir dir;
  const Matrix<float> x = low_rank(60, 4, 3).cast<float>();
  const auto model = fit(x, {.components = 20, .kernel = kernels::rbf()});
  const auto file = compress(model, *from_memory<float>(x), dir / "k.mrc",
                             {.preimage = {.method = PreImageMethod::ridge}});
  EXPECT_LT(file.loss.fraction_of_variance, 0.1);
  const Matrix<float> again = read_all(*decompress<float>(dir / "k.mrc")).x;
  const Matrix<float> wanted =
      preimages(model, model.transform(x), {.method = PreImageMethod::ridge}).rows;
  EXPECT_LT((again - wanted).cwiseAbs().maxCoeff(), 0.02);  // 11 bits of each score
}

TEST(Compress, a_damaged_file_is_refused_wherever_it_is_damaged) {
  const TempDir dir;
  const Matrix<double> x = low_rank(20, 3, 4);
  compress(fit(x, {.components = 2}), *from_memory<double>(x), dir / "x.mrc");
  const std::string whole = slurp(dir / "x.mrc");
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    EXPECT_THROW(decode_compressed(bytes, "x.mrc"), Error) << at;
  }
  for (std::size_t size = 0; size < whole.size(); size += 11)
    expect_error(Errc::bad_file, {"'x.mrc'"},
                 [&] { decode_compressed(std::string_view(whole).substr(0, size), "x.mrc"); });
  fit(x).save(dir / "m.st");
  expect_error(Errc::bad_file, {"m.st", "mercer compress"},
               [&] { decompress<double>(dir / "m.st"); });
  expect_error(Errc::bad_file, {"x.mrc"}, [&] { Model<double>::load(dir / "x.mrc"); });
}

TEST(Compress, claims_that_the_bytes_cannot_hold_are_refused) {
  const TempDir dir;
  const Matrix<double> x = low_rank(20, 3, 5);
  compress(fit(x, {.components = 2}), *from_memory<double>(x), dir / "x.mrc");
  const std::string bytes = slurp(dir / "x.mrc");
  const CompressedFile good = decode_compressed(bytes, "x");
  const auto refused = [&](const CompressedFile& file) {
    std::ofstream(dir / "bad.mrc", std::ios::binary)
        << compressed_header(file) << file.model << file.scores << file.labels << file.ids;
    return refusal(
        [&] {
          const auto rows = decompress<double>(dir / "bad.mrc");
          while (rows->next()) {
          }
        },
        Errc::bad_file);
  };
  CompressedFile file = good;
  file.about.rows = Index{1} << 40;
  EXPECT_HAS(refused(file), "shorter than declared");
  file = good;
  file.model_size = std::size_t{1} << 45;
  EXPECT_HAS(refused(file), "shorter than declared");
  file = good;
  file.about.rows = 21;  // one more than there are
  EXPECT_HAS(refused(file), "scores end early");
  file = good;
  file.about.components = 1;
  EXPECT_HAS(refused(file), "not those of its model");
  file = good;
  file.scores = "no deflated bytes at all";
  EXPECT_HAS(refused(file), "scores end early");
  file = good;
  file.label = "kind";
  EXPECT_HAS(refused(file), "texts end early");
}

TEST(Compress, deflated_bytes_come_back_in_any_pieces) {
  std::string bytes;
  for (unsigned i = 0; i < 200000; ++i) bytes += static_cast<char>(i * i >> 7);
  Spill packed;
  Deflater deflater(packed);
  deflater.add(std::string_view(bytes).substr(0, 1000));
  deflater.add(std::string_view(bytes).substr(1000));
  deflater.finish();
  Inflater inflater(packed.view());
  EXPECT_EQ(inflater.next(7), bytes.substr(0, 7));
  EXPECT_EQ(inflater.next(150000), bytes.substr(7, 150000));
  EXPECT_EQ(inflater.next(1000000), bytes.substr(150007));
  EXPECT_EQ(inflater.next(1), "");
}

}  // namespace mercer::test::compress_test
