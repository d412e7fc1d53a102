/* A clock that can be set forward, for the daemons and jobs of the lab (LD_PRELOAD).
 *
 * The file named by SLUICE_CLOCK holds one number, nanoseconds in 64 bits: all clocks are ahead of
 * the machine's by that much. A process that waits for a time waits in slices, so that a jump ends the wait.
 * poll and select are left alone: they wait for an answer, not for a time. With SLUICE_CLOCK_TIMERS
 * timers that are descriptors ring once a slice: their owner looks at the clock and sets them anew. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { kSecond = 1000000000, kSlice = 20000000 };

static volatile int64_t zero;
static volatile int64_t *ahead_at = &zero;
static int rings_often;
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

__attribute__((constructor)) static void attach(void) {
  /* RTLD_NEXT alone would find the condition variables of glibc 2.2.5. */
  real_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real_timedwait) real_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  rings_often = getenv("SLUICE_CLOCK_TIMERS") != NULL;
  const char *path = getenv("SLUICE_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *at = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (at != MAP_FAILED) ahead_at = at;
  close(file);
}

static int64_t ahead(void) { return *ahead_at; }

static struct timespec of(int64_t ns) {
  struct timespec out = {ns / kSecond, ns % kSecond};
  return out;
}

static int64_t in_ns(const struct timespec *t) { return t->tv_sec * (int64_t)kSecond + t->tv_nsec; }

static int moves(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME_COARSE ||
         clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
}

static int64_t now(clockid_t clock) {
  struct timespec t;
  syscall(SYS_clock_gettime, clock, &t);
  return in_ns(&t) + (moves(clock) ? ahead() : 0);
}

int clock_gettime(clockid_t clock, struct timespec *out) {
  struct timespec t;
  int result = (int)syscall(SYS_clock_gettime, clock, &t);
  if (result == 0) *out = moves(clock) ? of(in_ns(&t) + ahead()) : t;
  return result;
}

time_t time(time_t *out) {
  time_t t = (time_t)(now(CLOCK_REALTIME) / kSecond);
  if (out) *out = t;
  return t;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  (void)zone;
  int64_t t = now(CLOCK_REALTIME);
  out->tv_sec = t / kSecond;
  out->tv_usec = t % kSecond / 1000;
  return 0;
}

/* 0, or EINTR with what is left. */
static int wait_until(int64_t end, int64_t *left) {
  for (;;) {
    int64_t rest = end - now(CLOCK_MONOTONIC);
    *left = rest;
    if (rest <= 0) return 0;
    struct timespec slice = of(rest < kSlice ? rest : kSlice);
    if (syscall(SYS_nanosleep, &slice, NULL) != 0 && errno == EINTR) {
      *left = end - now(CLOCK_MONOTONIC);
      return EINTR;
    }
  }
}

static int sleep_ns(int64_t ns, int64_t *left) { return wait_until(now(CLOCK_MONOTONIC) + ns, left); }

int nanosleep(const struct timespec *wanted, struct timespec *rest) {
  int64_t left;
  if (sleep_ns(in_ns(wanted), &left) == 0) return 0;
  if (rest) *rest = of(left > 0 ? left : 0);
  errno = EINTR;
  return -1;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *rest) {
  int64_t left, ns = in_ns(wanted) - (flags & TIMER_ABSTIME ? now(clock) : 0);
  int result = sleep_ns(ns, &left);
  if (result != 0 && rest && !(flags & TIMER_ABSTIME)) *rest = of(left > 0 ? left : 0);
  return result;
}

unsigned sleep(unsigned seconds) {
  int64_t left;
  if (sleep_ns(seconds * (int64_t)kSecond, &left) == 0) return 0;
  return left > 0 ? (unsigned)((left + kSecond - 1) / kSecond) : 0;
}

int usleep(useconds_t microseconds) {
  int64_t left;
  if (sleep_ns(microseconds * (int64_t)1000, &left) == 0) return 0;
  errno = EINTR;
  return -1;
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  int64_t end = in_ns(until);
  for (;;) {
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
    int64_t real = in_ns(&t), rest = end - ahead() - real;
    t = of(real + (rest < kSlice ? rest : kSlice));
    int result = real_timedwait(cond, mutex, &t);
    if (result != ETIMEDOUT || rest <= 0) return result;
  }
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout) {
  int64_t end = now(CLOCK_MONOTONIC) + timeout * (int64_t)1000000;
  for (;;) {
    int64_t rest = timeout < 0 ? -1 : end - now(CLOCK_MONOTONIC);
    int wait = timeout < 0 ? -1 : rest <= 0 ? 0 : (int)((rest < kSlice ? rest : kSlice) + 999999) / 1000000;
    int count = (int)syscall(SYS_epoll_pwait, epoll, events, most, wait, NULL, 8);
    if (count != 0 || timeout < 0 || rest <= 0) return count;
  }
}

int timerfd_settime(int timer, int flags, const struct itimerspec *wanted, struct itimerspec *old) {
  struct itimerspec set = *wanted;
  if (rings_often && !(flags & TFD_TIMER_ABSTIME) && in_ns(&set.it_value) > kSlice) set.it_value = of(kSlice);
  return (int)syscall(SYS_timerfd_settime, timer, flags, &set, old);
}
