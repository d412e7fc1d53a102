// What hooks and mails are told: that a job or a chain has ended, tasks were given up, no pool has
// room. Hooks get it as JSON on standard input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "views/chain_view.h"
#include "views/rows.h"

namespace sluice {

enum class NoticeEvent : std::uint8_t { kJobEnd, kChainDone, kGaveUp, kPoolsFull };
inline constexpr std::size_t kNoticeEvents = 4;
std::string_view notice_word(NoticeEvent event);  // "job-end"

// "Slurm Job_id=12 Name=train Ended, Run time 00:01:00, COMPLETED, ExitCode 0": the subject of
// Slurm's own mails, which people's filters know.
enum class JobMail : std::uint8_t { kBegan, kEnded, kFailed, kRequeued, kTimeLimit };
std::string job_mail_subject(const JobCard& job, JobMail mail);

// What is done about a job's notice.
struct JobNotice {
  JobCard job;
  JobMail mail = JobMail::kEnded;
  std::optional<std::string> mail_to;  // A mail is sent.
  bool hooks = false;                  // The owner's hooks on job-end are run.
  std::int64_t failed_tasks = 0;       // Of the array as a whole.
};
std::string job_notice_json(const JobNotice& notice, std::string_view cluster);

// Ended, or given up: `newly` tasks.
std::string chain_notice_json(NoticeEvent event, const ChainView& chain, std::size_t newly);

// `what` waits because every pool is full.
std::string pools_notice_json(std::string_view user, std::string_view what, Instant now);

// What the process that delivers reads of it.
struct ReadNotice {
  std::string event;
  std::string subject;
  std::string text;
  std::optional<std::string> mail_to;
  bool hooks = true;
};
Result<ReadNotice> read_notice(std::string_view json);

// A mail for `sendmail -t`: one line a header, whatever the names say.
std::string mail_text(std::string_view to, std::string_view subject, std::string_view text);

}  // namespace sluice
