// Held, written down, released: what nobody remembers can never run by itself.
#include "apps/held_submission.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kept_request.h"
#include "apps/routing_context.h"
#include "apps/submission_record.h"

namespace sluice {
namespace {

Error with_hint(Error error, std::string hint) {
  error.hint = error.hint.empty() ? std::move(hint) : error.hint + "\n  " + hint;
  return error;
}

// The job of a submission whose answer was lost: found, or not there for sure.
Result<std::optional<RemoteJob>> look_for(Cluster& cluster, const std::string& key,
                                          Duration settle_time) {
  for (Duration waited{0};;) {
    TRY(std::vector<RemoteJob> jobs, cluster.find(key));
    if (!jobs.empty()) {
      for (std::size_t i = 1; i < jobs.size(); ++i) TRY_VOID(cluster.cancel({jobs[i], {}}));
      return jobs.front();
    }
    if (waited >= settle_time) return std::nullopt;
    const Duration pause = std::min<Duration>(seconds(5), settle_time - waited);
    wait_for(pause);
    waited += pause;
  }
}

Result<RemoteJob> submit_one(Cluster& cluster, const Submission& submission, Duration settle_time) {
  constexpr int kTries = 2;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    TRY(const SubmitAnswer answer, cluster.submit(submission));
    if (const auto* accepted = std::get_if<Accepted>(&answer)) return accepted->job;
    if (const auto* declined = std::get_if<Declined>(&answer))
      return tl::unexpected<Error>(Error{ErrorKind::kFailed, declined->refusal.message, {}, {}});
    const std::string why = std::get<Uncertain>(answer).why;
    fmt::print(stderr, "sluice: whether a job was accepted is not known ({}); looking for it\n",
               why);
    auto found = look_for(cluster, submission.key, settle_time);
    if (!found)
      return tl::unexpected<Error>(
          Error{ErrorKind::kUnknown,
                fmt::format("whether a job was accepted is not known: {}", found.error().what),
                {},
                fmt::format("if it was, it is held and carries sluice:{} in its comment; the next "
                            "sluice command looks for it and cancels it",
                            submission.key)});
    if (*found) return **found;
  }
  return tl::unexpected<Error>(Error{ErrorKind::kUnreachable,
                                     "sbatch did not get through twice",
                                     {},
                                     "nothing was submitted; try again later"});
}

}  // namespace

Result<std::vector<RemoteJob>> submit_all(Cluster& cluster, std::vector<JobSpec> specs,
                                          const std::string& folder, const std::string& requests,
                                          Duration settle_time) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < specs.size(); ++i) keys.push_back(new_key());
  TRY(SubmissionRecord record, SubmissionRecord::begin(folder, keys));
  if (!requests.empty())
    for (std::size_t i = 0; i < specs.size(); ++i)
      TRY_VOID(keep_request(requests, keys[i], specs[i]));
  std::vector<RemoteJob> jobs;
  std::vector<RemoteJob> to_release;  // Who asked for --hold releases by hand.
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const bool stays_held = specs[i].hold;
    Submission submission{std::move(specs[i]), keys[i], true};
    record.renew();
    auto job = submit_one(cluster, submission, settle_time);
    if (job) {
      jobs.push_back(*job);
      if (!stays_held) to_release.push_back(*job);
      continue;
    }
    Error error = job.error();
    for (const RemoteJob& other : jobs)
      if (const auto done = cluster.cancel({other, {}}); !done)
        return tl::unexpected<Error>(
            with_hint(error, fmt::format("job {} stays held and could not be cancelled: {}",
                                         other.job.value(), done.error().what)));
    if (error.kind == ErrorKind::kUnknown) return tl::unexpected<Error>(error);  // The note stays.
    record.end();
    return tl::unexpected<Error>(with_hint(error, "nothing was submitted"));
  }
  TRY_VOID(record.releasing());
  for (const RemoteJob& job : to_release) {
    record.renew();
    const auto done = cluster.release({job, {}});
    if (!done)
      return tl::unexpected<Error>(
          with_hint(done.error(),
                    "all jobs are submitted; the next sluice command releases those "
                    "that are still held"));
  }
  record.end();
  return jobs;
}

}  // namespace sluice
