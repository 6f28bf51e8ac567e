// A shared object for LD_PRELOAD that makes one call site of a library function fail.
//
//     MERCER_FAULTS_REPORT=FILE    appends "FUNCTION SITE" for each distinct call site as it is
//     met,
//                                  and "FUNCTION SITE failed" when the fault is injected
//     MERCER_FAULTS_FUNCTION=NAME  malloc, write, read, fsync, rename, open, mmap or thread
//     MERCER_FAULTS_SITE=HEX       the site that fails; none: sites are only listed
//     MERCER_FAULTS_MODE=MODE      once: the first call there; site: every call there;
//                                  on: from the first call there on, every call from anywhere
//
// A call site is the innermost two return addresses inside the program itself: `operator new` and
// the standard library are the same for everybody. Calls without any, of libraries that start up
// or of their own threads, are told apart by all their return addresses. Addresses are relative to
// their object, so that the sites of one run are those of the next.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

enum class Mode { once, site, on };

struct Settings {
  int report = -1;
  char function[16] = "";
  std::uint64_t site = 0;
  Mode mode = Mode::once;
  bool started = false, ready = false;
};
Settings settings;

/// The text of the program: return addresses inside are call sites.
std::uintptr_t text_begin = 0, text_end = 0, program_base = 0;

std::atomic<std::uint64_t> seen[1 << 16];
std::atomic<bool> failed{false};
// Unwinding may call what is intercepted here.
__attribute__((tls_model("initial-exec"))) thread_local bool inside = false;

struct Trace {
  std::uint64_t inner = 0;  // of the program's frames
  std::uint64_t all = 0;
  int own = 0;
  int frames = 0;
  bool blas = false;  // a call that OpenBLAS makes
};

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value;
  hash *= 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29);
}

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  Trace& trace = *static_cast<Trace*>(data);
  const std::uintptr_t at = _Unwind_GetIP(context);
  if (at == 0 || ++trace.frames > 64) return _URC_END_OF_STACK;
  if (at >= text_begin && at < text_end) {
    trace.inner = mixed(trace.inner, at - program_base);
    if (++trace.own == 2) return _URC_END_OF_STACK;
  } else if (trace.own == 0) {
    Dl_info info{};
    const std::uintptr_t base = dladdr(reinterpret_cast<void*>(at), &info)
                                    ? reinterpret_cast<std::uintptr_t>(info.dli_fbase)
                                    : 0;
    trace.all = mixed(trace.all, at - base);
    trace.blas = trace.blas || (info.dli_fname && strstr(info.dli_fname, "blas"));
  }
  return _URC_NO_REASON;
}

void report(const char* function, std::uint64_t site, const char* more) {
  if (settings.report < 0) return;
  char line[96];
  const int length = snprintf(line, sizeof line, "%s %016llx%s\n", function,
                              static_cast<unsigned long long>(site), more);
  syscall(SYS_write, settings.report, line, static_cast<size_t>(length));
}

/// New to the table of sites?
bool remember(std::uint64_t site) {
  for (std::size_t i = site & 0xffff;; i = (i + 1) & 0xffff) {
    std::uint64_t there = 0;
    if (seen[i].compare_exchange_strong(there, site)) return true;
    if (there == site) return false;
  }
}

int find_program(dl_phdr_info* info, size_t, void*) {
  program_base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    text_begin = info->dlpi_addr + part.p_vaddr;
    text_end = text_begin + part.p_memsz;
  }
  return 1;  // the first is the program
}

/// At the first call of anything: libraries that the program is linked to start before this one.
void start() {
  settings.started = true;
  const char* const file = getenv("MERCER_FAULTS_REPORT");
  const char* const function = getenv("MERCER_FAULTS_FUNCTION");
  if (!file || !function) return;
  inside = true;  // the first trace of all may allocate
  dl_iterate_phdr(find_program, nullptr);
  settings.report = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  snprintf(settings.function, sizeof settings.function, "%s", function);
  if (const char* site = getenv("MERCER_FAULTS_SITE")) settings.site = strtoull(site, nullptr, 16);
  if (const char* mode = getenv("MERCER_FAULTS_MODE"))
    settings.mode = strcmp(mode, "on") == 0     ? Mode::on
                    : strcmp(mode, "site") == 0 ? Mode::site
                                                : Mode::once;
  Trace trace;
  _Unwind_Backtrace(step, &trace);
  inside = false;
  settings.ready = true;
}

/// Is this the call that is to fail?
bool fails(const char* function) {
  if (!settings.started && environ) start();
  if (!settings.ready || inside || strcmp(function, settings.function) != 0) return false;
  if (settings.mode == Mode::on && failed) return true;
  inside = true;
  const int error = errno;
  Trace trace;
  _Unwind_Backtrace(step, &trace);
  const std::uint64_t site = (trace.own > 0 ? trace.inner : trace.all) | 1;
  bool hit = false;
  if (settings.site == 0) {
    if (remember(site))
      report(function, site, trace.blas ? " blas" : trace.own > 0 ? "" : " library");
  } else if (site == settings.site) {
    const bool first = !failed.exchange(true);
    hit = first || settings.mode == Mode::site;
    if (first) report(function, site, " failed");
  }
  errno = error;
  inside = false;
  return hit;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool takes_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

int failure(int error) {
  errno = error;
  return -1;
}

}  // namespace

#define MERCER_NEXT(name) static auto* const real = next<decltype(name)>(#name)

extern "C" {

void* malloc(size_t size) {
  if (fails("malloc")) return errno = ENOMEM, nullptr;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  if (fails("malloc")) return errno = ENOMEM, nullptr;
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  if (fails("malloc")) return errno = ENOMEM, nullptr;
  return __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  if (fails("malloc")) return errno = ENOMEM, nullptr;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  if (fails("malloc")) return errno = ENOMEM, nullptr;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  void* const memory = fails("malloc") ? nullptr : __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *out = memory;
  return 0;
}

// Standard error is how a program tells that it failed.
ssize_t write(int fd, const void* data, size_t size) {
  MERCER_NEXT(write);
  return fd != STDERR_FILENO && fails("write") ? failure(ENOSPC) : real(fd, data, size);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  MERCER_NEXT(pwrite);
  return fails("write") ? failure(ENOSPC) : real(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  MERCER_NEXT(pwrite64);
  return fails("write") ? failure(ENOSPC) : real(fd, data, size, at);
}
ssize_t writev(int fd, const iovec* parts, int count) {
  MERCER_NEXT(writev);
  return fd != STDERR_FILENO && fails("write") ? failure(ENOSPC) : real(fd, parts, count);
}
int ftruncate(int fd, off_t size) {
  MERCER_NEXT(ftruncate);
  return fails("write") ? failure(EIO) : real(fd, size);
}

ssize_t read(int fd, void* data, size_t size) {
  MERCER_NEXT(read);
  return fails("read") ? failure(EIO) : real(fd, data, size);
}
ssize_t pread(int fd, void* data, size_t size, off_t at) {
  MERCER_NEXT(pread);
  return fails("read") ? failure(EIO) : real(fd, data, size, at);
}
ssize_t pread64(int fd, void* data, size_t size, off64_t at) {
  MERCER_NEXT(pread64);
  return fails("read") ? failure(EIO) : real(fd, data, size, at);
}

int fsync(int fd) {
  MERCER_NEXT(fsync);
  return fails("fsync") ? failure(EIO) : real(fd);
}
int fdatasync(int fd) {
  MERCER_NEXT(fdatasync);
  return fails("fsync") ? failure(EIO) : real(fd);
}

int rename(const char* from, const char* to) {
  MERCER_NEXT(rename);
  return fails("rename") ? failure(EACCES) : real(from, to);
}
int link(const char* from, const char* to) {
  MERCER_NEXT(link);
  return fails("rename") ? failure(EACCES) : real(from, to);
}

int linkat(int old_folder, const char* from, int folder, const char* to, int flags) {
  MERCER_NEXT(linkat);
  return fails("rename") ? failure(EACCES) : real(old_folder, from, folder, to, flags);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = takes_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  MERCER_NEXT(open);
  return fails("open") ? failure(EMFILE) : real(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = takes_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  MERCER_NEXT(open64);
  return fails("open") ? failure(EMFILE) : real(path, flags, mode);
}
int mkostemp(char* path, int flags) {
  MERCER_NEXT(mkostemp);
  return fails("open") ? failure(EMFILE) : real(path, flags);
}
int mkostemp64(char* path, int flags) {
  MERCER_NEXT(mkostemp64);
  return fails("open") ? failure(EMFILE) : real(path, flags);
}
FILE* fopen(const char* path, const char* mode) {
  MERCER_NEXT(fopen);
  return fails("open") ? (errno = EMFILE, nullptr) : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  MERCER_NEXT(fopen64);
  return fails("open") ? (errno = EMFILE, nullptr) : real(path, mode);
}

void* mmap(void* where, size_t size, int protection, int flags, int fd, off_t at) {
  MERCER_NEXT(mmap);
  return fails("mmap") ? (errno = ENOMEM, MAP_FAILED)
                       : real(where, size, protection, flags, fd, at);
}
void* mmap64(void* where, size_t size, int protection, int flags, int fd, off64_t at) {
  MERCER_NEXT(mmap64);
  return fails("mmap") ? (errno = ENOMEM, MAP_FAILED)
                       : real(where, size, protection, flags, fd, at);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  MERCER_NEXT(pthread_create);
  return fails("thread") ? EAGAIN : real(thread, attributes, run, argument);
}

}  // extern "C"
