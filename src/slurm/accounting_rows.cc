// What users chose (the submit line) stands last, and a record begins where the first field is a
// job's number.
#include "slurm/accounting_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <tuple>

#include "slurm/sacct.h"
#include "slurm/table.h"
#include "text/array_spec.h"
#include "text/hostlist.h"
#include "text/scan.h"

namespace sluice {
namespace {

using enum AccountingField;
constexpr AccountingField kOfRuns[] = {kJobId,  kState,    kExitCode, kSubmit, kStart,     kEnd,
                                       kMaxRss, kTotalCpu, kAccount,  kQos,    kPartition, kNodes};

// "12", "12_3", "12_[4-9%2]", each with or without ".batch".
struct Named {
  std::uint32_t job = 0;
  std::optional<std::uint32_t> task;
  std::optional<IndexSet> waiting;
  bool step = false;
};
std::optional<Named> read_name(std::string_view text) {
  Named out;
  if (const std::size_t dot = text.find('.'); dot != std::string_view::npos) {
    out.step = true;
    text = text.substr(0, dot);
  }
  const std::size_t mark = text.find('_');
  const auto job = whole_number<std::uint32_t>(text.substr(0, mark));
  if (!job) return std::nullopt;
  out.job = *job;
  if (mark == std::string_view::npos) return out;
  text.remove_prefix(mark + 1);
  if (text.starts_with('[')) {
    auto spec = parse_array_spec(text);
    if (!spec) return std::nullopt;
    out.waiting = std::move(spec->indices);
    return out;
  }
  out.task = whole_number<std::uint32_t>(text);
  if (!out.task) return std::nullopt;
  return out;
}

// "3344K", "1.50M"; nothing where it was not measured.
std::optional<std::int64_t> kilobytes(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t unit = 1;
  switch (text.back()) {
    case 'K':
      unit = 1;
      break;
    case 'M':
      unit = 1024;
      break;
    case 'G':
      unit = 1024 * 1024;
      break;
    case 'T':
      unit = std::int64_t{1024} * 1024 * 1024;
      break;
    default:
      unit = 0;
  }
  if (unit != 0) text.remove_suffix(1);
  const std::size_t dot = text.find('.');
  const auto whole = whole_number<std::int64_t>(text.substr(0, dot));
  if (!whole || *whole < 0 || *whole > (std::int64_t{1} << 40)) return std::nullopt;
  if (unit == 0) return *whole / 1024;  // Bytes.
  std::int64_t out = *whole * unit;
  if (dot != std::string_view::npos) {
    const std::string_view digits = text.substr(dot + 1, 2);
    if (const auto part = whole_number<std::int64_t>(digits); part && *part >= 0)
      out += *part * unit / (digits.size() == 1 ? 10 : 100);
  }
  return out;
}

// "00:00.002", "01:02:03", "1-02:03:04".
std::optional<Duration> cpu_time(std::string_view text) {
  std::int64_t days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto value = whole_number<std::int64_t>(text.substr(0, dash));
    if (!value || *value < 0 || *value > 100'000'000) return std::nullopt;
    days = *value;
    text.remove_prefix(dash + 1);
  }
  std::int64_t millis = 0;
  if (const std::size_t dot = text.find('.'); dot != std::string_view::npos) {
    millis = whole_number<std::int64_t>(text.substr(dot + 1)).value_or(0) % 1000;
    text = text.substr(0, dot);
  }
  std::int64_t total = 0;
  for (const std::string_view part : split(text, ':')) {
    const auto value = whole_number<std::int64_t>(part);
    if (!value || *value < 0 || *value > 1'000'000'000 || total > 1'000'000'000)
      return std::nullopt;
    total = total * 60 + *value;
  }
  return seconds(days * 86'400 + total) + Duration(std::max<std::int64_t>(0, millis));
}

// sacct shows exit codes from 128 on less 128. A 9 is a shell's 137, whose program was killed, far
// more often than an exit with 9; others stay as they are shown.
constexpr std::int32_t kLeftOut = 128;
constexpr std::int32_t kKilled = 9;

void read_exit(std::string_view text, SeenTask& seen) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return;
  seen.exit_code = whole_number<std::int32_t>(text.substr(0, colon)).value_or(0);
  if (seen.exit_code == kKilled) seen.exit_code += kLeftOut;
  seen.signal = whole_number<std::int32_t>(text.substr(colon + 1)).value_or(0);
}

// Whether a later run with this number may be the same job: Slurm ends a run that it requeues in
// one of these states. After any other the number was given to another job.
bool may_be_requeued(std::string_view state) {
  state = state.substr(0, state.find(' '));
  return state == "REQUEUED" || state == "PREEMPTED" || state == "NODE_FAIL" ||
         state == "BOOT_FAIL" || state == "REQUEUE_HOLD" || state == "SPECIAL_EXIT" ||
         state == "RESIZING" || state == "RUNNING" || state == "PENDING" || state == "SUSPENDED";
}

std::optional<SeenTask> read_run(const AccountingRecord& row) {
  const auto state = printed_state(row[kState]);
  if (!state) return std::nullopt;
  SeenTask seen;
  seen.state = *state;
  seen.start = printed_time(row[kStart]);
  seen.end = printed_time(row[kEnd]);
  // Without its end it may still go on.
  if (has_ended(*state) && !seen.end) return std::nullopt;
  if (!has_ended(*state)) seen.end.reset();
  if (has_ended(*state)) read_exit(row[kExitCode], seen);
  seen.account = or_empty(row[kAccount]);
  seen.qos = or_empty(row[kQos]);
  seen.partition = or_empty(row[kPartition]);
  if (!is_absent(row[kNodes]))
    if (auto nodes = expand_hostlist(row[kNodes])) seen.nodes = std::move(*nodes);
  return seen;
}

void fold_step(const AccountingRecord& row, SeenTask& seen) {
  if (const auto rss = kilobytes(row[kMaxRss]))
    seen.max_rss_kb = std::max(seen.max_rss_kb.value_or(0), *rss);
  if (row[kState].starts_with("OUT_OF_ME")) seen.step_out_of_memory = true;
}

// "12_" or "12.": what a line that begins a record begins with.
bool begins_record(std::string_view line) {
  return !line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0 &&
         line.find(kFieldEnd) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> accounted_jobs_command(std::span<const JobId> jobs) {
  std::string list;
  for (const JobId job : jobs) list += fmt::format("{}{}", list.empty() ? "" : ",", job.value());
  return sacct_command({"--duplicates", "--jobs=" + list}, kOfRuns);
}

std::vector<AccountedTask> parse_accounted_tasks(std::string_view text) {
  std::vector<AccountedTask> out;
  using Key = std::tuple<std::uint32_t, bool, std::uint32_t>;
  std::map<Key, std::size_t> at;
  std::map<Key, bool> goes_on;  // Whether the last run with this number may be requeued.
  read_sacct(text, kOfRuns, [&](const AccountingRecord& row) {
    const auto name = read_name(row[kJobId]);
    const auto submitted = printed_time(row[kSubmit]);
    if (!name || !submitted) return;
    const Key key{name->job, name->task.has_value(), name->task.value_or(0)};
    if (name->step) {
      if (const auto found = at.find(key); found != at.end())
        fold_step(row, out[found->second].seen);
      return;
    }
    auto seen = read_run(row);
    if (!seen) return;
    if (name->waiting) {
      for (const std::uint32_t index : name->waiting->to_vector()) {
        AccountedTask task{JobId(name->job), *submitted, *seen, {}};
        task.seen.task = index;
        if (at.emplace(Key{name->job, true, index}, out.size()).second)
          out.push_back(std::move(task));
      }
      return;
    }
    seen->task = name->task;
    if (const auto cpu = cpu_time(row[kTotalCpu]); cpu && has_ended(seen->state))
      seen->cpu_time = cpu;
    auto [found, is_new] = at.emplace(key, out.size());
    if (!is_new && !goes_on[key] && *submitted != out[found->second].submitted) {
      found->second = out.size();
      is_new = true;
    }
    goes_on[key] = may_be_requeued(row[kState]);
    if (is_new) {
      out.push_back({JobId(name->job), *submitted, std::move(*seen), {}});
    } else {
      // A later run of the same: what came before it was begun again.
      AccountedTask& before = out[found->second];
      seen->restarts = before.seen.restarts + 1;
      before.resubmitted = *submitted;
      before.seen = std::move(*seen);
    }
  });
  return out;
}

std::vector<std::string> submit_lines_command(Instant since, SubmitLinesFrom from) {
  constexpr AccountingField kAsked[] = {kJobId, kSubmit, kSubmitLine};
  // sacct takes no seconds since the epoch: so many seconds ago is asked for elsewhere.
  std::vector<std::string> options = {"--allocations", "--duplicates",
                                      fmt::format("--starttime=uts{}", to_seconds(since))};
  return from == SubmitLinesFrom::kNewest
             ? sacct_command(std::move(options), kAsked)
             : sacct_command(std::move(options), fields_before(kAsked));
}

std::vector<SubmitLine> parse_submit_lines(std::string_view text) {
  std::vector<SubmitLine> out;
  bool readable = false;
  for (const std::string_view line : split(text, '\n')) {
    if (!begins_record(line)) {
      if (readable && !line.empty()) out.back().line += "\n" + std::string(line);
      continue;
    }
    readable = false;
    const std::size_t first = line.find(kFieldEnd);
    const std::size_t second = line.find(kFieldEnd, first + 1);
    if (second == std::string_view::npos) continue;
    const auto name = read_name(line.substr(0, first));
    const auto submitted = printed_time(line.substr(first + 1, second - first - 1));
    if (!name || !submitted || name->step) continue;
    out.push_back({{JobId(name->job), *submitted}, std::string(line.substr(second + 1))});
    readable = true;
  }
  return out;
}

}  // namespace sluice
