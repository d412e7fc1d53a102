// Columns are as wide as what stands in them; the last one takes what is left.
#include "views/pools_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/limit_table.h"
#include "policyfile/read/value.h"
#include "text/begin_time.h"
#include "text/duration.h"
#include "text/plural.h"
#include "views/pool_words.h"

namespace sluice {
namespace {

using Row = std::vector<std::string>;

// Wide characters are not expected in names of accounts.
std::vector<std::size_t> widths_of(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t out = 0;
  for (const std::size_t width : widths) out += width + (out > 0 ? 2 : 0);
  return out;
}

// Lines are broken at blanks and go on below `indent`.
std::string wrapped(std::string text, std::size_t indent, std::size_t width) {
  std::string out;
  while (text.size() > width && width > indent + 20) {
    const std::size_t blank = text.rfind(' ', width);
    if (blank == std::string::npos || blank <= indent) break;
    out += text.substr(0, blank) + "\n";
    text = std::string(indent, ' ') + text.substr(blank + 1);
  }
  return out + text + "\n";
}

std::string table(const std::vector<Row>& rows, std::size_t width) {
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    std::size_t last_begins = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      last_begins = line.size();
      if (i + 1 == row.size())
        line += row[i];
      else
        line += fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    while (line.ends_with(' ')) line.pop_back();
    // Where the last column has little room, what is too long goes on near the left.
    constexpr std::size_t kLeastRoom = 20;
    constexpr std::size_t kNearLeft = 4;
    out +=
        wrapped(std::move(line), last_begins + kLeastRoom < width ? last_begins : kNearLeft, width);
  }
  return out;
}

// Takes columns away until the rest fits, those first that can be missed most; says which.
std::vector<std::string> make_fit(std::vector<Row>& rows, std::size_t width) {
  std::vector<std::string> gone;
  for (const char* name : {"LIMIT", "MINE", "OTHERS", "JOINTLY", "AT MOST"}) {
    if (total(widths_of(rows)) <= width) break;
    const auto at = std::find(rows.front().begin(), rows.front().end(), name);
    const auto column = at - rows.front().begin();
    for (Row& row : rows) row.erase(row.begin() + column);
    gone.emplace_back(name);
  }
  // A long name goes on in the notes below the table; its numbers are here alone.
  constexpr std::size_t kLeastName = 20;
  const std::size_t all = total(widths_of(rows));
  const std::size_t names = widths_of(rows).front();
  if (all <= width || names <= kLeastName) return gone;
  const std::size_t most = names - std::min(all - width, names - kLeastName);
  for (Row& row : rows)
    if (row.front().size() > most) {
      // Both ends tell pools apart: the account, and the device.
      const std::size_t end = most / 2;
      row.front() = row.front().substr(0, most - end - 2) + ".." +
                    row.front().substr(row.front().size() - end);
    }
  return gone;
}

std::string age_text(Duration age) {
  const std::int64_t s = std::max<std::int64_t>(0, to_seconds(age));
  if (s < 2) return "now";
  if (s < 120) return fmt::format("{} s ago", s);
  return fmt::format("{} min ago", s / 60);
}

std::string held_by(const Pool& pool, const TresRegistry& registry) {
  std::string out;
  std::size_t shown = 0;
  for (const Holder& holder : pool.holders) {
    if (++shown > 2) {
      out += fmt::format(", {} more", pool.holders.size() - 2);
      break;
    }
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", holder.user,
                       amounts_text(holder.tres, registry));
  }
  return out;
}

std::string free_text(const Pool& pool, const TresRegistry& registry) {
  TresVector free;
  for (const TresIndex tres : {kTresGpu, kTresCpu, kTresMem})
    if (const auto left = pool.free(tres)) free[tres] = *left;
  return pool.limits.empty() ? "not limited" : amounts_text(free, registry);
}

std::string left_out_text(const Pool& pool, std::string_view today) {
  if (pool.left_out == LeftOut::kBlocked) return block_text(*pool.block, today);
  if (pool.left_out == LeftOut::kBurst) return "left out: burst, its capacity is not guaranteed";
  return fmt::format("left out: no partition for {} tasks is known", device_name(pool.device));
}

std::string heading(const PoolsPage& page) {
  const Description& seen = *page.description;
  std::string out =
      fmt::format("Pools of {} on {} ({}), seen {}\n", seen.user, seen.policy->cluster,
                  seen.capabilities.software, age_text(page.now - seen.as_of));
  if (!seen.behind.empty()) out += fmt::format("No answer now: {}\n", seen.behind);
  return out + "\n";
}

std::string need_text(const TaskNeed& need, const TresRegistry& registry) {
  return amounts_text(need.tres(registry), registry);
}

struct Sums {
  std::int64_t gpu = 0;
  std::int64_t cpu = 0;
};
Sums sum(std::span<const Pool> pools, std::int64_t Pool::*slots) {
  Sums out;
  for (const Pool& pool : pools)
    if (pool.left_out == LeftOut::kNo)
      (pool.device == Device::kGpu ? out.gpu : out.cpu) += std::min(pool.*slots, kPlenty);
  return out;
}

std::string tasks_text(std::int64_t slots, std::string_view kind) {
  return fmt::format("{} {}task{}", slots_text(slots), kind, slots == 1 ? "" : "s");
}

// Pools share nodes and accounts, and GPU tasks take CPUs and memory: what fits together is what
// counts, and each pool by itself is said beside it.
std::string sums_text(std::string_view when, const Sums& apart, const Sums& jointly) {
  const bool both = apart.gpu > 0 && apart.cpu > 0;
  const std::string kind = apart.gpu == 0 ? "cpu " : apart.cpu == 0 ? "gpu " : "";
  std::string out = fmt::format("{}: {}", when, tasks_text(jointly.gpu + jointly.cpu, kind));
  if (both)
    out += fmt::format(" ({} gpu, and {} cpu beside them)", slots_text(jointly.gpu),
                       slots_text(jointly.cpu));
  out += ".";
  if (apart.gpu + apart.cpu == jointly.gpu + jointly.cpu) return out;
  const std::string alone =
      both ? fmt::format("{} gpu and {} cpu", slots_text(apart.gpu), slots_text(apart.cpu))
           : slots_text(apart.gpu + apart.cpu);
  return out + fmt::format(" Each pool counted alone: {}.", alone);
}

Value number(std::int64_t value) { return Value::scalar(std::to_string(value)); }
Value text(std::string value) { return Value::quoted_text(std::move(value)); }
Value slots(std::int64_t value) { return value >= kPlenty ? Value() : number(value); }

Value amounts_value(const TresVector& amounts, const TresRegistry& registry) {
  Value out = Value::map();
  for (std::size_t i = 0; i < registry.size(); ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    if (amounts[tres] != 0) out.add(registry.name(tres), number(amounts[tres]));
  }
  return out;
}

Value limits_value(const TresLimits& limits, const TresRegistry& registry) {
  Value out = Value::map();
  for (std::size_t i = 0; i < registry.size(); ++i) {
    const TresIndex tres(static_cast<std::uint8_t>(i));
    if (limits.has(tres)) out.add(registry.name(tres), number(limits[tres]));
  }
  return out;
}

Value gate_value(const Bound& gate, const TaskNeed& need, const TresRegistry& registry) {
  Value out = Value::map();
  out.add("reason",
          text(gate.kind == Bound::Kind::kNodes ? "Resources" : slurm_word(gate.reason, registry)));
  out.add("of", text(gate.name));
  out.add("limit", number(gate.reason.limit));
  out.add("used", number(gate.reason.used));
  out.add("asked", number(gate.reason.asked));
  out.add("fits", slots(gate.fits));
  out.add("text", text(gate_text(gate, need, registry)));
  return out;
}

Value pool_value(const Pool& pool, const PoolsPage& page) {
  const TresRegistry& registry = page.description->policy->tres;
  Value out = Value::map();
  out.add("account", text(pool.account));
  out.add("qos", text(pool.qos));
  out.add("device", text(std::string(device_name(pool.device))));
  std::vector<Value> partitions;
  for (const std::string& name : pool.need.partitions) partitions.push_back(text(name));
  out.add("partitions", Value::list(std::move(partitions)));
  out.add("need", amounts_value(pool.need.tres(registry), registry));
  // Of a pool that is left out nothing was counted.
  const auto counted = [&](std::int64_t count) {
    return pool.left_out == LeftOut::kNo ? slots(count) : Value();
  };
  out.add("now", counted(pool.now));
  out.add("now_jointly", counted(pool.now_jointly));
  out.add("at_most", counted(pool.at_most));
  out.add("at_most_jointly", counted(pool.at_most_jointly));
  out.add("submittable", counted(pool.submittable));
  out.add("limits_of", text(pool.limits_of));
  out.add("limits", limits_value(pool.limits, registry));
  out.add("mine", amounts_value(pool.mine, registry));
  out.add("others", amounts_value(pool.others, registry));
  std::vector<Value> holders;
  for (const Holder& holder : pool.holders) {
    Value one = Value::map();
    one.add("user", text(holder.user));
    one.add("jobs", number(holder.jobs));
    one.add("holds", amounts_value(holder.tres, registry));
    holders.push_back(std::move(one));
  }
  out.add("holders", Value::list(std::move(holders)));
  if (pool.tightest) out.add("bound_by", gate_value(*pool.tightest, pool.need, registry));
  if (pool.room_by) out.add("room_by", number(to_seconds(*pool.room_by)));
  if (pool.left_out != LeftOut::kNo) out.add("left_out", text(left_out_text(pool, page.today)));
  return out;
}

Value sums_value(const Sums& sums) {
  Value out = Value::map();
  out.add("gpu", slots(sums.gpu));
  out.add("cpu", slots(sums.cpu));
  return out;
}

Value pools_value(const PoolsPage& page) {
  Value out = Value::map();
  out.add("schema", text("sluice.pools.v1"));
  out.add("cluster", text(page.description->policy->cluster));
  out.add("user", text(page.description->user));
  out.add("as_of", number(to_seconds(page.description->as_of)));
  out.add("age_seconds", number(to_seconds(page.now - page.description->as_of)));
  out.add("behind", text(page.description->behind));
  std::vector<Value> unseen;
  for (const std::string& one : page.description->unseen) unseen.push_back(text(one));
  out.add("unseen", Value::list(std::move(unseen)));
  std::vector<Value> pools;
  for (const Pool& pool : page.pools) pools.push_back(pool_value(pool, page));
  out.add("pools", Value::list(std::move(pools)));
  Value totals = Value::map();
  totals.add("now", sums_value(sum(page.pools, &Pool::now)));
  totals.add("now_jointly", sums_value(sum(page.pools, &Pool::now_jointly)));
  totals.add("at_most", sums_value(sum(page.pools, &Pool::at_most)));
  totals.add("at_most_jointly", sums_value(sum(page.pools, &Pool::at_most_jointly)));
  out.add("totals", std::move(totals));
  return out;
}

}  // namespace

std::string pools_table(const PoolsPage& page) {
  const TresRegistry& registry = page.description->policy->tres;
  std::vector<Row> rows = {{"POOL", "ONE TASK", "NOW", "JOINTLY", "AT MOST", "LIMIT", "MINE",
                            "OTHERS", "FREE", "HELD BY"}};
  std::vector<std::pair<std::string, std::string>> notes;
  std::string before;
  for (const Pool& pool : page.pools) {
    if (pool.left_out != LeftOut::kNo) {
      // Both devices of an account are left out for the same reason.
      const std::string name =
          pool.left_out == LeftOut::kNoPartition ? pool_name(pool)
          : pool.left_out == LeftOut::kBlocked || pool.qos.empty() || pool.qos == pool.account
              ? pool.account
              : pool.account + ":" + pool.qos;
      if (name != before) notes.emplace_back(name, left_out_text(pool, page.today));
      before = name;
      continue;
    }
    rows.push_back({pool_name(pool), need_text(pool.need, registry), slots_text(pool.now),
                    slots_text(pool.now_jointly), slots_text(pool.at_most),
                    limits_text(pool.limits, registry), amounts_text(pool.mine, registry),
                    amounts_text(pool.others, registry), free_text(pool, registry),
                    held_by(pool, registry)});
    if (pool.now == 0 && pool.tightest)
      notes.emplace_back(pool_name(pool), no_room_text(pool, registry));
  }
  std::string out = heading(page);
  if (rows.size() > 1) {
    const std::vector<std::string> gone = make_fit(rows, page.width);
    out += table(rows, page.width);
    if (!gone.empty())
      out +=
          wrapped(fmt::format("({}: in a wider terminal, or with --json)", fmt::join(gone, ", ")),
                  1, page.width);
    out += "\n";
  }
  std::size_t longest = 0;
  for (const auto& [name, note] : notes) longest = std::max(longest, name.size());
  for (const auto& [name, note] : notes)
    out += wrapped(fmt::format("{:<{}}  {}", name, longest, note), longest + 2, page.width);
  if (!notes.empty()) out += "\n";
  out += wrapped(
      sums_text("Free now", sum(page.pools, &Pool::now), sum(page.pools, &Pool::now_jointly)), 0,
      page.width);
  out += wrapped(sums_text("If nothing ran", sum(page.pools, &Pool::at_most),
                           sum(page.pools, &Pool::at_most_jointly)),
                 0, page.width);
  for (const std::string& one : page.description->unseen)
    out += fmt::format("Not seen: {}.\n", one);
  return out;
}

std::string pools_json(const PoolsPage& page) { return print_json(pools_value(page)); }

namespace {

// Megabytes that every limit on the way leaves: of the QoS, the partition's QoS and the accounts.
std::int64_t memory_left(const Pool& pool) {
  std::int64_t out = pool.free(kTresMem).value_or(kPlenty);
  for (const Bound& gate : pool.gates)
    if (gate.reason.tres == kTresMem && limit_is_in(gate.reason.rule, LimitUnit::kTres) &&
        limit_counts(gate.reason.rule, LimitCounts::kRunning))
      out = std::min(out, std::max<std::int64_t>(0, gate.reason.limit - gate.reason.used));
  return out;
}

}  // namespace

std::string pools_for_snakemake(std::span<const Pool> pools) {
  std::vector<std::string> names;
  for (const Pool& pool : pools)
    if (pool.left_out == LeftOut::kNo &&
        std::find(names.begin(), names.end(), pool.account) == names.end())
      names.push_back(pool.account);
  std::string out;
  for (const std::string& name : names) {
    std::int64_t gpu = 0;
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
    for (const Pool& pool : pools) {
      if (pool.account != name || pool.left_out != LeftOut::kNo) continue;
      (pool.device == Device::kGpu ? gpu : cpu) +=
          std::min<std::int64_t>(pool.now_jointly, 100'000);
      // Nothing bounds it: a large number, as for slots.
      memory = std::max(memory, memory_left(pool) / 1024);
    }
    out +=
        fmt::format(R"({}{{"name": "{}", "gpu_avail": {}, "cpu_avail": {}, "mem_avail_gb": {}}})",
                    out.empty() ? "" : ", ", name, gpu, cpu, memory);
  }
  return "live_accounts=[" + out + "]\n";
}

std::string route_table(const RoutePage& page) {
  const TresRegistry& registry = page.pools.description->policy->tres;
  const Route& route = *page.route;
  std::vector<Row> rows = {{"POOL", "TASKS", "", "WHY"}};
  for (std::size_t i = 0; i < page.pools.pools.size(); ++i) {
    std::string count = "-";
    std::string which;
    for (std::size_t s = 0; s < route.shares.size(); ++s)
      if (route.shares[s].pool == i) {
        count = std::to_string(route.shares[s].tasks);
        which = s < page.tasks.size() ? page.tasks[s] : "";
      }
    const Pool& pool = page.pools.pools[i];
    rows.push_back({pool_name(pool), count, which,
                    verdict_text(pool, route.verdicts[i], route, registry, page.pools.today)});
  }
  std::string out = table(rows, page.pools.width);
  if (route.full) return out;
  switch (route.mode) {
    case RouteMode::kSingle:
      out += "\nOne job: to the pool with the most room.\n";
      break;
    case RouteMode::kSlots:
      out += fmt::format(
          "\nBy slots, because run times{} are not known: in proportion to the slots free now.\n",
          page.not_known_on.empty() ? "" : " on " + page.not_known_on);
      break;
    case RouteMode::kFinish:
      if (!route.finish) break;  // It was simulated: finish_text() says what came out.
      out += fmt::format("\nBy run times: the last task is done about {} after the first starts",
                         format_friendly_duration(route.finish.value_or(Duration(0))));
      if (route.gpu_finish && *route.gpu_finish != *route.finish)
        out += fmt::format(" (on GPUs alone {})", format_friendly_duration(*route.gpu_finish));
      out += ".\n";
      if (!page.runtimes_from.empty()) out += fmt::format("A task takes {}.\n", page.runtimes_from);
      break;
  }
  if (route.kept_back > 0)
    out += fmt::format("{} {} kept back until a pool has room.\n",
                       plural(static_cast<std::uint64_t>(route.kept_back), "task"),
                       route.kept_back == 1 ? "is" : "are");
  return out;
}

std::string route_json(const RoutePage& page) {
  const TresRegistry& registry = page.pools.description->policy->tres;
  const Route& route = *page.route;
  Value out = Value::map();
  out.add("schema", text("sluice.route.v1"));
  static constexpr const char* kModes[] = {"single", "slots", "finish"};
  out.add("mode", text(kModes[static_cast<std::size_t>(route.mode)]));
  if (!page.runtimes_from.empty()) out.add("runtimes_from", text(page.runtimes_from));
  out.add("full", Value::scalar(route.full ? "true" : "false"));
  out.add("kept_back", number(route.kept_back));
  if (route.finish) out.add("finish_seconds", number(to_seconds(*route.finish)));
  if (route.gpu_finish) out.add("gpu_finish_seconds", number(to_seconds(*route.gpu_finish)));
  std::vector<Value> decisions;
  for (std::size_t i = 0; i < page.pools.pools.size(); ++i) {
    const Pool& pool = page.pools.pools[i];
    Value one = Value::map();
    one.add("account", text(pool.account));
    one.add("qos", text(pool.qos));
    one.add("device", text(std::string(device_name(pool.device))));
    std::int64_t count = 0;
    for (std::size_t s = 0; s < route.shares.size(); ++s)
      if (route.shares[s].pool == i) {
        count = route.shares[s].tasks;
        if (s < page.tasks.size()) one.add("which", text(page.tasks[s]));
        if (s < page.jobs.size()) one.add("job", number(page.jobs[s].job.value()));
      }
    one.add("tasks", number(count));
    one.add("why", text(verdict_text(pool, route.verdicts[i], route, registry, page.pools.today)));
    decisions.push_back(std::move(one));
  }
  out.add("decisions", Value::list(std::move(decisions)));
  std::vector<Value> jobs;
  for (const RemoteJob& job : page.jobs) jobs.push_back(number(job.job.value()));
  out.add("jobs", Value::list(std::move(jobs)));
  out.add("pools", pools_value(page.pools));
  return print_json(out);
}

}  // namespace sluice
