// scontrol's words to the keys of a policy file.
#include "targets/import_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "slurm/records.h"
#include "text/job_defaults.h"
#include "text/scan.h"

namespace sluice {
namespace {

void put(Value& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map.add(std::string(key), Value::scalar(text));
}

std::string config_text(std::string_view config, std::string_view key) {
  return std::string(config_value(config, key));
}

std::string given(const Record& record, std::string_view key) {
  return std::string(record.given(key));
}

void put_with_gpu(Value& map, std::string_view text) {
  const WithGpu given = parse_job_defaults(text);
  if (given.memory_mb) put(map, "def_mem_per_gpu", fmt::format("{}M", *given.memory_mb));
  if (given.cpus) put(map, "def_cpu_per_gpu", std::to_string(*given.cpus));
}

bool is_unlimited(const std::string& text) {
  return same_ignoring_case(text, "UNLIMITED") || same_ignoring_case(text, "INFINITE");
}

// "300 sec" and "5 min" to "300s" and "5m".
std::string with_unit(std::string text) {
  for (const auto& [word, unit] : {std::pair{" sec", "s"}, {" min", "m"}})
    if (text.ends_with(word)) text.replace(text.size() - 4, 4, unit);
  return text;
}

// "gpu:a100:4(S:0-1),gpu:2" to types and numbers; "" is not a type.
void add_gpus(Value& node, const std::string& gres, std::set<std::string>& types) {
  Value list = Value::list();
  std::string plain;
  int depth = 0;
  for (const char c : gres) {
    depth += (c == '(') - (c == ')');
    if (depth == 0 && c != ')') plain += c;
  }
  for (const std::string_view word : split(plain, ',')) {
    const std::vector<std::string_view> parts = split(word, ':');
    if (parts.front() != "gpu" || parts.size() < 2) continue;
    Value item = Value::map();
    if (parts.size() > 2) {
      put(item, "type", std::string(parts[1]));
      types.insert(fmt::format("gres/gpu:{}", parts[1]));
    }
    put(item, "count", std::string(parts.back()));
    list.items.push_back(std::move(item));
  }
  if (!list.items.empty()) node.add("gpus", std::move(list));
}

std::int64_t number(const std::string& text) { return whole_number(text).value_or(0); }

std::set<std::string> tokens(const std::string& text, char separator = ',') {
  std::set<std::string> out;
  for (const std::string_view word : split(text, separator))
    if (!word.empty()) out.insert(to_lower(word));
  return out;
}

// "bf_interval=2,assoc_limit_stop" to values; a word without one is "yes".
std::map<std::string, std::string> parameters(const std::string& text) {
  std::map<std::string, std::string> out;
  for (const std::string_view word : split(text, ',')) {
    const std::size_t equals = word.find('=');
    if (word.empty()) continue;
    out[to_lower(word.substr(0, equals))] =
        equals == std::string_view::npos ? "yes" : std::string(word.substr(equals + 1));
  }
  return out;
}

// Weights of what a policy file does not know are left out.
std::string known_weights(const std::string& text, const std::set<std::string>& known) {
  std::string out;
  for (const std::string_view word : split(text, ','))
    if (known.contains(to_lower(word.substr(0, word.find('=')))))
      out += fmt::format("{}{}", out.empty() ? "" : ",", word);
  return out;
}

std::set<std::string> known_tres(const std::vector<std::string>& more) {
  std::set<std::string> out = {"cpu", "mem", "node", "billing", "gres/gpu"};
  for (const std::string& name : more) out.insert(to_lower(name));
  return out;
}

Value priority(std::string_view config, const std::set<std::string>& tres) {
  Value map = Value::map();
  const std::string type = config_text(config, "PriorityType");
  put(map, "type", type.substr(type.find('/') + 1));
  if (!type.ends_with("multifactor")) return map;
  for (const auto& [key, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"weight_age", "PriorityWeightAge"},
           {"weight_assoc", "PriorityWeightAssoc"},
           {"weight_fairshare", "PriorityWeightFairShare"},
           {"weight_job_size", "PriorityWeightJobSize"},
           {"weight_partition", "PriorityWeightPartition"},
           {"weight_qos", "PriorityWeightQOS"},
           {"max_age", "PriorityMaxAge"},
           {"half_life", "PriorityDecayHalfLife"},
           {"calc_period", "PriorityCalcPeriod"},
           {"dampening", "FairShareDampeningFactor"}})
    put(map, key, config_text(config, name));
  put(map, "weight_tres", known_weights(config_text(config, "PriorityWeightTRES"), tres));
  put(map, "usage_reset", to_lower(config_text(config, "PriorityUsageResetPeriod")));
  put(map, "favor_small", to_lower(config_text(config, "PriorityFavorSmall")));
  const std::set<std::string> flags = tokens(config_text(config, "PriorityFlags"));
  for (const auto& [key, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"accrue_always", "accrue_always"},
           {"small_relative_to_time", "small_relative_to_time"},
           {"calculate_running", "calculate_running"},
           {"depth_oblivious", "depth_oblivious"},
           {"increase_only", "incr_only"},
           {"max_tres", "max_tres"},
           {"no_normal_assoc", "no_normal_assoc"},
           {"no_normal_part", "no_normal_part"},
           {"no_normal_qos", "no_normal_qos"},
           {"no_normal_tres", "no_normal_tres"}})
    if (flags.contains(name)) put(map, key, "yes");
  if (flags.contains("no_fair_tree")) put(map, "fair_tree", "no");
  return map;
}

Value preemption(std::string_view config) {
  Value map = Value::map();
  const std::string type = config_text(config, "PreemptType");
  put(map, "type", type.substr(type.find('/') + 1));
  for (const std::string& word : tokens(config_text(config, "PreemptMode"))) {
    if (word == "gang")
      put(map, "gang", "yes");
    else
      put(map, "mode", word);
  }
  const std::string exempt = config_text(config, "PreemptExemptTime");
  if (exempt != "NONE") put(map, "exempt_time", exempt);
  if (map.entries.size() > 1 && tokens(config_text(config, "PreemptMode")).contains("gang"))
    put(map, "time_slice", with_unit(config_text(config, "SchedulerTimeSlice")));
  auto words = parameters(config_text(config, "SchedulerParameters"));
  words.merge(parameters(config_text(config, "PreemptParameters")));
  if (words.contains("preempt_youngest_first")) put(map, "youngest_first", "yes");
  if (words.contains("preempt_strict_order")) put(map, "strict_order", "yes");
  if (auto count = words.find("preempt_reorder_count");
      count != words.end() && count->second == "0")
    put(map, "reorder", "no");
  return map;
}

Value scheduler(std::string_view config) {
  Value map = Value::map();
  const std::string type = config_text(config, "SchedulerType");
  put(map, "type", type.substr(type.find('/') + 1));
  const auto words = parameters(config_text(config, "SchedulerParameters"));
  const auto word = [&](const char* name) {
    const auto found = words.find(name);
    return found == words.end() ? std::string() : found->second;
  };
  // 30 s is Slurm's own, which a file leaves unsaid.
  if (const std::string interval = word("bf_interval"); !interval.empty() && interval != "30")
    put(map, "backfill_interval", interval + "s");
  if (!word("bf_window").empty()) put(map, "backfill_window", word("bf_window") + "m");
  if (!word("bf_resolution").empty()) put(map, "backfill_resolution", word("bf_resolution") + "s");
  put(map, "backfill_max_job_test", word("bf_max_job_test"));
  if (word("bf_max_job_user") != "0") put(map, "backfill_max_job_user", word("bf_max_job_user"));
  if (word("bf_max_job_part") != "0") put(map, "backfill_max_job_part", word("bf_max_job_part"));
  put(map, "default_queue_depth", word("default_queue_depth"));
  if (words.contains("assoc_limit_stop")) put(map, "assoc_limit_stop", "yes");
  if (word("bf_min_prio_reserve") != "0")
    put(map, "backfill_min_prio_reserve", word("bf_min_prio_reserve"));
  if (!word("bf_min_age_reserve").empty() && word("bf_min_age_reserve") != "0")
    put(map, "backfill_min_age_reserve", word("bf_min_age_reserve") + "s");
  if (word("partition_job_depth") != "0")
    put(map, "partition_job_depth", word("partition_job_depth"));
  if (words.contains("pack_serial_at_end")) put(map, "pack_serial_at_end", "yes");
  if (words.contains("bf_busy_nodes")) put(map, "backfill_busy_nodes", "yes");
  const std::string select = to_lower(config_text(config, "SelectTypeParameters"));
  if (select.find("cr_socket") != std::string::npos) put(map, "cpu_unit", "socket");
  if (select.find("cr_lln") != std::string::npos) put(map, "least_loaded", "yes");
  if (select.find("cr_pack_nodes") != std::string::npos) put(map, "pack_nodes", "yes");
  if (to_lower(config_text(config, "TopologyParam")).find("topooptional") != std::string::npos)
    put(map, "topology_optional", "yes");
  if (!word("max_switch_wait").empty()) put(map, "max_switch_wait", word("max_switch_wait") + "s");
  if (config_text(config, "DependencyParameters").find("kill_invalid_depend") != std::string::npos)
    put(map, "kill_invalid_depend", "yes");
  // A requeued job waits until the credential of its last run has expired, and one second more.
  const auto auth = parameters(config_text(config, "AuthInfo"));
  if (const auto expire = auth.find("cred_expire"); expire != auth.end())
    put(map, "requeue_delay", fmt::format("{}s", number(expire->second) + 1));
  return map;
}

Value jobs(std::string_view config) {
  Value map = Value::map();
  put(map, "max_array_size", config_text(config, "MaxArraySize"));
  put(map, "max_job_count", config_text(config, "MaxJobCount"));
  put(map, "first_job_id", config_text(config, "FirstJobId"));
  put(map, "min_job_age", with_unit(config_text(config, "MinJobAge")));
  put(map, "kill_wait", with_unit(config_text(config, "KillWait")));
  if (const std::string over = config_text(config, "OverTimeLimit"); !is_unlimited(over))
    put(map, "over_time_limit", with_unit(over));
  put(map, "requeue", config_text(config, "JobRequeue") == "0" ? "no" : "yes");
  for (const auto& [key, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"def_mem_per_cpu", "DefMemPerCPU"},
           {"def_mem_per_node", "DefMemPerNode"},
           {"max_mem_per_cpu", "MaxMemPerCPU"},
           {"max_mem_per_node", "MaxMemPerNode"}})
    if (const std::string value = config_text(config, name); !is_unlimited(value))
      put(map, key, value);
  put_with_gpu(map, config_text(config, "JobDefaults"));
  const std::string select = to_lower(config_text(config, "SelectTypeParameters"));
  put(map, "memory_is_consumable", select.find("memory") == std::string::npos ? "no" : "yes");
  put(map, "enforce_part_limits", to_lower(config_text(config, "EnforcePartLimits")));
  Value hidden = Value::list();
  const std::set<std::string> words = tokens(config_text(config, "PrivateData"));
  for (const char* word : {"jobs", "usage", "users", "accounts"})
    if (words.contains(word)) hidden.items.push_back(Value::scalar(word));
  if (!hidden.items.empty()) map.add("private_data", std::move(hidden));
  return map;
}

// Settings that change what a job gets, and that a policy file has no words for.
void note_what_is_not_followed(std::string_view config, std::vector<std::string>& notes) {
  struct Words {
    const char* key;
    std::vector<const char*> words;
  };
  static const Words kWords[] = {{"SelectType", {"select/linear"}},
                                 {"SelectTypeParameters", {"cr_one_task_per_core"}},
                                 {"TopologyPlugin", {"topology/3d_torus", "topology/hypercube"}},
                                 {"TopologyParam", {"dragonfly"}},
                                 {"SchedulerParameters",
                                  {"bf_one_resv_per_job", "bf_licenses", "bf_running_job_reserve",
                                   "preempt_send_user_signal"}},
                                 {"AccountingStorageEnforce", {"wckeys"}}};
  for (const auto& [key, words] : kWords) {
    const auto set = parameters(config_text(config, key));
    for (const char* word : words)
      if (set.contains(word)) notes.push_back(fmt::format("{} {} is left as it is", key, word));
  }
}

class PartitionImport {
 public:
  PartitionImport(const Record& record, const std::set<std::string>& accounts,
                  const std::set<std::string>& qos, std::vector<std::string>& notes)
      : record_(record), accounts_(accounts), qos_(qos), notes_(notes) {}

  Value take(const std::string& cluster_mode, const std::set<std::string>& tres) {
    if (get("Nodes").empty())
      map_.add("nodes", Value::list());
    else
      put(map_, "nodes", get("Nodes"));
    put(map_, "default", to_lower(get("Default")));
    put(map_, "state", to_lower(get("State")));
    for (const auto& [key, name] : std::initializer_list<std::pair<const char*, const char*>>{
             {"max_time", "MaxTime"},
             {"default_time", "DefaultTime"},
             {"max_nodes", "MaxNodes"},
             {"min_nodes", "MinNodes"},
             {"priority_tier", "PriorityTier"},
             {"priority_job_factor", "PriorityJobFactor"},
             {"def_mem_per_cpu", "DefMemPerCPU"},
             {"def_mem_per_node", "DefMemPerNode"},
             {"max_mem_per_cpu", "MaxMemPerCPU"},
             {"max_mem_per_node", "MaxMemPerNode"},
             {"max_cpus_per_node", "MaxCPUsPerNode"}})
      if (!is_unlimited(get(name)) && get(name) != "NONE") put(map_, key, get(name));
    put_with_gpu(map_, get("JobDefaults"));
    if (to_lower(get("LLN")) == "yes") put(map_, "least_loaded", "yes");
    if (to_lower(get("ExclusiveUser")) == "yes") put(map_, "exclusive_user", "yes");
    if (const std::string over = get("OverTimeLimit"); whole_number(over))
      put(map_, "over_time_limit", over + "m");
    const std::string select = to_lower(get("SelectTypeParameters"));
    if (select.starts_with("cr_socket")) put(map_, "cpu_unit", "socket");
    if (select.starts_with("cr_core")) put(map_, "cpu_unit", "core");
    if (qos_.contains(get("QoS"))) put(map_, "qos", get("QoS"));
    put(map_, "oversubscribe", to_lower(get("OverSubscribe")));
    // Without one of its own a partition shows the cluster's mode.
    const std::string mode = to_lower(get("PreemptMode"));
    std::string own;
    for (const std::string_view word : split(mode, ','))
      if (word != "gang") own = word;
    if (!own.empty() && mode != cluster_mode) put(map_, "preempt_mode", own);
    if (get("GraceTime") != "0") put(map_, "grace_time", get("GraceTime") + "s");
    put(map_, "billing_weights", known_weights(get("TRESBillingWeights"), tres));
    list("allow_accounts", "AllowAccounts", &accounts_);
    list("deny_accounts", "DenyAccounts", &accounts_);
    list("allow_qos", "AllowQos", &qos_);
    list("deny_qos", "DenyQos", &qos_);
    list("allow_groups", "AllowGroups", nullptr);
    note_others();
    return std::move(map_);
  }

 private:
  std::string get(std::string_view key) const { return given(record_, key); }

  // What a file has no words for, unless it is as in every new partition.
  void note_others() {
    static const std::map<std::string, std::string> kUsual = {{"AllocNodes", "ALL"},
                                                              {"DisableRootJobs", "NO"},
                                                              {"Hidden", "NO"},
                                                              {"RootOnly", "NO"},
                                                              {"ReqResv", "NO"},
                                                              {"LLN", "NO"},
                                                              {"Alternate", ""},
                                                              {"ResumeTimeout", "GLOBAL"},
                                                              {"SuspendTimeout", "GLOBAL"},
                                                              {"SuspendTime", "GLOBAL"},
                                                              {"ExclusiveTopo", "NO"},
                                                              {"PowerDownOnIdle", "NO"},
                                                              {"MaxCPUsPerSocket", "UNLIMITED"}};
    for (const auto& [key, usual] : kUsual) {
      const std::string value = get(key);
      if (!value.empty() && value != usual && value != "INFINITE" && value != "(null)")
        notes_.push_back(
            fmt::format("partition {}: {}={} is left as it is", get("PartitionName"), key, value));
    }
  }

  void list(const char* key, const char* name, const std::set<std::string>* known) {
    const std::string text = get(name);
    if (text.empty() || text == "ALL") return;
    Value out = Value::list();
    std::vector<std::string> unknown;
    for (const std::string_view word : split(text, ','))
      if (known == nullptr || known->contains(std::string(word)))
        out.items.push_back(Value::scalar(std::string(word)));
      else
        unknown.emplace_back(word);
    // An empty list would let everybody in: keep what cannot be read, and let the reader say so.
    if (out.items.empty())
      for (const std::string& word : unknown) out.items.push_back(Value::scalar(word));
    else if (!unknown.empty())
      notes_.push_back(fmt::format("partition {}: {} names {}, which does not exist",
                                   get("PartitionName"), name, fmt::join(unknown, ",")));
    map_.add(key, std::move(out));
  }

  const Record& record_;
  const std::set<std::string>& accounts_;
  const std::set<std::string>& qos_;
  std::vector<std::string>& notes_;
  Value map_ = Value::map();
};

std::vector<std::string> tres_of(const SlurmTexts& texts) {
  std::vector<std::string> notes;
  return import_hardware(texts, notes).tres;
}

}  // namespace

ImportedHardware import_hardware(const SlurmTexts& texts, std::vector<std::string>& notes) {
  ImportedHardware out;
  std::set<std::string> types;
  for (const Record& record : records_of(texts.nodes, "NodeName=")) {
    Value node = Value::map();
    put(node, "name", given(record, "NodeName"));
    const std::int64_t cpus = number(given(record, "CPUTot"));
    std::int64_t sockets = std::max<std::int64_t>(1, number(given(record, "Sockets")));
    std::int64_t threads = std::max<std::int64_t>(1, number(given(record, "ThreadsPerCore")));
    // CPUs may count cores only, or be fewer than the hardware has.
    if (cpus % (sockets * threads) != 0) threads = 1;
    if (cpus % sockets != 0) {
      notes.push_back(fmt::format("node {}: {} CPUs on {} sockets are taken as one socket",
                                  given(record, "NodeName"), cpus, sockets));
      sockets = 1;
    }
    put(node, "cpus", std::to_string(cpus));
    put(node, "sockets", std::to_string(sockets));
    put(node, "threads_per_core", std::to_string(threads));
    put(node, "memory", given(record, "RealMemory"));
    put(node, "features", given(record, "AvailableFeatures"));
    put(node, "weight", given(record, "Weight"));
    add_gpus(node, given(record, "Gres"), types);
    out.nodes.items.push_back(std::move(node));
  }
  out.tres.assign(types.begin(), types.end());
  const std::string licenses = config_text(texts.config, "Licenses");
  for (const std::string_view word : split(licenses, ',')) {
    if (word.empty()) continue;
    const std::size_t colon = word.find(':');
    const std::string name(word.substr(0, colon));
    put(out.licenses, name,
        colon == std::string_view::npos ? "1" : std::string(word.substr(colon + 1)));
    out.tres.push_back("license/" + name);
  }
  return out;
}

Value import_switches(const SlurmTexts& texts) {
  Value map = Value::map();
  for (const Record& record : records_of(texts.switches, "SwitchName=")) {
    Value fields = Value::map();
    // Of a switch above others all nodes below it are shown as well.
    const std::string below = given(record, "Switches");
    put(fields, below.empty() ? "nodes" : "switches",
        below.empty() ? given(record, "Nodes") : below);
    map.add(given(record, "SwitchName"), std::move(fields));
  }
  return map;
}

Value import_partitions(const SlurmTexts& texts, const std::set<std::string>& accounts,
                        const std::set<std::string>& qos, std::vector<std::string>& notes) {
  Value map = Value::map();
  const std::set<std::string> tres = known_tres(tres_of(texts));
  const std::string mode = to_lower(config_text(texts.config, "PreemptMode"));
  for (const Record& record : records_of(texts.partitions, "PartitionName="))
    map.add(given(record, "PartitionName"),
            PartitionImport(record, accounts, qos, notes).take(mode, tres));
  return map;
}

void add_settings(Value& document, std::string_view config, const std::vector<std::string>& tres,
                  std::vector<std::string>& notes) {
  note_what_is_not_followed(config, notes);
  document.add("priority", priority(config, known_tres(tres)));
  document.add("preemption", preemption(config));
  document.add("scheduler", scheduler(config));
  document.add("jobs", jobs(config));
  Value enforce = Value::list();
  const std::set<std::string> words = tokens(config_text(config, "AccountingStorageEnforce"));
  for (const char* word : {"associations", "limits", "qos", "safe"})
    if (words.contains(word)) enforce.items.push_back(Value::scalar(word));
  if (enforce.items.empty())
    put(document, "enforce", "none");
  else
    document.add("enforce", std::move(enforce));
}

}  // namespace sluice
