#include "terminal/interrupt.hpp"

#include <mercer/error.hpp>

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

namespace mercer::cli {

namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  stop = true;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
}

// A mapped file has no bytes where it had some when it was opened. Nothing but writing is safe
// here.
void on_lost_bytes(int) {
  constexpr std::string_view line =
      "mercer: a file became shorter while it was read, or its disk failed; try again when it is "
      "whole\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  _exit(1);
}

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a read that waits for standard input must come back.
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);  // nohup stays nohup
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGBUS, on_lost_bytes);
}

bool interrupted() { return stop; }

void stop_if_interrupted() {
  if (stop) throw Error(Errc::interrupted, "interrupted");
}

void end_by_closed_pipe() {
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
  _exit(128 + SIGPIPE);
}

}  // namespace mercer::cli
