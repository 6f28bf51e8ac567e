#include "pca/pass_log.hpp"

#include "core/output_file.hpp"
#include "core/require.hpp"
#include "core/row_hash.hpp"
#include "core/team.hpp"
#include "model/checksum.hpp"
#include "pca/fit_identity.hpp"
#include "pca/pass_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <sstream>

namespace mercer {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view log_format = "mercer-fit-checkpoint ", log_version = "1";
constexpr std::string_view run_name = "run", list_name = "passes", pass_prefix = "pass-",
                           token_prefix = "shared-";

std::string checksum_of(std::string_view text) { return checksum::text(checksum::add(0, text)); }

void require_sync(int fd, const std::string& path) {
  if (fsync(fd) != 0) refuse_write(path, errno);
}

/// Names in a folder are on disk after this.
void sync_folder(const std::string& folder) {
  const OpenFile file(folder, O_RDONLY | O_DIRECTORY);
  if (file.fd() >= 0) fsync(file.fd());  // not every file system syncs folders
}

}  // namespace

PassLog::~PassLog() {
  for (const int fd : {lock_, list_})
    if (fd >= 0) ::close(fd);
}

std::string PassLog::path_of(std::size_t number) const {
  return path(fmt::format("{}{:04}", pass_prefix, number));
}

std::string PassLog::line_of(std::size_t number, const Result& r) {
  const std::string text = fmt::format("{} {} {:016x} {:016x} {} {} {}", number, r.what, r.input,
                                       r.content, r.rows, r.columns, r.bytes);
  return fmt::format("{} {}\n", checksum_of(text), text);
}

/// False: it is not a line that follows.
bool PassLog::take_line(std::string_view line, std::vector<Result>& results) {
  const auto text = line.substr(std::min(line.size(), checksum::zeros.size() + 1));
  if (!line.starts_with(checksum_of(text) + " ")) return false;
  std::istringstream in{std::string(text)};
  std::size_t number = 0;
  Result r;
  in >> number >> r.what >> std::hex >> r.input >> r.content >> std::dec >> r.rows >> r.columns >>
      r.bytes;
  if (!in || number == 0 || number > results.size() + 1) return false;
  if (number > results.size()) results.emplace_back();
  results[number - 1] = std::move(r);  // the later one of two
  return true;
}

/// On rank 0. Returns the memory budget of the first run.
std::size_t PassLog::open_folder(const std::string& run, std::size_t memory) {
  std::error_code error;
  fs::create_directory(folder_, error);
  require(fs::is_directory(folder_), Errc::io, "cannot make the folder '{}': {}", folder_,
          error ? error.message() : "it is a file");
  const std::string run_path = path(run_name);
  const std::string first_line = fmt::format("{}{}\n", log_format, log_version);
  const std::string expected = first_line + run;
  bool begun = fs::exists(run_path, error);
  if (begun) {
    lock();
    // Without a pass there is nothing to continue, and nothing to lose.
    const auto size = fs::file_size(path(list_name), error);
    begun = !error && size > 0;
  } else {
    const auto entries = fs::directory_iterator(folder_, error);
    if (error) refuse_write(folder_, error.value());
    require(entries == fs::directory_iterator(), Errc::bad_file,
            "the folder '{}' has files and no checkpoint; give a new or an empty folder", folder_);
  }
  if (!begun) {
    const std::string text = fmt::format("{}memory\t{}\n", expected, memory);
    OutputFile file(run_path);
    file.write(text + checksum_of(text) + "\n");
    file.publish();
    lock();
    cut_list();
    sync_folder(folder_);
    return memory;
  }
  require(resume_, Errc::bad_file,
          "the folder '{}' has the checkpoint of an earlier fit; continue that with `resume`, or "
          "remove the folder",
          folder_);
  const std::string text = whole_file(run_path);
  require(!text.starts_with(log_format) || text.starts_with(first_line), Errc::bad_file,
          "the checkpoint in '{}' was written by another version of Mercer; finish that fit with "
          "it, or choose another folder",
          folder_);
  const std::size_t end = text.size() < 9 ? 0 : text.size() - 9;  // the checksum and its newline
  const std::string_view begin = std::string_view(text).substr(0, end);
  const auto budget = begin.rfind("memory\t");
  require(begin.starts_with(log_format) && budget != begin.npos &&
              text.substr(end) == checksum_of(begin) + "\n",
          Errc::bad_file,
          "the checkpoint in '{}' is damaged: its file '{}' is not as it was written; remove the "
          "folder, and start again",
          folder_, run_name);
  const std::string planned(begin.substr(budget + 7));
  const std::string difference = first_difference(expected, std::string(begin.substr(0, budget)));
  require(difference.empty(), Errc::bad_file,
          "the checkpoint in '{}' is of another run, which differs in {}; repeat the options and "
          "the data of that run, or choose another folder",
          folder_, difference);
  cut_list();
  return std::stoull(planned);
}

/// Two fits at a time would overwrite each other's results.
void PassLog::lock() {
  if (lock_ >= 0) ::close(lock_);
  lock_ = ::open(path(run_name).c_str(), O_RDONLY | O_CLOEXEC);
  const bool taken = flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  require(!taken, Errc::bad_file,
          "the checkpoint in '{}' is in use by another fit; wait for its end, or choose another "
          "folder",
          folder_);
}

/// Opens the list, and cuts it before the first line that is not as it was written.
void PassLog::cut_list() {
  const std::string list = path(list_name);
  if (list_ >= 0) ::close(list_);
  list_ = ::open(list.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (list_ < 0) refuse_write(list, errno);
  lines_ = whole_file(list);
  std::size_t good = 0;
  std::vector<Result> results;
  for (std::size_t end; (end = lines_.find('\n', good)) != lines_.npos; good = end + 1)
    if (!take_line(std::string_view(lines_).substr(good, end - good), results)) break;
  lines_.resize(good);
  const auto length = static_cast<off_t>(good);
  if (ftruncate(list_, length) != 0 || lseek(list_, length, SEEK_SET) != length)
    refuse_write(list, errno);
}

void PassLog::append(const Result& result) {
  const std::string list = path(list_name), line = line_of(next_ + 1, result);
  write_at(list_, list, line.data(), line.size(), lseek(list_, 0, SEEK_END));
  require_sync(list_, list);
}

/// A file that rank 0 makes under a name that nobody can have looked for is seen by all.
void PassLog::require_shared(Team& team) const {
  if (team.size() == 1) return;
  std::string token;
  on_root(team, [&] {
    token = fmt::format("{}{:08x}{:08x}", token_prefix, std::random_device()(), getpid());
    const OpenFile file(path(token), O_WRONLY | O_CREAT);
    if (file.fd() < 0) refuse_write(path(token), errno);
  });
  from_root(team, token);
  const bool there = access(path(token).c_str(), F_OK) == 0;
  const std::vector<std::int64_t> seen = all_of(team, there ? 1 : 0);
  if (team.rank() == 0) unlink(path(token).c_str());
  const auto blind = std::ranges::find(seen, 0);
  require(blind == seen.end(), Errc::bad_file,
          "the folder '{}' of rank {} is not that of rank 0; give a folder on a file system that "
          "all processes share",
          folder_, blind - seen.begin());
}

std::size_t PassLog::begin(Team& team, const std::string& run, std::size_t memory) {
  leads_ = false;
  next_ = 0;
  read_ = 0;
  results_.clear();
  std::size_t planned = memory;
  on_root(team, [&] { planned = open_folder(run, memory); });
  require_shared(team);
  planned = static_cast<std::size_t>(all_of(team, static_cast<std::int64_t>(planned))[0]);
  from_root(team, lines_);
  for (std::size_t at = 0, end; (end = lines_.find('\n', at)) != lines_.npos; at = end + 1)
    take_line(std::string_view(lines_).substr(at, end - at), results_);
  lacks_ = planned - std::min(planned, memory);
  leads_ = team.rank() == 0;
  active_ = true;
  return planned;
}

bool PassLog::read(Team& team, const PassKey& key, std::string& bytes, const RowsOfBlock& block) {
  if (next_ >= results_.size()) return false;
  const Result& r = results_[next_];
  const std::int64_t columns = block.rows ? block.rows->cols() : 0;
  require(r.what == key.what && r.input == key.input && r.rows == block.all && r.columns == columns,
          Errc::bad_file,
          "pass {} in the checkpoint '{}' has another input than that of this run: processors of "
          "another type, or another `memory`, gave other numbers; continue where it began, or "
          "start again in another folder",
          next_ + 1, folder_);
  const std::string file = path_of(next_ + 1);
  const std::int64_t tall = 8 * r.rows * r.columns;
  RowHash hash;
  const OpenFile open(file, O_RDONLY);
  bool good = open.fd() >= 0 && lseek(open.fd(), 0, SEEK_END) == tall + r.bytes;
  if (good && block.rows) {
    good =
        read_at(open.fd(), block.rows->data(), 8 * block.rows->size(), 8 * columns * block.first);
    hash.add(*block.rows);
  }
  std::uint64_t content = hash.after(block.first);
  if (good && team.rank() == 0) {
    bytes.resize(static_cast<std::size_t>(r.bytes));
    good = read_at(open.fd(), bytes.data(), r.bytes, tall);
    content += hash_of(bytes);
  }
  std::uint64_t all = 0;
  for (const std::int64_t part : all_of(team, static_cast<std::int64_t>(content)))
    all += static_cast<std::uint64_t>(part);
  const std::vector<std::int64_t> goods = all_of(team, good ? 1 : 0);
  if (all != r.content || std::ranges::find(goods, 0) != goods.end()) return false;
  from_root(team, bytes);
  ++next_;
  ++read_;
  return true;
}

void PassLog::write(Team& team, const PassKey& key, const std::string& bytes,
                    const RowsOfBlock& block) {
  const std::string file = path_of(next_ + 1);
  Result r{.what = std::string(key.what), .input = key.input, .rows = block.all};
  r.columns = block.rows ? block.rows->cols() : 0;
  r.bytes = static_cast<std::int64_t>(bytes.size());
  const std::int64_t tall = 8 * r.rows * r.columns;
  on_root(team, [&] {
    const OpenFile open(file, O_WRONLY | O_CREAT | O_TRUNC);
    if (open.fd() < 0) refuse_write(file, errno);
    write_at(open.fd(), file, bytes.data(), bytes.size(), tall);
  });
  RowHash hash;
  agree(team, [&] {
    const OpenFile open(file, O_WRONLY);
    if (open.fd() < 0) refuse_write(file, errno);
    if (block.rows) {
      const auto size = sizeof(double) * static_cast<std::size_t>(block.rows->size());
      write_at(open.fd(), file, block.rows->data(), size, 8 * r.columns * block.first);
      hash.add(*block.rows);
    }
    require_sync(open.fd(), file);
  });
  const std::uint64_t mine =
      hash.after(block.first) + (team.rank() == 0 ? hash_of(bytes) : std::uint64_t{0});
  for (const std::int64_t part : all_of(team, static_cast<std::int64_t>(mine)))
    r.content += static_cast<std::uint64_t>(part);
  on_root(team, [&] {
    sync_folder(folder_);
    append(r);
  });
  if (next_ == results_.size()) results_.emplace_back();
  results_[next_++] = std::move(r);
}

void PassLog::remove() {
  if (!leads_) return;
  const auto is_ours = [](const std::string& name) {
    return name == list_name || name.starts_with(pass_prefix) || name.starts_with(token_prefix);
  };
  std::error_code ignored;
  std::vector<fs::path> ours;
  for (const auto& entry : fs::directory_iterator(folder_, ignored))
    if (is_ours(entry.path().filename().string())) ours.push_back(entry.path());
  for (const fs::path& file : ours) fs::remove(file, ignored);
  fs::remove(path(run_name), ignored);  // the last: without it the others are nobody's
}

}  // namespace mercer
