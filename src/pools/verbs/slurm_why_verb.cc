// sluice why on Slurm: one job or task, or all of one's own that wait.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "chains/stuck_tasks.h"
#include "host/files/files.h"
#include "policyfile/read/value.h"
#include "pools/mover.h"
#include "pools/routing_context.h"
#include "pools/verbs/route_verb.h"
#include "slurm/job_update.h"
#include "slurm/my_jobs.h"
#include "slurm/table.h"
#include "slurm/waiting_rows.h"
#include "text/printable.h"
#include "text/scan.h"
#include "views/slurm_why.h"

namespace sluice {
namespace {

struct Wanted {
  std::optional<std::uint32_t> job;
  std::optional<std::uint32_t> task;
};

// "23", "23_2"
Result<Wanted> read_wanted(const std::string& text) {
  Wanted out;
  if (text.empty()) return out;
  const std::size_t mark = text.find('_');
  out.job = whole_number<std::uint32_t>(std::string_view(text).substr(0, mark));
  if (mark != std::string::npos)
    out.task = whole_number<std::uint32_t>(std::string_view(text).substr(mark + 1));
  if (!out.job || (mark != std::string::npos && !out.task))
    return bad_input(fmt::format("'{}' is not a job", text), "write 23, or 23_2 for a task");
  return out;
}

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "cpu=250.00,gres/gpu=12.00": the part of each resource, added up as slurmctld does.
double tres_part(std::string_view text) {
  double out = 0;
  for (const std::string_view one : split(text, ','))
    if (const std::size_t at = one.find('='); at != std::string_view::npos)
      out += std::strtod(std::string(one.substr(at + 1)).c_str(), nullptr);
  return out;
}

// Weighted parts, as sprio prints them; nothing where the site computes none.
void read_priority(const SlurmCluster& cluster, std::uint32_t job, SlurmWhy& why) {
  const auto shown = cluster.caller().run({"sprio", "--noheader", fmt::format("--jobs={}", job),
                                           "--format=%A|%B|%F|%J|%P|%Q|%S|%N|%T|%Y"},
                                          seconds(30));
  if (!shown || shown->exit_code != 0) return;
  const std::string_view line = std::string_view(shown->output).substr(0, shown->output.find('\n'));
  const auto words = split(line, '|');
  constexpr const char* kNames[] = {"age",       "association", "fairshare", "job size",
                                    "partition", "qos",         "site",      "nice"};
  constexpr std::size_t kTres = std::size(kNames);
  if (words.size() != kTres + 2) return;
  std::vector<PriorityPart> parts;
  for (std::size_t i = 0; i < kTres; ++i) {
    auto value = whole_number<std::int64_t>(without_blanks(words[i]));
    if (!value) return;
    parts.push_back({kNames[i], std::string_view(kNames[i]) == "nice" ? -*value : *value});
  }
  parts.insert(parts.end() - 1,
               {"tres", static_cast<std::int64_t>(tres_part(without_blanks(words[kTres])))});
  why.priority = std::move(parts);
  why.total_priority = whole_number<std::int64_t>(without_blanks(words[kTres + 1]));
}

// A job that another took the place of, where the site allows no change of a job.
void show_move(const TakenOver& move, bool json) {
  const std::string job = job_words(move.old, move.tasks);
  const std::uint32_t now = move.job.job.value();
  if (!json) {
    fmt::print("{} was moved to {} as job {}\n  type: sluice why --on slurm {}\n", job, move.pool,
               now, now);
    return;
  }
  Value out = Value::map();
  out.add("schema", Value::quoted_text("sluice.why.v1"));
  out.add("job", Value::quoted_text(job));
  out.add("moved_to", Value::quoted_text(move.pool));
  out.add("new_job", Value::scalar(std::to_string(now)));
  fmt::print("{}", print_json(out));
}

void show_not_waiting(const std::string& job, std::string_view state) {
  Value out = Value::map();
  out.add("schema", Value::quoted_text("sluice.why.v1"));
  out.add("job", Value::quoted_text(job));
  out.add("state", Value::quoted_text(std::string(state)));
  fmt::print("{}", print_json(out));
}

// One document, however many wait.
void show_all(std::vector<Value> all) {
  Value out = Value::map();
  out.add("schema", Value::quoted_text("sluice.why.v1"));
  out.add("waiting", Value::list(std::move(all)));
  fmt::print("{}", print_json(out));
}

Result<ExitCode> run(const WhyQuestion& question) {
  const bool json = question.json;
  const std::string text = fmt::format("{}", fmt::join(question.jobs, ", "));
  std::vector<Wanted> all_wanted;
  for (const std::string& job : question.jobs) {
    TRY(const Wanted one, read_wanted(job));
    all_wanted.push_back(one);
  }
  const Wanted wanted = all_wanted.empty() ? Wanted{} : all_wanted.front();
  const auto is_wanted = [&](const WaitingTasks& group) {
    return all_wanted.empty() ||
           std::any_of(all_wanted.begin(), all_wanted.end(), [&](const Wanted& one) {
             return group.job.job.value() == *one.job &&
                    (!one.task || (group.tasks && group.tasks->contains(*one.task)));
           });
  };
  TRY(const RoutingSettings settings, load_routing_settings());
  const auto cluster = this_slurm();
  TRY(Description seen, cluster->describe());
  TRY(const MyJobs mine, cluster->mine(seconds(5)));
  MyJobs asked = mine;
  // Another user's job is explained as its owner's: that user's limits and holdings count.
  bool own = true;
  if (wanted.job && std::none_of(mine.jobs.begin(), mine.jobs.end(), [&](const MyJob& job) {
        return job.job.value() == *wanted.job;
      })) {
    const auto shown = cluster->caller().run(one_job_command(*wanted.job), seconds(30));
    if (shown && shown->exit_code == 0) {
      asked = parse_my_jobs(shown->output);
      own = asked.jobs.empty();
      if (!own) seen.user = asked.jobs.front().user;
    }
  }
  std::vector<SlurmWhy> found;
  for (WaitingTasks& group : waiting_groups(asked)) {
    if (!is_wanted(group)) continue;
    SlurmWhy why;
    why.mine = own;
    why.user = seen.user;
    why.id = wanted.task   ? job_name({group.job, wanted.task})
             : group.tasks ? job_name(group.job, *group.tasks)
                           : job_name(RemoteRef{group.job, std::nullopt});
    why.waiting = std::move(group);
    why.name = why.waiting.name;
    why.restarts = why.waiting.restarts;
    why.start = why.waiting.start;
    read_priority(*cluster, why.waiting.job.job.value(), why);
    found.push_back(std::move(why));
  }
  if (found.empty()) {
    if (const auto move = wanted.job ? taken_over(*wanted.job, wanted.task) : std::nullopt) {
      show_move(*move, json);
      return ExitCode::kDone;
    }
    for (const MyJob& job : asked.jobs)
      if (wanted.job && job.job.value() == *wanted.job &&
          (!wanted.task || job.seen.task == wanted.task)) {
        if (json)
          show_not_waiting(text, slurm_name(job.seen.state));
        else
          fmt::print("{} does not wait: {}\n", text, slurm_name(job.seen.state));
        return ExitCode::kDone;
      }
    if (wanted.job)
      return bad_input(fmt::format("no job {} is in the queue", text), "type: squeue --me");
    if (json)
      show_all({});
    else
      fmt::print("None of your jobs waits.\n");
    return ExitCode::kDone;
  }
  bool first = true;
  std::vector<Value> all;
  for (const SlurmWhy& why : found) {
    const SlurmWhyCard card = explain_waiting(why, seen, settings);
    if (json)
      all.push_back(why_value(why, card, seen));
    else
      fmt::print("{}{}", first ? "" : "\n",
                 printable_lines(why_text(why, card, seen, cluster->caller().now())));
    first = false;
  }
  if (json && all_wanted.size() == 1 && all.size() == 1)
    fmt::print("{}", print_json(all.front()));
  else if (json)
    show_all(std::move(all));
  return ExitCode::kDone;
}

}  // namespace

Result<ExitCode> why_on_slurm(const WhyQuestion& question) { return run(question); }

}  // namespace sluice
