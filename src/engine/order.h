// What the world must now do. Named by (job, attempt): carrying it out twice is harmless.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "base/time.h"
#include "model/ids.h"

namespace sluice {

// One of those that take each other's place: see hand_on.cc.
struct RunInLine {
  JobId job;
  std::uint32_t attempt = 0;
};

struct LaunchJob {
  JobId job;
  std::uint32_t attempt = 0;
  // Not now, but in the place of this one the moment that is over.
  std::optional<RunInLine> after = std::nullopt;
  JobId holder{};  // The first run in the line, which holds the resources.
};

// Ask it to end: SIGTERM (and SIGCONT), then SIGKILL after the policy's KillWait.
struct EndJob {
  JobId job;
  std::uint32_t attempt = 0;
};

// Tell it that it will be ended when its grace is over.
struct WarnJob {
  JobId job;
  std::uint32_t attempt = 0;
};

// The signal the job asked for, some time before its limit.
struct SignalJob {
  JobId job;
  std::uint32_t attempt = 0;
  std::int32_t signal = 0;
  bool batch_shell_only = false;
};

struct PauseJob {
  JobId job;
  std::uint32_t attempt = 0;
};

struct ContinueJob {
  JobId job;
  std::uint32_t attempt = 0;
};

using Order = std::variant<LaunchJob, EndJob, WarnJob, SignalJob, PauseJob, ContinueJob>;

}  // namespace sluice
