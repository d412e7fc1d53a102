#include "views/why_help.h"

#include <fmt/format.h>

#include "text/duration.h"
#include "text/memory.h"

namespace sluice {
namespace {

// Other QoS the job may use.
void add_other_qos(const State& state, const Shape& shape, const std::string& id,
                   std::vector<HelpLine>& out) {
  if (!shape.assoc) return;
  const Policy& policy = state.policy();
  for (const QosId qos : policy.allowed_qos(*shape.assoc))
    if (shape.qos != qos)
      out.push_back({fmt::format("move it to QoS {}", policy.qos[qos.index()].name),
                     fmt::format("sluice update {} --qos={}", id, policy.qos[qos.index()].name)});
}

void add_other_accounts(const State& state, const Shape& shape, const std::string& id,
                        std::vector<HelpLine>& out) {
  const Policy& policy = state.policy();
  for (const Association& assoc : policy.associations)
    if (!assoc.user.empty() && assoc.user == shape.request->user &&
        assoc.account != shape.request->account)
      out.push_back({fmt::format("charge account {}", assoc.account),
                     fmt::format("sluice update {} --account={}", id, assoc.account)});
}

}  // namespace

std::vector<HelpLine> help_for(const Engine& engine, const Job& job, const Reason& reason,
                               const std::string& id) {
  const State& state = engine.state();
  const Shape& shape = state.shape_of_job(job);
  std::vector<HelpLine> out;
  switch (reason.rule) {
    case Rule::kHeldByUser:
      out.push_back({"let it go", "sluice release " + id});
      break;
    case Rule::kHeldByAdmin:
      out.push_back({"an operator may let it go", "sluice release " + id});
      break;
    case Rule::kBeginTime:
      out.push_back({"let it begin now", fmt::format("sluice update {} --begin=now", id)});
      break;
    case Rule::kDependency:
      for (const Dependency& term : shape.request->dependencies.terms)
        if (term.job != JobId{} && state.find_job(term.job) != nullptr)
          out.push_back({fmt::format("see job {}", term.job.value()),
                         fmt::format("sluice job {}", term.job.value())});
      out.push_back({"do not wait for it", fmt::format("sluice update {} --dependency=", id)});
      break;
    case Rule::kDependencyNeverSatisfied:
      out.push_back({"let it run all the same", fmt::format("sluice update {} --dependency=", id)});
      out.push_back({"or give it up", "sluice cancel " + id});
      break;
    case Rule::kArrayTaskLimit:
      out.push_back({"lift the array's own limit",
                     fmt::format("sluice update {} --throttle=0", job.array.value())});
      break;
    case Rule::kPriority:
      out.push_back({"see what its priority is made of", "sluice priority " + id});
      break;
    case Rule::kMaxWall:
    case Rule::kPartitionTimeLimit:
      out.push_back({"ask for less time", fmt::format("sluice update {} --time={}", id,
                                                      format_duration(seconds(reason.limit)))});
      add_other_qos(state, shape, id, out);
      break;
    case Rule::kMaxTresPerJob:
    case Rule::kMaxTresPerNode:
      if (reason.tres == kTresMem)
        out.push_back({"ask for less memory",
                       fmt::format("sluice update {} --mem={}", id,
                                   format_memory_mb(reason.limit, MemoryStyle::kMegabytes))});
      else if (reason.tres == kTresCpu)
        out.push_back({"ask for fewer CPUs",
                       fmt::format("sluice update {} --cpus-per-task={}", id, reason.limit)});
      add_other_qos(state, shape, id, out);
      break;
    case Rule::kResources:
      out.push_back({"see what is free", "sluice nodes"});
      break;
    default:
      if (is_limit(reason.rule)) {
        add_other_qos(state, shape, id, out);
        add_other_accounts(state, shape, id, out);
      }
  }
  return out;
}

}  // namespace sluice
