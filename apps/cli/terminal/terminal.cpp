#include "terminal/terminal.hpp"

#include "core/output_file.hpp"
#include "terminal/job.hpp"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace mercer::cli {

namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char* value = variable(name))
      return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
  return false;
}

int width_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = variable("COLUMNS");
  const int asked = columns ? std::atoi(columns) : 0;
  return asked > 0 ? asked : 80;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

Terminal terminal(int descriptor) {
  Terminal t;
  t.descriptor = descriptor;
  t.interactive = !job().launched && isatty(descriptor) == 1;
  if (!t.interactive) return t;
  const char* type = variable("TERM");
  const bool dumb = !type || std::strcmp(type, "dumb") == 0;
  t.color = !dumb && !variable("NO_COLOR");
  t.unicode = !dumb && utf8_locale();
  t.width = width_of(descriptor);
  return t;
}

std::string Terminal::paint(int color_number, std::string_view text) const {
  return color ? fmt::format("\x1b[38;5;{}m{}\x1b[0m", color_number, text) : std::string(text);
}
std::string Terminal::bold(std::string_view text) const {
  return color ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}
std::string Terminal::dim(std::string_view text) const {
  return color ? fmt::format("\x1b[2m{}\x1b[0m", text) : std::string(text);
}

void print(std::string_view text) {
  if (!job().leads()) return;
  OutputFile out("-");
  out.write(text);
  out.publish();
}

void say(std::string_view text) {
  if (!job().leads()) return;
  while (!text.empty()) {
    const ssize_t done = write(STDERR_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

std::size_t columns_of(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += continues(c) ? 0 : 1;
  return count;
}

std::string shown(std::string_view text, std::size_t most, bool unicode) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = c < 0x20 || c == 0x7f;
    // U+0080 … U+009F: terminals may interpret them as escape sequences.
    const bool c1 =
        c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c1) ++i;
    out += control || c1 ? '?' : text[i];
  }
  if (columns_of(out) <= most) return out;
  const std::string_view ellipsis = unicode ? "…" : "..";
  std::size_t left = most > columns_of(ellipsis) ? most - columns_of(ellipsis) : 0;
  std::size_t end = 0;
  while (end < out.size() && (left > 0 || continues(out[end]))) {
    if (!continues(out[end])) --left;
    ++end;
  }
  while (end < out.size() && continues(out[end])) ++end;
  return out.substr(0, end).append(ellipsis);
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  if (columns < width) text.append(width - columns, ' ');
  return text;
}
std::string padded_left(std::string text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  if (columns < width) text.insert(0, width - columns, ' ');
  return text;
}

}  // namespace mercer::cli
