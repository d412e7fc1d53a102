// What this user submitted last, and the requests of recent submissions to this machine's daemon:
// `last` names the one, `sluice rerun` sends the others again.
//
//   FOLDER/last      "job 12", "job 12,13", "chain 20261115-132511-t0l3" or "slurm 4711"
//   FOLDER/12.json   the request of job 12, as it was sent; readable by its owner alone
//
// A note that cannot be written is no reason to fail: the submission has been made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "wire/api.h"

namespace sluice {

// Where they are kept; main() says so.
void use_notes_folder(std::string (*folder)());
// Whether there are chains of before these notes, which `last` may mean; main() says so, too.
void use_older_chains(bool (*any)());

enum class SubmittedAs : std::uint8_t { kJob, kChain, kOnSlurm };
struct LastSubmission {
  SubmittedAs as = SubmittedAs::kJob;
  std::string id;  // Of a routed submission: its jobs, with commas between them.
};
void remember_last(const LastSubmission& submission);
std::optional<LastSubmission> last_submission();

// The jobs that came of a request: each can be run again.
void remember_request(const SubmitRequest& request, const SubmitReply& reply);
// What job or array `job` was submitted as. `submitted` tells it from an earlier daemon's job of
// the same number.
Result<JobSpec> remembered_request(std::uint32_t job, Instant submitted);

// "last" and "last_3" as what they stand for; every other word as it is. An error where nothing was
// submitted yet, or the last submission is on Slurm. Several jobs, with commas between them, are
// for those who take a list; one_meant_by asks for one of them.
Result<std::string> meant_by(std::string_view word);
Result<std::string> one_meant_by(std::string_view word);
Result<std::vector<std::string>> meant_by(const std::vector<std::string>& words);
// "afterok:last" as "afterok:12", for a job of this machine or ("slurm") of the Slurm at hand.
Result<std::string> dependencies_meant_by(std::string_view text, std::string_view engine);

}  // namespace sluice
