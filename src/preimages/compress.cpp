#include <mercer/compress.hpp>

#include "core/output_file.hpp"
#include "core/require.hpp"
#include "core/spill.hpp"
#include "data/bytes.hpp"
#include "data/file_map.hpp"
#include "model/codec.hpp"
#include "preimages/compressed_file.hpp"
#include "preimages/deflate.hpp"
#include "preimages/score_codec.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>

namespace mercer {

namespace {

/// What the scores of each component are divided by: any positive number does, as the file has the
/// model from which it comes again.
template <class T>
Vector<double> deviations_of(const Model<T>& model) {
  Vector<double> deviations = model.explained_variance().cwiseSqrt();
  for (double& d : deviations)
    if (!(d > 0)) d = 1;
  return deviations;
}

/// The model from which rows come back, whatever precision was fitted and whatever is asked for.
Model<double> decoding(const Model<float>& model) {
  return Model<double>::deserialize(model.serialize());
}
const Model<double>& decoding(const Model<double>& model) { return model; }

/// Errors, and the variance of the cells they are compared with (Welford's sums by column).
class LossSums {
 public:
  explicit LossSums(Index columns)
      : mean_(Vector<double>::Zero(columns)), squares_(mean_), count_(mean_) {}

  void add(const Matrix<double>& x, const Matrix<double>& again) {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.cols(); ++j) {
        if (std::isnan(x(i, j))) continue;
        const double from_mean = x(i, j) - mean_[j], error = std::abs(x(i, j) - again(i, j));
        count_[j] += 1;
        mean_[j] += from_mean / count_[j];
        squares_[j] += from_mean * (x(i, j) - mean_[j]);
        errors_ += error * error;
        largest_ = std::max(largest_, error);
      }
  }
  Loss loss() const {
    const double cells = count_.sum(), variance = squares_.sum();
    return {cells > 0 ? errors_ / cells : 0.0, variance > 0 ? errors_ / variance : 0.0, largest_};
  }
  bool finite() const { return std::isfinite(errors_) && std::isfinite(largest_); }

 private:
  Vector<double> mean_, squares_, count_;
  double errors_ = 0, largest_ = 0;
};

/// Texts one after the other, each with its length before it.
class Texts {
 public:
  explicit Texts(Spill& out) : deflater_(out) {}
  void add(std::string_view text) {
    const auto length = static_cast<std::uint32_t>(text.size());
    char bytes[4];
    std::memcpy(bytes, &length, 4);
    deflater_.add({bytes, 4});
    deflater_.add(text);
    size_ += 4 + text.size();
  }
  std::size_t size() const { return size_; }
  void finish() { deflater_.finish(); }

 private:
  Deflater deflater_;
  std::size_t size_ = 0;
};

void read_texts(Inflater& from, Index count, TextColumn& texts, const std::string& name) {
  const auto wrong = [&] { fail(Errc::bad_file, "'{}' is damaged (its texts end early)", name); };
  texts.clear();
  for (Index i = 0; i < count; ++i) {
    const std::string bytes = from.next(4);
    if (bytes.size() != 4) wrong();
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data(), 4);
    const std::string text = from.next(length);
    if (text.size() != length) wrong();
    texts.push_back(text);
  }
}

/// A file's bytes: mapped, or of a pipe and of gzip, which can be read once, kept beside.
class WholeBytes {
 public:
  explicit WholeBytes(const std::string& path) : stream_(open_bytes(path, {})) {
    if (stream_->descriptor() >= 0 && stream_->size() > 0) {
      map_ = FileMap(stream_->descriptor(), stream_->size(), stream_->name());
      bytes_ = {map_.data(), map_.size()};
      return;
    }
    std::string buffer(std::size_t{1} << 20, '\0');
    while (const std::size_t got = stream_->read(buffer.data(), buffer.size()))
      spill_.add({buffer.data(), got});
    bytes_ = spill_.view();
  }
  std::string_view bytes() const { return bytes_; }
  std::string name() const { return stream_->name(); }
  /// Throws when the file is another one by now.
  void require_unchanged() const {
    if (map_.data()) stream_->require_unchanged();
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  FileMap map_;
  Spill spill_{};
  std::string_view bytes_;
};

/// The folder of a file to be written, with its last '/'; empty: it is not written into one.
std::string folder_of(const std::string& path) {
  if (path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/")) return {};
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

template <class T>
class DecompressedRows final : public Source<T> {
 public:
  DecompressedRows(std::unique_ptr<const WholeBytes> bytes, CompressedFile file,
                   const RunOptions& options, const DecompressAsks& asks)
      : bytes_(std::move(bytes)),
        file_(std::move(file)),
        name_(bytes_->name()),
        model_(read_model()) {
    require(model_.outputs() == file_.about.components && model_.inputs() == file_.about.columns,
            Errc::bad_file, "'{}' is damaged (its scores are not those of its model)", name_);
    file_.preimage.threads = options.threads;
    file_.preimage.monitor = options.monitor;
    asks.before_decoder(model_, file_.preimage);
    decoder_.emplace(model_, file_.preimage);
    deviations_ = deviations_of(model_);
    schema_.features = model_.inputs();
    schema_.feature_names = model_.feature_names();
    schema_.label = file_.label;
    schema_.id = file_.id;
    rewind();
  }

  const Schema& schema() const override { return schema_; }
  std::string name() const override { return name_; }
  Index expected_rows() const override { return file_.about.rows; }

  void rewind() override {
    done_ = 0;
    scores_.emplace(file_.scores);
    labels_from_.emplace(file_.labels);
    ids_from_.emplace(file_.ids);
  }

  std::optional<Block<T>> next() override {
    const Compressed& about = file_.about;
    const Index count = std::min(rows_a_chunk(about.columns), about.rows - done_);
    bytes_->require_unchanged();
    if (count <= 0) return std::nullopt;
    const auto size =
        static_cast<std::size_t>(count * about.components * score_bytes(about.scores));
    const std::string bytes = scores_->next(size);
    require(bytes.size() == size, Errc::bad_file, "'{}' is damaged (its scores end early)", name_);
    const Matrix<double> scores = decode_scores(about.scores, bytes, count, deviations_);
    require(scores.allFinite(), Errc::bad_file, "'{}' is damaged (a score is not finite)", name_);
    rows_ = (*decoder_)(scores).rows.template cast<T>();
    Block<T> block{Rows<T>(rows_)};
    if (!schema_.label.empty()) {
      read_texts(*labels_from_, count, labels_, name_);
      block.labels = &labels_;
    }
    if (!schema_.id.empty()) {
      read_texts(*ids_from_, count, ids_, name_);
      block.ids = &ids_;
    }
    done_ += count;
    return block;
  }

 private:
  Model<double> read_model() {
    const std::string bytes = Inflater(file_.model).next(file_.model_size);
    require(bytes.size() == file_.model_size, Errc::bad_file,
            "'{}' is damaged (its model ends early)", name_);
    return Model<double>::deserialize(bytes, name_);
  }

  std::unique_ptr<const WholeBytes> bytes_;
  CompressedFile file_;  // of those
  std::string name_;
  Model<double> model_;
  std::optional<Decoder<double>> decoder_;
  Vector<double> deviations_;
  Schema schema_;
  std::optional<Inflater> scores_, labels_from_, ids_from_;
  TextColumn labels_, ids_;
  Matrix<T> rows_;
  Index done_ = 0;
};

}  // namespace

template <class T>
Compressed compress(const Model<T>& model, Source<T>& source, const std::string& path,
                    const CompressOptions& options) {
  const Schema& schema = source.schema();
  require(schema.features == model.inputs(), Errc::bad_data,
          "'{}' has {} feature columns, the model has {}", Input(source.name()), schema.features,
          model.inputs());
  CompressedFile file;
  file.label = schema.label;
  file.id = schema.id;
  file.preimage = options.preimage;
  Compressed& about = file.about;
  about.columns = model.inputs();
  about.components = model.outputs();
  about.scores = options.scores;
  const Model<double>& exact_model = decoding(model);
  const Decoder<double> decoder(exact_model, options.preimage);
  const Vector<double> deviations = deviations_of(exact_model);
  const auto copy = identity_map<T>(model.inputs());
  LossSums sums(model.inputs()), float_sums(model.inputs());
  const std::string folder = folder_of(path);
  Spill score_parts(folder), label_parts(folder), id_parts(folder), model_parts(folder);
  Deflater scores(score_parts);
  Texts labels(label_parts), ids(id_parts);
  const Index chunk = rows_a_chunk(model.inputs());
  Matrix<T> waiting(chunk, model.inputs());  // rows until a chunk is full
  Index filled = 0;

  const auto flush = [&] {
    if (filled == 0) return;
    const Matrix<T> x = waiting.topRows(filled);
    const Matrix<T> exact = model.transform(
        Rows<T>(x), {options.preimage.threads, options.missing, options.preimage.monitor});
    const std::string bytes =
        encode_scores(options.scores, exact.template cast<double>(), deviations);
    scores.add(bytes);
    const Matrix<double> stored = decode_scores(options.scores, bytes, filled, deviations);
    const Matrix<double> wanted = x.template cast<double>(), again = decoder(stored).rows;
    sums.add(wanted, again);
    float_sums.add(wanted, again.template cast<float>().template cast<double>());
    about.rows += filled;
    filled = 0;
  };
  while (const auto block = source.next()) {
    for (Index i = 0; i < block->rows.rows(); ++i) {
      copy->apply(block->rows.middle(i, 1), waiting.middleRows(filled, 1));
      const auto text = static_cast<std::size_t>(block->first_label + i);
      if (!schema.label.empty()) labels.add((*block->labels)[text]);
      if (!schema.id.empty()) ids.add((*block->ids)[text]);
      if (++filled == chunk) flush();
    }
  }
  flush();
  require(about.rows > 0, Errc::bad_data, "{} has no rows", Input(source.name()));
  require(sums.finite(), Errc::bad_data, "'{}': the squares of the errors overflow; scale the rows",
          Input(source.name()));
  about.loss = sums.loss();
  if (float_sums.finite()) about.float_loss = float_sums.loss();

  {
    const Encoded encoded = encode(model.parts());
    Deflater deflated(model_parts);
    deflated.add(encoded.header);
    file.model_size = encoded.header.size();
    for (const std::string_view array : encoded.arrays) {
      deflated.add(array);
      file.model_size += array.size();
    }
    deflated.finish();
  }
  scores.finish();
  labels.finish();
  ids.finish();
  file.labels_size = labels.size();
  file.ids_size = ids.size();
  file.model = model_parts.view();
  file.scores = score_parts.view();
  file.labels = label_parts.view();
  file.ids = id_parts.view();
  const std::string header = compressed_header(file);
  about.model_bytes = static_cast<std::int64_t>(file.model.size());
  about.bytes = static_cast<std::int64_t>(header.size());
  OutputFile out(path);
  out.write(header);
  for (Spill* part : {&model_parts, &score_parts, &label_parts, &id_parts}) {
    out.write(part->view());
    part->release();
    about.bytes += static_cast<std::int64_t>(part->size());
  }
  out.finish();
  out.publish();
  return about;
}

template <class T>
std::unique_ptr<Source<T>> decompress(const std::string& path, const RunOptions& options,
                                      Compressed* about, const DecompressAsks& asks) {
  auto bytes = std::make_unique<const WholeBytes>(path);
  const std::string name = bytes->name();
  CompressedFile file = decode_compressed(bytes->bytes(), name);
  if constexpr (std::is_same_v<T, float>) {
    require(
        file.about.float_loss.has_value(), Errc::bad_data,
        "'{}' does not contain the loss in single precision; decompress them in double precision",
        Input(name));
    file.about.loss = *file.about.float_loss;
  }
  if (about) *about = file.about;
  asks.before_model(file);
  return std::make_unique<DecompressedRows<T>>(std::move(bytes), std::move(file), options, asks);
}

template <class T>
std::unique_ptr<Source<T>> decompress(const std::string& path, const RunOptions& options,
                                      Compressed* about) {
  return decompress<T>(path, options, about, DecompressAsks{});
}

#define MERCER_INSTANTIATE(T)                                                           \
  template Compressed compress(const Model<T>&, Source<T>&, const std::string&,         \
                               const CompressOptions&);                                 \
  template std::unique_ptr<Source<T>> decompress(const std::string&, const RunOptions&, \
                                                 Compressed*, const DecompressAsks&);   \
  template std::unique_ptr<Source<T>> decompress(const std::string&, const RunOptions&, \
                                                 Compressed*);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
