// The sections of a policy file, in the order in which they need each other.
#include "policyfile/read/policy_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "policyfile/read/field_reader.h"
#include "policyfile/read/section_readers.h"
#include "policyfile/read/sections.h"
#include "text/spelling.h"

namespace sluice {
namespace {

template <class T>
void read_settings(FieldReader& file, const Key& key, Reading& reading,
                   void (*describe)(FieldVisitor&, T&), T& settings) {
  const Value* value = file.raw(key);
  if (value == nullptr) return;
  FieldReader fields(*value, std::string(key.name), reading);
  describe(fields, settings);
  fields.finish();
}

void read_licenses(const Value& value, Policy& policy, Reading& reading) {
  FieldReader fields(value, "licenses", reading);
  for (const Entry& entry : value.entries) {
    License license{entry.key, 0};
    if (!is_plain_name(entry.key)) {
      reading.error(entry.place, "licenses", fmt::format("'{}' is not a name", entry.key),
                    "use letters, digits and _ . - + @");
      continue;
    }
    fields.whole({entry.key, ""}, license.count);
    if (auto added = reading.tres.add("license/" + entry.key); !added)
      reading.error(entry.place, "licenses", added.error().what, added.error().hint);
    policy.licenses.push_back(std::move(license));
  }
}

void read_priority(FieldReader& file, Policy& policy, Reading& reading) {
  const Key key = {"priority", ""};
  read_settings(file, key, reading, describe_priority, policy.priority);
  const Value* value = file.raw(key);
  if (value == nullptr) return;
  const bool typed = std::any_of(value->entries.begin(), value->entries.end(),
                                 [](const Entry& entry) { return folded(entry.key) == "type"; });
  // Weights in the file are meant.
  const PrioritySettings& p = policy.priority;
  if (!typed && (p.weight_age != 0 || p.weight_assoc != 0 || p.weight_fairshare != 0 ||
                 p.weight_job_size != 0 || p.weight_partition != 0 || p.weight_qos != 0 ||
                 !p.weight_tres.empty()))
    policy.priority.type = PriorityType::kMultifactor;
}

void read_preemption(FieldReader& file, Policy& policy, Reading& reading) {
  const Value* value = file.raw({"preemption", ""});
  if (value == nullptr) return;
  // mode: suspend,gang is slurm.conf's way to say mode: suspend and gang: yes.
  Value plain = *value;
  bool gang = false;
  for (Entry& entry : plain.entries) {
    const std::string written = folded(entry.key);
    if ((written != "mode" && written != "preemptmode") || !entry.value.is_scalar()) continue;
    std::string word = folded(entry.value.text);
    if (word == "gang") {
      gang = true;
      entry.value.text = "off";
    } else if (word.ends_with(",gang")) {
      gang = true;
      entry.value.text = word.substr(0, word.size() - 5);
    } else if (word.starts_with("gang,")) {
      gang = true;
      entry.value.text = word.substr(5);
    }
  }
  policy.preemption.gang = gang;
  FieldReader fields(plain, "preemption", reading);
  describe_preemption(fields, policy.preemption);
  fields.finish();
}

void read_enforce(FieldReader& file, Policy& policy) {
  describe_enforce(file, policy.enforce);
  // As in Slurm: limits and qos are nothing without associations, safe is nothing without limits.
  EnforceSettings& enforce = policy.enforce;
  if (enforce.safe) enforce.limits = true;
  if (enforce.limits || enforce.qos) enforce.associations = true;
}

void look_up_references(const Policy& policy, Reading& reading) {
  std::vector<std::string> accounts;
  for (const Association& association : policy.associations)
    if (association.user.empty()) accounts.push_back(association.account);
  std::vector<std::string> sorted = accounts;
  std::sort(sorted.begin(), sorted.end());
  for (const Reading::Reference& reference : std::vector(reading.references)) {
    if (reference.to == Refers::kQos)
      reading.find_qos(reference.name, reference.place, reference.field);
    else if (reference.to == Refers::kAccount &&
             !std::binary_search(sorted.begin(), sorted.end(), reference.name))
      reading.error(reference.place, reference.field,
                    fmt::format("there is no account '{}'", reference.name),
                    allowed_words(reference.name, accounts));
  }
}

void read_intents(const Value& value, std::vector<IntentText>& intents, Reading& reading) {
  reading.places.put("intents", value.place);
  if (value.is_scalar()) intents.push_back({value.text, value.place});
  if (value.is_map())
    reading.error(value.place, "intents", "is a map, a list of sentences belongs here",
                  "write - user gpus in interactive <= 4");
  for (const Value& item : value.items) {
    if (item.is_scalar())
      intents.push_back({item.text, item.place});
    else
      reading.error(item.place, "intents",
                    fmt::format("has {} in its list, a sentence belongs there", item.described()),
                    "write - user gpus in interactive <= 4");
  }
}

void read_document(const Value& document, Policy& policy, std::vector<IntentText>& intents,
                   Reading& reading) {
  static const Value nothing;
  auto section = [&](const Value* value) -> const Value& { return value ? *value : nothing; };
  FieldReader file(document, "", reading);
  if (!document.is_map()) return;
  file.raw({"include", ""});  // Already merged; named among the keys that are allowed.
  file.name({"cluster", ""}, policy.cluster, Refers::kNothing);

  if (const Value* nodes = file.raw({"nodes", ""})) read_nodes(*nodes, policy, reading);
  if (const Value* value = file.raw({"switches", ""})) read_switches(*value, policy, reading);
  if (const Value* licenses = file.raw({"licenses", ""})) read_licenses(*licenses, policy, reading);
  read_qos(section(file.raw({"qos", ""})), policy, reading);
  read_partitions(file.raw({"partitions", ""}), policy, reading);

  const Value* accounts = file.raw({"accounts", ""});
  // The file does not say who may use what: every user may use all.
  if (accounts == nullptr) policy.enforce = EnforceSettings{false, false, false, false};
  read_accounts(accounts, policy, reading);
  if (const Value* users = file.raw({"users", ""})) read_users(*users, policy, reading);

  if (const Value* value = file.raw({"reservations", ""}))
    read_reservations(*value, policy, reading);

  read_priority(file, policy, reading);
  read_preemption(file, policy, reading);
  read_settings(file, {"scheduler", ""}, reading, describe_scheduler, policy.scheduler);
  read_settings(file, {"jobs", ""}, reading, describe_jobs, policy.jobs);
  read_enforce(file, policy);
  if (const Value* value = file.raw({"intents", ""})) read_intents(*value, intents, reading);
  file.finish();
  look_up_references(policy, reading);
  policy.tres = reading.tres;
}

}  // namespace

PolicyText read_policy_text(std::string_view text, std::string_view file_name,
                            const ReadFile& read_file) {
  PolicyText out;
  Result<Value> document = load_document(text, file_name, read_file);
  if (!document) {
    out.errors.push_back(std::move(document.error()));
    return out;
  }
  return read_policy_document(*document);
}

PolicyText read_policy_document(const Value& document) {
  PolicyText out;
  Reading reading;
  read_document(document, out.policy, out.intents, reading);
  out.errors = std::move(reading.errors);
  out.places = std::move(reading.places);
  out.slurm_only = std::move(reading.slurm_only);
  return out;
}

Result<Policy> read_policy(std::string_view text, std::string_view file_name,
                           const ReadFile& read_file) {
  PolicyText read = read_policy_text(text, file_name, read_file);
  if (!read.errors.empty()) return tl::unexpected(std::move(read.errors.front()));
  return std::move(read.policy);
}

}  // namespace sluice
