#include "targets/plan_file.h"

#include <fmt/format.h>

#include "host/files/files.h"
#include "policyfile/check/check.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/read/yaml.h"
#include "policyfile/write/policy_writer.h"
#include "text/scan.h"

namespace sluice {
namespace {

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

}  // namespace

std::string plan_file_text(const Aim& aim, const Prospect& prospect) {
  Value value = prospect_value(prospect);
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
  if (schema == nullptr || schema->text != kPlanSchema || wanted == nullptr || steps == nullptr ||
      cluster == nullptr)
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

Result<std::string> engine_of_plan(const std::string& path) {
  TRY(const std::string text, read_file(path));
  TRY(const Value value, parse_yaml(text, path));
  const Value* schema = entry_of(value, "schema");
  if (schema == nullptr || schema->text != kPlanSchema)
    return bad_input(fmt::format("'{}' is not a saved plan", path),
                     "make one with: sluice policy plan FILE --out PLAN");
  const Value* engine = entry_of(value, "engine");
  return engine == nullptr ? std::string("slurm") : engine->text;
}

Result<std::string> read_policy_document(const std::string& path) {
  auto text = read_file(path);
  if (!text && text.error().hint.empty())
    text.error().hint = "name the policy file, or write one: sluice policy init";
  return text;
}

Result<Aim> read_policy_file(const std::string& path) {
  TRY(const std::string text, read_policy_document(path));
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

}  // namespace sluice
