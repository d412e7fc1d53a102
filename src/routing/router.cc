// Nobody is first because of a place in a list: room decides, and names only where all is equal.
#include "routing/router.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "routing/simulated_route.h"

namespace sluice {
namespace {

PoolVerdict before_room(const Pool& pool, const RouteRequest& request) {
  if (pool.left_out == LeftOut::kBlocked) return PoolVerdict::kBlocked;
  if (pool.left_out == LeftOut::kBurst) return PoolVerdict::kBurst;
  if (pool.left_out == LeftOut::kNoPartition) return PoolVerdict::kNoPartition;
  if (request.device && pool.device != *request.device) return PoolVerdict::kOtherDevice;
  for (const Bound& gate : pool.gates)
    if (gate.kind == Bound::Kind::kAlone || gate.kind == Bound::Kind::kClosed)
      return PoolVerdict::kNever;
  if (pool.at_most == 0) return PoolVerdict::kNever;
  if (pool.submittable == 0) return PoolVerdict::kSubmitLimit;
  if (pool.now == 0 || pool.now_jointly == 0) return PoolVerdict::kFull;
  return PoolVerdict::kUsed;
}

// What a single job goes by: GPU pools by free GPUs, then memory; CPU pools by memory, then CPUs.
std::tuple<int, std::int64_t, std::int64_t, std::int64_t> rank(const Pool& pool) {
  const auto free = [&](TresIndex tres) { return pool.free(tres).value_or(kPlenty); };
  if (pool.device == Device::kGpu) return {1, free(kTresGpu), free(kTresMem), pool.now};
  return {0, free(kTresMem), free(kTresCpu), pool.now};
}

void route_single(std::span<const Pool> pools, Route& out) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < pools.size(); ++i)
    if (out.verdicts[i] == PoolVerdict::kUsed && (!best || rank(pools[i]) > rank(pools[*best])))
      best = i;
  for (std::size_t i = 0; i < pools.size(); ++i)
    if (out.verdicts[i] == PoolVerdict::kUsed && i != *best)
      out.verdicts[i] = PoolVerdict::kOthersFirst;
  out.shares.push_back({*best, 1});
}

// Fills up to what may be submitted; what does not fit goes to the others.
std::vector<std::int64_t> spread(std::span<const Pool> pools, const std::vector<std::size_t>& used,
                                 std::int64_t tasks, const std::vector<std::int64_t>& weights) {
  std::vector<std::int64_t> out(used.size(), 0);
  while (tasks > 0) {
    std::vector<std::int64_t> still(used.size(), 0);
    for (std::size_t i = 0; i < used.size(); ++i)
      if (out[i] < pools[used[i]].submittable) still[i] = weights[i];
    if (std::accumulate(still.begin(), still.end(), std::int64_t{0}) == 0) break;
    const std::vector<std::int64_t> share = in_proportion(tasks, still);
    for (std::size_t i = 0; i < used.size(); ++i) {
      const std::int64_t put = std::min(share[i], pools[used[i]].submittable - out[i]);
      out[i] += put;
      tasks -= put;
    }
  }
  return out;
}

// The least time in which all tasks can be finished; a multiple of one of the run times.
Duration least_time(const std::vector<std::int64_t>& slots, const std::vector<Duration>& runtimes,
                    std::int64_t tasks) {
  Duration best = Duration::max();
  const auto done_by = [&](Duration time) {
    std::int64_t done = 0;
    for (std::size_t i = 0; i < slots.size() && done < tasks; ++i)
      done += std::min<std::int64_t>(tasks, time / runtimes[i]) * slots[i];
    return done;
  };
  for (std::size_t i = 0; i < slots.size(); ++i) {
    // By bisection: more time never finishes fewer.
    std::int64_t low = 0;
    std::int64_t high = (tasks + slots[i] - 1) / slots[i];
    while (low + 1 < high) {
      const std::int64_t middle = (low + high) / 2;
      (done_by(runtimes[i] * middle) >= tasks ? high : low) = middle;
    }
    best = std::min(best, runtimes[i] * high);
  }
  return best;
}

void route_by_finish(std::span<const Pool> pools, const std::vector<std::size_t>& used,
                     const RouteRequest& request, std::int64_t tasks, Route& out) {
  std::vector<std::int64_t> slots;
  std::vector<Duration> runtimes;
  std::int64_t gpu_slots = 0;
  for (const std::size_t i : used) {
    slots.push_back(std::min(pools[i].now_jointly, tasks));
    runtimes.push_back(pools[i].device == Device::kGpu ? *request.gpu_runtime
                                                       : *request.cpu_runtime);
    if (pools[i].device == Device::kGpu) gpu_slots += slots.back();
  }
  const Duration time = least_time(slots, runtimes, tasks);
  out.finish = time;
  if (gpu_slots > 0) out.gpu_finish = finish_on(tasks, gpu_slots, *request.gpu_runtime);
  // The faster device takes all that it finishes in that time, the slower one only the rest.
  std::int64_t left = tasks;
  std::vector<std::int64_t> share(used.size(), 0);
  std::vector<Duration> speeds = runtimes;
  std::sort(speeds.begin(), speeds.end());
  speeds.erase(std::unique(speeds.begin(), speeds.end()), speeds.end());
  for (const Duration speed : speeds) {
    std::vector<std::int64_t> most(used.size(), 0);
    std::vector<std::int64_t> weight(used.size(), 0);
    std::int64_t all = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (runtimes[i] != speed) continue;
      most[i] = std::min(slots[i] * (time / speed), pools[used[i]].submittable);
      weight[i] = slots[i];
      all += most[i];
    }
    const std::vector<std::int64_t> part = in_proportion(std::min(left, all), weight);
    for (std::size_t i = 0; i < used.size(); ++i) {
      const std::int64_t put = std::min(part[i], most[i]);
      share[i] += put;
      left -= put;
    }
  }
  // Submit limits kept some out: wherever they may still be submitted.
  if (left > 0)
    for (std::size_t i = 0; i < used.size() && left > 0; ++i) {
      const std::int64_t put = std::min(left, pools[used[i]].submittable - share[i]);
      share[i] += put;
      left -= put;
    }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (share[i] > 0)
      out.shares.push_back({used[i], share[i]});
    else
      out.verdicts[used[i]] =
          runtimes[i] == speeds.front() ? PoolVerdict::kOthersFirst : PoolVerdict::kSlower;
  }
  out.unplaced = left;
}

}  // namespace

std::vector<std::size_t> pools_that_may_finish(std::span<const Pool> pools,
                                               const RouteRequest& request) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const PoolVerdict verdict = before_room(pools[i], request);
    if (verdict == PoolVerdict::kUsed || verdict == PoolVerdict::kFull) out.push_back(i);
  }
  return out;
}

Route route_by_simulation(std::span<const Pool> pools, const RouteRequest& request,
                          const std::vector<std::int64_t>& tasks) {
  Route out;
  out.mode = RouteMode::kFinish;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    PoolVerdict verdict = before_room(pools[i], request);
    if (tasks[i] > 0) {
      verdict = PoolVerdict::kUsed;
      out.shares.push_back({i, tasks[i]});
    } else if (verdict == PoolVerdict::kUsed || verdict == PoolVerdict::kFull) {
      verdict = PoolVerdict::kSlower;
    }
    out.verdicts.push_back(verdict);
  }
  return out;
}

Duration finish_on(std::int64_t tasks, std::int64_t slots, Duration runtime) {
  return runtime * ((tasks + slots - 1) / slots);
}

std::vector<std::int64_t> in_proportion(std::int64_t tasks,
                                        const std::vector<std::int64_t>& weights) {
  std::vector<std::int64_t> out(weights.size(), 0);
  const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  if (all <= 0) return out;
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::int64_t> remainder(weights.size(), 0);
  std::int64_t left = tasks;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // Whole and rest apart, so that a million tasks times a billion slots do not overflow.
    const std::int64_t whole = tasks / all * weights[i] + tasks % all * weights[i] / all;
    remainder[i] = tasks % all * weights[i] % all;
    out[i] = whole;
    left -= whole;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(remainder[a], weights[a]) > std::tuple(remainder[b], weights[b]);
  });
  for (const std::size_t i : order) {
    if (left <= 0) break;
    if (weights[i] == 0) continue;
    ++out[i];
    --left;
  }
  return out;
}

Route route(std::span<const Pool> pools, const RouteRequest& request) {
  Route out;
  std::vector<std::size_t> used;
  for (const Pool& pool : pools) out.verdicts.push_back(before_room(pool, request));
  for (std::size_t i = 0; i < pools.size(); ++i)
    if (out.verdicts[i] == PoolVerdict::kUsed) used.push_back(i);
  out.full = used.empty();
  if (out.full) return out;
  if (!request.array) {
    out.mode = RouteMode::kSingle;
    route_single(pools, out);
    return out;
  }
  std::int64_t tasks = request.tasks;
  if (request.keep_back) {
    std::int64_t room = 0;
    for (const std::size_t i : used)
      room = std::min(kPlenty, room + std::min(pools[i].now_jointly, pools[i].submittable));
    out.kept_back = std::max<std::int64_t>(0, tasks - room);
    tasks -= out.kept_back;
  }
  const bool known = std::all_of(used.begin(), used.end(), [&](std::size_t i) {
    return pools[i].device == Device::kGpu ? request.gpu_runtime.has_value()
                                           : request.cpu_runtime.has_value();
  });
  if (known) {
    out.mode = RouteMode::kFinish;
    route_by_finish(pools, used, request, tasks, out);
    return out;
  }
  std::vector<std::int64_t> weights;
  for (const std::size_t i : used)
    weights.push_back(std::min(pools[i].now_jointly, kPlenty / 1000));
  const std::vector<std::int64_t> share = spread(pools, used, tasks, weights);
  for (std::size_t i = 0; i < used.size(); ++i) {
    tasks -= share[i];
    if (share[i] > 0)
      out.shares.push_back({used[i], share[i]});
    else
      out.verdicts[used[i]] = PoolVerdict::kOthersFirst;
  }
  out.unplaced = tasks;
  return out;
}

std::vector<IndexSet> tasks_of_shares(const IndexSet& tasks, const Route& route) {
  std::vector<IndexSet> out;
  std::uint32_t from = 0;
  for (const PoolShare& share : route.shares) {
    IndexSet set;
    for (std::int64_t i = 0; i < share.tasks; ++i) {
      const auto next = tasks.first(from);
      if (!next) break;
      set.insert(*next);
      from = *next + 1;
    }
    out.push_back(std::move(set));
  }
  return out;
}

}  // namespace sluice
