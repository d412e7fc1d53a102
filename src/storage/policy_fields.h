// The numbered fields of a policy. Rules for adding one: storage/fields.h.
#pragma once

#include <optional>
#include <type_traits>

#include "model/limit_table.h"
#include "model/policy.h"
#include "storage/fields.h"

namespace sluice {

template <>
struct LastOf<OverSubscribe> {
  static constexpr auto value = OverSubscribe::kExclusive;
  static_assert(static_cast<int>(value) == 3, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<PartitionState> {
  static constexpr auto value = PartitionState::kInactive;
  static_assert(static_cast<int>(value) == 3, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<CpuUnit> {
  static constexpr auto value = CpuUnit::kSocket;
  static_assert(static_cast<int>(value) == 1, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<PreemptType> {
  static constexpr auto value = PreemptType::kPartitionPriority;
  static_assert(static_cast<int>(value) == 2, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<PreemptMode> {
  static constexpr auto value = PreemptMode::kSuspend;
  static_assert(static_cast<int>(value) == 3, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<AdminLevel> {
  static constexpr auto value = AdminLevel::kAdministrator;
  static_assert(static_cast<int>(value) == 2, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<PriorityType> {
  static constexpr auto value = PriorityType::kMultifactor;
  static_assert(static_cast<int>(value) == 1, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<UsageReset> {
  static constexpr auto value = UsageReset::kYearly;
  static_assert(static_cast<int>(value) == 6, "the numbers of enumerators are for ever");
};

template <>
struct LastOf<SchedulerType> {
  // One more than the policy file names: kConservativeScheduler of policy/conservative.h.
  static constexpr auto value = static_cast<SchedulerType>(3);
  static_assert(static_cast<int>(SchedulerType::kBackfill) == 2,
                "the numbers of enumerators are for ever");
};

template <>
struct LastOf<EnforcePartLimits> {
  static constexpr auto value = EnforcePartLimits::kAll;
  static_assert(static_cast<int>(value) == 2, "the numbers of enumerators are for ever");
};

template <class Fields>
void each_field(Fields& f, Like<TresWeight> auto& item) {
  auto& [tres, millionths, per] = item;
  f(1, tres);
  f(2, millionths);
  f(3, per);
}

template <class Fields>
void each_field(Fields& f, Like<GroupLimits> auto& item) {
  each_member(item, f);
}

template <class Fields>
void each_field(Fields& f, Like<JobLimits> auto& item) {
  each_member(item, f);
}

template <class Fields>
void each_field(Fields& f, Like<HolderLimits> auto& item) {
  each_member(item, f);
}

template <class Fields>
void each_field(Fields& f, Like<Gpu> auto& item) {
  auto& [type, device] = item;
  f(1, type);
  f(2, device);
}

template <class Fields>
void each_field(Fields& f, Like<Node> auto& item) {
  auto& [name, cpus, sockets, threads_per_core, memory_mb, gpus, features, weight] = item;
  f(1, name);
  f(2, cpus);
  f(3, sockets);
  f(4, threads_per_core);
  f(5, memory_mb);
  f(6, gpus);
  f(7, features);
  f(8, weight);
}

template <class Fields>
void each_field(Fields& f, Like<Switch> auto& item) {
  auto& [name, nodes, switches] = item;
  f(1, name);
  f(2, nodes);
  f(3, switches);
}

template <class Fields>
void each_field(Fields& f, Like<WithGpu> auto& item) {
  auto& [cpus, memory_mb] = item;
  f(1, cpus);
  f(2, memory_mb);
}

template <class Fields>
void each_field(Fields& f, Like<Partition> auto& item) {
  auto& [name, nodes, is_default, state, max_time, default_time, max_nodes, min_nodes,
         priority_tier, priority_job_factor, qos, default_mem_per_cpu_mb, default_mem_per_node_mb,
         with_gpu, max_mem_per_cpu_mb, max_mem_per_node_mb, max_cpus_per_node, least_loaded,
         cpu_unit, exclusive_user, over_time_limit, oversubscribe, oversubscribe_jobs, preempt_mode,
         grace_time, billing_weights, allow_accounts, deny_accounts, allow_qos, deny_qos,
         allow_groups] = item;
  f(1, name);
  f(2, nodes);
  f(3, is_default);
  f(4, state);
  f(5, max_time);
  f(6, default_time);
  f(7, max_nodes);
  f(8, min_nodes);
  f(9, priority_tier);
  f(10, priority_job_factor);
  f(11, qos);
  f(12, default_mem_per_cpu_mb);
  f(13, default_mem_per_node_mb);
  f(14, max_mem_per_cpu_mb);
  f(15, max_mem_per_node_mb);
  f(16, max_cpus_per_node);
  f(17, oversubscribe);
  f(18, oversubscribe_jobs);
  f(19, preempt_mode);
  f(20, grace_time);
  f(21, billing_weights);
  f(22, allow_accounts);
  f(23, deny_accounts);
  f(24, allow_qos);
  f(25, deny_qos);
  f(26, allow_groups);
  f(27, least_loaded);
  f(28, with_gpu);
  f(32, cpu_unit);
  f(33, exclusive_user);
  f(34, over_time_limit);
}

template <class Fields>
void each_field(Fields& f, Like<QosFlags> auto& item) {
  auto& [deny_on_limit, over_part_qos, partition_time_limit, partition_max_nodes,
         partition_min_nodes, no_decay, no_reserve, require_reservation, enforce_usage_threshold,
         usage_factor_safe] = item;
  f(1, deny_on_limit);
  f(2, over_part_qos);
  f(3, partition_time_limit);
  f(4, partition_max_nodes);
  f(5, partition_min_nodes);
  f(6, no_decay);
  f(7, no_reserve);
  f(8, require_reservation);
  f(9, enforce_usage_threshold);
  f(10, usage_factor_safe);
}

template <class Fields>
void each_field(Fields& f, Like<Qos> auto& item) {
  auto& [name, description, priority, group, job, user, account, flags, preempt, preempt_mode,
         preempt_exempt_time, grace_time, usage_factor_millionths, limit_factor_millionths,
         usage_threshold_millionths] = item;
  f(1, name);
  f(2, description);
  f(3, priority);
  f(4, group);
  f(5, job);
  f(6, user);
  f(7, account);
  f(8, flags);
  f(9, preempt);
  f(10, preempt_mode);
  f(11, preempt_exempt_time);
  f(12, grace_time);
  f(13, usage_factor_millionths);
  f(14, limit_factor_millionths);
  f(15, usage_threshold_millionths);
}

template <class Fields>
void each_field(Fields& f, Like<Association> auto& item) {
  auto& [account, user, partition, parent, description, shares, shares_of_parent, priority, group,
         job, max_jobs, max_submit_jobs, max_jobs_accrue, qos, default_qos] = item;
  f(1, account);
  f(2, user);
  f(3, partition);
  f(4, parent);
  f(5, description);
  f(6, shares);
  f(7, shares_of_parent);
  f(8, priority);
  f(9, group);
  f(10, job);
  f(11, max_jobs);
  f(12, max_submit_jobs);
  f(13, qos);
  f(14, default_qos);
  f(15, max_jobs_accrue);
}

template <class Fields>
void each_field(Fields& f, Like<User> auto& item) {
  auto& [name, default_account, admin_level, coordinates, groups] = item;
  f(1, name);
  f(2, default_account);
  f(3, admin_level);
  f(4, coordinates);
  f(5, groups);
}

template <class Fields>
void each_field(Fields& f, Like<PreemptSettings> auto& item) {
  auto& [type, mode, gang, exempt_time, time_slice, youngest_first, reorder, strict_order] = item;
  f(1, type);
  f(2, mode);
  f(3, gang);
  f(4, exempt_time);
  f(5, time_slice);
  f(6, youngest_first);
  f(7, reorder);
  f(8, strict_order);
}

template <class Fields>
void each_field(Fields& f, Like<PrioritySettings> auto& item) {
  auto& [type, weight_age, weight_assoc, weight_fairshare, weight_job_size, weight_partition,
         weight_qos, weight_tres, max_age, half_life, calc_period, usage_reset, favor_small,
         fair_tree, accrue_always, small_relative_to_time, calculate_running, depth_oblivious,
         increase_only, max_tres, no_normal_assoc, no_normal_part, no_normal_qos, no_normal_tres,
         dampening] = item;
  f(1, type);
  f(2, weight_age);
  f(3, weight_assoc);
  f(4, weight_fairshare);
  f(5, weight_job_size);
  f(6, weight_partition);
  f(7, weight_qos);
  f(8, weight_tres);
  f(9, max_age);
  f(10, half_life);
  f(11, calc_period);
  f(12, usage_reset);
  f(13, favor_small);
  f(14, fair_tree);
  f(15, accrue_always);
  f(16, small_relative_to_time);
  f(17, calculate_running);
  f(18, max_tres);
  f(19, no_normal_assoc);
  f(20, no_normal_part);
  f(21, no_normal_qos);
  f(22, no_normal_tres);
  f(23, dampening);
  f(24, depth_oblivious);
  f(25, increase_only);
}

template <class Fields>
void each_field(Fields& f, Like<SchedulerSettings> auto& item) {
  auto& [type, backfill_interval, backfill_window, backfill_resolution, backfill_max_job_test,
         backfill_max_job_user, backfill_max_job_part, default_queue_depth, kill_invalid_depend,
         assoc_limit_stop, backfill_min_prio_reserve, backfill_min_age_reserve, partition_job_depth,
         pack_serial_at_end, least_loaded, pack_nodes, cpu_unit, backfill_busy_nodes,
         topology_optional, max_switch_wait, requeue_delay] = item;
  f(1, type);
  f(2, backfill_interval);
  f(3, backfill_window);
  f(4, backfill_resolution);
  f(5, backfill_max_job_test);
  f(6, backfill_max_job_user);
  f(7, backfill_max_job_part);
  f(8, default_queue_depth);
  f(9, kill_invalid_depend);
  f(10, assoc_limit_stop);
  f(11, requeue_delay);
  f(12, backfill_min_prio_reserve);
  f(13, backfill_min_age_reserve);
  f(14, partition_job_depth);
  f(15, pack_serial_at_end);
  f(16, least_loaded);
  f(17, pack_nodes);
  f(18, topology_optional);
  // Left out where it is the usual one: journals from before there were switches have no other.
  constexpr Duration kUsualWait = SchedulerSettings{}.max_switch_wait;
  std::optional<Duration> wait;
  if (max_switch_wait != kUsualWait) wait = max_switch_wait;
  f(19, wait);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(item)>>)
    max_switch_wait = wait.value_or(kUsualWait);
  f(20, cpu_unit);
  f(21, backfill_busy_nodes);
}

template <class Fields>
void each_field(Fields& f, Like<EnforceSettings> auto& item) {
  auto& [associations, limits, qos, safe] = item;
  f(1, associations);
  f(2, limits);
  f(3, qos);
  f(4, safe);
}

template <class Fields>
void each_field(Fields& f, Like<License> auto& item) {
  auto& [name, count] = item;
  f(1, name);
  f(2, count);
}

template <class Fields>
void each_field(Fields& f, Like<PrivateData> auto& item) {
  auto& [jobs, usage, users, accounts] = item;
  f(1, jobs);
  f(2, usage);
  f(3, users);
  f(4, accounts);
}

template <class Fields>
void each_field(Fields& f, Like<JobSettings> auto& item) {
  auto& [max_array_size, max_job_count, first_job_id, min_job_age, kill_wait, over_time_limit,
         requeue, default_mem_per_cpu_mb, default_mem_per_node_mb, with_gpu, max_mem_per_cpu_mb,
         max_mem_per_node_mb, memory_is_consumable, enforce_part_limits, prolog, epilog,
         prolog_epilog_timeout, private_data, history_kept, max_jobs_per_user,
         max_requests_per_user_mb, allow_groups] = item;
  f(1, max_array_size);
  f(2, max_job_count);
  f(3, first_job_id);
  f(4, min_job_age);
  f(5, kill_wait);
  f(6, over_time_limit);
  f(7, requeue);
  f(8, default_mem_per_cpu_mb);
  f(9, default_mem_per_node_mb);
  f(10, max_mem_per_cpu_mb);
  f(11, max_mem_per_node_mb);
  f(12, memory_is_consumable);
  f(13, enforce_part_limits);
  f(14, prolog);
  f(15, epilog);
  f(16, prolog_epilog_timeout);
  f(17, private_data);
  f(18, history_kept);
  f(19, max_jobs_per_user);
  f(20, max_requests_per_user_mb);
  f(21, allow_groups);
  f(22, with_gpu);
}

template <>
struct LastOf<ReservationRepeat> {
  static constexpr auto value = ReservationRepeat::kWeekly;
  static_assert(static_cast<int>(value) == 3, "the numbers of enumerators are for ever");
};

template <class Fields>
void each_field(Fields& f, Like<ReservationFlags> auto& item) {
  auto& [maint, ignore_jobs, overlap, flex, time_float, no_hold_after_end] = item;
  f(1, maint);
  f(2, ignore_jobs);
  f(3, overlap);
  f(4, flex);
  f(5, time_float);
  f(6, no_hold_after_end);
}

template <class Fields>
void each_field(Fields& f, Like<ReservationRequest> auto& item) {
  auto& [name, start, start_in, end, duration, all_nodes, nodes, node_count, partition, features,
         users, accounts, repeat, flags] = item;
  f(1, name);
  f(2, start);
  f(3, start_in);
  f(4, end);
  f(5, duration);
  f(6, all_nodes);
  f(7, nodes);
  f(8, node_count);
  f(9, partition);
  f(10, features);
  f(11, users);
  f(12, accounts);
  f(13, repeat);
  f(14, flags);
}

template <class Fields>
void each_field(Fields& f, Like<Reservation> auto& item) {
  auto& [name, start, end, ahead, nodes, partition, users, accounts, repeat, flags] = item;
  f(1, name);
  f(2, start);
  f(3, end);
  f(4, ahead);
  f(5, nodes);
  f(6, partition);
  f(7, users);
  f(8, accounts);
  f(9, repeat);
  f(10, flags);
}

template <class Fields>
void each_field(Fields& f, Like<Policy> auto& item) {
  auto& [cluster, tres, nodes, partitions, qos, associations, users, licenses, priority, preemption,
         scheduler, enforce, jobs, reservations, switches] = item;
  f(1, cluster);
  f(2, tres);
  f(3, nodes);
  f(4, partitions);
  f(5, qos);
  f(6, associations);
  f(7, users);
  f(8, licenses);
  f(9, priority);
  f(10, preemption);
  f(11, scheduler);
  f(12, enforce);
  f(13, jobs);
  f(14, reservations);
  f(15, switches);
}

}  // namespace sluice
