// The keys of QoS and associations: Slurm's own names of limits, with sacctmgr's short forms.
#include "model/limit_table.h"
#include "policyfile/read/sections.h"

namespace sluice {
namespace {

Key key_of(const LimitRow& row) {
  Key key{row.name, row.help};
  for (const std::string_view alias : row.aliases)
    if (!alias.empty()) key.aliases.push_back(alias);
  return key;
}

// Limits come from the table that the walk over them uses.
auto describe_limit(FieldVisitor& visit) {
  struct {
    FieldVisitor& visit;
    void operator()(const LimitRow& row, TresLimits& value) { visit.tres(key_of(row), value); }
    void operator()(const LimitRow& row, std::optional<std::int64_t>& value) {
      visit.count(key_of(row), value);
    }
    void operator()(const LimitRow& row, std::optional<Duration>& value) {
      visit.limit(key_of(row), value);
    }
  } out{visit};
  return out;
}

}  // namespace

void describe_qos(FieldVisitor& visit, Qos& qos) {
  visit.text({"description", "a note", {"note"}}, qos.description);
  // 32 bits without sign, as in Slurm.
  visit.whole({"Priority", "the larger, the sooner"}, qos.priority, Range{0, UINT32_MAX});
  each_limit_of_qos(qos, describe_limit(visit));
  QosFlags& flags = qos.flags;
  visit.flags({"Flags", "how the limits are applied"},
              {{"DenyOnLimit", &flags.deny_on_limit},
               {"OverPartQOS", &flags.over_part_qos},
               {"PartitionTimeLimit", &flags.partition_time_limit},
               {"PartitionMaxNodes", &flags.partition_max_nodes},
               {"PartitionMinNodes", &flags.partition_min_nodes},
               {"NoDecay", &flags.no_decay},
               {"NoReserve", &flags.no_reserve},
               {"RequiresReservation", &flags.require_reservation},
               {"EnforceUsageThreshold", &flags.enforce_usage_threshold},
               {"UsageFactorSafe", &flags.usage_factor_safe}});
  visit.qos_list({"Preempt", "the QoS whose jobs this one may preempt"}, qos.preempt);
  visit.optional_choice({"PreemptMode",
                         "what happens to its jobs when preempted; left out: the "
                         "cluster's"},
                        qos.preempt_mode, {"off", "cancel", "requeue", "suspend"});
  visit.limit({"PreemptExemptTime", "its jobs are safe for their first minutes"},
              qos.preempt_exempt_time);
  visit.span({"GraceTime", "time between the warning and the end of a job that is preempted"},
             qos.grace_time);
  visit.factor({"UsageFactor", "its use counts this many times"}, qos.usage_factor_millionths);
  visit.optional_factor({"LimitFactor",
                         "limits of associations on resources (GrpTRES, MaxTRESPerJob) count this "
                         "many times for its jobs"},
                        qos.limit_factor_millionths);
  // slurmctld takes 0 for none.
  if (qos.limit_factor_millionths == 0) qos.limit_factor_millionths.reset();
  visit.optional_factor(
      {"UsageThreshold",
       "with EnforceUsageThreshold: what fairshare must give to a job's priority "
       "(with weight_fairshare 0 the classic factor, from 0 to 1) for it to start",
       {"UsageThres"}},
      qos.usage_threshold_millionths);
}

void describe_association(FieldVisitor& visit, Association& association) {
  visit.text({"description", "a note", {"note"}}, association.description);
  visit.count({"priority", "the association's part of the job priority"}, association.priority);
  each_limit_of_association(association, describe_limit(visit));
  visit.qos_list(
      {"qos", "the QoS its jobs may use; left out: those of the account above", {"QosLevel"}},
      association.qos);
  visit.qos({"default_qos", "the QoS of a job that names none"}, association.default_qos);
}

}  // namespace sluice
