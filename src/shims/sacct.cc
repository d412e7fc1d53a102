// sacct: runs that ended, run or wait, with their steps.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/local_time.h"
#include "cli/own_user.h"
#include "shims/accounts_json.h"
#include "shims/clusters.h"
#include "shims/help.h"
#include "shims/records.h"
#include "shims/sacct_fields.h"
#include "shims/shim.h"
#include "shims/words.h"
#include "text/job_reference.h"
#include "text/job_states.h"
#include "text/leading_number.h"
#include "text/past_time.h"
#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

using enum OptionArgument;

// clang-format off
constexpr OptionShape kOptions[] = {
    {"accounts", 'A', kRequired}, {"allclusters", 'L', kNone}, {"allocations", 'X', kNone}, {"allusers", 'a', kNone},
    {"associations", 'x', kRequired}, {"batch-script", 'B', kNone}, {"brief", 'b', kNone}, {"cluster", '\0', kRequired}, {"clusters", 'M', kRequired},
    {"completion", 'c', kNone}, {"constraints", 'C', kRequired}, {"delimiter", '\0', kRequired}, {"duplicates", 'D', kNone}, {"endtime", 'E', kRequired},
    {"env-vars", '\0', kNone}, {"federation", '\0', kNone}, {"file", 'f', kRequired}, {"flags", 'F', kRequired}, {"format", 'o', kRequired},
    {"gid", 'g', kRequired}, {"group", '\0', kRequired}, {"help", 'h', kNone}, {"helpformat", 'e', kNone}, {"jobs", 'j', kRequired}, {"json", '\0', kNone},
    {"local", '\0', kNone}, {"long", 'l', kNone}, {"name", '\0', kRequired}, {"ncpus", 'I', kRequired}, {"nnodes", 'i', kRequired}, {"noconvert", '\0', kNone},
    {"nodelist", 'N', kRequired}, {"noheader", 'n', kNone}, {"parsable", 'p', kNone}, {"parsable2", 'P', kNone}, {"partition", 'r', kRequired},
    {"qos", 'q', kRequired}, {"reason", 'R', kRequired}, {"starttime", 'S', kRequired}, {"state", 's', kRequired}, {"timelimit-max", 'K', kRequired},
    {"timelimit-min", 'k', kRequired}, {"truncate", 'T', kNone}, {"uid", '\0', kRequired}, {"units", '\0', kRequired}, {"usage", '\0', kNone}, {"use-local-uid", '\0', kNone},
    {"user", 'u', kRequired}, {"verbose", 'v', kNone}, {"version", 'V', kNone}, {"wckeys", 'W', kRequired}, {"whole-hetjob", '\0', kOptional}, {"yaml", '\0', kNone},
};
constexpr std::string_view kDefaultFormat = "jobid,jobname,partition,account,alloccpus,state,exitcode";
constexpr std::string_view kBriefFormat = "jobid,state,exitcode";
constexpr std::string_view kLongFormat =
    "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,maxpages,"
    "maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,alloccpus,elapsed,state,exitcode,avecpufreq,"
    "reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,"
    "maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,reqtres,alloctres,tresusageinave,tresusageinmax,tresusageinmaxnode,"
    "tresusageinmaxtask,tresusageinmin,tresusageinminnode,tresusageinmintask,tresusageintot,tresusageoutmax,tresusageoutmaxnode,"
    "tresusageoutmaxtask,tresusageoutave,tresusageouttot";
// clang-format on

struct Range {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool contains(std::int64_t value) const { return from <= value && value <= to; }
};

struct Column {
  const SacctField* field = nullptr;
  int width = 0;
};

struct Wanted {
  SacctContext context;
  std::vector<Column> columns;
  std::string jobs;
  std::string users;
  std::string accounts;
  std::string partitions;
  std::string qos;
  std::string names;
  std::string nodes;
  std::string states;
  std::string groups;
  std::string constraints;
  std::string wckeys;
  std::string clusters;
  std::optional<Range> node_range;
  std::optional<Range> cpu_range;
  std::optional<Duration> limit_from;
  std::optional<Duration> limit_to;
  std::optional<Instant> since;
  std::optional<Instant> until;
  std::string delimiter = "|";
  bool parsable = false;  // -p or -P
  bool trailing = false;  // -p
  bool header = true;
  bool steps = true;
  bool json = false;
  std::string_view kept;  // What was kept of the jobs: "batch-script", "env-vars" or nothing.
  bool all_users = false;
};

// A field has one width, however often it is named: the last that was said.
void share_widths(std::vector<Column>& columns, const std::map<const SacctField*, int>& sizes) {
  for (Column& column : columns)
    if (const auto said = sizes.find(column.field); said != sizes.end())
      column.width = said->second;
}

bool read_format(ShimCall& call, Wanted& wanted, std::string_view format) {
  std::map<const SacctField*, int> sizes;
  for (const std::string_view word : split(format, ',')) {
    if (word.empty()) continue;
    const std::size_t percent = word.find('%');
    const std::string_view name = without_blanks_around(word.substr(0, percent));
    const bool sized = percent != std::string_view::npos;
    // What is no number is 0, as atoi() reads it.
    const std::int64_t typed = sized ? leading_number(word.substr(percent + 1)) : 0;
    const auto size = static_cast<int>(std::clamp<std::int64_t>(typed, -100'000, 100'000));
    // A name of no letters begins every field.
    if (name.empty() && sized) {
      for (const SacctField& field : sacct_fields()) wanted.columns.push_back({&field, size});
      continue;
    }
    if (same_ignoring_case(name, "all")) {
      for (const SacctField& field : sacct_fields())
        wanted.columns.push_back({&field, field.width});
      continue;
    }
    const SacctField* field = sacct_field(name);
    if (field == nullptr) {
      call.error(fmt::format("Invalid field requested: \"{}\"", name));
      return false;
    }
    if (sized) sizes[field] = size;
    wanted.columns.push_back({field, field->width});
  }
  share_widths(wanted.columns, sizes);
  return true;
}

std::optional<Instant> read_time(ShimCall& call, const std::string& text) {
  const Instant now = now_here();
  if (const auto time = parse_past_time(text, now, local_offset(now))) return *time;
  call.complain(fmt::format("Invalid time specification (pos={}): {}",
                            time_mistake_at(text).value_or(0), text));
  return std::nullopt;
}

// "2" or "1-4".
std::optional<Range> read_range(ShimCall& call, const std::string& text, std::string_view what) {
  const std::size_t dash = text.find('-');
  const auto from = whole_number(std::string_view(text).substr(0, dash));
  const auto to =
      dash == std::string::npos ? from : whole_number(std::string_view(text).substr(dash + 1));
  if (from && to) return Range{*from, *to};
  call.error(fmt::format("Invalid numeric value \"{}\" for requested {} range.", text, what));
  return std::nullopt;
}

// In the words with which sacct refuses a job; "" where it takes it.
std::string job_mistake(std::string_view word) {
  std::size_t end = 0;
  while (end < word.size() && is_digit(word[end])) ++end;
  const std::string_view number = word.substr(0, end);
  const std::string_view rest = word.substr(end);
  if (number.empty()) return fmt::format("Bad job/step specified: {}", word);
  const std::string_view part = rest.substr(std::min<std::size_t>(rest.size(), 1));
  const std::size_t dot = part.find('.');
  if (rest.starts_with('_') && !whole_number(part.substr(0, dot)))
    return fmt::format("Bad job array element specified: {}", number);
  if (rest.starts_with('+') && !whole_number(part.substr(0, dot)))
    return fmt::format("Bad hetjob offset specified: {}", number);
  const std::size_t step_at = rest.find('.');
  if (step_at == std::string_view::npos) return {};
  const std::string_view step = rest.substr(step_at + 1);
  if (step == "batch" || step == "extern" || step == "interactive" || whole_number(step)) return {};
  return fmt::format("Bad step specified: {}", number);
}

// The job that is meant: what follows its number and task is not looked at.
std::optional<JobReference> typed_job(std::string_view word) {
  std::size_t end = 0;
  while (end < word.size() && (is_digit(word[end]) || word[end] == '_')) ++end;
  const auto reference = parse_job_reference(word.substr(0, end));
  if (!reference) return std::nullopt;
  return *reference;
}

Instant midnight() {
  const Instant now = now_here();
  const UtcOffset offset = local_offset(now);
  const Duration local = now.time_since_epoch() + offset.ahead;
  const Duration day = std::chrono::hours(24);
  return instant_at(local - local % day - offset.ahead);
}

// The manual's "default time window".
void set_window(Wanted& wanted) {
  const Instant now = now_here();
  const bool jobs = !wanted.jobs.empty();
  const bool states = !wanted.states.empty();
  if (!wanted.until) wanted.until = states && wanted.since ? *wanted.since : now;
  if (!wanted.since && !jobs) wanted.since = states ? now : midnight();
}

void print_field_names(ShimCall& call) {
  std::size_t i = 0;
  for (const SacctField& field : sacct_fields()) {
    append_cell(call.out, field.name, 19, false);
    call.out += ++i % 4 == 0 ? '\n' : ' ';
  }
  if (i % 4 != 0) call.out.back() = '\n';
}

int read_command_line(ShimCall& call, Wanted& wanted) {
  auto given = read_shim_options(call, kOptions);
  if (!given) {
    // sacct says nothing of --help here.
    const std::size_t line = call.err.find("Try \"");
    if (line != std::string::npos) call.err.resize(line);
    return 1;
  }
  std::string format;
  for (const GivenOption& option : given->options) {
    const std::string_view name = kOptions[option.row].name;
    const std::string value = option.value.value_or("");
    if (name == "help") return call.say(shim_help("sacct")), 0;
    if (name == "usage") return call.say(shim_usage("sacct")), 0;
    if (name == "version") return call.say(kShimVersion), 0;
    if (name == "helpformat") return print_field_names(call), 0;
    if (name == "accounts") wanted.accounts = value;
    if (name == "allocations") wanted.steps = false;
    if (name == "allusers") wanted.all_users = true;
    if (name == "brief") format = kBriefFormat;
    if (name == "long") format = kLongFormat;
    if (name == "format") format += (format.empty() ? "" : ",") + value;
    if (name == "delimiter") wanted.delimiter = value;
    if (name == "duplicates") wanted.context.duplicates = true;
    if (name == "jobs") wanted.jobs += (wanted.jobs.empty() ? "" : ",") + value;
    if (name == "name") wanted.names = value;
    if (name == "noconvert") wanted.context.no_convert = true;
    if (name == "nodelist") wanted.nodes = value;
    if (name == "noheader") wanted.header = false;
    if (name == "parsable" || name == "parsable2") {
      wanted.parsable = true;
      wanted.trailing = name == "parsable";
    }
    if (name == "partition") wanted.partitions = value;
    if (name == "qos") wanted.qos = value;
    if (name == "gid" || name == "group") {
      for (const std::string_view word : split(value, ','))
        if (!word.empty() && !is_group(word))
          return call.error(fmt::format("Invalid group id: {}", word)), 1;
      wanted.groups = value;
    }
    if (name == "constraints") wanted.constraints = value;
    if (name == "wckeys") wanted.wckeys = value;
    if (name == "nnodes" || name == "ncpus") {
      auto& range = name == "nnodes" ? wanted.node_range : wanted.cpu_range;
      range = read_range(call, value, name == "nnodes" ? "node" : "cpu");
      if (!range) return 1;
    }
    if (name == "timelimit-min" || name == "timelimit-max") {
      const auto limit = parse_duration(value);
      if (!limit || limit->unlimited()) return call.error("Invalid time limit specification"), 1;
      (name == "timelimit-min" ? wanted.limit_from : wanted.limit_to) = *limit->duration;
    }
    if (name == "state") {
      static constexpr std::string_view kNotKept = "CF,CG,RD,RF,RH,SE,SI,SO,ST";
      for (const std::string_view word : split(value, ',')) {
        if (word.empty()) continue;
        if (!parse_job_states(word))
          return call.complain(
                     fmt::format("sacct: fatal: unrecognized job state value '{}'", word)),
                 1;
        if (in_list(kNotKept, word) || same_ignoring_case(word, "COMPLETING") ||
            same_ignoring_case(word, "CONFIGURING"))
          return call.complain(
                     fmt::format("sacct: fatal: job state {} is not supported / accounted", word)),
                 1;
      }
      wanted.states = value;
    }
    if ((name == "starttime" || name == "endtime") && !value.empty()) {
      const auto time = read_time(call, value);
      if (!time) return 1;
      (name == "starttime" ? wanted.since : wanted.until) = *time;
    }
    if (name == "units") {
      // The first letter counts.
      const char unit = value.empty() ? '\0' : value[0];
      if (std::string_view("kmgtpKMGTP").find(unit) == std::string_view::npos || unit == '\0') {
        call.error(fmt::format("Invalid unit type '{}'. Possible options are 'KMGTP'",
                               value.substr(0, 1)));
        call.complain("sacct: fatal: Invalid unit type");
        return 1;
      }
      wanted.context.unit = unit >= 'a' ? static_cast<char>(unit - 'a' + 'A') : unit;
    }
    if (name == "uid" || name == "user") {
      for (const std::string_view word : split(value, ',')) {
        if (word.empty()) continue;
        const auto user = user_name(word);
        if (!user) return call.error(fmt::format("Invalid user id: {}", word)), 1;
        wanted.users += (wanted.users.empty() ? "" : ",") + *user;
      }
    }
    if (name == "batch-script" || name == "env-vars") {
      if (!wanted.kept.empty() && wanted.kept != name) {
        call.complain("sacct: fatal: Options --batch-script and --env-vars are mutually exclusive");
        return 1;
      }
      wanted.kept = name;
    }
    if (name == "json") wanted.json = true;
    if (name == "cluster" || name == "clusters") wanted.clusters = value;
    static constexpr std::string_view kUnused[] = {"completion", "file", "yaml"};
    if (std::find(std::begin(kUnused), std::end(kUnused), name) != std::end(kUnused) &&
        !take_unused(call, name))
      return 1;
  }
  for (const std::string_view word : split(wanted.jobs, ',')) {
    if (word.empty()) continue;
    if (const std::string mistake = job_mistake(word); !mistake.empty())
      return call.complain("sacct: fatal: " + mistake), 1;
  }
  if (!wanted.kept.empty() && wanted.jobs.empty())
    return call.complain(
               "sacct: fatal: When requesting job scripts you must also request specific jobs with "
               "the '-j' option."),
           1;
  if (format.empty()) format = variable("SACCT_FORMAT").value_or(std::string(kDefaultFormat));
  if (!read_format(call, wanted, format)) return 1;
  set_window(wanted);
  if (wanted.since && *wanted.since > *wanted.until)
    return call.error(fmt::format("Start time ({}) requested is after end time ({}).",
                                  time_text(wanted.since, ""), time_text(wanted.until, ""))),
           1;
  return -1;
}

bool is_referred(const Wanted& wanted, const AccountLine& it) {
  if (wanted.jobs.empty()) return true;
  for (const std::string_view word : split(wanted.jobs, ',')) {
    if (word.empty()) continue;
    const auto reference = typed_job(word);
    if (!reference) continue;
    if (reference->job == it.job && !reference->tasks) return true;
    if (!it.array || reference->job != *it.array) continue;
    if (!reference->tasks || !it.task || reference->tasks->contains(*it.task)) return true;
  }
  return false;
}

// With "12.batch" or "12.0" only that step is asked for.
bool wants_row(const Wanted& wanted, const SacctLine& line) {
  bool named = false;
  for (const std::string_view word : split(wanted.jobs, ',')) {
    const std::size_t dot = word.find('.');
    if (dot == std::string_view::npos) return true;
    named = true;
    const auto reference = typed_job(word);
    if (!reference) continue;
    const bool own = reference->tasks ? line.job->array == reference->job && line.job->task &&
                                            reference->tasks->contains(*line.job->task)
                                      : reference->job == line.job->job;
    if (!own) continue;
    // Without steps there is the job alone to be shown.
    if (line.kind == SacctRow::kJob && !wanted.steps) return true;
    const std::string_view step = word.substr(dot + 1);
    if (line.kind == SacctRow::kBatch && step == "batch") return true;
    if (line.kind == SacctRow::kStep && step == std::to_string(line.step->number)) return true;
  }
  return !named;
}

bool meets(std::optional<Instant> from, std::optional<Instant> to, const Wanted& wanted) {
  if (!from || to_seconds(*from) > to_seconds(*wanted.until)) return false;
  return !to || !wanted.since || to_seconds(*to) >= to_seconds(*wanted.since);
}

// A job waited and ran within the window if any part of that time lies there; it ended there if
// that moment does.
bool has_state(const Wanted& wanted, const AccountLine& it) {
  if (wanted.states.empty()) return true;
  const auto list = parse_job_states(wanted.states);
  if (!list) return false;
  const bool ran = it.started && !it.nodes.empty();
  const std::optional<Instant> waited_until = ran ? it.started : it.ended;
  if (list->contains(JobState::kPending) && it.state != JobState::kCancelled &&
      meets(it.eligible, waited_until, wanted))
    return true;
  if (list->contains(JobState::kRunning) && ran && meets(it.started, it.ended, wanted)) return true;
  if (it.requeued && in_list(wanted.states, "RQ") && meets(it.ended, it.ended, wanted)) return true;
  if (it.state == JobState::kSuspended) return list->contains(it.state);
  return it.ended && list->contains(it.state) && meets(it.ended, it.ended, wanted);
}

// One bound alone is the limit itself below, and the most above.
bool has_limit(const Wanted& wanted, const AccountLine& it) {
  if (!it.limit) return !wanted.limit_from;
  if (wanted.limit_from && !wanted.limit_to) return *it.limit == *wanted.limit_from;
  return (!wanted.limit_from || *it.limit >= *wanted.limit_from) && *it.limit <= *wanted.limit_to;
}

bool passes(const Wanted& wanted, const AccountLine& it) {
  if (!is_referred(wanted, it) || !has_state(wanted, it)) return false;
  if (!wanted.users.empty() && !in_list(wanted.users, it.user)) return false;
  if (!wanted.accounts.empty() && !in_list(wanted.accounts, it.account)) return false;
  if (!wanted.qos.empty() && !in_list(wanted.qos, it.qos)) return false;
  if (!wanted.groups.empty() && !in_list(wanted.groups, group_text(it.user)) &&
      !in_list(wanted.groups, gid_text(it.user)))
    return false;
  if (!wanted.names.empty() && !in_list(wanted.names, it.name)) return false;
  if (!wanted.constraints.empty() && !in_list(wanted.constraints, it.details.constraint))
    return false;
  if (!wanted.wckeys.empty() && !in_list(wanted.wckeys, it.details.wckey)) return false;
  const SacctLine row{SacctRow::kJob, &it, nullptr, 0};
  if (wanted.node_range && !wanted.node_range->contains(sacct_nodes(row))) return false;
  if (wanted.cpu_range && !wanted.cpu_range->contains(sacct_cpus(row))) return false;
  if ((wanted.limit_from || wanted.limit_to) && !has_limit(wanted, it)) return false;
  if (!wanted.partitions.empty()) {
    const auto own = split(it.partition, ',');
    if (std::none_of(own.begin(), own.end(),
                     [&](std::string_view each) { return in_list(wanted.partitions, each); }))
      return false;
  }
  if (!wanted.nodes.empty() && !share_a_node(wanted.nodes, it.nodes)) return false;
  if (wanted.since && it.ended && to_seconds(*it.ended) < to_seconds(*wanted.since)) return false;
  // What might never start is shown only where it is asked for by its number.
  if (wanted.jobs.empty() && !it.eligible) return false;
  const Instant from = wanted.jobs.empty() ? *it.eligible : it.submitted;
  return to_seconds(from) <= to_seconds(*wanted.until);
}

// In the order in which slurmdbd heard of them: a job when it may start, a task when it starts.
void sort_as_told(std::vector<AccountLine>& lines) {
  const auto key = [](const AccountLine& it) {
    const Instant told =
        it.array ? it.started.value_or(it.submitted) : it.eligible.value_or(it.submitted);
    return std::tuple(to_seconds(told), it.array.has_value(), it.task.value_or(0), it.job,
                      it.attempt);
  };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const AccountLine& a, const AccountLine& b) { return key(a) < key(b); });
}

void print_cells(ShimCall& call, const Wanted& wanted,
                 const std::function<std::string(const Column&)>& text, bool title) {
  bool first = true;
  for (const Column& column : wanted.columns) {
    std::string cell = text(column);
    const auto width = static_cast<std::size_t>(std::abs(column.width));
    const SacctCut cut = title ? SacctCut::kMarked : column.field->cut;
    if (cut == SacctCut::kTime && cell.size() > width) cell.resize(width);
    if (wanted.parsable) {
      if (!first) call.out += wanted.delimiter;
      call.out += cell;
    } else {
      // A title is cut without a mark; a column of no width has no text.
      if (title && cell.size() > width) cell.resize(width);
      if (cut == SacctCut::kNever && cell.size() > width)
        call.out += cell;
      else if (width > 0)
        append_marked_cell(call.out, cell, column.width);
      call.out += ' ';
    }
    first = false;
  }
  if (wanted.parsable && wanted.trailing) call.out += wanted.delimiter;
  call.out += '\n';
}

bool knows_qos(ShimCall& call, const Wanted& wanted, const Policy& policy) {
  for (const std::string_view word : split(wanted.qos, ',')) {
    if (word.empty()) continue;
    std::string all;
    bool known = false;
    for (const Qos& qos : policy.qos) {
      known = known || same_ignoring_case(qos.name, word);
      all += (all.empty() ? "" : ",") + qos.name;
    }
    if (known) continue;
    call.error(fmt::format("You gave a bad qos '{}'. Valid QOS's are {}", word, all));
    call.complain("sacct: fatal: problem processing qos list");
    return false;
  }
  return true;
}

// Every line that was asked for, a job's steps behind it.
template <class Visit>
void each_line(const Wanted& wanted, const std::vector<AccountLine>& jobs, const Visit& visit) {
  std::int64_t index = 0;
  for (const AccountLine& job : jobs) {
    ++index;
    if (!passes(wanted, job)) continue;
    const auto show = [&](const SacctLine& line) {
      if (wants_row(wanted, line)) visit(line);
    };
    show({SacctRow::kJob, &job, nullptr, index});
    if (!wanted.steps || job.nodes.empty()) continue;
    if (job.details.batch) show({SacctRow::kBatch, &job, nullptr, index});
    for (const StepLine& step : job.details.steps) show({SacctRow::kStep, &job, &step, index});
  }
}

// The accounts keep neither scripts nor environments, as in a Slurm without AccountingStoreFlags.
void print_kept(ShimCall& call, const Wanted& wanted, const SacctLine& line) {
  const std::string id = sacct_id(line);
  call.say(wanted.kept == "batch-script"
               ? "Batch Script for " + id
               : fmt::format("Environment used for {} (must be batch to display)", id));
  call.say(std::string(80, '-'));
  call.say("NONE\n");
}

}  // namespace

int run_sacct(ShimCall& call) {
  Wanted wanted;
  if (const int code = read_command_line(call, wanted); code >= 0) return code;
  // Jobs that are named are meant, whatever user they belong to.
  if (wanted.users.empty() && !wanted.all_users && wanted.jobs.empty() && ::geteuid() != 0)
    wanted.users = own_user();
  wanted.context.now = now_here();
  if (!wanted.qos.empty() || wanted.json ||
      std::any_of(wanted.columns.begin(), wanted.columns.end(),
                  [](const Column& it) { return it.field->name == "Cluster"; })) {
    const auto policy = call.engine->policy();
    if (!policy) return call.fail(policy.error());
    wanted.context.cluster = policy->cluster;
    if (!knows_qos(call, wanted, *policy)) return 1;
  }
  std::string query;
  std::set<std::string> numbers;
  for (const std::string_view word : split(wanted.jobs, ','))
    if (const auto reference = typed_job(word))
      numbers.insert(std::to_string(reference->job.value()));
  if (!numbers.empty()) query += fmt::format("&job={}", fmt::join(numbers, ","));
  if (wanted.since) query += fmt::format("&since={}", to_seconds(*wanted.since));
  if (!wanted.users.empty() && wanted.users.find(',') == std::string::npos)
    query += "&user=" + url_escaped(wanted.users);
  if (wanted.context.duplicates) query += "&duplicates=1";
  auto lines = call.engine->fetch<Lines<AccountLine>>("/v1/accounts" +
                                                      (query.empty() ? "" : "?" + query.substr(1)));
  if (!lines) return call.fail(lines.error());
  if (!wanted.clusters.empty()) {
    const auto policy = call.engine->policy();
    if (!policy) return call.fail(policy.error());
    // The accounts of clusters that nobody knows are empty.
    const auto names = split(wanted.clusters, ',');
    if (std::none_of(names.begin(), names.end(), [&](std::string_view name) {
          return name == policy->cluster || same_ignoring_case(name, "all");
        }))
      lines->lines.clear();
  }
  sort_as_told(lines->lines);
  if (wanted.json) {
    std::vector<SacctJob> jobs;
    each_line(wanted, lines->lines, [&](const SacctLine& line) {
      if (jobs.empty() || jobs.back().job.index != line.index)
        jobs.push_back({{SacctRow::kJob, line.job, nullptr, line.index}, {}});
      if (line.kind != SacctRow::kJob) jobs.back().steps.push_back(line);
    });
    call.out += accounts_json(jobs, wanted.context);
    return 0;
  }
  if (!wanted.kept.empty()) {
    each_line(wanted, lines->lines, [&](const SacctLine& line) {
      if (line.kind == SacctRow::kJob) print_kept(call, wanted, line);
    });
    return 0;
  }
  if (wanted.header) {
    print_cells(
        call, wanted, [](const Column& it) { return std::string(it.field->name); }, true);
    if (!wanted.parsable)
      print_cells(
          call, wanted,
          [](const Column& it) {
            return std::string(static_cast<std::size_t>(std::abs(it.width)), '-');
          },
          true);
  }
  each_line(wanted, lines->lines, [&](const SacctLine& line) {
    print_cells(
        call, wanted, [&](const Column& it) { return it.field->text(line, wanted.context); },
        false);
  });
  return 0;
}

}  // namespace sluice
