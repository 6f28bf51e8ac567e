#include "tune_checkpoint.hpp"

#include "core/json_text.hpp"
#include "core/require.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

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

}  // namespace

template <class T>
std::string run_identity(const Rows<T>& rows, const double* weights, const TuneOptions& options) {
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
    if (weights) add(std::bit_cast<std::uint64_t>(weights[i]));
  }
  std::string components;
  for (const Index k : options.components) components += fmt::format("{} ", k);
  return fmt::format("{}x{} {:016x} {} {} {} {} {} {} {} {} {} {}", rows.rows(), rows.cols(),
                     digest, name_of(options.criterion), options.folds, options.noise, options.rows,
                     options.fit.seed, static_cast<int>(options.fit.scale), options.fit.center,
                     options.fit.ddof, name_of(options.preimage.method), components);
}

TuneCheckpoint::TuneCheckpoint(const std::string& path, const std::string& identity) : path_(path) {
  std::size_t whole = 0;
  if (std::ifstream in(path, std::ios::binary); in) {
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
      const Json line =
          Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                      text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      try {
        if (begin == 0)
          require(line.at("tune").get<std::string>() == identity, Errc::bad_file,
                  "--checkpoint '{}' is of other rows or options; remove it, or name another file",
                  path);
        else
          for (const Json& cell : line) cells_.push_back(cell_of(cell));
      } catch (const nlohmann::json::exception&) {
        fail(Errc::bad_file, "--checkpoint '{}', line {} is not of tune; name another file", path,
             std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1);
      }
      whole = end + 1;
    }
    require(whole > 0 || text.empty(), Errc::bad_file,
            "--checkpoint '{}' is not of tune; name another file", path);
  }
  file_ = std::fopen(path.c_str(), "ab");
  require(file_ != nullptr, Errc::io, "cannot write --checkpoint '{}': {}", path,
          std::strerror(errno));
  std::filesystem::resize_file(path, whole);
  if (whole == 0) {
    const std::string line = json_text(Json{{"tune", identity}}) + "\n";
    std::fwrite(line.data(), 1, line.size(), file_);
    std::fflush(file_);
  }
}

TuneCheckpoint::~TuneCheckpoint() {
  if (file_) std::fclose(file_);
}

void TuneCheckpoint::add(const std::vector<TuneCell>& cells) {
  Json line = Json::array();
  for (const TuneCell& cell : cells) line.push_back(json_of(cell));
  const std::string text = json_text(line) + "\n";
  const bool written = std::fwrite(text.data(), 1, text.size(), file_) == text.size() &&
                       std::fflush(file_) == 0 && fsync(fileno(file_)) == 0;
  require(written, Errc::io, "cannot write --checkpoint '{}': {}", path_, std::strerror(errno));
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

template std::string run_identity(const Rows<float>&, const double*, const TuneOptions&);
template std::string run_identity(const Rows<double>&, const double*, const TuneOptions&);

}  // namespace mercer::cli
