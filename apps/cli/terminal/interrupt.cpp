#include "terminal/interrupt.hpp"

#include "data/file_map.hpp"

#include <mercer/error.hpp>

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string_view>

namespace mercer::cli {

namespace {

std::atomic<int> stop{0};  // the signal that asked for it
static_assert(std::atomic<int>::is_always_lock_free);
bool reader_gone = false;

constexpr int asking[] = {SIGHUP, SIGINT, SIGTERM};

void on_signal(int number) {
  stop = number;
  for (const int again : asking) signal(again, SIG_DFL);
}

// A mapped file has no bytes where it had some when it was opened. Nothing but writing is safe
// here.
void on_lost_bytes(int, siginfo_t* info, void*) {
  const char* const file = info->si_code > 0 ? mapped_file_at(info->si_addr) : nullptr;
  const std::string_view parts[] = {
      "mercer: ", file ? "'" : "a file", file ? file : "", file ? "'" : "",
      " was truncated while it was read, or its disk failed; try again with a complete file\n"};
  char line[512];
  std::size_t size = 0;
  for (const std::string_view part : parts) {
    std::memcpy(line + size, part.data(), part.size());
    size += part.size();
  }
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line, size);
  _exit(1);
}

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a read that waits for standard input must come back.
  for (const int number : asking) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);  // nohup stays nohup
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` is an error of writing
  struct sigaction lost {};
  lost.sa_sigaction = on_lost_bytes;
  lost.sa_flags = SA_SIGINFO;
  sigemptyset(&lost.sa_mask);
  sigaction(SIGBUS, &lost, nullptr);
}

bool interrupted() { return stop != 0; }

int exit_code_of_signal() { return 128 + stop; }

void stop_if_interrupted() {
  if (interrupted()) throw Error(Errc::interrupted, "interrupted");
}

void end_by_closed_pipe() {
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
  _exit(128 + SIGPIPE);
}

void end_if_pipe_closed() {
  if (reader_gone) end_by_closed_pipe();
}

void note_closed_pipe(const Error& error) {
  if (error.code() != Errc::interrupted || interrupted()) throw;
  reader_gone = true;
}

}  // namespace mercer::cli
