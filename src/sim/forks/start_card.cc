#include "sim/forks/start_card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "text/duration.h"
#include "text/hostlist.h"
#include "text/memory.h"
#include "views/reason_words.h"

namespace sluice {

std::string option_for(const JobChange& change) {
  if (change.account) return "--account=" + *change.account;
  if (change.qos) return "--qos=" + *change.qos;
  if (change.partitions) return fmt::format("--partition={}", fmt::join(*change.partitions, ","));
  if (change.time_limit) return "--time=" + format_duration(*change.time_limit);
  if (change.memory) return "--mem=" + format_memory_mb(change.memory->mb, MemoryStyle::kMegabytes);
  if (change.cpus_per_task) return fmt::format("--cpus-per-task={}", *change.cpus_per_task);
  if (change.tasks) return fmt::format("--ntasks={}", *change.tasks);
  return {};
}

namespace {

StartPlace place_in(const JobStarted& started, const Policy& policy) {
  StartPlace out;
  out.job = started.job.value();
  std::vector<std::string> nodes;
  for (const NodeShare& share : started.allocation.shares()) {
    nodes.push_back(policy.nodes[share.node.index()].name);
    out.cpus += share.cpus;
  }
  out.nodes = compress_hostlist(nodes);
  out.partition = policy.partitions[started.partition.index()].name;
  return out;
}

}  // namespace

void put_forecast(const StartForecast& forecast, const Policy& policy, const LearntRunTimes& learnt,
                  const CommandFor& command, const JobName& job_name, WhenCard& card) {
  card.tasks = static_cast<std::int64_t>(forecast.tasks);
  card.runs = forecast.runs;
  card.learnt = static_cast<std::int64_t>(learnt.runs());
  if (forecast.refusal) card.refused = forecast.refusal->message;
  if (forecast.running) card.started = forecast.running;
  if (forecast.start) {
    card.early = forecast.start->early;
    card.likely = forecast.start->likely;
    card.late = forecast.start->late;
  }
  card.last_task = forecast.last_start;
  card.ends = forecast.end;
  card.by_limits = forecast.by_limits;
  if (forecast.place) card.place = place_in(*forecast.place, policy);
  if (forecast.grain > Duration(0) && forecast.start && forecast.start->likely > card.asked)
    card.notes.push_back(
        fmt::format("The queue is long, so the simulation moved in steps, of {} near this start: a "
                    "job that fits into gaps may start earlier.",
                    format_duration(forecast.grain)));
  if (forecast.after_endless)
    card.never = fmt::format("it waits for job {}, which has no time limit",
                             job_name(*forecast.after_endless));
  if (forecast.cut_short) card.never = "its turn is too far away to be simulated";
  if (forecast.never)
    card.never = forecast.never->rule == Rule::kNone
                     ? "it is held, or waits for something that does not happen by itself"
                     : std::string(words_for_reason(slurm_word(*forecast.never, policy.tres)));
  for (const Sooner& each : forecast.sooner)
    card.sooner.push_back(
        {each.what, command(each.change), each.start.likely,
         forecast.start ? forecast.start->likely - each.start.likely : Duration(0)});
}

}  // namespace sluice
