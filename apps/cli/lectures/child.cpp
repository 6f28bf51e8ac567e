#include "lectures/child.hpp"

#include "core/require.hpp"
#include "terminal/interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

extern char** environ;

namespace mercer::cli {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using ScratchFile = std::unique_ptr<std::FILE, CloseFile>;

ScratchFile scratch_file() {
  ScratchFile file(std::tmpfile());
  require(file != nullptr, Errc::io, "cannot create a temporary file: {}", std::strerror(errno));
  return file;
}

std::string content_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char bytes[1 << 14];
  while (const std::size_t n = std::fread(bytes, 1, sizeof bytes, file)) text.append(bytes, n);
  return text;
}

/// Waits, and passes a request to stop on: a signal may have reached this process only.
int wait_for(pid_t child) {
  for (int status = 0;;) {
    if (waitpid(child, &status, 0) == child)
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (errno == EINTR && interrupted()) kill(child, SIGTERM);
    else if (errno != EINTR) return 1;
  }
}

}  // namespace

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (const char c : line) {
    if (c == ' ' && !quoted) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == '\'') quoted = !quoted;
    else words.back() += c;
  }
  return words;
}

ChildRun run_child(std::string_view line, const std::string& folder) {
  std::vector<std::string> words = words_of(line);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const ScratchFile out = scratch_file(), err = scratch_file();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  require(failed == 0, Errc::io, "cannot run '{}': {}", line, std::strerror(failed));
  ChildRun run;
  run.exit_code = wait_for(child);
  stop_if_interrupted();
  run.out = content_of(out.get());
  run.both = run.out + content_of(err.get());
  return run;
}

}  // namespace mercer::cli
