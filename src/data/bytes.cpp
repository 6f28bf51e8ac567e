#include "data/bytes.hpp"

#include "core/monitor.hpp"
#include "core/require.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace mercer {

namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";

[[noreturn]] void fail_io(const std::string& name, const char* what, int error) {
  fail(Errc::io, "cannot {} '{}': {}", what, name, std::strerror(error));
}

class FileStream final : public ByteStream {
 public:
  FileStream(const std::string& path, const Monitor& monitor, bool live)
      : path_(path), monitor_(monitor), reporter_(monitor_, "reading", "bytes", 0) {
    if (path == "-") {
      fd_ = STDIN_FILENO;
    } else {
      open_file();
    }
    try {
      struct stat info {};
      if (fstat(fd_, &info) != 0) fail_io(name(), "read", errno);
      require(!S_ISDIR(info.st_mode), Errc::io, "'{}' is a directory, not a file", name());
      seekable_ = path != "-" && S_ISREG(info.st_mode);
      waits_ = !S_ISREG(info.st_mode);
      live_ = live && waits_;
      if (seekable_) size_ = static_cast<std::size_t>(info.st_size);
      changed_ = info.st_mtim;
      peek();
    } catch (...) {
      close_file();
      throw;
    }
  }
  ~FileStream() override { close_file(); }

  bool is_gzip() const { return std::string_view(peeked_, peeked_end_) == gzip_magic; }

  std::size_t read(char* out, std::size_t capacity) override {
    const std::size_t kept = std::min(capacity, peeked_end_ - peeked_begin_);
    std::memcpy(out, peeked_ + peeked_begin_, kept);
    peeked_begin_ += kept;
    const bool enough = live_ && kept > 0;
    const std::size_t got = kept + read_fd(out + kept, capacity - kept, enough);
    position_ += got;
    return got;
  }

  void rewind() override {
    require(can_rewind(), Errc::io,
            "{} can be read only once, and a second pass is needed; save it to a file first",
            name());
    require_unchanged();
    if (lseek(fd_, 0, SEEK_SET) != 0) fail_io(name(), "rewind", errno);
    peeked_begin_ = peeked_end_ = position_ = 0;
    at_end_ = false;
  }
  bool can_rewind() const override { return seekable_; }
  void require_unchanged() const override {
    struct stat now {};
    if (!seekable_ || fstat(fd_, &now) != 0) return;
    const auto size = static_cast<std::size_t>(now.st_size);
    require(size == size_, Errc::bad_data,
            "'{}' changed while it was read: it had {} bytes, now it has {}; try again when it is "
            "no longer being written",
            Input(name()), size_, size);
    require(now.st_mtim.tv_sec == changed_.tv_sec && now.st_mtim.tv_nsec == changed_.tv_nsec,
            Errc::bad_data,
            "'{}' changed while it was read: it was modified; try again when it is no longer being "
            "written",
            Input(name()));
  }
  bool at_end() const override { return at_end_; }

  std::size_t size() const override { return size_; }
  double fraction_read() const override {
    return size_ == 0 ? 0
                      : std::min(1.0, static_cast<double>(position_) / static_cast<double>(size_));
  }
  std::string name() const override { return path_ == "-" ? "standard input" : path_; }
  int descriptor() const override { return seekable_ ? fd_ : -1; }

 private:
  void open_file() {
    // Opening a named pipe waits for its writer; a signal ends the wait.
    while ((fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) < 0 && errno == EINTR) reporter_(0);
    if (fd_ < 0) fail_io(path_, "open", errno);
  }

  void close_file() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }

  void peek() {
    while (peeked_end_ < gzip_magic.size() && !at_end_)
      peeked_end_ += read_fd(peeked_ + peeked_end_, gzip_magic.size() - peeked_end_, false);
  }

  /// `enough`: what is there may be given out, and nothing need be waited for.
  std::size_t read_fd(char* out, std::size_t capacity, bool enough) {
    std::size_t got = 0;
    while (got < capacity) {
      if (enough && !ready()) break;
      if (waits_) wait(got);
      const ssize_t n = ::read(fd_, out + got, capacity - got);
      at_end_ = n == 0;
      if (at_end_ && size_ > 0) require_unchanged();
      if (at_end_) break;
      if (n > 0) {
        got += static_cast<std::size_t>(n);
        enough = live_;
      } else if (errno == EINTR || errno == EAGAIN) {
        reporter_(static_cast<double>(position_ + got));
      } else {
        fail_io(name(), "read", errno);
      }
    }
    return got;
  }

  bool ready() const {
    pollfd now{fd_, POLLIN, 0};
    return ::poll(&now, 1, 0) > 0;
  }

  // Asks the monitor while nothing comes: a signal may arrive just before a read that blocks.
  void wait(std::size_t got) {
    pollfd ready{fd_, POLLIN, 0};
    while (::poll(&ready, 1, 100) <= 0) reporter_(static_cast<double>(position_ + got));
  }

  std::string path_;
  Monitor monitor_;
  Reporter reporter_;
  int fd_ = -1;
  bool seekable_ = false;
  bool waits_ = false;
  bool live_ = false;
  bool at_end_ = false;
  std::size_t size_ = 0;
  timespec changed_{};
  std::size_t position_ = 0;
  char peeked_[2] = {};  // the first bytes, looked at and not yet given out
  std::size_t peeked_begin_ = 0;
  std::size_t peeked_end_ = 0;
};

class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteStream> file) : file_(std::move(file)), input_(1 << 18) {
    constexpr int gzip_only = 16 + MAX_WBITS;
    require(inflateInit2(&inflater_, gzip_only) == Z_OK, Errc::out_of_memory,
            "not enough memory to unpack '{}'", name());
  }
  ~GzipStream() override { inflateEnd(&inflater_); }

  std::size_t read(char* out, std::size_t capacity) override {
    std::size_t got = 0;
    while (got < capacity && !at_end_) {
      if (inflater_.avail_in == 0) refill();
      require(inflater_.avail_in != 0, Errc::bad_file,
              "'{}' is truncated: its gzip data ends too early", name());
      const std::size_t room = std::min<std::size_t>(capacity - got, 1 << 30);
      inflater_.next_out = reinterpret_cast<Bytef*>(out + got);
      inflater_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&inflater_, Z_NO_FLUSH);
      got += room - inflater_.avail_out;
      if (status == Z_STREAM_END) {
        next_member();
      } else {
        require(status == Z_OK || status == Z_BUF_ERROR, Errc::bad_file,
                "'{}' is damaged: gzip reports '{}'", name(),
                inflater_.msg ? inflater_.msg : "invalid data");
      }
    }
    return got;
  }

  void rewind() override {
    file_->rewind();
    inflateReset(&inflater_);
    inflater_.avail_in = 0;
    at_end_ = false;
  }
  bool can_rewind() const override { return file_->can_rewind(); }
  void require_unchanged() const override { file_->require_unchanged(); }
  std::size_t size() const override { return 0; }
  double fraction_read() const override { return file_->fraction_read(); }
  std::string name() const override { return file_->name(); }

 private:
  void refill() {
    inflater_.next_in = reinterpret_cast<Bytef*>(input_.data());
    inflater_.avail_in = static_cast<uInt>(file_->read(input_.data(), input_.size()));
  }

  // A gzip file is one or more members, perhaps padded with zeros.
  void next_member() {
    for (bool padding = false;; padding = true) {
      if (inflater_.avail_in == 0) refill();
      at_end_ = inflater_.avail_in == 0;
      if (at_end_) return;
      if (*inflater_.next_in != 0) {
        require(!padding, Errc::bad_file,
                "'{}' is damaged: there are extra bytes after its gzip data", name());
        inflateReset(&inflater_);
        return;
      }
      ++inflater_.next_in;
      --inflater_.avail_in;
    }
  }

  std::unique_ptr<ByteStream> file_;
  std::vector<char> input_;
  z_stream inflater_{};
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> open_bytes(const std::string& path, const Monitor& monitor, bool live) {
  auto file = std::make_unique<FileStream>(path, monitor, live);
  if (file->is_gzip()) return std::make_unique<GzipStream>(std::move(file));
  return file;
}

}  // namespace mercer
