#pragma once
// Rows kept in memory when they fit into the budget, and left in their file when not.

#include <mercer/data.hpp>
#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mercer::cli {

template <class T>
class KeptRows final : public ForwardingSource<T> {
 public:
  /// Reads everything, or borrows a memory map, when it fits into half of `memory` bytes. What does
  /// not fit stays a stream. Rows that cannot be read again, as those
  /// of standard input, must fit when they are needed `twice`.
  KeptRows(std::unique_ptr<Source<T>> file, std::size_t memory, bool twice);

  bool in_memory() const { return whole_.has_value(); }

  std::optional<Block<T>> next() override;
  void rewind() override;
  bool can_rewind() const override { return in_memory() || this->source_.can_rewind(); }
  Index expected_rows() const override {
    return in_memory() ? whole_->rows.rows() : this->source_.expected_rows();
  }
  std::size_t buffer_bytes() const override {
    return in_memory() ? 0 : this->source_.buffer_bytes();
  }
  std::optional<Block<T>> whole() override { return whole_; }

 private:
  Table<T> table_;
  std::optional<Block<T>> whole_;
  bool given_ = false;
};

/// Does the work, and puts the file before an error of the data that names neither it nor one of
/// its `parts`: messages of the arithmetic do not contain file names.
template <class Work>
auto naming(const std::string& file, Work work, const std::vector<std::string>& parts = {}) {
  try {
    return work();
  } catch (const Error& e) {
    const bool of_data = e.code() == Errc::bad_data || e.code() == Errc::invalid_kernel;
    const auto named = [&](const std::string& path) {
      return e.input() == (path == "-" ? "standard input" : path);
    };
    if (!of_data || named(file) || std::ranges::any_of(parts, named)) throw;
    throw Error(e.code(), fmt::format("'{}': {}", file, e.what()), file);
  }
}

}  // namespace mercer::cli
