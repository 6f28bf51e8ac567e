#include "terminal/progress_bar.hpp"

#include "core/memory.hpp"
#include "terminal/bars.hpp"
#include "terminal/interrupt.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace mercer::cli {

namespace {

std::string amount(double count, std::string_view unit) {
  if (unit == "bytes") return format_bytes(count);
  if (count < 1e4) return fmt::format("{:.0f} {}", count, unit);
  if (count < 1e6) return fmt::format("{:.0f}k {}", count / 1e3, unit);
  return fmt::format("{:.1f}M {}", count / 1e6, unit);
}

std::string duration(double seconds) {
  const long s = std::lround(seconds);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

std::string progress_line(const Progress& progress, double seconds, const Terminal& terminal) {
  std::string line(progress.what);
  const double rate = seconds > 0 ? progress.done / seconds : 0;
  const std::string speed = amount(rate, progress.unit) + "/s";
  if (progress.total <= 0)
    return shown(
        fmt::format("{}  {}  {}  {}{}{}", line, amount(progress.done, progress.unit), speed,
                    duration(seconds), progress.note.empty() ? "" : "  ", progress.note),
        static_cast<std::size_t>(std::max(20, terminal.width - 1)), terminal.unicode);
  const double share = std::clamp(progress.done / progress.total, 0.0, 1.0);
  const std::string left =
      share > 0 ? duration(seconds * (1 - share) / share) + " left" : std::string();
  const std::string right = fmt::format(" {:3.0f} %  {}  {}{}{}", 100 * share, speed, left,
                                        progress.note.empty() ? "" : "  ", progress.note);
  const auto used = static_cast<int>(columns_of(line) + 2 + columns_of(right));
  const int room = std::min(40, terminal.width - 1 - used);
  line += "  ";
  if (room >= 4) line += gauge(share, room, terminal);
  return line + right;
}

ProgressBar::ProgressBar(bool visible)
    : terminal_(terminal(STDERR_FILENO)),
      asked_(visible),
      visible_(visible && terminal_.interactive),
      start_(Clock::now()) {}

ProgressBar::~ProgressBar() { erase(); }

Monitor ProgressBar::monitor() {
  return [this](const Progress& progress) {
    if (interrupted()) return false;
    // A remark that should be seen before the end is printed once, as a separate line.
    if (asked_ && progress.note.starts_with("note: ") && !noted_) {
      erase();
      say("mercer: " + std::string(progress.note) + "\n");
      noted_ = true;
    }
    if (visible_) draw(progress);
    return true;
  };
}

void ProgressBar::draw(const Progress& progress) {
  const auto now = Clock::now();
  if (progress.what != what_) {
    what_ = progress.what;
    start_ = now;
  }
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (seconds < 1 && !drawn_) return;
  say("\r\x1b[K" + progress_line(progress, seconds, terminal_));
  drawn_ = true;
}

void ProgressBar::erase() {
  if (drawn_) say("\r\x1b[K");
  drawn_ = false;
}

}  // namespace mercer::cli
