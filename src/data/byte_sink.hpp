#pragma once
// Bytes out: to a file that is written atomically, optionally compressed.

#include "core/output_file.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace mercer {

class ByteSink {
 public:
  ByteSink(const std::string& path, bool gzip);
  ~ByteSink();

  void write(std::string_view bytes);
  /// Nothing can be written afterwards.
  void finish();
  void publish() { file_.publish(); }

  /// Bytes near the start can be replaced.
  bool can_seek() const;
  void write_at(std::size_t offset, std::string_view bytes) { file_.write_at(offset, bytes); }
  std::string name() const { return file_.name(); }

 private:
  class Deflater;
  OutputFile file_;
  std::unique_ptr<Deflater> deflater_;  // null: not compressed
  bool finished_ = false;
};

}  // namespace mercer
