#include "interrupt.hpp"

#include <mercer/error.hpp>

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace mercer::cli {

namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  stop = true;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
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
