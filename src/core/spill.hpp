#pragma once
// Bytes that may be many: the first stay in memory, more go to a file without a name, which is gone
// with the program, however that ends.
//
//     Spill scores("out/");
//     scores.add(bytes);
//     use(scores.view());                // mapped where they are in the file

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer {

class Spill {
 public:
  /// `folder`: where the file would be, with its last '/'; empty: TMPDIR, or /tmp.
  explicit Spill(std::string folder = {}, std::size_t most_in_memory = std::size_t{1} << 18);
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  void add(std::string_view bytes);
  std::size_t size() const { return written_ + kept_.size(); }
  /// All of them; nothing may be added afterwards.
  std::string_view view();
  /// Pages of the view that are in memory may leave it: the file has them.
  void release() const;

 private:
  void flush();
  [[noreturn]] void give_up(int error) const;

  std::string folder_;
  std::size_t most_;
  std::string kept_;
  std::size_t written_ = 0;
  int fd_ = -1;
  void* map_ = nullptr;
};

}  // namespace mercer
