#include "cli/wait.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/interrupt_note.h"
#include "cli/job_ends.h"
#include "cli/local_time.h"
#include "text/duration.h"
#include "wire/api_fields.h"

namespace sluice {

int exit_status(const JobCard& card) {
  if (card.line.state == JobState::kCompleted) return 0;
  if (card.exit_signal.value_or(0) != 0) return 128 + *card.exit_signal;
  return std::max(card.exit_code.value_or(1), 1);
}

namespace {

std::string target_of(std::uint32_t job) { return fmt::format("/v1/jobs/{}", job); }

tl::unexpected<Error> never_starts(const JobCard& card, std::uint32_t job) {
  return failed(
      fmt::format("job {} can never start: it waits for {}", job, card.dependency),
      fmt::format("let it run all the same: sluice update {} --dependency=; or give it up: sluice "
                  "cancel {}",
                  job, job));
}

bool has_settled(const QueueLine& line) {
  return line.array && !line.task ? line.waiting + line.running == 0 : has_ended(line.state);
}

// One line on a terminal, written over again and again.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
  }
  void draw(const std::string& text) {
    fmt::print(stderr, "\r\033[K{}", text);
    drawn_ = true;
  }

 private:
  bool drawn_ = false;
};

}  // namespace

std::string progress_text(const QueueLine& line, Instant now) {
  const std::int64_t all = std::max<std::int64_t>(line.tasks, 1);
  const std::int64_t done = std::min(line.done, all);
  constexpr std::int64_t kWidth = 30;
  const auto full = static_cast<std::size_t>(kWidth * done / all);
  std::string out = fmt::format("[{}{}] {}%  {} of {} done", std::string(full, '#'),
                                std::string(kWidth - full, '.'), 100 * done / all, done, all);
  if (line.running > 0) out += fmt::format(", {} running", line.running);
  if (line.waiting > 0) out += fmt::format(", {} waiting", line.waiting);
  if (done > 0 && done < all && line.started && now > *line.started) {
    const Duration left = (now - *line.started) * (all - done) / done;
    out += fmt::format(", about {} left", format_friendly_duration(seconds(to_seconds(left) + 1)));
  }
  return out;
}

Result<bool> wait_until_ended(Connection& daemon, std::uint32_t job, std::optional<Instant> until) {
  const InterruptNote note(goes_on(std::to_string(job)));
  const bool draws = ::isatty(STDERR_FILENO) != 0;
  if (!draws && !until) {
    TRY(const JobCard card, daemon.fetch<JobCard>(target_of(job) + "?wait=settled"));
    if (card.line.waiting > 0 && !has_settled(card.line)) return never_starts(card, job);
    return true;
  }
  ProgressLine progress;
  constexpr Duration kFirstLook{50};
  constexpr Duration kLookAgain = seconds(1);
  for (Duration pause = kFirstLook;; pause = std::min(pause * 2, kLookAgain)) {
    TRY(const JobCard card, daemon.fetch<JobCard>(target_of(job)));
    if (has_settled(card.line)) return true;
    if (card.line.reason == "DependencyNeverSatisfied" && card.line.running == 0)
      return never_starts(card, job);
    if (until && now_here() >= *until) return false;
    if (draws)
      progress.draw(card.line.tasks > 1
                        ? progress_text(card.line, now_here())
                        : fmt::format("{}: {}", card.line.id, slurm_name(card.line.state)));
    std::this_thread::sleep_for(std::chrono::milliseconds(pause.count()));
  }
}

// An array's worst exit status counts, as sbatch says.
Result<ExitCode> wait_for_job(Connection& daemon, std::uint32_t job) {
  daemon.wait_through_restarts();
  const InterruptNote note(goes_on(std::to_string(job)));
  TRY(const JobCard card, daemon.fetch<JobCard>(target_of(job) + "?wait=settled"));
  if (card.line.waiting > 0 && !has_settled(card.line)) return never_starts(card, job);
  if (!card.line.array && exit_status(card) == 0) return ExitCode::kDone;
  TRY(const JobEnds ends, ends_of(daemon, job));
  if (ends.worst() != 0) fmt::print(stderr, "{}", ends.summary());
  if (!card.line.array) return static_cast<ExitCode>(exit_status(card));
  return static_cast<ExitCode>(ends.worst());
}

}  // namespace sluice
