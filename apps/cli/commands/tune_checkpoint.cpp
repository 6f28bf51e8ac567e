#include "commands/tune_checkpoint.hpp"

#include "core/json_text.hpp"
#include "core/require.hpp"
#include "data/bytes.hpp"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

namespace mercer::cli {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const TuneCell& cell) {
  return {{"kernel", cell.kernel},
          {"components", cell.components},
          {"score", std::isnan(cell.score) ? Json(nullptr) : Json(cell.score)},
          {"spread", cell.spread},
          {"problem", cell.problem.empty() ? Json(nullptr) : Json(cell.problem)}};
}

TuneCell cell_of(const Json& json) {
  TuneCell cell;
  cell.kernel = json.at("kernel").get<std::string>();
  cell.components = json.at("components").get<Index>();
  if (json.at("score").is_number()) cell.score = json.at("score").get<double>();
  cell.spread = json.at("spread").get<double>();
  if (json.at("problem").is_string()) cell.problem = json.at("problem").get<std::string>();
  return cell;
}

std::string whole_text(const std::string& path) {
  const auto stream = open_bytes(path, {});
  std::string text;
  while (!stream->at_end()) {
    constexpr std::size_t chunk = 1 << 16;
    const std::size_t before = text.size();
    text.resize(before + chunk);
    text.resize(before + stream->read(text.data() + before, chunk));
  }
  return text;
}

}  // namespace

template <class T>
std::string run_identity(const Rows<T>& rows, std::span<const double> weights,
                         const TuneOptions& options) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  const auto add = [&](std::uint64_t bits) { digest = (digest ^ bits) * 0x100000001b3U; };
  Matrix<T> row(1, rows.cols());
  const auto copy = identity_map<T>(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    copy->apply(rows.middle(i, 1), row);
    for (Index j = 0; j < row.cols(); ++j) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &row(0, j), sizeof(T));
      add(bits);
    }
    if (!weights.empty()) add(std::bit_cast<std::uint64_t>(weights[static_cast<std::size_t>(i)]));
  }
  std::string components;
  for (const Index k : options.components) components += fmt::format("{} ", k);
  return fmt::format("{}x{} {:016x} {} {} {} {} {} {} {} {} {} {}", rows.rows(), rows.cols(),
                     digest, name_of(options.criterion), options.folds, options.noise, options.rows,
                     options.fit.seed, static_cast<int>(options.fit.scale), options.fit.center,
                     options.fit.ddof, name_of(options.preimage.method), components);
}

TuneCheckpoint::TuneCheckpoint(const std::string& path, const std::string& identity)
    : path_(path), identity_(identity) {
  // What is there and cannot be read is an error: it must not be taken for an empty file.
  if (access(path.c_str(), F_OK) == 0) {
    const std::string text = whole_text(path);
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
      const Json line =
          Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                      text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      try {
        if (begin == 0)
          require(line.at("tune").get<std::string>() == identity, Errc::bad_file,
                  "--checkpoint '{}' belongs to other rows or options; remove it, or choose "
                  "another file",
                  path);
        else
          for (const Json& cell : line) cells_.push_back(cell_of(cell));
      } catch (const nlohmann::json::exception&) {
        fail(Errc::bad_file,
             "--checkpoint '{}', line {} was not written by tune; choose another file", path,
             std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1);
      }
      whole_ = end + 1;
    }
    require(whole_ > 0 || text.empty(), Errc::bad_file,
            "--checkpoint '{}' was not written by tune; choose another file", path);
  }
}

/// Not before there is a score to keep: a run in which every kernel fails leaves no file.
void TuneCheckpoint::open() {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) give_up();
  // A line that a killed run did not finish goes.
  const auto end = static_cast<off_t>(whole_);
  if (ftruncate(fd_, end) != 0 || lseek(fd_, end, SEEK_SET) != end) give_up();
  if (whole_ == 0) append(json_text(Json{{"tune", identity_}}) + "\n");
}

TuneCheckpoint::~TuneCheckpoint() {
  if (fd_ >= 0) ::close(fd_);
}

void TuneCheckpoint::give_up() {
  const int error = errno;
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));  // the constructor may not have come to its end
  fail(Errc::io, "cannot write --checkpoint '{}': {}", path_, std::strerror(error));
}

void TuneCheckpoint::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(fd_, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) give_up();
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  if (fsync(fd_) != 0) give_up();
}

void TuneCheckpoint::add(const std::vector<TuneCell>& cells) {
  Json line = Json::array();
  for (const TuneCell& cell : cells) line.push_back(json_of(cell));
  waiting_ += json_text(line) + "\n";
  const bool scored =
      std::ranges::any_of(cells, [](const TuneCell& cell) { return !std::isnan(cell.score); });
  if (fd_ < 0 && whole_ == 0 && !scored) return;
  if (fd_ < 0) open();
  append(std::exchange(waiting_, {}));
}

std::string tuned_json(const Tuned& tuned, Criterion criterion) {
  Json cells = Json::array();
  for (const TuneCell& cell : tuned.cells) cells.push_back(json_of(cell));
  return json_text(Json{{"criterion", name_of(criterion)},
                        {"best", json_of(tuned.cells[tuned.best])},
                        {"reason", tuned.reason},
                        {"cells", std::move(cells)}},
                   2);
}

template std::string run_identity(const Rows<float>&, std::span<const double>, const TuneOptions&);
template std::string run_identity(const Rows<double>&, std::span<const double>, const TuneOptions&);

}  // namespace mercer::cli
