#include "describe/description.hpp"

#include <mercer/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace mercer::cli {

namespace {

std::string troff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') out += "\\-";
    else if (c == '\\') out += "\\e";
    else out += c;
  }
  // A line that begins with one of these would be a request.
  if (!out.empty() && (out.front() == '.' || out.front() == '\'')) out.insert(0, "\\&");
  return out;
}

std::string troff_lines(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += troff(text.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string manual_values(const OptionText& option) {
  if (option.values.list.empty()) return {};
  const bool explained = std::ranges::any_of(option.values.list,
                                             [](const OptionValue& v) { return !v.notes.empty(); });
  if (!explained)
    return (option.values.closed ? "One of " : "For example ") + troff(listed(option.values.list)) +
           ".\n";
  std::string out = ".RS\n";
  for (const OptionValue& value : option.values.list)
    out += fmt::format(".TP\n.B {}\n{}\n", troff(value.name),
                       value.notes.empty() ? "\\&" : troff(value.notes));
  return out + ".RE\n";
}

std::string manual_option(const OptionText& option, const std::string& commands = {}) {
  std::string head;
  for (const std::string& name : option.names)
    head += (head.empty() ? "" : ", ") + ("\\fB" + troff(name) + "\\fR");
  if (!option.value.empty()) head += " \\fI" + troff(option.value) + "\\fR";
  std::string out = fmt::format(".TP\n{}\n{}", head, troff(option.help));
  if (!option.standard.empty()) out += fmt::format(" (default: {})", troff(option.standard));
  if (option.required) out += " (required)";
  if (option.repeats && option.names.front().starts_with('-')) out += " (repeatable)";
  return out + ".\n" + (commands.empty() ? "" : "Commands: " + troff(commands) + ".\n") +
         manual_values(option);
}

/// The same option of several commands is shown once.
struct SharedOption {
  OptionText option;
  std::vector<std::string> commands;
};

std::string key_of(const OptionText& o) {
  return joined(o.names) + "\n" + o.value + "\n" + o.help + "\n" + o.standard + "\n" + o.group;
}

std::vector<SharedOption> shared_options(const CommandText& program) {
  std::vector<SharedOption> all;
  for_each_command(program, [&](const std::vector<std::string>& path, const CommandText& command) {
    if (path.empty() || !command.commands.empty()) return;
    for (const OptionText& option : command.options) {
      const auto known = std::ranges::find(all, key_of(option),
                                           [](const SharedOption& s) { return key_of(s.option); });
      if (known == all.end()) all.push_back({option, {joined(path)}});
      else known->commands.push_back(joined(path));
    }
  });
  constexpr std::size_t several = 3;
  std::erase_if(all, [](const SharedOption& s) { return s.commands.size() < several; });
  return all;
}

std::string synopsis(const CommandText& program) {
  std::string out;
  for_each_command(program, [&](const std::vector<std::string>& path, const CommandText& command) {
    if (path.empty() || !command.commands.empty()) return;
    out += fmt::format("{}.B mercer {}\n", out.empty() ? "" : ".br\n", troff(joined(path)));
    std::string rest;
    for (const OptionText& argument : command.arguments)
      rest += fmt::format("{}\\fI{}\\fR{}{} ", argument.required ? "" : "[",
                          troff(argument.names.front()), argument.repeats ? " ..." : "",
                          argument.required ? "" : "]");
    for (const OptionText& option : command.options)
      if (option.required)
        rest +=
            fmt::format("\\fB{}\\fR \\fI{}\\fR ", troff(option.names.front()), troff(option.value));
    out += rest + "[\\fIoptions\\fR]\n";
  });
  return out;
}

constexpr std::string_view manual_end = R"__(.SH FILES
.I DATA
is a path, or
.B \-
for standard input. Its format follows from the extension, before
.BR .gz ,
or from
.BR \-\-format .
A model is one file in the safetensors layout with a checksum.
Output files appear complete or not at all; a failed run overwrites nothing.
.SH ENVIRONMENT
.TP
.B NO_COLOR
When set, output has no colours.
.TP
.BR LC_ALL ", " LC_CTYPE ", " LANG
Braille and block characters are used in terminals with a UTF-8 locale.
.TP
.B MERCER_SIMD
Forces an instruction set, such as avx2 or sse4, for tests and comparisons.
.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
The data or the computation failed.
.TP
.B 2
Wrong usage.
.TP
.BR 129 ", " 130 ", " 143
Ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM. A second signal ends the program at once.
.TP
.B 141
The reader of standard output closed the pipe. Other files of the command are complete.
.PP
An error is one line on standard error that begins with
.BR "mercer: " .
)__";

}  // namespace

std::string manual_page(const CommandText& program) {
  const std::vector<SharedOption> shared = shared_options(program);
  std::string out = fmt::format(
      ".TH MERCER 1 \"\" \"mercer {}\" \"User Commands\"\n.SH NAME\n"
      "mercer \\- principal component analysis from the command line\n.SH SYNOPSIS\n{}"
      ".SH DESCRIPTION\n.B mercer\n"
      "finds the directions along which rows of numbers vary most, and transforms rows to the\n"
      "coordinates along them and back. A fitted model is an affine map y = B(phi(x) \\- m): the\n"
      "rows of B are the components, m is the mean, and phi is the identity for linear PCA.\n"
      ".PP\nOptions that several commands share are listed once, under\n.BR \"SHARED OPTIONS\" .\n"
      ".SH EXAMPLES\n.nf\n{}.fi\n.SH COMMANDS\n",
      MERCER_VERSION, synopsis(program), troff_lines(program.examples));
  for_each_command(program, [&](const std::vector<std::string>& path, const CommandText& command) {
    if (path.empty() || !command.commands.empty()) return;
    out += fmt::format(".SS mercer {}\n{}.\n.PP\n.nf\n{}.fi\n", troff(joined(path)),
                       troff(command.about), troff_lines(command.examples));
    for (const OptionText& argument : command.arguments) out += manual_option(argument);
    std::string others;
    for (const OptionText& option : command.options) {
      const bool listed_below = std::ranges::any_of(
          shared, [&](const SharedOption& s) { return key_of(s.option) == key_of(option); });
      if (listed_below) others += (others.empty() ? "" : ", ") + option.names.back();
      else out += manual_option(option);
    }
    if (!others.empty()) out += fmt::format(".PP\nShared options: {}.\n", troff(others));
  });
  out += ".SH SHARED OPTIONS\n";
  for (const SharedOption& s : shared) {
    std::string commands;
    for (const std::string& name : s.commands) commands += (commands.empty() ? "" : ", ") + name;
    out += manual_option(s.option, commands);
  }
  for (const OptionText& option : program.options)
    if (option.names.back() != "--help") out += manual_option(option);
  return out + std::string(manual_end);
}

}  // namespace mercer::cli
