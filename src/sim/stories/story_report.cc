// Lines, tables and a timeline; colour only where the caller says so.
#include "sim/stories/story_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/stories/story_check.h"
#include "sim/stories/story_line.h"
#include "text/array_spec.h"
#include "text/hostlist.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kGreen = "32";
constexpr const char* kRed = "31";
constexpr const char* kYellow = "33";
constexpr const char* kBold = "1";
constexpr const char* kDim = "2";

std::string paint(std::string_view text, const char* code, Colour colour) {
  if (colour == Colour::kNo) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string clock_text(Instant at) { return format_story_time(at.time_since_epoch()); }

std::string state_word(const SeenJob& job) {
  switch (job.state) {
    case JobState::kPending:
      return "waits";
    case JobState::kRunning:
      return "runs";
    case JobState::kSuspended:
      return "suspended";
    case JobState::kCompleting:
      return "ending";
    default:
      return std::string(slurm_name(job.state));
  }
}

std::string where_or_why(const SeenJob& job) {
  if (job.state != JobState::kPending) {
    std::vector<std::string> nodes = job.nodes();
    sort_hosts(nodes);
    return fmt::format("on {}{}", compress_hostlist(nodes),
                       job.started ? " since " + clock_text(*job.started) : "");
  }
  std::string out = job.reason;
  if (!job.detail.empty()) out += fmt::format(" ({})", job.detail);
  if (job.expected) out += ", expected " + clock_text(*job.expected);
  return out;
}

const char* colour_of(const SeenJob& job) {
  if (job.state == JobState::kRunning) return kGreen;
  return job.state == JobState::kPending ? kYellow : kDim;
}

// Rows and happenings that differ in the task only become one: A[0] and A[1] are A[0-1].
struct Merged {
  std::string name;
  IndexSet tasks;
  std::size_t waiting = 1;
  std::string text() const {
    if (waiting > 1) return fmt::format("{} ({} tasks)", name, waiting);
    return tasks.empty() ? name : fmt::format("{}[{}]", name, compress_indices(tasks));
  }
};

std::vector<Happening> joined(const std::vector<Happening>& all) {
  struct Group {
    Instant at;
    std::string name;
    std::string rest;
    IndexSet tasks;
  };
  std::vector<Group> groups;
  for (const Happening& one : all) {
    const std::size_t blank = std::min(one.text.find(' '), one.text.size());
    const std::string_view subject = std::string_view(one.text).substr(0, blank);
    const std::size_t open = subject.find('[');
    Group group{one.at, std::string(subject.substr(0, open)), one.text.substr(blank), {}};
    std::optional<std::int64_t> task;
    if (open != std::string_view::npos && subject.ends_with(']'))
      task = whole_number(subject.substr(open + 1, subject.size() - open - 2));
    if (!task) {
      groups.push_back({one.at, std::string(subject), group.rest, {}});
      continue;
    }
    auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      return known.at == one.at && known.name == group.name && known.rest == group.rest &&
             !known.tasks.empty();
    });
    if (same == groups.end()) same = groups.insert(groups.end(), group);
    same->tasks.insert(static_cast<std::uint32_t>(*task));
  }
  std::vector<Happening> out;
  for (const Group& group : groups)
    out.push_back({group.at, Merged{group.name, group.tasks}.text() + group.rest});
  return out;
}

// Columns as wide as their longest word; the last is free.
std::string queue_table(const std::vector<SeenJob>& queue, std::string_view margin, Colour colour) {
  if (queue.empty())
    return fmt::format("{}{}\n", margin, paint("the queue is empty", kDim, colour));
  std::vector<std::vector<std::string>> rows = {{"JOB", "USER", "QOS", "ASKS", "STATE", ""}};
  std::vector<Merged> subjects(1);
  std::vector<const char*> colours = {kDim};
  for (const SeenJob& job : queue) {
    std::vector<std::string> row = {"",       job.user,        job.qos,
                                    job.asks, state_word(job), where_or_why(job)};
    std::size_t at = rows.size();
    for (std::size_t i = 1; job.task && i < rows.size(); ++i)
      if (rows[i] == row && subjects[i].name == job.name && !subjects[i].tasks.empty()) at = i;
    if (at == rows.size()) {
      rows.push_back(std::move(row));
      subjects.push_back({job.name, {}, job.tasks});
      colours.push_back(colour_of(job));
    }
    if (job.task) subjects[at].tasks.insert(*job.task);
  }
  for (std::size_t i = 1; i < rows.size(); ++i) rows[i][0] = subjects[i].text();
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i)
      line += i + 1 < rows[r].size() ? fmt::format("{:{}}  ", rows[r][i], widths[i]) : rows[r][i];
    while (line.ends_with(' ')) line.pop_back();
    out += fmt::format("{}{}\n", margin, paint(line, colours[r], colour));
  }
  return out;
}

std::string gates_block(const CheckedStep& step, std::string_view margin, Colour colour) {
  std::string out;
  for (const auto& [name, lines] : step.gates) {
    out += fmt::format("{}gates of {} at {}:\n", margin, name, clock_text(step.step->at));
    for (const std::string& line : lines)
      out += fmt::format("{}  {}\n", margin,
                         line.starts_with("SHUT") ? paint(line, kRed, colour) : line);
  }
  return out;
}

// What the nodes are, for the first lines of a timeline: "n[1-2]: 4 cpus, 8 gpus".
std::string cluster_text(const Policy& policy) {
  std::map<std::string, std::vector<std::string>> alike;
  for (const Node& node : policy.nodes) {
    std::string what = fmt::format("{} cpus", node.cpus);
    if (!node.gpus.empty()) what += fmt::format(", {} gpus", node.gpus.size());
    alike[what].push_back(node.name);
  }
  std::string out;
  for (auto& [what, names] : alike) {
    sort_hosts(names);
    out += fmt::format("{}{}: {}{}", out.empty() ? "" : "; ", compress_hostlist(names), what,
                       names.size() > 1 ? " each" : "");
  }
  return out;
}

Value text_value(std::string text) { return Value::quoted_text(std::move(text)); }

}  // namespace

std::string verdict_line(const Story& story, const StoryRun& run, Colour colour) {
  const bool passed = run.passed();
  return fmt::format("{} {}  {}\n", passed ? paint("✓", kGreen, colour) : paint("✗", kRed, colour),
                     story.title,
                     paint(fmt::format("{}:{}", story.file, story.line), kDim, colour));
}

std::string failure_text(const Story&, const StoryRun& run, Colour colour) {
  std::string out;
  for (const CheckedStep& step : run.steps) {
    if (step.met()) continue;
    const std::string heading =
        fmt::format("line {}: {}  {}", step.step->line, clock_text(step.step->at), step.step->text);
    out += fmt::format("    {}\n", paint(heading, kBold, colour));
    for (const CheckedExpectation& one : step.expectations) {
      if (one.met) continue;
      out += fmt::format("      expected  {}\n", one.text);
      out += fmt::format("      but       {}\n", paint(one.happened, kRed, colour));
    }
    if (step.answer.refused && !step.answer.detail.empty())
      out += fmt::format("      because   {}\n", step.answer.detail);
    out += gates_block(step, "      ", colour);
    out += queue_table(step.queue, "        ", colour);
  }
  return out;
}

std::string gates_text(const StoryRun& run, Colour colour) {
  std::string out;
  for (const CheckedStep& step : run.steps) out += gates_block(step, "    ", colour);
  return out;
}

std::string timeline_text(const Story& story, const StoryRun& run, Colour colour) {
  std::string out = fmt::format("{}\n{}\n", paint(story.title, kBold, colour),
                                paint(cluster_text(*story.policy), kDim, colour));
  for (const CheckedStep& step : run.steps) {
    const Instant at = step.step->at;
    // What happened on the way has its own times.
    std::optional<Instant> shown;
    const std::vector<Happening> all = joined(step.happenings);
    auto happenings = all.begin();
    for (; happenings != all.end() && happenings->at < at; ++happenings) {
      if (shown != happenings->at) out += "\n";
      out +=
          fmt::format("{:>10}  {} {}\n", shown == happenings->at ? "" : clock_text(happenings->at),
                      paint("▸", kYellow, colour), happenings->text);
      shown = happenings->at;
    }
    out += fmt::format("\n{:>10}  {}\n", clock_text(at),
                       step.step->text.empty() ? paint("time passes", kDim, colour)
                                               : paint(step.step->text, kBold, colour));
    for (; happenings != all.end(); ++happenings)
      out += fmt::format("{:>10}  {} {}\n", "", paint("▸", kYellow, colour), happenings->text);
    if (step.answer.refused) {
      if (!step.answer.message.empty())
        out += fmt::format("{:>10}    {}\n", "", paint(step.answer.message, kRed, colour));
      if (!step.answer.detail.empty()) out += fmt::format("{:>10}    {}\n", "", step.answer.detail);
    }
    for (const CheckedExpectation& one : step.expectations)
      out += one.met ? fmt::format("{:>10}  {} {}\n", "", paint("✓", kGreen, colour), one.text)
                     : fmt::format("{:>10}  {} {}, but {}\n", "", paint("✗", kRed, colour),
                                   one.text, one.happened);
    out += queue_table(step.queue, std::string(14, ' '), colour);
  }
  return out;
}

Value run_as_value(const Story& story, const StoryRun& run) {
  Value out = Value::map();
  out.add("title", text_value(story.title));
  out.add("file", text_value(story.file));
  out.add("line", Value::scalar(fmt::format("{}", story.line)));
  out.add("passed", Value::scalar(run.passed() ? "true" : "false"));
  Value failures = Value::list();
  for (const CheckedStep& step : run.steps)
    for (const CheckedExpectation& one : step.expectations) {
      if (one.met) continue;
      Value failure = Value::map();
      failure.add("line", Value::scalar(fmt::format("{}", one.line)));
      failure.add("time", text_value(clock_text(step.step->at)));
      failure.add("expected", text_value(one.text));
      failure.add("happened", text_value(one.happened));
      failures.items.push_back(std::move(failure));
    }
  out.add("failures", std::move(failures));
  return out;
}

}  // namespace sluice
