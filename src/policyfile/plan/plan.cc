// Two policies compared, field by field.
#include "policyfile/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "policyfile/plan/plan_parts.h"
#include "policyfile/read/quantities.h"
#include "text/plural.h"
#include "text/scan.h"

namespace sluice {
namespace {

void lower(std::string& text) { text = to_lower(text); }
void lower(std::vector<std::string>& texts) {
  for (std::string& text : texts) lower(text);
}

void whole_minutes(std::optional<Duration>& time) {
  if (time) time = std::chrono::ceil<std::chrono::minutes>(*time);
}

bool is_tres(const Value& file_value) { return file_value.is_map(); }

std::map<std::string, std::string> pairs_of(std::string_view text) {
  std::map<std::string, std::string> out;
  for (const std::string& word : comma_words(text)) {
    const std::size_t equals = word.find('=');
    out[to_lower(word.substr(0, equals))] = word.substr(equals + 1);
  }
  return out;
}

std::string words(const Value& value) {
  if (value.is_scalar()) return value.text;
  std::vector<std::string> out;
  for (const Value& item : value.items) out.push_back(item.text);
  for (const Entry& entry : value.entries) out.push_back(entry.key + "=" + entry.value.text);
  return fmt::format("{}", fmt::join(out, ","));
}

const std::string& text_of(const FieldWriter& fields, std::string_view name) {
  static const std::string kNothing;
  for (const auto& [key, value] : fields.fields)
    if (key == name) return value.text;
  return kNothing;
}

// slurmdbd 22.05 lays this one over the users' limit of the same kind instead of over itself, and
// -1 leaves a part alone where -2 clears it: everything is written, and all else cleared.
std::string account_run_minutes(const FieldWriter& live, const std::string& wanted) {
  const auto after = pairs_of(wanted);
  auto cleared = pairs_of(text_of(live, "MaxTRESRunMinsPerAccount"));
  cleared.merge(pairs_of(text_of(live, "MaxTRESRunMinsPerUser")));
  std::vector<std::string> out;
  for (const auto& [name, amount] : after) out.push_back(name + "=" + amount);
  for (const auto& [name, amount] : cleared)
    if (!after.contains(name)) out.push_back(name + "=-2");
  return fmt::format("{}", fmt::join(out, ","));
}

// Only what changes; what is no longer limited becomes -1.
std::string tres_setting(const std::string& live, const std::string& wanted) {
  const auto before = pairs_of(live);
  const auto after = pairs_of(wanted);
  std::vector<std::string> out;
  for (const auto& [name, amount] : after)
    if (const auto old = before.find(name); old == before.end() || old->second != amount)
      out.push_back(name + "=" + amount);
  for (const auto& [name, amount] : before)
    if (!after.contains(name)) out.push_back(name + "=-1");
  return fmt::format("{}", fmt::join(out, ","));
}

}  // namespace

std::vector<std::string> comma_words(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view word : split(text, ','))
    if (!word.empty()) out.emplace_back(word);
  return out;
}

std::vector<FieldChange> changes_between(const FieldWriter& live, const FieldWriter& wanted,
                                         const FieldWriter& live_words,
                                         const FieldWriter& wanted_words) {
  std::vector<FieldChange> out;
  for (std::size_t i = 0; i < wanted.fields.size(); ++i) {
    const std::string& name = wanted.fields[i].first;
    const std::string& before = live.fields[i].second.text;
    const std::string& after = wanted.fields[i].second.text;
    if (before == after) continue;
    FieldChange change{
        name, {}, words(live_words.fields[i].second), words(wanted_words.fields[i].second)};
    const std::string key = sacctmgr_key(name);
    if (is_tres(wanted_words.fields[i].second) || is_tres(live_words.fields[i].second)) {
      if (pairs_of(before) == pairs_of(after)) continue;
      change.settings =
          fmt::format("{}={}", key,
                      name == "MaxTRESRunMinsPerAccount" ? account_run_minutes(live, after)
                                                         : tres_setting(before, after));
    } else if (name == "qos" || name == "Preempt" || name == "Flags") {
      auto a = comma_words(before);
      auto b = comma_words(after);
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      if (a == b) continue;
    } else if (name == "default_qos") {
      change.settings = fmt::format("{}={}", key, after.empty() ? "-1" : after);
    } else {
      change.settings = fmt::format("{}={}", key, after == "unlimited" ? "-1" : after);
    }
    out.push_back(std::move(change));
  }
  return out;
}

namespace {

// 812 for 812G, 312.5 for 320000M: gigabytes, as people speak of memory.
std::string gigabytes(std::int64_t megabytes) {
  std::string out = print_millionths(megabytes * 1'000'000 / 1024);
  return out.substr(0, out.find('.') == std::string::npos ? out.size() : out.find('.') + 3);
}

struct Amount {
  std::string text;  // With its unit.
  std::string bare;
  std::int64_t value = 0;
};

// "gres/gpu=3" to "3 GPU".
std::optional<Amount> amount_of(const std::string& name, const std::string& text) {
  if (name == "mem") {
    const auto megabytes = read_memory(text);
    if (!megabytes) return std::nullopt;
    return Amount{gigabytes(*megabytes) + " GB", gigabytes(*megabytes), *megabytes};
  }
  const auto value = whole_number(text);
  if (!value) return std::nullopt;
  std::string unit = name;
  if (name == "gres/gpu") unit = "GPU";
  if (name == "cpu") unit = "CPU";
  if (name.starts_with("gres/gpu:")) unit = name.substr(9) + " GPU";
  return Amount{fmt::format("{} {}", *value, unit), text, *value};
}

// "fell from 3 GPU/812 GB to 1/312.5", where the same resources are limited before and after.
std::optional<std::string> moved(const FieldChange& change) {
  const auto before = pairs_of(change.from);
  const auto after = pairs_of(change.to);
  std::vector<std::string> from;
  std::vector<std::string> to;
  bool rose = false;
  bool fell = false;
  // GPUs first, then CPUs and memory: what people look for.
  std::vector<std::string> names;
  for (const auto& [name, amount] : before) names.push_back(name);
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(!a.starts_with("gres/"), a) < std::pair(!b.starts_with("gres/"), b);
  });
  for (const std::string& name : names) {
    const auto then = after.find(name);
    if (then == after.end()) return std::nullopt;
    const auto old = amount_of(name, before.at(name));
    const auto now = amount_of(name, then->second);
    if (!old || !now) return std::nullopt;
    if (old->value == now->value) continue;
    (now->value > old->value ? rose : fell) = true;
    from.push_back(old->text);
    to.push_back(now->bare);
  }
  if (from.empty() || before.size() != after.size()) return std::nullopt;
  return fmt::format("{} from {} to {}", rose == fell ? "changed" : (rose ? "rose" : "fell"),
                     fmt::join(from, "/"), fmt::join(to, "/"));
}

}  // namespace

std::string change_text(const FieldChange& change, Tense tense) {
  const auto shown = [](const std::string& text) {
    return text.empty() ? std::string("nothing") : text;
  };
  if (tense == Tense::kPlan)
    return fmt::format("{} {}, was {}", change.name, shown(change.to), shown(change.from));
  if (change.from.find('=') != std::string::npos)
    if (const auto sentence = moved(change)) return fmt::format("{} {}", change.name, *sentence);
  const auto before = whole_number(change.from);
  const auto after = whole_number(change.to);
  const char* verb = "changed";
  if (before && after) verb = *after > *before ? "rose" : "fell";
  return fmt::format("{} {} from {} to {}", change.name, verb, shown(change.from),
                     shown(change.to));
}

PlanStep PlanContext::removal(Argv argv, std::string subject, std::string says,
                              const std::string& name, std::vector<std::string> hits) const {
  PlanStep step;
  step.argv = std::move(argv);
  step.kind = StepKind::kRemove;
  step.subjects = {std::move(subject)};
  step.says = {std::move(says)};
  if (!hits.empty() && !options.deletions.contains(name)) step.needs = "--delete " + name;
  step.hits = std::move(hits);
  return step;
}

void PlanContext::cancel_first(const PlanStep& removal, Argv which) {
  if (removal.hits.empty() || !removal.needs.empty()) return;
  PlanStep step;
  step.argv = {"scancel"};
  step.argv.insert(step.argv.end(), which.begin(), which.end());
  step.kind = StepKind::kRemove;
  step.subjects = removal.subjects;
  step.says = {fmt::format("{} {} cancelled", plural(removal.hits.size(), "job"),
                           removal.hits.size() == 1 ? "is" : "are")};
  last.push_back(std::move(step));
}

std::size_t Plan::held_back() const {
  return static_cast<std::size_t>(std::count_if(
      steps.begin(), steps.end(), [](const PlanStep& step) { return !step.needs.empty(); }));
}

Policy as_slurm_keeps(Policy policy) {
  for (Qos& qos : policy.qos) {
    lower(qos.name);
    qos.description = slurm_description(qos.description);
    whole_minutes(qos.job.max_wall);
    whole_minutes(qos.group.wall);
    qos.grace_time = seconds(to_seconds(qos.grace_time));
    if (qos.preempt_exempt_time)
      qos.preempt_exempt_time = seconds(to_seconds(*qos.preempt_exempt_time));
  }
  for (Association& association : policy.associations) {
    lower(association.account);
    lower(association.user);
    association.description = slurm_description(association.description);
    if (!association.user.empty() || !association.parent) association.description.clear();
    whole_minutes(association.job.max_wall);
    whole_minutes(association.group.wall);
  }
  for (User& user : policy.users) {
    lower(user.name);
    lower(user.default_account);
    lower(user.coordinates);
  }
  for (Partition& partition : policy.partitions) {
    whole_minutes(partition.max_time);
    whole_minutes(partition.default_time);
    if (partition.default_time == partition.max_time) partition.default_time.reset();
    if (partition.min_nodes == 1) partition.min_nodes = 0;
    if (partition.grace_time) partition.grace_time = seconds(to_seconds(*partition.grace_time));
    if (partition.grace_time == Duration(0)) partition.grace_time.reset();
    for (auto* names : {&partition.allow_accounts, &partition.deny_accounts, &partition.allow_qos,
                        &partition.deny_qos})
      lower(*names);
    // A deny list counts only where its allow list is empty.
    if (!partition.allow_accounts.empty()) partition.deny_accounts.clear();
    if (!partition.allow_qos.empty()) partition.deny_qos.clear();
  }
  return policy;
}

Plan make_plan(const LivePolicy& live, const Policy& wanted, const PlanOptions& options) {
  Plan plan;
  plan.cluster = live.policy.cluster;
  plan.notes = live.notes;
  for (const ReservationRequest& request : wanted.reservations)
    plan.notes.push_back(fmt::format(
        "reservation {}: on a Slurm they are made with scontrol create reservation", request.name));
  Policy kept = as_slurm_keeps(wanted);
  if (options.named) keep_unnamed(kept, live.policy, *options.named);
  PlanContext context{live, kept, options, plan, {}};
  plan_qos(context);
  plan_associations(context);
  plan_slurm_only(context);
  plan_users(context);
  plan_partitions(context);
  for (PlanStep& step : context.last) plan.steps.push_back(std::move(step));
  if (options.only)
    std::erase_if(plan.steps, [&](const PlanStep& step) {
      return std::none_of(step.subjects.begin(), step.subjects.end(),
                          [&](const std::string& name) { return options.only->contains(name); });
    });
  else
    plan_conf(context);
  return plan;
}

}  // namespace sluice
