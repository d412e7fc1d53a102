// What moves takes its room with it, so that two groups do not get the same slot.
#include "routing/rebalance.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/reason.h"

namespace sluice {
namespace {

bool waits_for_a_limit(const std::string& word) {
  const auto rule = rule_of_word(word);
  return rule && is_limit(*rule);
}

std::optional<Seat> seat_of(const WaitingTasks& waiting, const Description& description) {
  const Policy& policy = *description.policy;
  const std::string first = waiting.partitions.empty() ? std::string() : waiting.partitions.front();
  const auto assoc = policy.find_association(waiting.account, description.user, first);
  if (!assoc) return std::nullopt;
  Seat out{*assoc, policy.find_qos(waiting.qos), {}};
  for (const std::string& name : waiting.partitions)
    if (const auto id = policy.find_partition(name)) out.partitions.push_back(*id);
  return out;
}

}  // namespace

JobChange change_for(const Move& move, const WaitingTasks& from) {
  JobChange out;
  out.account = move.account;
  if (!move.qos.empty()) out.qos = move.qos;
  if (move.partitions != from.partitions) out.partitions = move.partitions;
  return out;
}

Result<std::variant<Changed, Refusal>> move_in_place(Cluster& cluster, const Move& move,
                                                     const WaitingTasks& from) {
  const JobChange change = change_for(move, from);
  return move.tasks ? cluster.update_tasks(from.job, *move.tasks, change)
                    : cluster.update({from.job, std::nullopt}, change);
}

Rebalance plan_rebalance(const Description& description, const RoutingSettings& settings,
                         std::span<const WaitingTasks> waiting, Instant now) {
  Rebalance out;
  Books books = Books::now(description);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const WaitingTasks& group = waiting[i];
    out.verdicts.push_back(Stay::kNowhere);
    Stay& verdict = out.verdicts.back();
    if (!waits_for_a_limit(group.reason)) {
      verdict = Stay::kOtherReason;
      continue;
    }
    if (now - group.since < settings.stuck_after) {
      verdict = Stay::kNotYet;
      continue;
    }
    const Device device = group.need.gpus > 0 ? Device::kGpu : Device::kCpu;
    std::int64_t left = group.count();
    if (const auto own = seat_of(group, description)) {
      const std::int64_t here = books.room(*own, group.need).fits;
      books.take(*own, group.need, std::min(here, left));
      left -= std::min(here, left);
      if (left == 0) {
        verdict = Stay::kHasRoom;
        continue;
      }
    }
    TaskNeeds needs;
    (device == Device::kGpu ? needs.gpu : needs.cpu) = group.need;
    std::vector<Pool> pools = find_pools(description, settings, needs);
    std::erase_if(pools, [&](const Pool& pool) {
      return pool.left_out != LeftOut::kNo ||
             (pool.account == group.account && (pool.qos == group.qos || pool.qos.empty()));
    });
    std::stable_sort(pools.begin(), pools.end(),
                     [](const Pool& a, const Pool& b) { return a.now > b.now; });
    IndexSet tasks = group.tasks.value_or(IndexSet{});
    for (const Pool& pool : pools) {
      if (left == 0) break;
      const Room room =
          books.room(pool.seat, pool.need, device == Device::kCpu ? settings.cpu_percent : 100);
      const std::int64_t count = std::min({left, room.fits, room.submittable});
      if (count <= 0) continue;
      Move move;
      move.waiting = i;
      move.account = pool.account;
      move.qos = pool.qos;
      move.partitions = pool.need.partitions;
      move.pool = fmt::format("{}/{}", pool.account, device_name(device));
      if (group.tasks) {
        move.tasks.emplace();
        for (std::int64_t n = 0; n < count; ++n) {
          const std::uint32_t task = *tasks.first();
          move.tasks->insert(task);
          tasks.erase(task);
        }
      }
      books.take(pool.seat, pool.need, count);
      left -= count;
      out.moves.push_back(std::move(move));
      verdict = Stay::kMoves;
    }
  }
  return out;
}

}  // namespace sluice
