// sluice policy plan FILE: what would have to be done to the live cluster, and whom it would hit.
#include "apps/policy_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "apps/files.h"
#include "apps/policy_embedded.h"
#include "apps/policy_verb.h"
#include "cli/command.h"
#include "policyfile/check.h"
#include "policyfile/policy_reader.h"
#include "policyfile/policy_writer.h"
#include "policyfile/yaml.h"
#include "text/scan.h"

namespace sluice {
namespace {

struct Options {
  std::string file = "policy.yaml";
  std::string out;
  std::string cluster;
  std::string on;
  bool json = false;
  bool exit_code = false;
  Consent consent;
};

Instant now() {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

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

Value names_value(const std::vector<std::string>& names) {
  Value out = Value::list();
  for (const std::string& name : names) out.items.push_back(Value::quoted_text(name));
  return out;
}

const Value* entry_of(const Value& map, std::string_view key) {
  for (const Entry& entry : map.entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::vector<std::string> names_of(const Value& map, std::string_view key) {
  std::vector<std::string> out;
  if (const Value* list = entry_of(map, key))
    for (const Value& item : list->items) out.push_back(item.text);
  return out;
}

ExitCode plan(const Options& options) {
  const auto embedded = is_for_daemon(options.on);
  if (!embedded) return report(embedded.error());
  if (*embedded) {
    EmbeddedPolicy asked{options.file, options.out, {}, options.cluster};
    asked.json = options.json;
    asked.exit_code = options.exit_code;
    const auto done = plan_embedded(asked);
    return done ? *done : report(done.error());
  }
  const auto wanted = read_policy_file(options.file);
  if (!wanted) return report(wanted.error());
  const auto target = slurm_policy_target();
  Aim aim = *wanted;
  aim.consent = options.consent;
  const auto prospect = look_ahead(*target, aim);
  if (!prospect) return report(prospect.error());
  if (const auto same =
          check_cluster_name(aim.policy, prospect->live.policy.cluster, options.cluster);
      !same)
    return report(same.error());
  if (!options.out.empty()) {
    const std::filesystem::path path(options.out);
    const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
    if (const auto done =
            write_files(folder, {{path.filename().string(), plan_file_text(aim, *prospect)}});
        !done)
      return report(done.error());
  }
  fmt::print("{}", options.json ? prospect_json(*prospect) : prospect_text(*prospect));
  if (!options.out.empty() && !options.json)
    fmt::print("To do exactly this, type: sluice policy apply --plan {}\n", options.out);
  return options.exit_code && !prospect->plan.empty() ? ExitCode::kWorkFailed : ExitCode::kDone;
}

}  // namespace

void add_consent_options(Command& verb, Consent& consent) {
  verb.add_option("--delete", consent.deletions,
                  "May be deleted although jobs are hit: a user, account, QoS or partition")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
  verb.add_option("--admin-level", consent.admin_levels, "This user's admin level may change")
      ->type_name("USER")
      ->expected(1)
      ->take_all();
  verb.add_option("--coordinator", consent.coordinators,
                  "What this user is coordinator of may change")
      ->type_name("USER")
      ->expected(1)
      ->take_all();
}

Result<Aim> read_policy_file(const std::string& path) {
  TRY(const std::string text, read_file(path));
  PolicyText read = read_policy_text(text, path, read_included);
  for (const Finding& finding : check_policy(read))
    if (finding.severity == Severity::kError)
      return tl::unexpected(Error{ErrorKind::kBadInput, finding.what, finding.where, finding.fix});
  Aim out;
  out.policy = std::move(read.policy);
  for (auto& [subject, fields] : read.slurm_only) out.slurm_only[to_lower(subject)] = fields;
  out.named = read.places.fields();
  return out;
}

Result<void> check_cluster_name(const Policy& wanted, const std::string& live,
                                const std::string& confirmed) {
  // "cluster" is what a file without a name is called.
  if (wanted.cluster == live || wanted.cluster == Policy{}.cluster || confirmed == live) return {};
  return bad_input(
      fmt::format("the file is for cluster '{}', and this is '{}'", wanted.cluster, live),
      fmt::format("if that is meant, add --cluster {}", live));
}

Result<Prospect> look_ahead(PolicyTarget& target, const Aim& aim) {
  Prospect out;
  TRY(out.live, target.read());
  TRY(const std::vector<QueuedJob> jobs, target.jobs());
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
  const auto after = on_live_machines(wanted, out.live.policy, jobs);
  if (after == nullptr)
    out.plan.notes.push_back(
        "which jobs would be hit is not known: the file has not all machines that jobs use");
  else
    out.effects = blast_radius(before, after, jobs, now());
  return out;
}

std::string prospect_text(const Prospect& prospect) {
  std::string out = plan_text(prospect.plan);
  if (prospect.plan.empty()) return out;
  if (prospect.effects.empty())
    out += "No job that waits or runs is hit.\n";
  else
    out += "Jobs that wait or run now:\n" + blast_text(prospect.effects);
  return out;
}

std::string prospect_json(const Prospect& prospect) {
  Value value = plan_value(prospect.plan);
  value.add("jobs", effects_value(prospect.effects));
  return print_json(value);
}

std::string plan_file_text(const Aim& aim, const Prospect& prospect) {
  Value value = plan_value(prospect.plan);
  value.add("jobs", effects_value(prospect.effects));
  Value consent = Value::map();
  consent.add("delete", names_value(aim.consent.deletions));
  consent.add("admin_level", names_value(aim.consent.admin_levels));
  consent.add("coordinator", names_value(aim.consent.coordinators));
  value.add("consent", std::move(consent));
  value.add("restore", Value::scalar(aim.restore ? "true" : "false"));
  Value organizations = Value::map();
  for (const auto& [account, name] : aim.organizations)
    organizations.add(account, Value::quoted_text(name));
  value.add("organizations", std::move(organizations));
  if (aim.named) {
    Value named = Value::list();
    for (const std::string& field : *aim.named) named.items.push_back(Value::quoted_text(field));
    value.add("named", std::move(named));
  }
  value.add("wanted", policy_value(aim.policy, aim.slurm_only));
  return print_json(value);
}

Result<PlanFile> read_plan_file(const std::string& path) {
  TRY(const std::string text, read_file(path));
  TRY(const Value value, parse_yaml(text, path));
  const auto wrong = [&] {
    return bad_input(fmt::format("'{}' is not a saved plan", path),
                     "make one with: sluice policy plan FILE --out PLAN");
  };
  const Value* schema = entry_of(value, "schema");
  const Value* wanted = entry_of(value, "wanted");
  const Value* steps = entry_of(value, "steps");
  const Value* cluster = entry_of(value, "cluster");
  if (schema == nullptr || schema->text != "sluice.policy.plan/1" || wanted == nullptr ||
      steps == nullptr || cluster == nullptr)
    return wrong();
  PlanFile out;
  out.cluster = cluster->text;
  PolicyText read = read_policy_document(*wanted);
  if (!read.errors.empty()) return tl::unexpected(read.errors.front());
  out.aim.policy = std::move(read.policy);
  out.aim.slurm_only = std::move(read.slurm_only);
  if (entry_of(value, "named") != nullptr) {
    const auto named = names_of(value, "named");
    out.aim.named.emplace(named.begin(), named.end());
  }
  if (const Value* consent = entry_of(value, "consent")) {
    out.aim.consent.deletions = names_of(*consent, "delete");
    out.aim.consent.admin_levels = names_of(*consent, "admin_level");
    out.aim.consent.coordinators = names_of(*consent, "coordinator");
  }
  const Value* restore = entry_of(value, "restore");
  out.aim.restore = restore != nullptr && restore->text == "true";
  if (const Value* organizations = entry_of(value, "organizations"))
    for (const Entry& entry : organizations->entries)
      out.aim.organizations[entry.key] = entry.value.text;
  for (const Value& step : steps->items)
    for (const std::string& subject : names_of(step, "subjects")) out.subjects.insert(subject);
  return out;
}

void add_policy_plan(Command& policy, ExitCode& exit_code) {
  Command* verb = policy.add_subcommand(
      "plan", "Show what would make the live cluster do what the file says, and whom it would hit");
  auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->file, "The policy file")->capture_default_str();
  verb->add_flag("--json", options->json, "As JSON");
  verb->add_flag("--exit-code", options->exit_code, "Exit with 1 where there are differences");
  verb->add_option("--out", options->out, "Keep the plan, to apply exactly this")
      ->type_name("PLAN");
  verb->add_option("--cluster", options->cluster,
                   "The live cluster's name, where the file is for another")
      ->type_name("NAME");
  add_on_option(*verb, options->on);
  add_consent_options(*verb, options->consent);
  verb->footer(
      "Changes nothing. Prints the sacctmgr and scontrol commands in the order in which apply\n"
      "would run them, the lines that only slurm.conf can hold, and every job that waits or runs\n"
      "and would be blocked, freed, ended or moved in the queue. On the daemon of this machine: "
      "the\n"
      "differences in words, and the jobs, tried out on a copy of it.\n"
      "Examples:\n  sluice policy plan policy.yaml\n"
      "  sluice policy plan policy.yaml --exit-code --json | jq '.steps[].says[]'\n"
      "  sluice policy plan policy.yaml --on embedded\n"
      "  sluice policy plan policy.yaml --out today.plan && sluice policy apply --plan today.plan");
  verb->callback([options, &exit_code] { exit_code = plan(*options); });
}

}  // namespace sluice
