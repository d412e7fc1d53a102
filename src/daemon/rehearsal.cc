// Driver::rehearse: the policy comes into force in a child that is a copy of the daemon.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "daemon/driver.h"
#include "model/event.h"
#include "views/policy_effects.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct Copy {
  int pipe = -1;
  pid_t pid = -1;
  std::string said;
};

std::vector<PolicyEffect> effects_in(Engine& engine, std::shared_ptr<const Policy> policy,
                                     Instant now) {
  // Whatever was about to happen anyway happens first.
  Turn turn;
  engine.handle(Tick{}, now, turn);
  const std::vector<KnownJob> jobs = known_jobs(engine);
  std::vector<JobId> ids;
  for (const KnownJob& job : jobs) ids.push_back(job.id);
  const std::shared_ptr<const Policy> before = engine.state().shared_policy();
  Standings was = places_in_queue(engine);
  note_reasons(engine, ids, now, was);
  const Standings becomes = standings_under(engine, policy, ids, now);
  std::vector<PolicyEffect> out;
  for (const JobEffect& each : effects_between(jobs, *before, was, *policy, becomes))
    out.push_back({each.job, std::string(effect_word(each.effect)), each.text});
  return out;
}

void say_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(to, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

void Driver::rehearse(std::shared_ptr<const Policy> policy, Rehearsed then) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return then(failed(std::strerror(errno)));
  auto copy = std::make_shared<Copy>();
  copy->pid = ::fork();
  if (copy->pid < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return then(failed(std::strerror(errno)));
  }
  if (copy->pid == 0) {
    // It speaks to nobody but the daemon, and holds it up no longer than a minute.
    ::alarm(60);
    engine_.watch_ends({});
    PolicyPlanReply reply;
    reply.jobs = effects_in(engine_, std::move(policy), now());
    say_all(ends[1], to_json(reply));
    ::_exit(0);
  }
  ::close(ends[1]);
  copy->pipe = ends[0];
  loop_.watch(copy->pipe, [this, copy, then = std::move(then)] {
    std::array<char, 65536> piece{};
    const ssize_t n = ::read(copy->pipe, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) return;
    if (n > 0) {
      copy->said.append(piece.data(), static_cast<std::size_t>(n));
      return;
    }
    // Held here: unwatching ends what is being called.
    const Rehearsed answer = then;
    const std::shared_ptr<Copy> done = copy;
    loop_.unwatch(done->pipe);
    ::close(done->pipe);
    int status = 0;
    while (::waitpid(done->pid, &status, 0) < 0 && errno == EINTR) {
    }
    const auto reply = from_json<PolicyPlanReply>(done->said);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !reply)
      return answer(failed("it could not be tried out on a copy of the daemon"));
    answer(reply->jobs);
  });
}

}  // namespace sluice
