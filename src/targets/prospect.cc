#include "targets/prospect.h"

#include <algorithm>
#include <memory>

#include "policyfile/read/policy_reader.h"
#include "policyfile/write/policy_writer.h"
#include "targets/carried_out.h"

namespace sluice {
namespace {

// Whether every machine and partition that jobs use is there.
bool has_room_for(const Policy& policy, const Policy& live, const std::vector<QueuedJob>& jobs) {
  return std::all_of(jobs.begin(), jobs.end(), [&](const QueuedJob& job) {
    for (const QueuedShare& share : job.shares) {
      const auto node = policy.find_node(share.node);
      const auto old = live.find_node(share.node);
      if (!node || !old) return false;
      const Node& now = policy.nodes[node->index()];
      const Node& was = live.nodes[old->index()];
      if (now.cpus < was.cpus || now.memory_mb < was.memory_mb || now.gpus.size() < was.gpus.size())
        return false;
    }
    return std::all_of(
        job.request.partitions.begin(), job.request.partitions.end(),
        [&](const std::string& name) { return policy.find_partition(name).has_value(); });
  });
}

// The wanted rules on the live machines, where the file names others or none.
std::shared_ptr<const Policy> on_live_machines(const Policy& wanted, const Policy& live,
                                               const std::vector<QueuedJob>& jobs) {
  if (has_room_for(wanted, live, jobs)) return std::make_shared<const Policy>(wanted);
  Value document = policy_value(wanted);
  const Value machines = policy_value(live);
  for (const char* section : {"nodes", "partitions", "licenses"}) {
    std::erase_if(document.entries, [&](const Entry& entry) { return entry.key == section; });
    for (const Entry& entry : machines.entries)
      if (entry.key == section) document.add(entry.key, entry.value);
  }
  PolicyText read = read_policy_document(document);
  if (!read.errors.empty() || !has_room_for(read.policy, live, jobs)) return nullptr;
  return std::make_shared<const Policy>(std::move(read.policy));
}

Value effects_value(const std::vector<JobEffect>& effects) {
  Value out = Value::list();
  for (const JobEffect& effect : effects) {
    Value one = Value::map();
    one.add("job", Value::quoted_text(effect.job));
    one.add("effect", Value::quoted_text(std::string(effect_word(effect.effect))));
    one.add("why", Value::quoted_text(effect.text));
    out.items.push_back(std::move(one));
  }
  return out;
}

}  // namespace

Prospect look_ahead(LivePolicy live, const std::vector<QueuedJob>& jobs, const Aim& aim,
                    Instant now) {
  Prospect out;
  out.live = std::move(live);
  PlanOptions options;
  options.deletions.insert(aim.consent.deletions.begin(), aim.consent.deletions.end());
  options.admin_levels.insert(aim.consent.admin_levels.begin(), aim.consent.admin_levels.end());
  options.coordinators.insert(aim.consent.coordinators.begin(), aim.consent.coordinators.end());
  options.restore = aim.restore;
  options.organizations = aim.organizations;
  options.slurm_only = aim.slurm_only;
  options.named = aim.named;
  options.only = aim.only;
  for (const QueuedJob& job : jobs)
    options.jobs.push_back({job_label(job), job.request.user, job.request.account, job.request.qos,
                            job.request.partitions.front()});
  out.plan = make_plan(out.live, aim.policy, options);
  if (out.plan.empty() || jobs.empty()) return out;
  const auto before = std::make_shared<const Policy>(out.live.policy);
  Policy wanted = as_slurm_keeps(aim.policy);
  if (aim.named) keep_unnamed(wanted, out.live.policy, *aim.named);
  // Only what the commands do is counted.
  wanted = after_commands(std::move(wanted), out.live.policy, out.plan);
  if (!out.plan.conf.empty())
    out.plan.notes.emplace_back(
        "what the lines of slurm.conf would change for jobs is not counted: no command sets them");
  const auto after = on_live_machines(wanted, out.live.policy, jobs);
  if (after == nullptr)
    out.plan.notes.emplace_back(
        "which jobs it would affect is not known: the file lacks machines that jobs use");
  else
    out.effects = blast_radius(before, after, jobs, now);
  return out;
}

std::string prospect_text(const Prospect& prospect) {
  std::string out = plan_text(prospect.plan);
  if (prospect.plan.empty()) return out;
  if (prospect.effects.empty())
    out += "No job that waits or runs is affected.\n";
  else
    out += "Jobs that wait or run now:\n" + blast_text(prospect.effects);
  return out;
}

Value prospect_value(const Prospect& prospect) {
  Value value = plan_value(prospect.plan);
  value.add("jobs", effects_value(prospect.effects));
  return value;
}

}  // namespace sluice
