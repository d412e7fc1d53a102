// What one user may take of a daemon that serves several.
//
// Root and whoever runs the daemon are not counted. What the others have is known only as "at most
// so much", which costs nothing; it is counted again when that seems too much.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "engine/engine.h"
#include "wire/api.h"

namespace sluice {

class Quotas {
 public:
  explicit Quotas(const Engine& engine) : engine_(engine) {}

  // Why these may not be submitted; nothing: they count from now on.
  std::optional<Error> refuse(const Actor& actor, const SubmitRequest& request);
  // The same for tasks that get a record of their own, each by itself.
  std::optional<Error> refuse_records(const Actor& actor, std::size_t records);
  // The same for what the records of these take when they are changed, or get one of their own.
  std::optional<Error> refuse_targets(const Actor& actor, std::span<const JobRef> targets,
                                      const JobChange* change);
  // What is read and written to change the request of one, in bytes.
  std::int64_t bytes_to_change(const JobRef& target) const;

 private:
  struct Load {
    std::int64_t tasks = 0;    // That wait or run.
    std::int64_t records = 0;  // Of jobs that are remembered.
    std::int64_t bytes = 0;    // Of their requests, and of what waits for other jobs.
  };
  std::optional<Error> refuse(const std::string& user, const Load& more);
  std::optional<Error> beyond(const Load& load, const Load& more) const;
  void count_again();

  const Engine& engine_;
  std::map<std::string, Load> loads_;
  std::optional<std::chrono::steady_clock::time_point> counted_;
};

// Lines of a list, which take the daemon's time and memory.
inline constexpr std::size_t kMostLines = 50'000;
// Jobs of one request.
inline constexpr std::uint64_t kMostJobsAtOnce = 1000;

}  // namespace sluice
