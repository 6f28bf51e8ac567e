#pragma once
// Where an example runs: a folder, the commands that run there, and a record of everything that the
// terminal and the report show.
//
//     stage.text("Which direction has the largest variance?");
//     stage.run("mercer data clouds --seed 1 -o clouds.csv");
//     stage.run("mercer fit clouds.csv --label class --no-plot -o clouds.st");
//     const auto model = stage.model("clouds.st");
//     stage.compare("variance along q1", 0.14425, model.explained_variance()[0], 0.01);

#include <mercer/matrix.hpp>
#include <mercer/model.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer::cli {

/// A step of an example, as it is shown.
struct Step {
  enum class Kind { text, formula, command, picture };
  Kind kind;
  std::string text;  ///< the text, the command line or the file of the picture
  std::string more;  ///< the output of the command or the caption of the picture
};

/// A number (or a word) that is expected, compared with the one computed here.
struct Comparison {
  std::string quantity;
  std::string expected;  ///< empty if there is none
  std::string source;    ///< "lecture" if a document prints it, "theory" if a formula gives it,
                       ///< "bound" if it is a limit that the example sets
  std::string here;
  std::string tolerance;  ///< as it is shown: "± 0.01", or "exact"
  bool agrees = false;
};

class Stage {
 public:
  /// `live`: print each step when it is done.
  Stage(std::string folder, bool live);

  void text(std::string_view paragraph);
  void formula(std::string_view line);
  /// Runs a command of this program. Throws if it ends with another exit code.
  void run(std::string_view line, int exit_code = 0);
  /// Runs it and parses its JSON. Neither is shown: `run` shows the command without --json.
  nlohmann::json json(std::string_view line);
  /// Writes a small file, shown as a printf command; `lines` are separated by line feeds.
  void write(std::string_view file, std::string_view lines);
  /// Copies a file of the bundled data to the folder, or some of its rows: [begin, end), end = -1
  /// all.
  void copy_bundled(std::string_view file, std::string_view to, Index begin = 0, Index end = -1);
  /// Shows a small text file that a command wrote, as cat does.
  void show(std::string_view file);
  void picture(std::string_view file, std::string_view caption);

  /// |here − expected| ≤ tolerance agrees.
  void compare(std::string quantity, double expected, double here, double tolerance);
  void compare(std::string quantity, std::string expected, std::string here,
               std::string source = "theory");
  /// The same for a number that is printed in the lecture document.
  void compare_printed(std::string quantity, double printed, double here, double tolerance);
  /// A number that nothing is expected of, for the table only.
  void report(std::string quantity, double here);

  /// Results that the commands left in the folder.
  Model<double> model(std::string_view file) const;
  /// The columns of numbers of a file; `label` is skipped.
  Matrix<double> rows(std::string_view file, std::string_view label = {}) const;
  /// A column of a file, by name.
  Vector<double> column(std::string_view file, std::string_view name) const;
  std::vector<std::string> labels(std::string_view file, std::string_view label) const;
  std::string content(std::string_view file) const;
  /// Output of the last command.
  const std::string& output() const { return output_; }

  const std::string& folder() const { return folder_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Comparison>& comparisons() const { return comparisons_; }

 private:
  std::string path(std::string_view file) const;
  void add(Step step);

  std::string folder_, output_;
  bool live_;
  std::vector<Step> steps_;
  std::vector<Comparison> comparisons_;
};

}  // namespace mercer::cli
