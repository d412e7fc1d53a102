#include "shims/queue_json.h"

#include <algorithm>

#include "model/policy.h"
#include "shims/job_paths.h"
#include "shims/records.h"
#include "shims/slurm_json.h"
#include "shims/squeue_fields.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "text/scan.h"

namespace sluice {
namespace {

using R = RecordLine;

// "billing=2" of a list of TRES.
std::int64_t amount_in(std::string_view tres, std::string_view name) {
  for (const std::string_view word : split(tres, ','))
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=')
      return whole_number(word.substr(name.size() + 1)).value_or(0);
  return 0;
}

// What a node gives: "c1 0 3 400 gpu:a100:1(IDX:0)".
struct Place {
  std::string_view node;
  std::int64_t first_cpu = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::string_view gpus;
};

std::vector<Place> places_of(const R& r) {
  std::vector<Place> out;
  for (const std::string_view each : split(r.places, ';')) {
    const auto words = split(each, ' ');
    if (words.size() < 4) continue;
    out.push_back({words[0], whole_number(words[1]).value_or(0), whole_number(words[2]).value_or(0),
                   whole_number(words[3]).value_or(0),
                   words.size() > 4 ? words[4] : std::string_view{}});
  }
  return out;
}

void add_place(SlurmJson& json, const Place& place, const Policy& policy) {
  int cores = 1;
  for (const Node& node : policy.nodes)
    if (node.name == place.node)
      cores = std::max(1, node.cpus / std::max(1, node.sockets * node.threads_per_core));
  json.writer().begin_object();
  json.begin_object("sockets");
  std::int64_t open = -1;
  for (std::int64_t cpu = place.first_cpu; cpu < place.first_cpu + place.cpus; ++cpu) {
    if (cpu / cores != open) {
      if (open >= 0) {
        json.end_object();
        json.end_object();
      }
      open = cpu / cores;
      json.begin_object(std::to_string(open));
      json.begin_object("cores");
    }
    json.text(std::to_string(cpu % cores), "allocated");
  }
  if (open >= 0) {
    json.end_object();
    json.end_object();
  }
  json.end_object();
  json.text("nodename", place.node);
  json.number("cpus_used", std::int64_t{0});
  json.number("memory_used", std::int64_t{0});
  json.number("memory_allocated", place.memory_mb);
  json.end_object();
}

void add_resources(SlurmJson& json, const R& r, const std::vector<Place>& places,
                   const Policy& policy) {
  json.begin_object("job_resources");
  json.text("nodes", r.nodes);
  std::int64_t cpus = 0;
  for (const Place& place : places) cpus += place.cpus;
  json.number("allocated_cores", cpus);
  json.number("allocated_hosts", static_cast<std::int64_t>(places.size()));
  json.begin_array("allocated_nodes");
  for (const Place& place : places) add_place(json, place, policy);
  json.end_array();
  json.end_object();
}

std::vector<std::string> flags_of(const R& r) {
  std::vector<std::string> out;
  if (r.cpus_per_task) out.emplace_back("JOB_CPUS_SET");
  if (!r.nodes.empty() && !r.task) out.emplace_back("JOB_ACCRUE_OVER");
  if (holds_nodes(r.state)) out.emplace_back("JOB_WAS_RUNNING");
  if (r.memory_per == "node" && r.memory_mb > 0) out.emplace_back("JOB_MEM_SET");
  return out;
}

// What --array took, of the record that stands for the tasks that wait.
std::string task_text(const R& r) { return r.array && !r.task ? waiting_tasks(r) : std::string(); }

void add_record(SlurmJson& json, const R& r, const SqueueContext& context, const Policy& policy) {
  const auto none = [&](std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) json.null(key);
  };
  const auto empty = [&](std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) json.text(key, "");
  };
  const auto zero = [&](std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) json.number(key, std::int64_t{0});
  };
  const auto uid = [](const std::string& text) { return whole_number(text).value_or(0); };
  const bool holds = !r.nodes.empty();
  const bool waits = r.state == JobState::kPending;
  const bool never_ran = !holds && !waits;
  const std::vector<Place> places = holds ? places_of(r) : std::vector<Place>();
  const std::string tres = without_licenses(r.tres);
  // Records that wait for a time have not begun to age.
  const bool ages = r.eligible && !r.task && r.reason != "BeginTime";
  json.writer().begin_object();
  json.text("account", r.account);
  json.time("accrue_time", ages ? r.ages : std::nullopt);
  empty({"admin_comment"});
  json.number("array_job_id", r.array ? std::int64_t{r.array->value()} : 0);
  json.number("array_task_id",
              r.task ? std::optional<std::int64_t>(std::int64_t{*r.task}) : std::nullopt);
  json.number("array_max_tasks", r.throttle.value_or(0));
  json.text("array_task_string", task_text(r));
  json.number("association_id", r.association.value_or(0));
  empty({"batch_features"});
  json.boolean("batch_flag", r.batch);
  json.text("batch_host", holds ? squeue_field("batchhost")->text(r, context) : std::string());
  json.texts("flags", flags_of(r));
  empty({"burst_buffer", "burst_buffer_state"});
  json.text("cluster", context.cluster);
  empty({"cluster_features"});
  json.text("command", r.command == "(null)" ? std::string() : r.command);
  json.text("comment", r.comment);
  empty({"container"});
  json.boolean("contiguous", false);
  none({"core_spec", "thread_spec", "cores_per_socket"});
  if (holds)
    json.real("billable_tres", amount_in(tres, "billing"));
  else
    json.null("billable_tres");
  none({"cpus_per_task", "cpu_frequency_minimum", "cpu_frequency_maximum",
        "cpu_frequency_governor"});
  json.text("cpus_per_tres",
            r.cpus_per_gpu ? "gres:gpu:" + std::to_string(*r.cpus_per_gpu) : std::string());
  json.time("deadline", r.deadline);
  zero({"delay_boot"});
  json.text("dependency", r.dependency);
  zero({"derived_exit_code"});
  json.time("eligible_time", eligible_time(r));
  json.time("end_time", r.ends);
  json.text("excluded_nodes", r.excluded_nodes);
  json.number("exit_code", r.exit_signal != 0 ? r.exit_signal : r.exit_code << 8);
  json.text("features", r.features);
  empty({"federation_origin", "federation_siblings_active", "federation_siblings_viable"});
  std::vector<std::string> gpus;
  for (const Place& place : places)
    if (!place.gpus.empty()) gpus.emplace_back(place.gpus);
  json.texts("gres_detail", gpus);
  json.number("group_id", uid(gid_text(r.user)));
  json.text("group_name", group_text(r.user));
  json.number("job_id", std::int64_t{r.job.value()});
  if (holds) add_resources(json, r, places, policy);
  json.text("job_state", slurm_name(r.state));
  json.time("last_sched_evaluation", r.eligible ? r.eligible : r.submitted);
  json.text("licenses", r.licenses);
  zero({"max_cpus"});
  json.number("max_nodes", r.max_nodes.value_or(0));
  empty({"mcs_label"});
  json.text("memory_per_tres",
            r.memory_per == "gpu" ? "gres:gpu:" + std::to_string(r.memory_mb) : std::string());
  json.text("name", r.name);
  json.text("nodes", r.nodes);
  json.number("nice", r.nice != 0 ? std::optional(r.nice) : std::nullopt);
  none({"tasks_per_core"});
  json.number("tasks_per_node", r.tasks_per_node.value_or(0));
  none({"tasks_per_socket"});
  zero({"tasks_per_board"});
  json.number("cpus", never_ran ? std::nullopt : std::optional(r.cpus));
  json.number("node_count", std::max<std::int64_t>(r.node_count, 1));
  json.number("tasks", never_ran ? std::nullopt : std::optional(r.tasks));
  zero({"het_job_id"});
  empty({"het_job_id_set"});
  zero({"het_job_offset"});
  json.text("partition", r.partition);
  empty({"prefer"});
  const auto memory = [&](std::string_view per) {
    return r.memory_per == per && r.memory_mb > 0 ? std::optional(r.memory_mb) : std::nullopt;
  };
  json.number("memory_per_node", memory("node"));
  json.number("memory_per_cpu", memory("cpu"));
  json.number("minimum_cpus_per_node", r.min_cpus);
  zero({"minimum_tmp_disk_per_node", "preempt_time"});
  json.number("pre_sus_time", to_seconds(r.ran_before_suspension));
  json.number("priority", r.priority);
  none({"profile"});
  json.text("qos", r.qos);
  json.boolean("reboot", false);
  json.text("required_nodes", r.required_nodes);
  json.boolean("requeue", r.requeue);
  zero({"resize_time"});
  json.number("restart_cnt", r.restarts);
  json.text("resv_name", r.reservation);
  if (r.sharing == "exclusive")
    json.text("shared", "none");
  else if (!r.sharing.empty())
    json.text("shared", r.sharing == "user" ? "user" : "shared");
  else
    json.null("shared");
  json.texts("show_flags", {"SHOW_ALL", "SHOW_DETAIL", "SHOW_LOCAL"});
  zero({"sockets_per_board"});
  none({"sockets_per_node"});
  json.time("start_time", r.started);
  empty({"state_description"});
  json.text("state_reason", r.reason);
  json.text("standard_error", r.err);
  json.text("standard_input", typed_paths(r).in);
  json.text("standard_output", typed_paths(r).out);
  json.time("submit_time", r.submitted);
  json.time("suspend_time", r.suspended_at);
  empty({"system_comment"});
  json.number("time_limit",
              r.limit ? std::optional(to_seconds(*r.limit) / 60) : std::optional<std::int64_t>());
  json.number("time_minimum", to_seconds(r.time_min.value_or(Duration(0))) / 60);
  none({"threads_per_core"});
  empty({"tres_bind", "tres_freq"});
  json.text("tres_per_job", r.tres_per_job);
  json.text("tres_per_node", r.tres_per_node);
  json.text("tres_per_socket", r.tres_per_socket);
  json.text("tres_per_task", r.tres_per_task);
  json.text("tres_req_str", tres);
  json.text("tres_alloc_str", holds ? tres : std::string());
  json.number("user_id", uid(uid_text(r.user)));
  json.text("user_name", r.user);
  json.text("wckey", r.wckey);
  json.text("current_working_directory", r.folder);
  json.end_object();
}

}  // namespace

int print_queue_json(ShimCall& call) {
  const auto policy = call.engine->policy();
  if (!policy) return call.fail(policy.error());
  auto records = fetch_records(*call.engine, "state=all");
  if (!records) return call.fail(records.error());
  sort_as_slurmctld(*records);
  const SqueueContext context{{}, policy->cluster, false};
  SlurmJson json("openapi/v0.0.38", "Slurm OpenAPI v0.0.38", "jobs");
  for (const R& record : *records) add_record(json, record, context, *policy);
  call.out += json.finish();
  return 0;
}

}  // namespace sluice
