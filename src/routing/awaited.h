// Jobs that somebody waits for, also where another job takes the place of one on its way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cluster/sighting.h"
#include "model/index_set.h"
#include "routing/replacement.h"

namespace sluice {

class Awaited {
 public:
  enum class End : std::uint8_t { kNotYet, kCompleted, kFailed };

  explicit Awaited(std::span<const RemoteJob> jobs);
  // What to look at next.
  std::vector<RemoteRef> refs() const;
  // What was seen of them, in that order, and every move that is known: on its way or done.
  End look(std::span<const Sighting> seen, std::span<const Replacement> moves);

 private:
  struct One {
    RemoteJob job;
    std::optional<IndexSet> tasks;  // Nothing: all of them.
  };
  // Whether it is new.
  bool follow(const Replacement& move);
  std::vector<One> all_;
};

}  // namespace sluice
