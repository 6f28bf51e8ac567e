#pragma once
// One function a file format. `open()` picks by `ReadOptions::format` or by extension (`.gz` is
// looked through). A new format is one file and one row of the table in open.cpp.

#include "data/bytes.hpp"

#include <mercer/data.hpp>

namespace mercer {

template <class T>
std::unique_ptr<Source<T>> open_csv(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);
template <class T>
std::unique_ptr<Source<T>> open_npy(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);
template <class T>
std::unique_ptr<Source<T>> open_mtx(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);
template <class T>
std::unique_ptr<Source<T>> open_svm(std::unique_ptr<ByteStream> bytes, const ReadOptions& options);

}  // namespace mercer
