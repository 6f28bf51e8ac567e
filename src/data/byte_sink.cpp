#include "data/byte_sink.hpp"

#include "core/require.hpp"
#include "core/team.hpp"
#include "data/collect_bytes.hpp"

#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mercer {

class ByteSink::Deflater {
 public:
  explicit Deflater(const std::string& name) : output_(1 << 18) {
    constexpr int gzip = 16 + MAX_WBITS;
    constexpr int memory = 8;
    const int status =
        deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip, memory, Z_DEFAULT_STRATEGY);
    require(status == Z_OK, Errc::out_of_memory, "not enough memory to compress '{}'", name);
  }
  ~Deflater() { deflateEnd(&state_); }

  /// `last`: nothing follows.
  void write(std::string_view bytes, bool last, OutputFile& file) {
    do {
      const std::size_t some = std::min<std::size_t>(bytes.size(), 1 << 30);
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      state_.avail_in = static_cast<uInt>(some);
      bytes.remove_prefix(some);
      do {
        state_.next_out = reinterpret_cast<Bytef*>(output_.data());
        state_.avail_out = static_cast<uInt>(output_.size());
        deflate(&state_, last && bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
        file.write({output_.data(), output_.size() - state_.avail_out});
      } while (state_.avail_out == 0);
    } while (!bytes.empty());
  }

 private:
  z_stream state_{};
  std::vector<char> output_;
};

ByteSink::ByteSink(std::string path, bool gzip, Team& team, Monitor monitor)
    : path_(std::move(path)), team_(team), monitor_(std::move(monitor)) {
  if (continues()) return;
  file_.emplace(path_);
  if (gzip) deflater_ = std::make_unique<Deflater>(name());
}

ByteSink::~ByteSink() = default;

void ByteSink::write(std::string_view bytes) {
  require(!finished_, Errc::bad_option, "'{}' is finished; nothing can be added to it", name());
  if (continues()) held_.add(bytes);
  else put(bytes);
}

void ByteSink::put(std::string_view bytes) {
  if (deflater_) deflater_->write(bytes, false, *file_);
  else file_->write(bytes);
}

void ByteSink::finish(std::string_view begin) {
  if (finished_) return;
  if (team_.size() > 1)
    collect_bytes(
        team_, held_, [&](std::string_view bytes) { put(bytes); }, monitor_);
  on_root(team_, [&] {
    if (!begin.empty()) file_->write_at(0, begin);
    if (deflater_) deflater_->write({}, true, *file_);
    file_->finish();
  });
  finished_ = true;
}

void ByteSink::publish() {
  on_root(team_, [&] { file_->publish(); });
}

bool ByteSink::can_seek() const { return continues() || (file_->can_seek() && !deflater_); }

std::string ByteSink::name() const { return file_ ? file_->name() : path_; }

}  // namespace mercer
