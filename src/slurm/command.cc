// posix_spawn with two pipes.
#include "slurm/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "slurm/slow_command.h"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;

// One end of a pipe, closed when it is no longer needed.
class End {
 public:
  End() = default;
  explicit End(int fd) : fd_(fd) {}
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  ~End() { shut(); }
  void shut() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void hold(int fd) {
    shut();
    fd_ = fd;
  }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  End read;
  End write;
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read.hold(ends[0]);
    write.hold(ends[1]);
    return true;
  }
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// A file without a name that holds the text, to be read from its beginning.
bool hold_text(End& file, std::string_view text) {
  file.hold(::memfd_create("input", MFD_CLOEXEC));
  if (file.fd() < 0) return false;
  while (!text.empty()) {
    const ssize_t put = ::write(file.fd(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return ::lseek(file.fd(), 0, SEEK_SET) == 0;
}

SlowCommand say_slow = nullptr;
StartedCommand note_started = nullptr;
// A person waits so long without a word; scripts are told no more often than the second.
constexpr auto kFirstWord = std::chrono::seconds(5);
constexpr auto kNextWord = std::chrono::seconds(30);

// Says that the program has not answered yet, when that is due.
class SlowWords {
 public:
  explicit SlowWords(const std::string& program) : program_(program) {}
  Clock::time_point next() const { return next_; }
  void say_if_due() {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + kNextWord;
    if (say_slow != nullptr) say_slow(program_, std::chrono::duration_cast<Duration>(now - begin_));
  }

 private:
  const std::string& program_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + kFirstWord;
};

bool is_silent(const Pipe& output, const Pipe& error, const CommandOutput& out) {
  std::array<pollfd, 2> waits{{{output.read.fd(), POLLIN, 0}, {error.read.fd(), POLLIN, 0}}};
  return out.output.empty() && out.error.empty() && ::poll(waits.data(), waits.size(), 0) == 0;
}

// Takes in what the program prints until it closes both; an error when the time is over, when it
// prints without end, or when it waits in vain.
Result<void> drain(Pipe& output, Pipe& error, CommandOutput& out, const std::string& program,
                   Duration limit, const Doubt* doubt) {
  SlowWords words(program);
  const auto begin = Clock::now();
  const auto end = begin + limit;
  const auto killed = tl::unexpected<Error>(
      Error{ErrorKind::kUnknown,
            fmt::format("{} did not end in {} s and was killed", program, to_seconds(limit)),
            {},
            {}});
  // Not static: what is thread_local is cleared at the start of every command of sluice.
  std::string buffer(65536, '\0');
  while (output.read.fd() >= 0 || error.read.fd() >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return killed;
    words.say_if_due();
    if (doubt != nullptr && Clock::now() >= begin + doubt->after) {
      const Doubt* now = std::exchange(doubt, nullptr);
      if (is_silent(output, error, out))
        if (auto vain = now->is_vain(); vain && is_silent(output, error, out))
          return tl::unexpected<Error>(std::move(*vain));
    }
    auto next = words.next();
    if (doubt != nullptr) next = std::min(next, begin + doubt->after);
    const auto quiet = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now());
    std::array<pollfd, 2> waits{
        {{output.read.fd(), POLLIN, 0}, {error.read.fd(), POLLIN, 0}}};  // -1 is skipped.
    if (::poll(waits.data(), waits.size(), static_cast<int>(std::min(left, quiet).count()) + 1) <
            0 &&
        errno != EINTR)
      return killed;
    if (out.output.size() + out.error.size() > kMostOutputBytes)
      return tl::unexpected<Error>(Error{
          ErrorKind::kUnknown,
          fmt::format("{} printed more than {} MB and was killed", program, kMostOutputBytes >> 20),
          {},
          {}});
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents == 0) continue;
      const ssize_t got = ::read(waits[i].fd, buffer.data(), buffer.size());
      if (got > 0)
        (i == 0 ? out.output : out.error).append(buffer.data(), static_cast<std::size_t>(got));
      else if (got == 0 || errno != EINTR)
        (i == 0 ? output : error).read.shut();
    }
  }
  return {};
}

}  // namespace

void on_slow_command(SlowCommand say) { say_slow = say; }
void on_started_command(StartedCommand note) { note_started = note; }

Result<CommandOutput> run_command(const std::vector<std::string>& argv,
                                  const std::vector<std::string>& environment, Duration limit,
                                  std::string_view input, const Doubt* doubt) {
  if (note_started != nullptr) note_started(argv.front());
  Pipe output;
  Pipe error;
  End text;
  if (!output.open() || !error.open() || (!input.empty() && !hold_text(text, input)))
    return failed(fmt::format("cannot run {}: {}", argv.front(), std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input.empty())
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  else
    posix_spawn_file_actions_adddup2(&actions, text.fd(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write.fd(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error.write.fd(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = 0;
  const int problem = ::posix_spawnp(&pid, argv.front().c_str(), &actions, &attributes,
                                     pointers(argv).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (problem != 0)
    return tl::unexpected<Error>(
        Error{ErrorKind::kUnreachable,
              fmt::format("cannot run {}: {}", argv.front(), std::strerror(problem)),
              {},
              {}});
  output.write.shut();
  error.write.shut();
  CommandOutput out;
  const auto drained = drain(output, error, out, argv.front(), limit, doubt);
  if (!drained) ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!drained) return tl::unexpected<Error>(drained.error());
  out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

}  // namespace sluice
