#pragma once
// One row per file format. `open()` picks by `ReadOptions::format` or by extension (ignoring
// `.gz`). A new format is one file that ends with its row, a value of `Format` and its
// name in the table of open.cpp.

#include "data/bytes.hpp"

#include <mercer/data.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace mercer {

template <class T>
using OpenFormat = std::unique_ptr<Source<T>> (*)(std::unique_ptr<ByteStream>, const ReadOptions&);

struct FormatRow {
  std::string_view name;
  Format format;
  std::string_view extensions;  ///< ".csv .txt"; the first is the usual one
  std::string_view notes;
  OpenFormat<float> open_float;
  OpenFormat<double> open_double;
};

/// The format asked for, or that of the file's extension.
Format chosen_format(const std::string& path, const ReadOptions& options);

template <class T>
std::unique_ptr<Source<T>> open_csv(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);
template <class T>
std::unique_ptr<Source<T>> open_npy(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);
template <class T>
std::unique_ptr<Source<T>> open_mtx(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);
template <class T>
std::unique_ptr<Source<T>> open_svm(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);

}  // namespace mercer
