#include "commands/commands.hpp"

#include "core/output_file.hpp"
#include "core/require.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "lectures/bundled.hpp"
#include "lectures/lecture.hpp"
#include "lectures/render.hpp"
#include "lectures/stage.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

namespace mercer::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* lecture_examples =
    "  mercer lecture                                       the list of worked examples\n"
    "  mercer lecture two-clouds                            commands, expected and computed "
    "numbers\n"
    "  mercer lecture rings -o rings                        also keep data, figures and "
    "explanation\n"
    "  mercer lecture all -o report                         one HTML page, report/index.html\n";

constexpr std::string_view every_lecture = "all";

struct LectureFlags {
  std::string name, output;
  bool force = false, json = false;
};

std::vector<OptionValue> lecture_values() {
  std::vector<OptionValue> values;
  for (const Lecture& lecture : lectures())
    values.push_back({std::string(lecture.name), std::string(lecture.title)});
  values.push_back({std::string(every_lecture), "all of them, as a report"});
  return values;
}

/// A folder that is removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "mercer-lecture-XXXXXX").string();
    require(!failed && mkdtemp(name.data()) != nullptr, Errc::bad_data,
            "cannot create a temporary folder '{}': {}", name, std::strerror(errno));
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A new folder `prefix`XXXXXX.
fs::path new_folder(const fs::path& prefix) {
  std::string name = prefix.string() + "XXXXXX";
  require(mkdtemp(name.data()) != nullptr, Errc::io, "cannot create a folder '{}': {}", name,
          std::strerror(errno));
  const mode_t mask = umask(0);
  umask(mask);
  chmod(name.c_str(), 0777 & ~mask);
  return name;
}

/// The folder of --output. Examples work in a hidden folder beside it, or in it if it exists, so
/// that an interrupted run leaves no half of a report. A folder with files, of --force, is written
/// into directly.
class OutputFolder {
 public:
  explicit OutputFolder(const LectureFlags& flags);
  ~OutputFolder() {
    std::error_code ignored;
    if (kept_) return;
    if (work_ != path_) fs::remove_all(work_, ignored);
    if (!created_.empty()) fs::remove_all(created_, ignored);
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Where the examples write.
  const fs::path& work() const { return work_; }
  /// All is written: takes its name.
  void publish();

 private:
  fs::path path_, work_;
  fs::path created_;  // the first folder above it that did not exist
  bool exists_ = false, kept_ = false;
};

/// Refuses what is not an empty folder, unless forced; creates what does not exist.
OutputFolder::OutputFolder(const LectureFlags& flags)
    : path_(fs::absolute(flags.output).lexically_normal()) {
  if (path_.filename().empty()) path_ = path_.parent_path();  // a slash at the end
  std::error_code failed;
  const fs::file_status status = fs::status(path_, failed);
  if (fs::exists(status) && !fs::is_directory(status))
    throw UsageError(fmt::format("--output '{}' is not a folder", flags.output));
  exists_ = fs::is_directory(status);
  const bool empty = !exists_ || fs::is_empty(path_, failed);
  if (!empty && !flags.force)
    throw UsageError(fmt::format(
        "--output '{}' is not empty; choose another folder, or --force to write into it",
        flags.output));
  const fs::path above = path_.parent_path();
  fs::path first;
  for (const fs::path& part : above) {
    first /= part;
    if (fs::exists(fs::symlink_status(first, failed))) continue;
    created_ = first;
    break;
  }
  fs::create_directories(above, failed);
  require(!failed, Errc::io, "cannot create the folder '{}': {}", above.string(), failed.message());
  work_ = !empty    ? path_
          : exists_ ? new_folder(path_ / ".mercer-")
                    : new_folder(above / fmt::format(".{}.", path_.filename().string()));
}

void OutputFolder::publish() {
  std::error_code failed;
  if (work_ != path_ && !exists_) fs::rename(work_, path_, failed);
  if (work_ != path_ && exists_) {
    std::vector<fs::path> entries;
    for (const fs::directory_entry& entry : fs::directory_iterator(work_, failed))
      entries.push_back(entry.path());
    for (const fs::path& entry : entries)
      if (!failed) fs::rename(entry, path_ / entry.filename(), failed);
    if (!failed) fs::remove(work_, failed);
  }
  require(!failed, Errc::io, "cannot write into the folder '{}': {}", path_.string(),
          failed.message());
  kept_ = true;
}

void publish_page(const fs::path& path, std::string_view bytes) {
  OutputFile file(path.string());
  file.write(bytes);
  file.finish();
  file.publish();
}

std::string list_of_lectures() {
  std::string out;
  std::string_view document;
  for (const Lecture& lecture : lectures()) {
    if (lecture.document != document)
      out += fmt::format("{}{}\n", out.empty() ? "" : "\n", document = lecture.document);
    out += fmt::format("  {:<20}{}\n", lecture.name, lecture.title);
  }
  return out + "\nmercer lecture NAME runs one; mercer lecture all -o FOLDER writes a report\n";
}

nlohmann::ordered_json lecture_json(const Lecture& lecture, const Stage& stage) {
  nlohmann::ordered_json commands = nlohmann::json::array(), numbers = nlohmann::json::array(),
                         figures = nlohmann::json::array();
  for (const Step& step : stage.steps()) {
    if (step.kind == Step::Kind::command) commands.push_back(step.text);
    if (step.kind == Step::Kind::picture) figures.push_back(step.text);
  }
  for (const Comparison& c : stage.comparisons())
    numbers.push_back({{"quantity", c.quantity},
                       {"expected", c.expected},
                       {"source", c.source},
                       {"here", c.here},
                       {"tolerance", c.tolerance},
                       {"agrees", c.agrees}});
  return {{"name", lecture.name}, {"title", lecture.title}, {"document", lecture.document},
          {"commands", commands}, {"numbers", numbers},     {"figures", figures}};
}

Stage perform(const Lecture& lecture, const std::string& folder, bool live, bool keep) {
  Stage stage(folder, live);
  if (live) print(heading_of(lecture));
  lecture.run(stage);
  if (live) print(text_of(stage.comparisons()));
  if (keep) publish_page(fs::path(folder) / "explanation.md", markdown_of(lecture, stage));
  return stage;
}

void require_agreement(const Lecture& lecture, const Stage& stage) {
  for (const Comparison& c : stage.comparisons())
    require(c.agrees, Errc::bad_data, "{}: {} is {}, expected is {} ({})", lecture.name, c.quantity,
            c.here, c.expected, c.tolerance);
}

void perform_one(const Lecture& lecture, const LectureFlags& flags) {
  if (!lecture.bundled.empty()) require_bundled(lecture.bundled);
  std::optional<ScratchFolder> scratch;
  std::optional<OutputFolder> output;
  if (flags.output.empty()) scratch.emplace();
  else output.emplace(flags);
  const std::string folder = scratch ? scratch->path() : output->work().string();
  const Stage stage = perform(lecture, folder, !flags.json, !scratch);
  if (output) output->publish();
  if (flags.json) print(lecture_json(lecture, stage).dump(2) + "\n");
  else if (!scratch)
    print(fmt::format("\ndata, figures and explanation.md are in {}\n", flags.output));
  require_agreement(lecture, stage);
}

void perform_all(const LectureFlags& flags) {
  if (flags.output.empty()) throw UsageError("lecture all needs --output FOLDER for the report");
  for (const Lecture& lecture : lectures())
    if (!lecture.bundled.empty()) require_bundled(lecture.bundled);
  OutputFolder output(flags);
  std::vector<Performed> performed;
  nlohmann::ordered_json list = nlohmann::json::array();
  for (const Lecture& lecture : lectures()) {
    const fs::path folder = output.work() / lecture.name;
    std::error_code failed;
    fs::create_directories(folder, failed);
    require(!failed, Errc::io, "cannot create the folder '{}': {}", folder.string(),
            failed.message());
    performed.push_back({&lecture, perform(lecture, folder.string(), false, true)});
    const Stage& stage = performed.back().stage;
    if (flags.json) list.push_back(lecture_json(lecture, stage));
    else
      print(fmt::format("{:<20}{:>3} of {} numbers agree\n", lecture.name,
                        std::ranges::count(stage.comparisons(), true, &Comparison::agrees),
                        stage.comparisons().size()));
    stop_if_interrupted();
  }
  publish_page(output.work() / "index.html", html_of(performed));
  output.publish();
  const fs::path page = fs::path(flags.output) / "index.html";
  print(flags.json ? list.dump(2) + "\n" : fmt::format("\nreport  {}\n", page.string()));
  for (const Performed& p : performed) require_agreement(*p.lecture, p.stage);
}

void show_lecture(const LectureFlags& flags) {
  if (flags.name.empty()) {
    if (!flags.output.empty()) throw UsageError("--output needs the NAME of an example, or all");
    return print(list_of_lectures());
  }
  if (flags.name == every_lecture) return perform_all(flags);
  perform_one(*std::ranges::find(lectures(), std::string_view(flags.name), &Lecture::name), flags);
}

}  // namespace

void add_lecture(CLI::App& app) {
  auto flags = std::make_shared<LectureFlags>();
  CLI::App& command =
      add_command(app, "lecture", "Run a worked example of the lectures", lecture_examples);
  add_choice(command, "NAME", flags->name, "", lecture_values(),
             "the example, or all; without it: the list", "Files");
  add_text(command, "-o,--output", flags->output, "FOLDER",
           "keep data, figures and an explanation in this folder; all: also index.html", "Results");
  add_switch(command, "--force", flags->force, "write into a folder that is not empty", "Results");
  add_switch(command, "--json", flags->json, "print commands and numbers as JSON", "Results");
  add_help(command);
  command.callback([flags] { show_lecture(*flags); });
}

}  // namespace mercer::cli
