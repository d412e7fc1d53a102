/* Makes the N-th system call of one kind fail in one of sluice's processes (LD_PRELOAD).
 *
 *   FAULT_ROLE    daemon, keeper or command: by the process's own arguments
 *   FAULT_CALL    write, fsync, open, fork or getpwnam
 *   FAULT_ERROR   the number of the error
 *   FAULT_AT      which call fails, counted from 1; 0: all of them while FAULT_SWITCH exists
 *   FAULT_PATH    only files whose path begins so (write, fsync, open)
 *   FAULT_FIRED   this file is made when a call was made to fail
 *   FAULT_SWITCH  see FAULT_AT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char call[16], path[256], fired[256], switch_path[256];
static int error_number, at, active;
static atomic_int seen;

static void keep(char *out, size_t size, const char *name) {
  const char *value = getenv(name);
  snprintf(out, size, "%s", value ? value : "");
}

__attribute__((constructor)) static void attach(void) {
  char role[16], words[4096];
  keep(role, sizeof role, "FAULT_ROLE");
  keep(call, sizeof call, "FAULT_CALL");
  keep(path, sizeof path, "FAULT_PATH");
  keep(fired, sizeof fired, "FAULT_FIRED");
  keep(switch_path, sizeof switch_path, "FAULT_SWITCH");
  error_number = getenv("FAULT_ERROR") ? atoi(getenv("FAULT_ERROR")) : 0;
  at = getenv("FAULT_AT") ? atoi(getenv("FAULT_AT")) : 0;
  if (!role[0] || !error_number) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  long size = file < 0 ? 0 : syscall(SYS_read, file, words, sizeof words - 1);
  if (file >= 0) syscall(SYS_close, file);
  if (size <= 0) return;
  words[size] = 0;
  const char *program = strrchr(words, '/') ? strrchr(words, '/') + 1 : words;
  const char *second = words + strlen(words) + 1;
  if (second >= words + size) second = "";
  const char *third = *second ? second + strlen(second) + 1 : "";
  const char *is = strcmp(second, "keeper") == 0 ? "keeper"
                   : strcmp(second, "daemon") == 0 && third < words + size && strcmp(third, "run") == 0
                       ? "daemon"
                       : "command";
  active = strncmp(program, "sluice", 6) == 0 && strcmp(is, role) == 0;
}

static int is_there(const char *name) {
  struct stat found;
  return syscall(SYS_newfstatat, AT_FDCWD, name, &found, 0) == 0;
}

static int strikes(const char *what, const char *file) {
  if (!active || strcmp(what, call) != 0) return 0;
  if (path[0] && file && strncmp(file, path, strlen(path)) != 0) return 0;
  if (path[0] && !file && strcmp(what, "fork") != 0 && strcmp(what, "getpwnam") != 0) return 0;
  if (at == 0 ? !is_there(switch_path) : atomic_fetch_add(&seen, 1) + 1 != at) return 0;
  if (fired[0]) {
    int made = (int)syscall(SYS_openat, AT_FDCWD, fired, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0) syscall(SYS_close, made);
  }
  errno = error_number;
  return 1;
}

static const char *path_of(int file, char *room, size_t size) {
  char link[64];
  if (!active) return NULL;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, room, size - 1);
  if (length <= 0) return NULL;
  room[length] = 0;
  return room[0] == '/' ? room : NULL;
}

#define FAIL_FILE(what, file, result)                                          \
  do {                                                                         \
    char room[4096];                                                           \
    if (active && strcmp(what, call) == 0) {                                   \
      const char *name = path_of(file, room, sizeof room);                     \
      if (name && strikes(what, name)) return result;                          \
    }                                                                          \
  } while (0)

ssize_t write(int file, const void *bytes, size_t size) {
  FAIL_FILE("write", file, -1);
  return syscall(SYS_write, file, bytes, size);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t from) {
  FAIL_FILE("write", file, -1);
  return syscall(SYS_pwrite64, file, bytes, size, from);
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t from) {
  return pwrite64(file, bytes, size, from);
}
int fsync(int file) {
  FAIL_FILE("fsync", file, -1);
  return (int)syscall(SYS_fsync, file);
}
int fdatasync(int file) {
  FAIL_FILE("fsync", file, -1);
  return (int)syscall(SYS_fdatasync, file);
}

#define OPEN(name, folder_parameter, folder)                                   \
  int name(folder_parameter const char *file, int flags, ...) {                \
    mode_t mode = 0;                                                           \
    if (flags & (O_CREAT | O_TMPFILE)) {                                       \
      va_list more;                                                            \
      va_start(more, flags);                                                   \
      mode = va_arg(more, mode_t);                                             \
      va_end(more);                                                            \
    }                                                                          \
    if (strikes("open", file)) return -1;                                      \
    return (int)syscall(SYS_openat, folder, file, flags, mode);                \
  }
#define COMMA ,
OPEN(open, , AT_FDCWD)
OPEN(open64, , AT_FDCWD)
OPEN(openat, int at_folder COMMA, at_folder)
OPEN(openat64, int at_folder COMMA, at_folder)

pid_t fork(void) {
  static pid_t (*real)(void);
  if (!real) real = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
  if (strikes("fork", NULL)) return -1;
  return real();
}

int clone(int (*run)(void *), void *stack, int flags, void *argument, ...) {
  static int (*real)(int (*)(void *), void *, int, void *, ...);
  if (!real) real = (int (*)(int (*)(void *), void *, int, void *, ...))dlsym(RTLD_NEXT, "clone");
  va_list more;
  va_start(more, argument);
  void *parent = va_arg(more, void *), *tls = va_arg(more, void *), *child = va_arg(more, void *);
  va_end(more);
  if (strikes("fork", NULL)) return -1;
  return real(run, stack, flags, argument, parent, tls, child);
}

struct passwd *getpwnam(const char *name) {
  static struct passwd *(*real)(const char *);
  if (!real) real = (struct passwd * (*)(const char *)) dlsym(RTLD_NEXT, "getpwnam");
  return strikes("getpwnam", NULL) ? NULL : real(name);
}
struct passwd *getpwuid(uid_t user) {
  static struct passwd *(*real)(uid_t);
  if (!real) real = (struct passwd * (*)(uid_t)) dlsym(RTLD_NEXT, "getpwuid");
  return strikes("getpwnam", NULL) ? NULL : real(user);
}
