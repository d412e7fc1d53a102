// The keys of nodes, partitions, users and the cluster-wide settings.
#include "policyfile/read/sections.h"

namespace sluice {

void describe_node(FieldVisitor& visit, Node& node) {
  visit.whole({"cpus", "CPUs that jobs can have", {"CPUs"}}, node.cpus);
  visit.whole({"sockets", "sockets the CPUs sit on"}, node.sockets);
  visit.whole({"threads_per_core", "hardware threads of a core; each counts as a CPU"},
              node.threads_per_core);
  visit.memory({"memory", "memory that jobs can have, as 768G", {"mem", "RealMemory"}},
               node.memory_mb);
  visit.names({"features", "what --constraint can ask for", {"Feature"}}, node.features,
              Refers::kNothing);
  visit.whole({"weight", "nodes of lower weight are used first"}, node.weight);
}

void describe_partition(FieldVisitor& visit, Partition& partition) {
  const Words modes = {"off", "cancel", "requeue", "suspend"};
  visit.flag({"default", "jobs that name no partition come here"}, partition.is_default);
  visit.choice({"state", "whether jobs may be submitted and start"}, partition.state,
               {"up", "down", "drain", "inactive"});
  visit.limit({"max_time", "the longest time limit a job may ask for"}, partition.max_time);
  visit.limit({"default_time", "time limit of a job that asks for none"}, partition.default_time);
  visit.count({"max_nodes", "the most nodes of one job"}, partition.max_nodes);
  visit.whole({"min_nodes", "the fewest nodes of one job"}, partition.min_nodes);
  visit.whole({"priority_tier",
               "jobs of a higher tier are looked at first, and may preempt "
               "lower ones under partition_prio"},
              partition.priority_tier);
  visit.whole({"priority_job_factor", "this partition's part of the job priority"},
              partition.priority_job_factor);
  visit.qos({"qos", "the partition QoS: its limits bind every job here"}, partition.qos);
  visit.memory_limit(
      {"def_mem_per_cpu", "memory per CPU of a job that asks for none", {"default_mem_per_cpu"}},
      partition.default_mem_per_cpu_mb);
  visit.memory_limit(
      {"def_mem_per_node", "memory per node of a job that asks for none", {"default_mem_per_node"}},
      partition.default_mem_per_node_mb);
  visit.memory_limit({"def_mem_per_gpu",
                      "memory per GPU of a job with GPUs that asks for none; comes before the "
                      "two above",
                      {"default_mem_per_gpu"}},
                     partition.with_gpu.memory_mb);
  visit.count({"def_cpu_per_gpu",
               "CPUs per GPU of a job that does not say",
               {"def_cpus_per_gpu", "default_cpus_per_gpu"}},
              partition.with_gpu.cpus);
  visit.memory_limit({"max_mem_per_cpu", "the most memory per CPU"}, partition.max_mem_per_cpu_mb);
  visit.memory_limit({"max_mem_per_node", "the most memory per node"},
                     partition.max_mem_per_node_mb);
  visit.count({"max_cpus_per_node", "CPUs of each node that this partition may use"},
              partition.max_cpus_per_node);
  visit.flag(
      {"least_loaded", "jobs go to the node with the largest part of its CPUs free", {"LLN"}},
      partition.least_loaded);
  visit.optional_choice(
      {"cpu_unit", "what jobs get whole of a node here, in place of scheduler.cpu_unit"},
      partition.cpu_unit, {"core", "socket"});
  visit.flag({"exclusive_user", "nodes go to the jobs of one user at a time", {"ExclusiveUser"}},
             partition.exclusive_user);
  visit.limit({"over_time_limit",
               "time a job may run past its limit here; unlimited: as in jobs",
               {"OverTimeLimit"}},
              partition.over_time_limit);
  visit.optional_choice(
      {"preempt_mode", "what happens to a job of this partition that is preempted"},
      partition.preempt_mode, modes);
  visit.limit({"grace_time", "time between the warning and the end of a job that is preempted"},
              partition.grace_time);
  visit.weights(
      {"billing_weights", "what one unit of each resource counts for", {"TRESBillingWeights"}},
      partition.billing_weights);
  visit.names({"allow_accounts", "only these accounts"}, partition.allow_accounts,
              Refers::kAccount);
  visit.names({"deny_accounts", "all but these accounts"}, partition.deny_accounts,
              Refers::kAccount);
  visit.names({"allow_qos", "only these QoS"}, partition.allow_qos, Refers::kQos);
  visit.names({"deny_qos", "all but these QoS"}, partition.deny_qos, Refers::kQos);
  visit.names({"allow_groups", "only members of these Unix groups"}, partition.allow_groups,
              Refers::kNothing);
}

void describe_user(FieldVisitor& visit, User& user) {
  visit.name({"default_account", "the account of a job that names none"}, user.default_account,
             Refers::kAccount);
  visit.choice({"admin_level", "what the user may change", {"admin"}}, user.admin_level,
               {"none", "operator", "administrator"});
  visit.names({"coordinator_of",
               "accounts whose users and jobs the user may manage",
               {"coordinates", "coordinator"}},
              user.coordinates, Refers::kAccount);
  visit.names({"groups", "Unix groups, for allow_groups in stories and simulations"}, user.groups,
              Refers::kNothing);
}

void describe_priority(FieldVisitor& visit, PrioritySettings& priority) {
  visit.choice({"type", "basic: first come, first served; multifactor: the weighted sum"},
               priority.type, {"basic", "multifactor"});
  visit.whole({"weight_age", "weight of the time a job has waited", {"PriorityWeightAge"}},
              priority.weight_age);
  visit.whole({"weight_assoc", "weight of the association's priority", {"PriorityWeightAssoc"}},
              priority.weight_assoc);
  visit.whole({"weight_fairshare",
               "weight of having used less than one's share",
               {"PriorityWeightFairshare"}},
              priority.weight_fairshare);
  visit.whole({"weight_job_size", "weight of the job's size", {"PriorityWeightJobSize"}},
              priority.weight_job_size);
  visit.whole({"weight_partition",
               "weight of the partition's priority_job_factor",
               {"PriorityWeightPartition"}},
              priority.weight_partition);
  visit.whole({"weight_qos", "weight of the QoS's Priority", {"PriorityWeightQOS"}},
              priority.weight_qos);
  visit.weights({"weight_tres",
                 "weight of each resource asked for, as cpu=1000,gres/gpu=4000",
                 {"PriorityWeightTRES"}},
                priority.weight_tres);
  visit.span({"max_age", "waiting longer than this counts no further", {"PriorityMaxAge"}},
             priority.max_age);
  visit.span({"half_life",
              "after this time past use counts half; 0: it never fades",
              {"decay_half_life", "PriorityDecayHalfLife"}},
             priority.half_life);
  visit.span(
      {"calc_period", "how often use fades and priorities are calculated", {"PriorityCalcPeriod"}},
      priority.calc_period);
  visit.choice({"usage_reset",
                "when past use is forgotten altogether",
                {"PriorityUsageResetPeriod", "usage_reset_period"}},
               priority.usage_reset,
               {"none", "now", "daily", "weekly", "monthly", "quarterly", "yearly"});
  visit.flag({"favor_small",
              "small jobs, not large ones, get the job size's part",
              {"PriorityFavorSmall"}},
             priority.favor_small);
  visit.flag({"fair_tree", "Fair Tree; false: the classic fairshare formula"}, priority.fair_tree);
  visit.flag({"accrue_always", "waiting counts even while a limit or a dependency holds the job"},
             priority.accrue_always);
  visit.flag({"small_relative_to_time", "the size of a job is divided by its time limit"},
             priority.small_relative_to_time);
  visit.flag({"calculate_running", "the priority of running jobs is calculated too"},
             priority.calculate_running);
  visit.flag({"depth_oblivious", "the classic formula looks at an account without those above it"},
             priority.depth_oblivious);
  visit.flag({"increase_only", "the priority of a job never falls", {"incr_only"}},
             priority.increase_only);
  visit.flag({"max_tres", "billing is the largest weighted resource, not the sum"},
             priority.max_tres);
  visit.flag({"no_normal_assoc", "the association factor is not divided by the largest"},
             priority.no_normal_assoc);
  visit.flag({"no_normal_part", "the partition factor is not divided by the largest"},
             priority.no_normal_part);
  visit.flag({"no_normal_qos", "the QoS factor is not divided by the largest"},
             priority.no_normal_qos);
  visit.flag({"no_normal_tres", "the TRES factors are not divided by the partition's total"},
             priority.no_normal_tres);
  visit.whole({"dampening",
               "FairShareDampeningFactor of the classic formula",
               {"FairShareDampeningFactor"}},
              priority.dampening);
}

void describe_preemption(FieldVisitor& visit, PreemptSettings& preemption) {
  visit.choice({"type",
                "which jobs may preempt which: by QoS (Preempt), by partition tier, or none",
                {"PreemptType"}},
               preemption.type, {"none", "qos", "partition_prio"});
  visit.choice({"mode", "what happens to the one preempted", {"PreemptMode"}}, preemption.mode,
               {"off", "cancel", "requeue", "suspend"});
  visit.flag({"gang", "jobs take turns on shared CPUs; suspend needs it"}, preemption.gang);
  visit.span({"exempt_time", "a job is safe for its first minutes", {"PreemptExemptTime"}},
             preemption.exempt_time);
  visit.span({"time_slice", "how long a turn lasts under gang", {"SchedulerTimeSlice"}},
             preemption.time_slice);
  visit.flag({"youngest_first", "the youngest job is preempted first"}, preemption.youngest_first);
  visit.flag({"reorder", "look for a set of victims with fewer jobs"}, preemption.reorder);
  visit.flag({"strict_order", "take victims in order of priority, whatever their size"},
             preemption.strict_order);
}

void describe_scheduler(FieldVisitor& visit, SchedulerSettings& scheduler) {
  visit.choice({"type",
                "builtin: no job overtakes another; easy: one reservation; backfill: all that wait",
                {"SchedulerType"}},
               scheduler.type, {"builtin", "easy", "backfill"});
  visit.span(
      {"backfill_interval", "time between backfill passes; 0: after every change", {"bf_interval"}},
      scheduler.backfill_interval);
  visit.span({"backfill_window", "how far backfill looks ahead", {"bf_window"}},
             scheduler.backfill_window);
  visit.span({"backfill_resolution", "the grain of backfill's time", {"bf_resolution"}},
             scheduler.backfill_resolution);
  visit.whole({"backfill_max_job_test", "jobs one backfill pass looks at", {"bf_max_job_test"}},
              scheduler.backfill_max_job_test);
  visit.count({"backfill_max_job_user", "of which per user", {"bf_max_job_user"}},
              scheduler.backfill_max_job_user);
  visit.count({"backfill_max_job_part", "of which per partition", {"bf_max_job_part"}},
              scheduler.backfill_max_job_part);
  visit.whole({"default_queue_depth", "jobs looked at after one job's end"},
              scheduler.default_queue_depth);
  visit.flag({"kill_invalid_depend", "a job whose dependency can never be met is cancelled"},
             scheduler.kill_invalid_depend);
  visit.flag({"assoc_limit_stop", "a job stopped by a limit holds up those behind it"},
             scheduler.assoc_limit_stop);
  visit.count({"backfill_min_prio_reserve",
               "backfill reserves nothing for jobs of less priority",
               {"bf_min_prio_reserve"}},
              scheduler.backfill_min_prio_reserve);
  visit.span({"backfill_min_age_reserve",
              "backfill reserves nothing for jobs that have waited less",
              {"bf_min_age_reserve"}},
             scheduler.backfill_min_age_reserve);
  visit.count({"partition_job_depth", "jobs of each partition looked at after one change"},
              scheduler.partition_job_depth);
  visit.flag({"pack_serial_at_end", "jobs of one CPU are put on the last nodes"},
             scheduler.pack_serial_at_end);
  visit.flag(
      {"least_loaded", "jobs go to the node with the largest part of its CPUs free", {"CR_LLN"}},
      scheduler.least_loaded);
  visit.flag({"pack_nodes", "tasks fill one node of the job after the other", {"CR_Pack_Nodes"}},
             scheduler.pack_nodes);
  visit.choice(
      {"cpu_unit", "what jobs get whole of a node: cores (CR_Core) or sockets (CR_Socket)"},
      scheduler.cpu_unit, {"core", "socket"});
  visit.flag({"backfill_busy_nodes", "plans are made on nodes in use first", {"bf_busy_nodes"}},
             scheduler.backfill_busy_nodes);
  visit.flag(
      {"topology_optional", "switches count only for jobs with --switches", {"TopoOptional"}},
      scheduler.topology_optional);
  visit.span({"max_switch_wait", "a job with --switches waits for them at most this long"},
             scheduler.max_switch_wait);
  visit.span({"requeue_delay", "a requeued job waits this long (BeginTime)"},
             scheduler.requeue_delay);
}

void describe_jobs(FieldVisitor& visit, JobSettings& jobs) {
  visit.whole({"max_array_size", "array indices are below this"}, jobs.max_array_size);
  visit.whole({"max_job_count", "jobs and array tasks remembered at once; more are refused"},
              jobs.max_job_count);
  visit.whole({"first_job_id", "the number of the first job"}, jobs.first_job_id);
  visit.span({"min_job_age", "an ended job is remembered this long"}, jobs.min_job_age);
  visit.span({"kill_wait", "time between SIGTERM and SIGKILL"}, jobs.kill_wait);
  visit.span({"over_time_limit", "time a job may run past its limit"}, jobs.over_time_limit);
  visit.flag({"requeue", "a job that lost its node or was preempted may run again", {"JobRequeue"}},
             jobs.requeue);
  visit.memory_limit(
      {"def_mem_per_cpu", "memory per CPU of a job that asks for none", {"default_mem_per_cpu"}},
      jobs.default_mem_per_cpu_mb);
  visit.memory_limit(
      {"def_mem_per_node", "memory per node of a job that asks for none", {"default_mem_per_node"}},
      jobs.default_mem_per_node_mb);
  visit.memory_limit({"def_mem_per_gpu",
                      "memory per GPU of a job with GPUs that asks for none; comes before the "
                      "two above",
                      {"default_mem_per_gpu"}},
                     jobs.with_gpu.memory_mb);
  visit.count({"def_cpu_per_gpu",
               "CPUs per GPU of a job that does not say",
               {"def_cpus_per_gpu", "default_cpus_per_gpu"}},
              jobs.with_gpu.cpus);
  visit.memory_limit({"max_mem_per_cpu", "the most memory per CPU"}, jobs.max_mem_per_cpu_mb);
  visit.memory_limit({"max_mem_per_node", "the most memory per node"}, jobs.max_mem_per_node_mb);
  visit.flag({"memory_is_consumable", "memory is handed out and counted like CPUs"},
             jobs.memory_is_consumable);
  visit.choice({"enforce_part_limits",
                "a job must fit any, all or (no) none of its partitions at "
                "submission"},
               jobs.enforce_part_limits, {"no", "any", "all"});
  visit.text({"prolog", "program to run on the node before a job"}, jobs.prolog);
  visit.text({"epilog", "program to run on the node after a job"}, jobs.epilog);
  visit.span({"prolog_epilog_timeout", "these are ended when they take longer; 0: never"},
             jobs.prolog_epilog_timeout);
  visit.flags({"private_data", "what users see of their own only (PrivateData)"},
              {{"jobs", &jobs.private_data.jobs},
               {"usage", &jobs.private_data.usage},
               {"users", &jobs.private_data.users},
               {"accounts", &jobs.private_data.accounts}});
  visit.span({"history_kept", "ended runs and captured output are kept this long; 0: for ever"},
             jobs.history_kept);
  visit.whole({"max_jobs_per_user",
               "jobs and array tasks one user of a shared daemon may have at once; 0: half of "
               "max_job_count"},
              jobs.max_jobs_per_user);
  visit.memory({"max_requests_per_user",
                "scripts and environments that a shared daemon keeps of one user's jobs; 0: "
                "32 MB"},
               jobs.max_requests_per_user_mb);
  visit.names({"allow_groups",
               "groups of the system whose members may use a daemon of root's; none: all users"},
              jobs.allow_groups, Refers::kNothing);
}

void describe_enforce(FieldVisitor& visit, EnforceSettings& enforce) {
  visit.flags({"enforce", "what slurmctld checks (AccountingStorageEnforce)"},
              {{"associations", &enforce.associations},
               {"limits", &enforce.limits},
               {"qos", &enforce.qos},
               {"safe", &enforce.safe}});
}

}  // namespace sluice
