// rules: a list of {match: {...}, to: {...}} or {match: {...}, drop: yes}.
#include "sim/workloads/mapping_rules.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include "policyfile/read/field_reader.h"
#include "policyfile/read/yaml.h"
#include "text/duration.h"
#include "text/scan.h"

namespace sluice {
namespace {

bool fits(const std::string& pattern, std::string_view name) {
  return pattern.empty() || ::fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0;
}

Result<std::int64_t> read_end(std::string_view text, bool duration) {
  if (duration) {
    TRY(const TimeLimit limit, parse_friendly_duration(text));
    if (limit.unlimited()) return bad_input("is not a time", "write 5m, 2h or 3d");
    return to_seconds(*limit.duration);
  }
  const auto value = whole_number(text);
  if (!value) return bad_input(fmt::format("'{}' is not a number", text), "write 4, 1..4 or 16..");
  return *value;
}

// "4", "1..4", "..4", "16.."
Result<Bounds> read_bounds(std::string_view text, bool duration) {
  Bounds out;
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    TRY(const std::int64_t value, read_end(text, duration));
    out.least = out.most = value;
    return out;
  }
  if (dots > 0) {
    TRY(out.least, read_end(text.substr(0, dots), duration));
  }
  if (dots + 2 < text.size()) {
    TRY(out.most, read_end(text.substr(dots + 2), duration));
  }
  return out;
}

void bounds(FieldReader& fields, const Key& key, bool duration, Bounds& out) {
  const Value* value = fields.scalar(key);
  if (value == nullptr) return;
  if (const auto read = read_bounds(value->text, duration))
    out = *read;
  else
    fields.error(*value, key, read.error().what, read.error().hint);
}

void name_of_policy(FieldReader& fields, const Key& key, std::string& out, const Policy& policy,
                    bool (*has)(const Policy&, const std::string&), std::string_view noun) {
  const Value* value = fields.scalar(key);
  if (value == nullptr) return;
  out = value->text;
  if (!has(policy, out))
    fields.error(*value, key, fmt::format("the policy has no {} '{}'", noun, out));
}

MappingRule read_rule(const Value& item, std::size_t number, const Policy& policy,
                      Reading& reading) {
  MappingRule rule;
  const std::string path = fmt::format("rules[{}]", number + 1);
  FieldReader fields(item, path, reading);
  if (const Value* match = fields.raw({"match", ""}); match != nullptr) {
    FieldReader names(*match, path + ".match", reading);
    names.text({"user", ""}, rule.user);
    names.text({"account", "", {"group"}}, rule.account);
    names.text({"qos", ""}, rule.qos);
    names.text({"queue", ""}, rule.queue);
    names.text({"partition", ""}, rule.partition);
    names.text({"program", ""}, rule.program);
    bounds(names, {"cpus", ""}, false, rule.cpus);
    bounds(names, {"gpus", ""}, false, rule.gpus);
    bounds(names, {"limit", "", {"time"}}, true, rule.limit_seconds);
    names.finish();
  }
  if (const Value* to = fields.raw({"to", ""}); to != nullptr) {
    FieldReader names(*to, path + ".to", reading);
    name_of_policy(
        names, {"user", ""}, rule.to_user, policy,
        [](const Policy& p, const std::string& n) { return p.find_user(n).has_value(); }, "user");
    name_of_policy(
        names, {"account", ""}, rule.to_account, policy,
        [](const Policy& p, const std::string& n) { return p.find_account(n).has_value(); },
        "account");
    name_of_policy(
        names, {"qos", ""}, rule.to_qos, policy,
        [](const Policy& p, const std::string& n) { return p.find_qos(n).has_value(); }, "QoS");
    name_of_policy(
        names, {"partition", ""}, rule.to_partition, policy,
        [](const Policy& p, const std::string& n) { return p.find_partition(n).has_value(); },
        "partition");
    names.finish();
  }
  fields.flag({"drop", ""}, rule.drop);
  fields.finish();
  if (!rule.drop && rule.to_user.empty() && rule.to_account.empty() && rule.to_qos.empty() &&
      rule.to_partition.empty())
    reading.error(item.place, path, "does nothing", "write to: {qos: NAME}, or drop: yes");
  return rule;
}

}  // namespace

bool MappingRule::matches(const LoggedJob& job) const {
  return fits(user, job.user) && fits(account, job.account) && fits(qos, job.qos) &&
         fits(queue, job.queue) && fits(partition, job.partition) && fits(program, job.program) &&
         cpus.has(job.cpus) && gpus.has(job.gpus) && limit_seconds.has(to_seconds(job.limit));
}

Result<MappingRules> read_mapping_rules(std::string_view text, std::string_view file_name,
                                        const Policy& policy) {
  TRY(const Value whole, parse_yaml(text, file_name));
  MappingRules out;
  Reading reading;
  FieldReader fields(whole, "", reading);
  const Value* rules = fields.raw({"rules", ""});
  if (rules == nullptr || !rules->is_list())
    reading.error(whole.place, "rules", "a list belongs here",
                  "write: rules: [{match: {queue: q1}, to: {qos: NAME}}]");
  else
    for (std::size_t i = 0; i < rules->items.size(); ++i)
      out.rules.push_back(read_rule(rules->items[i], i, policy, reading));
  fields.finish();
  if (!reading.errors.empty()) return tl::unexpected<Error>(reading.errors.front());
  return out;
}

}  // namespace sluice
