#include "daemon/notices.h"

#include <fmt/format.h>

#include "daemon/errands.h"
#include "daemon/say.h"
#include "daemon/wall_times.h"
#include "text/mail_types.h"
#include "views/job_view.h"
#include "views/notice.h"
#include "views/row_fields.h"

namespace sluice {
namespace {

// Each user has processes of their own: a hook that hangs stops no other user's.
constexpr std::size_t kMostAtOnce = 16;
constexpr std::size_t kMostOfOneUser = 2;
// A user whose hooks are slower than their jobs loses the notices that are too many.
constexpr std::size_t kMostWaiting = 200;
constexpr Duration kLongest = minutes(2);

std::string_view mail_types(const JobSpec& spec) {
  return variable_in(spec.launch.environment, kMailTypeVariable);
}

std::optional<std::string> address(const JobSpec& spec) {
  const std::string_view given = variable_in(spec.launch.environment, kMailUserVariable);
  return given.empty() ? spec.user : std::string(given);
}

JobCard card_of(const Driver& driver, const Job& job) {
  return in_wall_time(job_card(driver.engine(), job, driver.now(), std::nullopt),
                      driver.wall_ahead());
}

}  // namespace

void Notices::began(const Job& job, const JobSpec& spec) {
  const std::string_view types = mail_types(spec);
  if (types.empty() || !has_mail_type(types, "BEGIN")) return;
  const Array* array =
      job.array == JobId{} ? nullptr : driver_.engine().state().find_array(job.array);
  // Of an array the first task's, unless each is asked for.
  if (array != nullptr && !has_mail_type(types, "ARRAY_TASKS") &&
      array->total != array->waiting.size() + 1)
    return;
  queue(spec, job_notice_json({card_of(driver_, job), JobMail::kBegan, address(spec)},
                              driver_.engine().state().policy().cluster));
}

void Notices::requeued(const Job& job, const JobSpec& spec) {
  if (!has_mail_type(mail_types(spec), "REQUEUE")) return;
  queue(spec, job_notice_json({card_of(driver_, job), JobMail::kRequeued, address(spec)},
                              driver_.engine().state().policy().cluster));
}

void Notices::ended(const Ended& ended) {
  const Job& job = ended.job;
  const JobSpec& spec = *ended.shape.request;
  const std::string_view types = mail_types(spec);
  const bool hooks = !variable_in(spec.launch.environment, kHooksVariable).empty();
  if (types.empty() && !hooks) return;
  // It comes back, and that is another mail.
  if (ended.run && ended.run->requeue) return;
  const bool each = has_mail_type(types, "ARRAY_TASKS");
  const bool whole = job.array != JobId{} && !each;
  if (whole && !ended.last) return;
  JobNotice notice{in_wall_time(ended_card(ended), driver_.wall_ahead()), JobMail::kEnded,
                   std::nullopt, hooks, 0};
  JobCard& card = notice.job;
  const bool completed = ended.outcome.state == JobState::kCompleted;
  notice.failed_tasks = (completed ? 0 : card.line.tasks) + (whole ? ended.array_failed : 0);
  if (whole) {
    card.line.id = std::to_string(job.array.value());
    card.line.task.reset();
    card.line.tasks = ended.array_total;
    if (completed && notice.failed_tasks > 0) card.line.state = JobState::kFailed;
  }
  // As slurmctld: a failure without FAIL is an end.
  const JobState ended_as = card.line.state;
  const bool is_end = ended_as == JobState::kCompleted || ended_as == JobState::kCancelled;
  const bool wants_end = has_mail_type(types, "END");
  const bool wants_failure = has_mail_type(types, "FAIL");
  if (!is_end && wants_failure) notice.mail = JobMail::kFailed;
  if (is_end ? wants_end : wants_end || wants_failure) notice.mail_to = address(spec);
  if (ended_as == JobState::kTimeout && has_mail_type(types, "TIME_LIMIT")) {
    notice.mail = JobMail::kTimeLimit;
    notice.mail_to = address(spec);
  }
  if (!notice.mail_to && !notice.hooks) return;
  queue(spec, job_notice_json(notice, ended.policy->cluster));
}

void Notices::queue(const JobSpec& spec, std::string json) {
  std::size_t& count = waiting_of_[spec.user];
  if (count >= kMostWaiting)
    return say_of_run(fmt::format("a notice of {} is left out: {} wait already", spec.user, count));
  ++count;
  waiting_.push_back({spec.user, std::move(json)});
  // Not while a turn is being told.
  loop_.post([this] { start_next(); });
}

void Notices::start_next() {
  for (std::size_t i = waiting_.size(); i > 0 && running_ < kMostAtOnce; --i) {
    Delivery next = std::move(waiting_.front());
    waiting_.pop_front();
    const auto own = running_of_.find(next.user);
    if (own != running_of_.end() && own->second >= kMostOfOneUser) {
      waiting_.push_back(std::move(next));
      continue;
    }
    if (--waiting_of_[next.user] == 0) waiting_of_.erase(next.user);
    if (!start(next)) say_of_run(fmt::format("a notice of {} could not be delivered", next.user));
  }
}

bool Notices::start(const Delivery& delivery) {
  const auto identity = driver_.identities().named(delivery.user, driver_.now());
  if (!identity) return false;
  ++running_;
  ++running_of_[delivery.user];
  // A process's environment is its user's alone to read; its words are everybody's.
  driver_.errands().start({*identity,
                           {"notify", "deliver"},
                           {"SLUICE_NOTICE=" + delivery.json},
                           kLongest,
                           WhenStopped::kFinishes},
                          [this, user = delivery.user](std::optional<int>) {
                            --running_;
                            if (--running_of_[user] == 0) running_of_.erase(user);
                            start_next();
                          });
  return true;
}

}  // namespace sluice
