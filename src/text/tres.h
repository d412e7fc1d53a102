// TRES lists: "cpu=4,mem=8G,gres/gpu:a100=2" to amounts and limits and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tres.h"

namespace sluice {

// One member of a list as `sacctmgr modify … set GrpTRES=` takes it: no amount (-1) clears.
struct TresEdit {
  TresIndex tres;
  std::optional<std::int64_t> amount;
  friend bool operator==(const TresEdit&, const TresEdit&) = default;
};

// Names must be registered; an unknown one is refused with the list of those that are. Memory is
// in megabytes or with a unit; other amounts may have K, M, G, T, P (powers of 1024) as in Slurm.
Result<std::vector<TresEdit>> parse_tres_edits(std::string_view text, const TresRegistry& registry);

// What the edits leave of nothing: -1 is no limit, of two amounts the last counts.
Result<TresLimits> parse_tres_limits(std::string_view text, const TresRegistry& registry);
TresLimits edited(const TresLimits& limits, const std::vector<TresEdit>& edits);

// What a job or node holds; -1 is refused.
Result<TresVector> parse_tres_amounts(std::string_view text, const TresRegistry& registry);

enum class TresOrder : std::uint8_t {
  kRegistered,  // cpu, mem, node, billing, …: scontrol and squeue.
  kByName,      // billing, cpu, gres/gpu, mem, node: sacct's ReqTRES and AllocTRES.
};
// Amounts that are not zero; limits that are set. Memory as "8G" or "4000M".
std::string format_tres(const TresVector& amounts, const TresRegistry& registry,
                        TresOrder order = TresOrder::kRegistered);
std::string format_tres_limits(const TresLimits& limits, const TresRegistry& registry,
                               TresOrder order = TresOrder::kRegistered);

}  // namespace sluice
