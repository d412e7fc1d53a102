/* Writes down what a process does to files under one folder, in order (LD_PRELOAD).
 *
 *   RECORD_PATH  the folder
 *   RECORD_LOG   where the records are appended, each by one write:
 *                kind (1 byte: w, t, s, r), path length (4), offset (8), length (4), path, bytes
 *
 * w: bytes were written there. t: the file is so long now. s: the file, or folder, was synced.
 * r: the file was renamed to what the bytes say. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[256];
static int journal = -1;

__attribute__((constructor)) static void attach(void) {
  const char *path = getenv("RECORD_PATH"), *log = getenv("RECORD_LOG");
  if (!path || !log) return;
  snprintf(folder, sizeof folder, "%s", path);
  int made = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  /* Out of the way of programs that count their descriptors. */
  journal = made < 0 ? -1 : (int)syscall(SYS_fcntl, made, F_DUPFD_CLOEXEC, 900);
  if (made >= 0) syscall(SYS_close, made);
}

static int name_of(int file, char *room, size_t size) {
  char link[64];
  if (journal < 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, room, size - 1);
  if (length <= 0) return 0;
  room[length] = 0;
  return strncmp(room, folder, strlen(folder)) == 0;
}

static void record_name(char kind, const char *name, int64_t offset, const void *bytes, uint32_t length) {
  uint32_t size = (uint32_t)strlen(name);
  char *out = malloc(17 + size + length);
  out[0] = kind;
  memcpy(out + 1, &size, 4);
  memcpy(out + 5, &offset, 8);
  memcpy(out + 13, &length, 4);
  memcpy(out + 17, name, size);
  if (length) memcpy(out + 17 + size, bytes, length);
  syscall(SYS_write, journal, out, 17 + size + length);
  free(out);
}

static void record(char kind, int file, int64_t offset, const void *bytes, uint32_t length) {
  char name[1024];
  int error = errno;
  if (name_of(file, name, sizeof name)) record_name(kind, name, offset, bytes, length);
  errno = error;
}

ssize_t write(int file, const void *bytes, size_t size) {
  ssize_t done = syscall(SYS_write, file, bytes, size);
  if (done > 0) record('w', file, syscall(SYS_lseek, file, 0, SEEK_CUR) - done, bytes, (uint32_t)done);
  return done;
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t from) {
  ssize_t done = syscall(SYS_pwrite64, file, bytes, size, from);
  if (done > 0) record('w', file, from, bytes, (uint32_t)done);
  return done;
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t from) {
  return pwrite64(file, bytes, size, from);
}
int ftruncate64(int file, off64_t size) {
  int done = (int)syscall(SYS_ftruncate, file, size);
  if (done == 0) record('t', file, size, NULL, 0);
  return done;
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }
int fsync(int file) {
  int done = (int)syscall(SYS_fsync, file);
  if (done == 0) record('s', file, 0, NULL, 0);
  return done;
}
int fdatasync(int file) {
  int done = (int)syscall(SYS_fdatasync, file);
  if (done == 0) record('s', file, 0, NULL, 0);
  return done;
}
int rename(const char *from, const char *to) {
  int done = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (done == 0 && journal >= 0 && strncmp(from, folder, strlen(folder)) == 0)
    record_name('r', from, 0, to, (uint32_t)strlen(to));
  return done;
}
