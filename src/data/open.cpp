#include "core/require.hpp"
#include "data/formats.hpp"
#include "data/like.hpp"
#include "data/parts.hpp"

#include <mercer/data.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <type_traits>

namespace mercer {

extern const FormatRow csv_format, tsv_format, npy_format, mtx_format, svm_format;

namespace {

// A new format adds its row here.
constexpr const FormatRow* format_rows[] = {&csv_format, &tsv_format, &npy_format, &mtx_format,
                                            &svm_format};

std::vector<std::string> extensions_of(const FormatRow& row) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < row.extensions.size();) {
    const std::size_t end = std::min(row.extensions.find(' ', begin), row.extensions.size());
    out.emplace_back(row.extensions.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Format format_of(const std::string& path) {
  // Pipes have no extension, and what comes through them is most often text.
  if (path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/")) return Format::csv;
  const auto extension_of = [](const std::filesystem::path& file) {
    std::string text = file.extension().string();
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  const std::filesystem::path file(path);
  std::string extension = extension_of(file);
  if (extension == ".gz") extension = extension_of(file.stem());
  std::string others;
  for (const FormatEntry& entry : format_table()) {
    if (std::ranges::find(entry.extensions, extension) != entry.extensions.end())
      return entry.format;
    if (&entry == &format_table().front()) continue;
    others += (&entry == &format_table().back() ? " or " : ", ") + entry.name;
  }
  fail(Errc::bad_option, "the extension of '{}' is unknown; set the format with `format={}`{}",
       path, format_table().front().name, others);
}

template <class T>
std::unique_ptr<Source<T>> open_as(Format format, std::unique_ptr<ByteStream> bytes,
                                   const ReadOptions& options) {
  for (const FormatRow* row : format_rows) {
    if (row->format != format) continue;
    if constexpr (std::is_same_v<T, float>) return row->open_float(std::move(bytes), options);
    else return row->open_double(std::move(bytes), options);
  }
  return open_csv<T>(std::move(bytes), options);
}

/// The parts once more, each with the features that any of them has.
template <class T>
std::unique_ptr<Source<T>> open_like_all(const std::vector<std::string>& paths,
                                         const ReadOptions& options,
                                         const std::vector<std::unique_ptr<Source<T>>>& parts) {
  require(std::ranges::find(paths, "-") == paths.end(), Errc::bad_option,
          "`onehot` of several parts reads each twice; save standard input (-) to a file first");
  ReadOptions like = options;
  like.columns.clear();  // the names that are left
  like.onehot.clear();
  std::vector<std::string>& names = like.like.features;
  names.clear();
  for (const auto& part : parts)
    for (const std::string& name : part->schema().feature_names)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::vector<std::unique_ptr<Source<T>>> again;
  again.reserve(paths.size());
  for (const std::string& path : paths) again.push_back(open<T>(path, like));
  return concatenated(std::move(again));
}

}  // namespace

Format chosen_format(const std::string& path, const ReadOptions& options) {
  return options.format == Format::by_extension ? format_of(path) : options.format;
}

std::span<const FormatEntry> format_table() {
  static const std::vector<FormatEntry> entries = [] {
    std::vector<FormatEntry> all;
    for (const FormatRow* row : format_rows)
      all.push_back(
          {std::string(row->name), row->format, extensions_of(*row), std::string(row->notes)});
    return all;
  }();
  return entries;
}

template <class T>
std::unique_ptr<Source<T>> open(const std::string& path, const ReadOptions& options) {
  // First the file: that it is missing matters more than what it is called.
  std::unique_ptr<ByteStream> bytes = open_bytes(path, options.monitor, options.live);
  const Format format = chosen_format(path, options);
  require(options.onehot.empty() || format == Format::csv || format == Format::tsv,
          Errc::bad_option, "`onehot` requires text columns (CSV, TSV), and '{}' has none", path);
  auto source = open_as<T>(format, std::move(bytes), options);
  if (!options.columns.empty()) return source;
  return in_order(std::move(source), options.like.features);
}

template <class T>
std::unique_ptr<Source<T>> open_parts(const std::vector<std::string>& paths,
                                      const ReadOptions& options) {
  require(std::ranges::count(paths, "-") <= 1, Errc::bad_option,
          "standard input (-) can be only one of the parts");
  std::vector<std::unique_ptr<Source<T>>> parts;
  Index widest = 0;
  for (const std::string& path : paths) {
    parts.push_back(open<T>(path, options));
    widest = std::max(widest, parts.back()->schema().features);
  }
  // A part need not have every category.
  if (!options.onehot.empty() && paths.size() > 1) return open_like_all<T>(paths, options, parts);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (chosen_format(paths[i], options) == Format::svm)
      parts[i] = widened(std::move(parts[i]), widest);
  }
  return concatenated(std::move(parts));
}

#define MERCER_INSTANTIATE(T)                                                       \
  template std::unique_ptr<Source<T>> open(const std::string&, const ReadOptions&); \
  template std::unique_ptr<Source<T>> open_parts(const std::vector<std::string>&,   \
                                                 const ReadOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
