#pragma once
// The formats a `Sink` writes.

#include "data/byte_sink.hpp"

#include <mercer/data.hpp>

namespace mercer {

/// Throws `Errc::bad_option` when rows cannot be written to a file of this name.
void require_row_file(const std::string& path);

/// One a format. `finish` may be called twice.
template <class T>
class Sink<T>::Writer {
 public:
  virtual ~Writer() = default;
  virtual void write(const MatrixRef<T>& rows, const TextColumn* ids, const TextColumn* labels,
                     Index first) = 0;
  virtual void finish() = 0;
  virtual void publish() = 0;
};

/// CSV or TSV: a header row (none when `columns` is empty), then id, label and numbers.
template <class T>
std::unique_ptr<typename Sink<T>::Writer> text_writer(std::unique_ptr<ByteSink> bytes,
                                                      std::vector<std::string> columns,
                                                      SinkOptions texts, char delimiter);

/// NPY, C order, little- or big-endian as the machine is. It holds numbers only: names, ids and
/// labels are left out.
template <class T>
std::unique_ptr<typename Sink<T>::Writer> npy_writer(std::unique_ptr<ByteSink> bytes,
                                                     const std::vector<std::string>& columns);

}  // namespace mercer
