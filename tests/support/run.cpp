#include "support/run.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>

namespace mercer::test {

namespace {

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    read = ends[0];
    write = ends[1];
  }
  Pipe(int read_end, int write_end) : read(read_end), write(write_end) {}
};

/// A pseudo-terminal to write to, or a pipe.
Pipe output(bool terminal, int columns) {
  if (!terminal) return Pipe();
  Pipe ends{-1, -1};
  const winsize size{40, static_cast<unsigned short>(columns), 0, 0};
  if (openpty(&ends.read, &ends.write, nullptr, nullptr, &size) != 0)
    throw std::runtime_error("openpty failed");
  fcntl(ends.read, F_SETFD, FD_CLOEXEC);
  fcntl(ends.write, F_SETFD, FD_CLOEXEC);
  return ends;
}

[[noreturn]] void become(const std::vector<std::string>& command, const RunOptions& options, int in,
                         int out, int err) {
  dup2(in, 0);
  dup2(out, 1);
  dup2(err, 2);
  if (options.file_size_limit != 0) {
    signal(SIGXFSZ, SIG_IGN);  // a full disk answers with an error, not with a signal
    const rlimit limit{options.file_size_limit, options.file_size_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  for (const std::string& variable : options.environment)
    putenv(const_cast<char*>(variable.c_str()));
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(126);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

/// What follows a name in /proc/PID/status or similar.
std::string proc_field(pid_t pid, const std::string& file, const std::string& name) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/" + file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name)) {
      line.erase(0, line.find_first_not_of("\t ", name.size()));
      return line;
    }
  return {};
}

/// Can it be interrupted now? Not before it catches the signal, and a program that reads its input
/// not before it waits for more: how long that takes depends on the machine and on what else runs.
bool ready_for(pid_t pid, const RunOptions& options) {
  if (options.signal == SIGKILL) return true;
  const std::string caught = proc_field(pid, "status", "SigCgt:");
  const bool catches =
      !caught.empty() && (std::stoull(caught, nullptr, 16) >> (options.signal - 1) & 1) != 0;
  return catches && (options.input.empty() || proc_field(pid, "status", "State:").starts_with('S'));
}

}  // namespace

Run run(const std::vector<std::string>& command, const RunOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  const Pipe in, out = output(options.terminal_out, options.columns),
                 err = output(options.terminal, options.columns);
  // A program's peak counts what this process has when it forks: freed memory has to be gone.
  malloc_trim(0);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(command, options, in.read, out.write, err.write);
  close(in.read);
  close(out.write);
  close(err.write);
  fcntl(in.write, F_SETFL, O_NONBLOCK);

  Run result;
  std::size_t written = 0;
  bool signalled = options.signal == 0;
  using Clock = std::chrono::steady_clock;
  Clock::time_point all_read{};  // since when the program has taken all its input and waits
  pollfd fds[3] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}};
  // A run that is to be interrupted keeps its standard input open: only the signal may end it, or,
  // when that fails, our patience.
  const auto maybe_close_input = [&] {
    const bool wait =
        options.signal != 0 && (!signalled || Clock::now() - all_read < std::chrono::seconds(30));
    if (fds[2].fd >= 0 && written == options.input.size() && !wait) {
      close(in.write);
      fds[2].fd = -1;
    }
  };
  maybe_close_input();
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    fds[2].events = written < options.input.size() ? POLLOUT : 0;
    poll(fds, 3, 20);
    if (!signalled && written == options.input.size()) {
      int unread = 0;
      ioctl(in.write, FIONREAD, &unread);
      const auto now = Clock::now();
      const bool ready = unread == 0 && ready_for(child, options);
      if (all_read == Clock::time_point{} || !ready) all_read = now;
      if (ready && now - all_read >= std::chrono::milliseconds(options.signal_after_ms)) {
        kill(child, options.signal);
        signalled = true;
      }
    }
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || !(fds[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      char buffer[65536];
      const ssize_t got = read(fds[i].fd, buffer, sizeof buffer);
      if (got > 0) {
        (i == 0 ? result.out : result.err).append(buffer, static_cast<std::size_t>(got));
      } else {
        close(fds[i].fd);
        fds[i].fd = -1;
      }
    }
    if (fds[2].fd >= 0 && (fds[2].revents & (POLLOUT | POLLERR))) {
      const ssize_t put =
          write(in.write, options.input.data() + written, options.input.size() - written);
      if (put > 0) written += static_cast<std::size_t>(put);
      else if (put < 0) written = options.input.size();  // the reader is gone
    }
    maybe_close_input();
  }
  if (fds[2].fd >= 0) close(in.write);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.peak_kib = usage.ru_maxrss;
  return result;
}

std::string mercer_program() { return MERCER_PROGRAM; }

Run mercer(std::vector<std::string> arguments, const RunOptions& options) {
  arguments.insert(arguments.begin(), mercer_program());
  return run(arguments, options);
}

}  // namespace mercer::test
