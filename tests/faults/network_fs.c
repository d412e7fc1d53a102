/* Says that every file system is NFS (LD_PRELOAD): what sluice then does differently can be tested
 * where no such file system can be mounted. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define NFS_SUPER_MAGIC 0x6969

int statfs(const char *path, struct statfs *found) {
  int done = (int)syscall(SYS_statfs, path, found);
  if (done == 0) found->f_type = NFS_SUPER_MAGIC;
  return done;
}
int fstatfs(int file, struct statfs *found) {
  int done = (int)syscall(SYS_fstatfs, file, found);
  if (done == 0) found->f_type = NFS_SUPER_MAGIC;
  return done;
}
int statfs64(const char *path, struct statfs64 *found) { return statfs(path, (struct statfs *)found); }
int fstatfs64(int file, struct statfs64 *found) { return fstatfs(file, (struct statfs *)found); }
