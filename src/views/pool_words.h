// Pools and decisions about them in words, the same on every face.
#pragma once

#include <string>
#include <string_view>

#include "model/tres.h"
#include "routing/pool.h"
#include "routing/router.h"

namespace sluice {

// "1 GPU, 8 CPU, 125G"; "-" for nothing. Only what people plan by.
std::string amounts_text(const TresVector& amounts, const TresRegistry& registry);
std::string limits_text(const TresLimits& limits, const TresRegistry& registry);
// "memory", "CPUs", "GPUs", "jobs", …
std::string dimension_word(const Reason& reason, const TresRegistry& registry);
std::string amount_text(TresIndex tres, std::int64_t amount);

// "memory of qos clive: 256G held + 125G asked > 312.50G".
std::string gate_text(const Bound& gate, const TaskNeed& need, const TresRegistry& registry);

// "blocked since 2026-04-08: no GPUs left (review was due on 2026-10-01)". today as 2026-11-15.
std::string block_text(const Block& block, std::string_view today);

// Of a pool that takes none now: "full: …; room by 2026-11-15T13:11:37 UTC if no job ends earlier".
std::string no_room_text(const Pool& pool, const TresRegistry& registry);

// Why a pool is used, or is not.
std::string verdict_text(const Pool& pool, PoolVerdict verdict, const Route& route,
                         const TresRegistry& registry, std::string_view today);

// "clive/gpu", with the QoS where it has another name: "clive:normal/gpu".
std::string pool_name(const Pool& pool);

// "-" stands for "more than anybody counts".
std::string slots_text(std::int64_t slots);

}  // namespace sluice
