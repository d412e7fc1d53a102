// One engine serves all requests: it is empty again after each.
#include "sim/chains/room_probe.h"

#include <variant>

#include "model/event.h"

namespace sluice {

RoomProbe::RoomProbe(std::shared_ptr<const Policy> policy) {
  engine_.handle(AdoptPolicy{std::move(policy)}, now_, turn_);
}

RoomProbe::~RoomProbe() = default;

bool RoomProbe::starts(const JobSpec& request) {
  now_ += seconds(1);
  engine_.handle(SubmitJob{request}, now_, turn_);
  const auto* submitted = std::get_if<Submitted>(&turn_.replies.front());
  if (submitted == nullptr) {
    if (const auto* refused = std::get_if<Refused>(&turn_.replies.front()))
      why_ = refused->refusal.message;
    return false;
  }
  const JobId job = submitted->job;
  for (const Event& event : turn_.events) {
    const auto* started = std::get_if<JobStarted>(&event.body);
    if (started == nullptr || started->job != job) continue;
    RunEnded ended;
    ended.job = job;
    ended.attempt = started->attempt;
    engine_.handle(ended, now_, turn_);
    return true;
  }
  why_ = slurm_word(engine_.explanation(job).reason, engine_.state().policy().tres);
  engine_.handle(CancelJob{JobRef{job, std::nullopt}, Actor{"root", true}}, now_, turn_);
  return false;
}

}  // namespace sluice
