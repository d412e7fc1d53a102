// The arithmetic is that of routing's books; the words are Slurm's where Slurm has said some.
#include "views/slurm_why.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/limit_table.h"
#include "policyfile/read/value.h"
#include "text/begin_time.h"
#include "text/duration.h"
#include "text/memory.h"
#include "text/printable.h"
#include "views/pool_words.h"
#include "views/slurm_advice.h"

namespace sluice {
namespace {

std::string sentence_of(const SlurmWhy& why, const std::optional<Bound>& binding) {
  const std::string& reason = why.waiting.reason;
  if (reason == "BeginTime" && why.restarts > 0)
    return fmt::format("was put back into the queue and waits out its requeue delay{}",
                       why.start ? fmt::format(", until {} UTC", format_time(*why.start)) : "");
  if (reason == "BeginTime") return "waits for its begin time";
  if (reason == "JobHeldUser") return "is held by its owner";
  if (reason == "JobHeldAdmin") return "is held by an administrator";
  if (reason == "Dependency") return "waits for another job";
  if (reason == "DependencyNeverSatisfied") return "waits for what can no longer happen";
  if (reason == "Priority") return "waits for its turn: others in its partition come first";
  if (reason == "Resources") return "is the next in its partition and waits for free nodes";
  if (reason == "JobArrayTaskLimit") return "waits for other tasks of its array (its % limit)";
  const auto rule = rule_of_word(reason);
  if (rule && is_limit(*rule))
    return binding ? "waits for a limit"
                   : "waits for a limit that has room again: Slurm will start it";
  if (reason == "None") return "waits for Slurm to look at it";
  return "waits: " + reason;
}

// Whose jobs count against the gate.
bool counts(const HeldJob& job, const Bound& gate, const Description& seen) {
  if (!holds_nodes(job.state)) return false;
  const Policy& policy = *seen.policy;
  switch (gate.reason.holder) {
    case LimitHolder::kJobQos:
      return job.qos == gate.name;
    case LimitHolder::kPartitionQos:
      for (const Partition& partition : policy.partitions)
        if (partition.name == job.partition && partition.qos &&
            policy.qos[partition.qos->index()].name == gate.name)
          return true;
      return false;
    case LimitHolder::kAssociation: {
      const Association& limit = policy.associations[gate.reason.holder_id];
      if (!limit.user.empty()) return job.account == limit.account && job.user == limit.user;
      // Everything below that account.
      auto id = policy.find_account(job.account);
      while (id) {
        if (id->value() == gate.reason.holder_id) return true;
        id = policy.associations[id->index()].parent;
      }
      return false;
    }
    case LimitHolder::kPartition:
      return gate.name.find(job.partition) != std::string::npos;
    case LimitHolder::kNone:
      break;
  }
  return false;
}

void add_holders(SlurmWhyCard& card, const Description& seen) {
  const Bound& gate = *card.binding;
  const bool of_user = limit_is_for_each(gate.reason.rule, LimitWhose::kUser);
  for (const HeldJob& job : seen.jobs)
    if (counts(job, gate, seen) && (!of_user || job.user == seen.user))
      card.holders.push_back(&job);
  std::stable_sort(card.holders.begin(), card.holders.end(), [](const auto* a, const auto* b) {
    return a->ends_by.value_or(Instant::max()) < b->ends_by.value_or(Instant::max());
  });
  // Where something else is shut too, the end of these makes no room.
  const auto shut = std::count_if(card.gates.begin(), card.gates.end(), [](const Bound& one) {
    return one.fits == 0 && one.kind != Bound::Kind::kSubmission;
  });
  if (gate.kind != Bound::Kind::kTogether || shut > 1) return;
  const LimitRow* row = find_limit(gate.reason.rule);
  if (row == nullptr || row->counts != LimitCounts::kRunning) return;
  const bool jobs = row->unit == LimitUnit::kJobs;
  if (!jobs && (row->unit != LimitUnit::kTres || row->whose == LimitWhose::kAccount)) return;
  std::int64_t left = gate.reason.limit - gate.reason.used;
  for (const HeldJob* job : card.holders) {
    if (!job->ends_by) return;
    left += jobs ? 1 : job->tres[gate.reason.tres];
    if (left >= gate.reason.asked) {
      card.room_by = job->ends_by;
      return;
    }
  }
}

std::string gate_mark(const Bound& gate, const std::optional<Bound>& binding) {
  if (gate.fits > 0) return "open";
  return binding && gate == *binding ? "SHUT" : "shut";
}

}  // namespace

SlurmWhyCard explain_waiting(const SlurmWhy& why, const Description& seen,
                             const RoutingSettings& settings) {
  SlurmWhyCard out;
  const Policy& policy = *seen.policy;
  if (const auto seat = seat_of_waiting(why, seen)) {
    Room room = Books::held(seen).room(*seat, why.waiting.need);
    out.gates = std::move(room.gates);
    // Of several that are shut the one Slurm names comes first.
    for (const Bound& gate : out.gates)
      if (gate.fits == 0 && gate.kind != Bound::Kind::kSubmission &&
          (!out.binding || slurm_word(gate.reason, policy.tres) == why.waiting.reason))
        out.binding = gate;
  }
  if (out.binding) add_holders(out, seen);
  out.sentence = sentence_of(why, out.binding);
  out.help = advice_for(why, out, seen, settings);
  return out;
}

std::string why_text(const SlurmWhy& why, const SlurmWhyCard& card, const Description& seen,
                     Instant now) {
  const TresRegistry& registry = seen.policy->tres;
  std::string out =
      fmt::format("{}{}{} of {} in {}{}: {}\n", why.id, why.name.empty() ? "" : " ",
                  printable(why.name), why.user, why.waiting.account,
                  why.waiting.partitions.empty()
                      ? ""
                      : " on " + fmt::format("{}", fmt::join(why.waiting.partitions, ",")),
                  why.waiting.reason);
  out += fmt::format("  It {}", card.sentence);
  out += fmt::format("; submitted {} ago.\n",
                     format_friendly_duration(seconds(to_seconds(now - why.waiting.since))));
  if (card.binding)
    out += fmt::format("  {}\n", gate_text(*card.binding, why.waiting.need, registry));
  std::size_t shown = 0;
  for (const HeldJob* job : card.holders) {
    if (++shown > 5) {
      out += fmt::format("    and {} more jobs\n", card.holders.size() - 5);
      break;
    }
    out += fmt::format(
        "    {} holds {} with job {}{}{}\n", job->user, amounts_text(job->tres, registry),
        job->job.value(), job->task ? fmt::format("_{}", *job->task) : "",
        job->ends_by ? fmt::format(" until {} UTC at most", format_time(*job->ends_by)) : "");
  }
  if (card.room_by)
    out += fmt::format("  There is room by {} UTC, if no job ends earlier.\n",
                       format_time(*card.room_by));
  if (why.start)
    out += fmt::format("  Slurm expects it to start at {} UTC.\n", format_time(*why.start));
  if (!card.gates.empty()) {
    out += "\nGates, in Slurm's order:\n";
    for (const Bound& gate : card.gates)
      out += fmt::format("  {}  {}\n", gate_mark(gate, card.binding),
                         gate_text(gate, why.waiting.need, registry));
  }
  if (!why.priority.empty()) {
    std::int64_t total = 0;  // Slurm's own where it says one: it rounds once, at the end.
    std::string parts;
    for (const PriorityPart& part : why.priority) {
      total += part.value;
      if (part.value != 0)
        parts += fmt::format("{}{} {}", parts.empty() ? "" : " + ", part.name, part.value);
    }
    out += fmt::format("\nPriority {}{}\n", why.total_priority.value_or(total),
                       parts.empty() ? "" : " = " + parts);
  }
  if (!card.help.empty()) out += "\nWhat would help:\n";
  for (const WhatHelps& help : card.help)
    out += help.command.empty() ? fmt::format("  {}\n", help.what)
                                : fmt::format("  {}: {}\n", help.what, help.command);
  for (const std::string& one : seen.unseen) out += fmt::format("Not seen: {}.\n", one);
  return out;
}

Value why_value(const SlurmWhy& why, const SlurmWhyCard& card, const Description& seen) {
  const TresRegistry& registry = seen.policy->tres;
  const auto text = [](std::string value) { return Value::quoted_text(std::move(value)); };
  const auto number = [](std::int64_t value) { return Value::scalar(std::to_string(value)); };
  Value out = Value::map();
  out.add("schema", text("sluice.why.v1"));
  out.add("job", text(why.id));
  out.add("state", text("PENDING"));
  out.add("user", text(why.user));
  out.add("account", text(why.waiting.account));
  out.add("qos", text(why.waiting.qos));
  out.add("reason", text(why.waiting.reason));
  out.add("sentence", text(card.sentence));
  std::vector<Value> gates;
  for (const Bound& gate : card.gates) {
    Value one = Value::map();
    one.add("open", Value::scalar(gate.fits > 0 ? "true" : "false"));
    one.add("binding", Value::scalar(card.binding && gate == *card.binding ? "true" : "false"));
    one.add("of", text(gate.name));
    one.add("limit", number(gate.reason.limit));
    one.add("used", number(gate.reason.used));
    one.add("asked", number(gate.reason.asked));
    one.add("text", text(gate_text(gate, why.waiting.need, registry)));
    gates.push_back(std::move(one));
  }
  out.add("gates", Value::list(std::move(gates)));
  std::vector<Value> holders;
  for (const HeldJob* job : card.holders) {
    Value one = Value::map();
    one.add("user", text(job->user));
    one.add("job", number(job->job.value()));
    if (job->ends_by) one.add("ends_by", number(to_seconds(*job->ends_by)));
    holders.push_back(std::move(one));
  }
  out.add("holders", Value::list(std::move(holders)));
  if (card.room_by) out.add("room_by", number(to_seconds(*card.room_by)));
  Value priority = Value::map();
  for (const PriorityPart& part : why.priority) priority.add(part.name, number(part.value));
  if (why.total_priority) priority.add("total", number(*why.total_priority));
  out.add("priority", std::move(priority));
  std::vector<Value> help;
  for (const WhatHelps& line : card.help) {
    Value one = Value::map();
    one.add("what", text(line.what));
    one.add("command", text(line.command));
    help.push_back(std::move(one));
  }
  out.add("help", Value::list(std::move(help)));
  return out;
}

}  // namespace sluice
