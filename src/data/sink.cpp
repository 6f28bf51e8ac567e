#include "data/sink.hpp"

#include "core/require.hpp"

namespace mercer {

namespace {

bool ends_with(const std::string& path, std::string_view end) {
  if (path.size() < end.size()) return false;
  for (std::size_t i = 0; i < end.size(); ++i) {
    const char c = path[path.size() - end.size() + i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != end[i]) return false;
  }
  return true;
}

constexpr std::string_view supported = ".csv, .tsv, .csv.gz, .tsv.gz, .npy and - (CSV)";

Format chosen_format(const std::string& path, bool gzip, Format asked) {
  if (asked == Format::csv || asked == Format::tsv || asked == Format::npy) return asked;
  require(asked == Format::by_extension, Errc::bad_option,
          "'{}': rows cannot be written as MatrixMarket or SVMlight; supported: {}", path,
          supported);
  const std::string name = gzip ? path.substr(0, path.size() - 3) : path;
  if (path == "-" || path.starts_with("/dev/") || ends_with(name, ".csv")) return Format::csv;
  if (ends_with(name, ".tsv")) return Format::tsv;
  if (ends_with(name, ".npy")) return Format::npy;
  fail(Errc::bad_option, "'{}': rows cannot be written with this extension; supported: {}", path,
       supported);
}

Format checked_format(const std::string& path, bool gzip, Format asked) {
  const Format chosen = chosen_format(path, gzip, asked);
  require(!gzip || chosen != Format::npy, Errc::bad_option,
          "'{}': a compressed NPY cannot be written, its header changes at the end; leave .gz out",
          path);
  return chosen;
}

}  // namespace

void require_row_file(const std::string& path) {
  checked_format(path, ends_with(path, ".gz"), Format::by_extension);
}

template <class T>
Sink<T>::Sink(const std::string& path, std::vector<std::string> columns, SinkOptions options) {
  const bool gzip = ends_with(path, ".gz");
  const Format chosen = checked_format(path, gzip, options.format);
  auto bytes = std::make_unique<ByteSink>(path, gzip, options.team ? *options.team : Team::alone(),
                                          options.monitor);
  if (chosen == Format::npy) writer_ = npy_writer<T>(std::move(bytes), columns);
  else
    writer_ = text_writer<T>(std::move(bytes), std::move(columns), std::move(options),
                             chosen == Format::tsv ? '\t' : ',');
}

template <class T>
Sink<T>::~Sink() = default;
template <class T>
Sink<T>::Sink(Sink&&) noexcept = default;

template <class T>
void Sink<T>::write(const MatrixRef<T>& rows, const TextColumn* ids, const TextColumn* labels,
                    Index first) {
  writer_->write(rows, ids, labels, first);
}

template <class T>
void Sink<T>::finish() {
  writer_->finish();
}

template <class T>
void Sink<T>::close() {
  writer_->finish();
  writer_->publish();
}

template class Sink<float>;
template class Sink<double>;

}  // namespace mercer
