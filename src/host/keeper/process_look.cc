#include "host/keeper/process_look.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include "host/keeper/processes.h"

namespace sluice {
namespace {

// Milliseconds without an answer before it is asked whether the child hangs; fewer once one has.
constexpr int kPatience = 200;
constexpr int kLessPatience = 10;

constexpr std::size_t kLongest = 60;

// Small enough to go through the pipe as a whole.
struct Answer {
  std::size_t place = 0;
  std::array<char, 64> said{};
};

[[noreturn]] void look(const std::vector<pid_t>& among, std::size_t from, int answers,
                       const std::function<std::string(pid_t)>& say) {
  for (std::size_t i = from; i < among.size(); ++i) {
    Answer answer{i, {}};
    say(among[i]).copy(answer.said.data(), kLongest);
    if (::write(answers, &answer, sizeof answer) != sizeof answer) break;
  }
  ::_exit(0);
}

// Not merely without a processor of its own for a while.
bool hangs(pid_t child) {
  const auto facts = process_facts(child);
  return facts && facts->state == 'D';
}

// Ended while it waits in the kernel, it goes at once; where it does not, it is not waited for.
void end(pid_t child) {
  ::kill(child, SIGKILL);
  for (int round = 0; round < 50 && ::waitpid(child, nullptr, WNOHANG) == 0; ++round)
    ::usleep(1000);
}

}  // namespace

std::map<pid_t, std::string> said_of(const std::vector<pid_t>& among,
                                     const std::function<std::string(pid_t)>& say, int most_hung) {
  std::map<pid_t, std::string> found;
  std::size_t next = 0;
  int hung = 0;
  while (next < among.size() && hung < most_hung) {
    int answers[2];
    if (::pipe2(answers, O_CLOEXEC) != 0) return found;
    const pid_t child = ::fork();
    if (child == 0) look(among, next, answers[1], say);
    ::close(answers[1]);
    int silent = 0;
    while (child > 0 && next < among.size()) {
      pollfd answer_comes{answers[0], POLLIN, 0};
      const int ready = ::poll(&answer_comes, 1, hung == 0 ? kPatience : kLessPatience);
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) {
        silent = hangs(child) ? silent + 1 : 0;
        if (silent < 2) continue;
        ++hung;
        ++next;
        break;
      }
      silent = 0;
      Answer answer;
      if (::read(answers[0], &answer, sizeof answer) != sizeof answer) {
        next = among.size();  // It could not go on.
        break;
      }
      found[among[answer.place]] = answer.said.data();
      next = answer.place + 1;
    }
    ::close(answers[0]);
    if (child < 0) return found;
    end(child);
  }
  return found;
}

std::vector<pid_t> processes_where(const std::vector<pid_t>& among,
                                   const std::function<bool(pid_t)>& holds, int most_hung) {
  const auto say = [&](pid_t pid) { return std::string(holds(pid) ? "yes" : ""); };
  const auto said = said_of(among, say, most_hung);
  std::vector<pid_t> found;
  for (const pid_t pid : among)
    if (const auto it = said.find(pid); it != said.end() && !it->second.empty())
      found.push_back(pid);
  return found;
}

std::optional<std::uint64_t> start_seen(pid_t pid) {
  if (pid == ::getpid()) return start_ticks(pid);
  const auto say = [](pid_t of) {
    const auto ticks = start_ticks(of);
    return ticks ? std::to_string(*ticks) : "";
  };
  const auto said = said_of({pid}, say, 1);
  if (said.empty() || said.begin()->second.empty()) return std::nullopt;
  return std::stoull(said.begin()->second);
}

}  // namespace sluice
