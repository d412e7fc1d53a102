// Whether a job would start if it were alone on the policy's empty cluster.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "model/job.h"
#include "model/policy.h"

namespace sluice {

// Asks the engine itself: each request is submitted, looked at and taken away again. What a limit
// counts over the past starts at nothing.
class RoomProbe {
 public:
  explicit RoomProbe(std::shared_ptr<const Policy> policy);
  ~RoomProbe();
  RoomProbe(const RoomProbe&) = delete;
  RoomProbe& operator=(const RoomProbe&) = delete;

  bool starts(const JobSpec& request);
  // Why the last request that did not start was refused, or waited.
  const std::string& why() const { return why_; }

 private:
  Engine engine_{Engine::Explain::kYes};
  Turn turn_;
  Instant now_{};
  std::string why_;
};

}  // namespace sluice
