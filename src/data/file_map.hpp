#pragma once
// A plain file as memory. Pages come when they are touched and go when they are released, so a
// pass over a file larger than memory stays small. Another program that shortens the file
// just while its pages are read ends this one with a bus error, as with every memory map; readers
// ask ByteStream::require_unchanged before each block.

#include <cstddef>
#include <string>

namespace mercer {

/// The name of the mapped file that holds this address; null: none does. For handlers of signals.
const char* mapped_file_at(const void* address);

class FileMap {
 public:
  FileMap() = default;
  FileMap(int descriptor, std::size_t size, const std::string& name);
  ~FileMap();
  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&& other) noexcept;

  const char* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// These bytes will be wanted soon: starts reading what the page cache lacks.
  void prefetch(std::size_t begin, std::size_t end) const;
  /// These bytes are not wanted for now. The page cache may keep them; this process does not.
  void release(std::size_t begin, std::size_t end) const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mercer
