#include "views/slurm_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "text/begin_time.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/quoting.h"
#include "views/pool_words.h"

namespace sluice {
namespace {

// Another request. What is not set stays as it is.
struct Change {
  std::optional<std::int64_t> cpus;       // Of a job of one task.
  std::optional<std::int64_t> memory_mb;  // On each node.
  std::optional<Duration> time;
  std::optional<std::string> partition;
};

class Trials {
 public:
  Trials(const SlurmWhy& why, const Description& seen)
      : why_(why), seen_(seen), seat_(seat_of_waiting(why, seen)), books_(Books::held(seen)) {
    if (seat_) books_.give_back_waiting(*seat_, why.waiting.count());
  }

  std::int64_t room(const Change& change) const {
    if (!seat_) return 0;
    Seat seat = *seat_;
    TaskNeed need = changed(change);
    if (change.partition) {
      const auto id = seen_.policy->find_partition(*change.partition);
      const auto assoc =
          seen_.policy->find_association(why_.waiting.account, why_.user, *change.partition);
      if (!id || !assoc) return 0;
      seat.partitions = {*id};
      seat.assoc = *assoc;
      need.partitions = {*change.partition};
    }
    return books_.room(seat, need).fits;
  }
  // Of a job of several partitions in each of them: where it still waits in one, slurmctld keeps
  // nodes for it there, from the job itself in the others too.
  bool fits(const Change& change) const {
    const std::vector<std::string>& named = why_.waiting.partitions;
    if (change.partition || named.size() < 2) return room(change) > 0;
    return std::all_of(named.begin(), named.end(), [&](const std::string& partition) {
      Change there = change;
      there.partition = partition;
      return room(there) > 0;
    });
  }

  // The largest amount from least to most with which it fits.
  template <class MakeChange>
  std::optional<std::int64_t> largest(std::int64_t least, std::int64_t most,
                                      MakeChange make) const {
    if (least > most || !fits(make(least))) return std::nullopt;
    while (least < most) {
      const std::int64_t middle = least + (most - least + 1) / 2;
      if (fits(make(middle)))
        least = middle;
      else
        most = middle - 1;
    }
    return least;
  }

 private:
  TaskNeed changed(const Change& change) const {
    TaskNeed need = why_.waiting.need;
    JobSpec spec = need.request ? *need.request : JobSpec{};
    if (change.cpus) {
      need.cpus = *change.cpus;
      spec.cpus_per_task = static_cast<std::int32_t>(*change.cpus);
    }
    if (change.memory_mb) {
      need.memory_mb = *change.memory_mb * std::max<std::int64_t>(1, need.nodes);
      spec.memory = MemoryRequest{MemoryPer::kNode, *change.memory_mb};
    }
    if (change.time) {
      need.time_limit = spec.time_limit = *change.time;
      spec.no_time_limit = false;
    }
    if (need.request) need.request = std::make_shared<const JobSpec>(std::move(spec));
    return need;
  }

  const SlurmWhy& why_;
  const Description& seen_;
  std::optional<Seat> seat_;
  Books books_;
};

class Advice {
 public:
  Advice(const SlurmWhy& why, const SlurmWhyCard& card, const Description& seen,
         const RoutingSettings& settings)
      : why_(why), card_(card), seen_(seen), settings_(settings), trials_(why, seen) {}

  std::vector<WhatHelps> give() {
    what_holds_it_back();
    if (!card_.binding) return std::move(lines_);
    const std::size_t before = lines_.size();
    other_pools();
    less_memory();
    other_cpus();
    more_memory();
    less_time();
    other_partitions();
    if (card_.binding->kind == Bound::Kind::kAlone && lines_.size() == before)
      say(card_.binding->reason.rule == Rule::kMinTresPerJob
              ? "it can never start as it is: ask for more, or use another account or QoS"
              : "it can never start as it is: ask for less, or use another account",
          "");
    if (card_.room_by) say(fmt::format("wait until about {} UTC", format_time(*card_.room_by)), "");
    return std::move(lines_);
  }

 private:
  void say(std::string what, std::string command) {
    lines_.push_back({std::move(what), std::move(command)});
  }
  std::string update(std::string_view setting) const {
    return fmt::format("scontrol update {} {}", shell_argument("JobId=" + why_.id), setting);
  }
  // Where others wait for the same nodes before it, what is free now may be theirs.
  void say_fits(std::string what, std::string_view setting) {
    if (others_wait()) what += ", unless jobs before it in the queue take it";
    say(std::move(what), update(setting));
  }
  bool others_wait() const {
    return std::any_of(seen_.jobs.begin(), seen_.jobs.end(), [&](const HeldJob& job) {
      return job.state == JobState::kPending && job.job != why_.waiting.job.job &&
             (job.reason == "Resources" || job.reason == "Priority");
    });
  }

  // What a user or a schedule decides; afterwards limits and nodes count as ever.
  void what_holds_it_back() {
    const std::string& reason = why_.waiting.reason;
    const std::string then =
        card_.binding
            ? "; it then waits: " + gate_text(*card_.binding, why_.waiting.need, seen_.policy->tres)
            : "";
    const std::string job = shell_argument(why_.id);
    if (reason == "JobHeldUser") say("release it" + then, "scontrol release " + job);
    if (reason == "JobHeldAdmin")
      say("an operator may release it" + then, "scontrol release " + job);
    if (reason == "BeginTime") say("let it begin now" + then, update("StartTime=now"));
    if (reason == "Dependency") say("do not wait for it" + then, update("Dependency="));
    if (reason == "DependencyNeverSatisfied") {
      say("let it run all the same" + then, update("Dependency="));
      say("or give it up", "scancel " + job);
    }
    if (reason == "JobArrayTaskLimit")
      say("lift the array's own limit" + then,
          fmt::format("scontrol update JobId={} ArrayTaskThrottle=0",
                      why_.waiting.job.job.value()));
    if (reason == "Priority") say("see how the priorities of all jobs are made up", "sprio --long");
    if (reason == "Resources") say("see what is free", "sinfo --Node --long");
  }

  void other_pools() {
    if (!why_.mine) return;
    TaskNeeds needs;
    const Device device = why_.waiting.need.gpus > 0 ? Device::kGpu : Device::kCpu;
    (device == Device::kGpu ? needs.gpu : needs.cpu) = why_.waiting.need;
    for (const Pool& pool : find_pools(seen_, settings_, needs)) {
      if (pool.left_out != LeftOut::kNo || pool.now <= 0 ||
          (pool.account == why_.waiting.account &&
           (pool.qos.empty() || pool.qos == why_.waiting.qos)))
        continue;
      say_fits(
          fmt::format("{} has room for {} now", pool_name(pool), slots_text(pool.now)),
          fmt::format("Account={}{}", pool.account, pool.qos.empty() ? "" : " QOS=" + pool.qos));
    }
  }

  std::int64_t memory_on_a_node() const {
    return why_.waiting.need.memory_mb / std::max<std::int64_t>(1, why_.waiting.need.nodes);
  }
  void less_memory() {
    const std::int64_t asked = memory_on_a_node();
    const auto most =
        trials_.largest(std::max<std::int64_t>(1, asked / 16), asked - 1, [](std::int64_t mb) {
          return Change{{}, mb, {}, {}};
        });
    if (!most) return;
    say_fits(
        fmt::format("with at most {}{} it fits", format_memory_mb(*most, MemoryStyle::kRounded),
                    why_.waiting.need.nodes > 1 ? " on each node" : ""),
        fmt::format("MinMemoryNode={}", *most));
  }
  bool minimum_of(TresIndex tres) const {
    const Reason& reason = card_.binding->reason;
    return reason.rule == Rule::kMinTresPerJob && reason.tres == tres;
  }
  void more_memory() {
    if (!minimum_of(kTresMem) || why_.waiting.need.nodes > 1) return;
    const std::int64_t least = card_.binding->reason.limit;
    if (trials_.fits({{}, least, {}, {}}))
      say_fits(
          fmt::format("with {} it is large enough", format_memory_mb(least, MemoryStyle::kRounded)),
          fmt::format("MinMemoryNode={}", least));
  }
  // Of several tasks Slurm changes the CPUs and not the tasks: those are left alone.
  void other_cpus() {
    const TaskNeed& need = why_.waiting.need;
    if (need.nodes > 1 || !need.request || need.request->tasks.value_or(1) > 1) return;
    const auto command = [](std::int64_t cpus) {
      return fmt::format("NumCPUs={0} CPUsPerTask={0} MinCPUsNode={0}", cpus);
    };
    if (minimum_of(kTresCpu)) {
      const std::int64_t least = card_.binding->reason.limit;
      // Memory for each CPU grows with them; squeue does not tell it from memory for the job.
      const std::int64_t grown = memory_on_a_node() * least / std::max<std::int64_t>(1, need.cpus);
      if (trials_.fits({least, {}, {}, {}}) && trials_.fits({least, grown, {}, {}}))
        say_fits(fmt::format("with {} CPUs it is large enough", least), command(least));
      return;
    }
    const auto most = trials_.largest(1, need.cpus - 1, [](std::int64_t cpus) {
      return Change{cpus, {}, {}, {}};
    });
    if (most)
      say_fits(fmt::format("with at most {} {} it fits", *most, *most == 1 ? "CPU" : "CPUs"),
               command(*most));
  }
  void less_time() {
    constexpr std::int64_t kUnlimited = 365 * 24 * 60;
    const auto& asked = why_.waiting.need.time_limit;
    const std::int64_t minutes = asked ? to_seconds(*asked) / 60 : kUnlimited;
    auto most = trials_.largest(1, minutes - 1, [](std::int64_t each) {
      return Change{{}, {}, minutes_long(each), {}};
    });
    // By the time it is typed, a reservation is nearer.
    const bool reserved =
        std::any_of(seen_.kept.begin(), seen_.kept.end(),
                    [&](const KeptNodes& kept) { return kept.start > seen_.as_of; });
    if (most && reserved) *most -= 2;
    if (!most || *most < 1) return;
    const std::string text = format_duration(minutes_long(*most));
    say_fits(fmt::format("with a time limit of at most {} it fits", text), "TimeLimit=" + text);
  }
  static Duration minutes_long(std::int64_t minutes) { return seconds(minutes * 60); }

  void other_partitions() {
    const auto& listed = why_.waiting.partitions;
    for (const Partition& partition : seen_.policy->partitions) {
      if (std::find(listed.begin(), listed.end(), partition.name) != listed.end()) continue;
      if (!partition.allow_groups.empty()) continue;  // Who is in them is not seen.
      const std::int64_t room = trials_.room({{}, {}, {}, partition.name});
      if (room > 0)
        say_fits(fmt::format("partition {} has room for {} now", partition.name, slots_text(room)),
                 "Partition=" + partition.name);
    }
  }

  const SlurmWhy& why_;
  const SlurmWhyCard& card_;
  const Description& seen_;
  const RoutingSettings& settings_;
  Trials trials_;
  std::vector<WhatHelps> lines_;
};

}  // namespace

std::optional<Seat> seat_of_waiting(const SlurmWhy& why, const Description& seen) {
  const Policy& policy = *seen.policy;
  const std::string first =
      why.waiting.partitions.empty() ? std::string() : why.waiting.partitions.front();
  const auto assoc = policy.find_association(why.waiting.account, why.user, first);
  if (!assoc) return std::nullopt;
  Seat seat{*assoc, policy.find_qos(why.waiting.qos), {}};
  for (const std::string& name : why.waiting.partitions)
    if (const auto id = policy.find_partition(name)) seat.partitions.push_back(*id);
  return seat;
}

std::vector<WhatHelps> advice_for(const SlurmWhy& why, const SlurmWhyCard& card,
                                  const Description& seen, const RoutingSettings& settings) {
  return Advice(why, card, seen, settings).give();
}

}  // namespace sluice
