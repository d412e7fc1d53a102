// Virtual time first: it says where time may be skipped on Slurm, and what is to be compared.
#include "lab/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "lab/slurm_target.h"
#include "policyfile/check/check.h"
#include "sim/chains/simulated_target.h"
#include "sim/stories/story_line.h"

namespace sluice {
namespace {

// `sacctmgr -i add user ann,bob Account=x` and nothing else about them.
bool only_adds_users(const Argv& argv) {
  return argv.size() == 6 && argv[2] == "add" && argv[3] == "user";
}

// What was used stays: a story that counts it needs a cluster without a past.
bool counts_the_past(const Story& story, const LabPolicy& policy) {
  std::string text;
  for (const Argv& argv : policy.accounts) text += shell_quoted(argv);
  return story.policy->priority.weight_fairshare != 0 ||
         text.find("GrpTRESMins") != std::string::npos ||
         text.find("GrpWall") != std::string::npos ||
         // Minutes of cancelled jobs stay with a partition's QoS in 22.05.8.
         (text.find("RunMins") != std::string::npos &&
          policy.conf.find(" QOS=") != std::string::npos);
}

std::string clock_text(Instant at) { return format_story_time(at.time_since_epoch()); }

std::string word(const CheckedExpectation& one) { return one.met ? "as expected" : one.happened; }

// Some refusals have a word of Slurm's in a job's record only, and a sentence on the terminal.
bool refuse_alike(const StoryAnswer& ours, const StoryAnswer& theirs) {
  // sbatch may print a hint in front of it: which part of the request no node can satisfy.
  return ours.reason == theirs.reason ||
         (theirs.reason.empty() && !ours.message.empty() && theirs.message.ends_with(ours.message));
}

void compare_steps(const CheckedStep& ours, const CheckedStep& theirs, ComparedStory& out) {
  const std::string step = fmt::format("{}  {}", clock_text(ours.step->at), ours.step->text);
  // A refusal that is not expected is one more expectation in front of the others, on one side.
  const std::size_t named = ours.step->expectations.size();
  auto own = [&](const CheckedStep& checked, std::size_t i) -> const CheckedExpectation& {
    return checked.expectations[checked.expectations.size() - named + i];
  };
  const bool we_refused = ours.expectations.size() > named;
  const bool they_refused = theirs.expectations.size() > named;
  if (we_refused != they_refused || (we_refused && !refuse_alike(ours.answer, theirs.answer)))
    out.differences.push_back(
        {ours.step->line, step, "it is accepted",
         we_refused ? ours.expectations.front().happened : "as expected",
         they_refused ? theirs.expectations.front().happened : "as expected"});
  for (std::size_t i = 0; i < named; ++i)
    if (!own(ours, i).met || !own(theirs, i).met)
      out.differences.push_back(
          {own(ours, i).line, step, own(ours, i).text, word(own(ours, i)), word(own(theirs, i))});
}

}  // namespace

Conformance::Conformance(const std::vector<Story>& stories) {
  struct Group {
    std::vector<const Story*> stories;
    LabPolicy policy;
  };
  std::vector<std::pair<std::string, Group>> groups;
  for (const Story& story : stories) {
    const LabPolicy policy = lab_policy(story);
    const bool alone = story.policy->priority.weight_fairshare != 0;
    std::string key = policy.conf + (policy.cgroups ? "cgroups\n" : "\n");
    std::vector<Argv> users;
    for (const Argv& argv : policy.accounts)
      if (!alone && only_adds_users(argv))
        users.push_back(argv);
      else
        key += shell_quoted(argv) + "\n";
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& group) { return group.first == key; });
    if (found == groups.end()) {
      groups.emplace_back(key, Group{{}, policy});
      found = std::prev(groups.end());
    }
    Group& group = found->second;
    group.stories.push_back(&story);
    auto& accounts = group.policy.accounts;
    for (Argv& argv : users)
      if (std::find(accounts.begin(), accounts.end(), argv) == accounts.end())
        accounts.push_back(std::move(argv));
  }
  for (const auto& [key, group] : groups)
    for (const Story* story : group.stories) {
      order_.push_back(story);
      policies_.emplace_back(story, group.policy);
      // The daemon is started for each of them: its file has the users of this one.
      policies_.back().second.file = lab_policy(*story).file;
    }
}

Result<ComparedStory> Conformance::run(const Story& story, SlurmLab& lab) const {
  ComparedStory out;
  out.story = &story;
  out.engine = lab.engine();
  SimulatedTarget simulated;
  TRY(const StoryRun ours, run_story(story, simulated));
  out.simulated_passed = ours.passed();
  const auto policy = std::find_if(policies_.begin(), policies_.end(),
                                   [&](const auto& known) { return known.first == &story; });
  const auto start = std::chrono::steady_clock::now();
  // What the stories before used would still stand with a QoS of the same name.
  if (counts_the_past(story, policy->second)) lab.forget();
  TRY_VOID(lab.prepare(policy->second));
  SlurmTarget target(lab, ours);
  const auto theirs = run_story(story, target);
  if (counts_the_past(story, policy->second)) lab.forget();
  out.took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start);
  if (!theirs) {
    if (theirs.error().kind == ErrorKind::kUnreachable) return tl::unexpected(theirs.error());
    lab.forget();
    out.problem = theirs.error().text();
    return out;
  }
  out.slurm_passed = theirs->passed();
  for (std::size_t i = 0; i < ours.steps.size(); ++i) {
    compare_steps(ours.steps[i], theirs->steps[i], out);
    if (!target.was_quiet(i)) continue;
    for (const QuietDifference& one :
         quiet_differences(story, ours.steps[i].queue, theirs->steps[i].queue))
      out.differences.push_back(
          {ours.steps[i].step->line,
           fmt::format("{}  {}", clock_text(ours.steps[i].step->at), ours.steps[i].step->text),
           "the same when nothing moves", fmt::format("{} {}", one.job, one.simulated),
           fmt::format("{} {}", one.job, one.slurm)});
  }
  return out;
}

bool runs_on_daemon(const Story& story) {
  if (story.has_tag("slurm-only") || story.has_tag("simulated-only")) return false;
  const bool asks_too_much =
      std::any_of(story.steps.begin(), story.steps.end(), [](const StoryStep& step) {
        const auto* submit = std::get_if<StorySubmit>(&step.action);
        const auto* end = std::get_if<StoryEnd>(&step.action);
        return (submit != nullptr && submit->fate.outcome.state == JobState::kOutOfMemory) ||
               (end != nullptr && end->outcome.state == JobState::kOutOfMemory) ||
               std::holds_alternative<StoryUsageReset>(step.action);
      });
  if (asks_too_much) return false;
  const std::vector<Finding> findings =
      check_policy(read_policy_text(lab_policy(story).file, "policy.yaml"));
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.severity == Severity::kError; });
}

std::string compared_text(const ComparedStory& compared, Colour colour) {
  const Story& story = *compared.story;
  auto paint = [&](std::string_view text, const char* code) {
    return colour == Colour::kNo ? std::string(text) : fmt::format("\033[{}m{}\033[0m", code, text);
  };
  std::string out = fmt::format(
      "{} {}  {}\n", compared.equal() ? paint("✓", "32") : paint("✗", "31"), story.title,
      paint(fmt::format("{}:{}  {} s", story.file, story.line, to_seconds(compared.took)), "2"));
  const char* const other = compared.engine == LabEngine::kSlurm ? "Slurm" : "daemon";
  if (compared.problem) out += fmt::format("    not run on the {}: {}\n", other, *compared.problem);
  std::string step;
  for (const StoryDifference& one : compared.differences) {
    if (one.step != step) out += fmt::format("    line {}: {}\n", one.line, one.step);
    step = one.step;
    const char* const ours = compared.engine == LabEngine::kSlurm ? "sluice" : "simulated";
    out += fmt::format("      {:<10}{}\n      {:<10}{}\n      {:<10}{}\n", "expected", one.expected,
                       ours, one.simulated, other, one.slurm);
  }
  return out;
}

Value compared_as_value(const ComparedStory& compared) {
  auto text = [](std::string value) { return Value::quoted_text(std::move(value)); };
  auto flag = [](bool value) { return Value::scalar(value ? "true" : "false"); };
  const char* const other = compared.engine == LabEngine::kSlurm ? "slurm" : "embedded";
  Value out = Value::map();
  out.add("title", text(compared.story->title));
  out.add("file", text(compared.story->file));
  out.add("line", Value::scalar(fmt::format("{}", compared.story->line)));
  out.add("equal", flag(compared.equal()));
  out.add("simulated", flag(compared.simulated_passed));
  out.add(other, flag(compared.slurm_passed && !compared.problem));
  out.add("seconds", Value::scalar(fmt::format("{}", to_seconds(compared.took))));
  if (compared.problem) out.add("problem", text(*compared.problem));
  Value differences = Value::list();
  for (const StoryDifference& one : compared.differences) {
    Value item = Value::map();
    item.add("line", Value::scalar(fmt::format("{}", one.line)));
    item.add("step", text(one.step));
    item.add("expected", text(one.expected));
    item.add("simulated", text(one.simulated));
    item.add(other, text(one.slurm));
    differences.items.push_back(std::move(item));
  }
  out.add("differences", std::move(differences));
  return out;
}

}  // namespace sluice
