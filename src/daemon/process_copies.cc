#include "daemon/process_copies.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

namespace sluice {
namespace {

// A copy that takes longer, or more memory beyond the daemon's own, is given up.
constexpr unsigned kLongest = 60;  // Seconds.
constexpr rlim_t kMostMemory = rlim_t{512} << 20;

struct Copy {
  int pipe = -1;
  pid_t pid = -1;
  std::uint64_t length = 0;  // Comes first, so that the rest finds its room made.
  std::size_t length_read = 0;
  std::string said;
};

rlim_t own_address_space() {
  unsigned long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return rlim_t{pages} * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

void bound(int resource, rlim_t most) {
  const rlimit limit{most, most};
  static_cast<void>(::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit));
}

void say_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(to, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// It speaks to nobody but the daemon, and keeps no connection of it open.
[[noreturn]] void be_the_copy(int answer, const ProcessCopies::Work& work, int nicer) {
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  ::alarm(kLongest);
  ::dup2(answer, 3);
  ::closefrom(4);
  bound(RLIMIT_CORE, 0);
  bound(RLIMIT_CPU, kLongest);
  bound(RLIMIT_AS, own_address_space() + kMostMemory);
  static_cast<void>(::nice(nicer));
  const std::string answer_text = work();
  const std::uint64_t length = answer_text.size();
  say_all(3, {reinterpret_cast<const char*>(&length), sizeof length});
  say_all(3, answer_text);
  ::_exit(0);
}

tl::unexpected<Error> given_up() {
  return failed("the answer took too long, or too much memory, to make");
}

}  // namespace

void ProcessCopies::run(const std::string& user, Work work, Done done) {
  const auto theirs = std::count_if(waiting_.begin(), waiting_.end(),
                                    [&](const Waiting& each) { return each.user == user; });
  if (waiting_.size() >= bounds_.waiting ||
      static_cast<std::size_t>(theirs) >= bounds_.waiting_of_one)
    return done(tl::unexpected<Error>(Error{ErrorKind::kNoCapacity,
                                            "too many such questions wait for an answer already",
                                            {},
                                            "ask again in a minute"}));
  waiting_.push_back({user, std::move(work), std::move(done)});
  start_next();
}

void ProcessCopies::start_next() {
  while (copies_ < bounds_.copies) {
    const auto next = std::find_if(waiting_.begin(), waiting_.end(), [this](const Waiting& each) {
      return running_.find(each.user) == running_.end();
    });
    if (next == waiting_.end()) return;
    Waiting chosen = std::move(*next);
    waiting_.erase(next);
    start(std::move(chosen));
  }
}

void ProcessCopies::start(Waiting next) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return next.done(failed(std::strerror(errno)));
  auto copy = std::make_shared<Copy>();
  copy->pid = ::fork();
  if (copy->pid == 0) be_the_copy(ends[1], next.work, bounds_.nice);
  const int problem = errno;
  ::close(ends[1]);
  if (copy->pid < 0) {
    ::close(ends[0]);
    return next.done(failed(std::strerror(problem)));
  }
  ++copies_;
  ++running_[next.user];
  copy->pipe = ends[0];
  loop_.watch(copy->pipe, [this, copy, user = next.user, done = std::move(next.done)] {
    if (copy->length_read < sizeof copy->length) {
      char* const to = reinterpret_cast<char*>(&copy->length) + copy->length_read;
      const ssize_t n = ::read(copy->pipe, to, sizeof copy->length - copy->length_read);
      if (n > 0) copy->length_read += static_cast<std::size_t>(n);
      if (n > 0 && copy->length_read == sizeof copy->length)
        copy->said.reserve(std::min<std::size_t>(copy->length, bounds_.longest_answer));
      if (n > 0 || (n < 0 && errno == EINTR)) return;
    }
    std::array<char, 65536> piece{};
    const ssize_t n = ::read(copy->pipe, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) return;
    if (n > 0 && copy->said.size() <= bounds_.longest_answer) {
      copy->said.append(piece.data(), static_cast<std::size_t>(n));
      return;
    }
    // Held here: unwatching ends what is being called.
    const Done answer = done;
    const std::shared_ptr<Copy> ended = copy;
    const std::string whose = user;
    loop_.unwatch(ended->pipe);
    ::close(ended->pipe);
    if (n > 0) ::kill(ended->pid, SIGKILL);
    int status = 0;
    while (::waitpid(ended->pid, &status, 0) < 0 && errno == EINTR) {
    }
    --copies_;
    if (--running_[whose] == 0) running_.erase(whose);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && ended->said.size() == ended->length)
      answer(std::move(ended->said));
    else
      answer(given_up());
    start_next();
  });
}

}  // namespace sluice
