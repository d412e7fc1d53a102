// sacct: runs that ended, run or wait, with their steps.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "cli/local_time.h"
#include "cli/own_user.h"
#include "shims/help.h"
#include "shims/records.h"
#include "shims/sacct_fields.h"
#include "shims/shim.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "text/job_reference.h"
#include "text/job_states.h"
#include "text/past_time.h"
#include "text/scan.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

using enum OptionArgument;

// clang-format off
constexpr OptionShape kOptions[] = {
    {"accounts", 'A', kRequired}, {"allclusters", 'L', kNone}, {"allocations", 'X', kNone}, {"allusers", 'a', kNone}, {"array", '\0', kNone},
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
  std::optional<Instant> since;
  std::optional<Instant> until;
  std::string delimiter = "|";
  bool parsable = false;  // -p or -P
  bool trailing = false;  // -p
  bool header = true;
  bool steps = true;
  bool all_users = false;
};

bool read_format(ShimCall& call, Wanted& wanted, std::string_view format) {
  for (const std::string_view word : split(format, ',')) {
    if (word.empty()) continue;
    const std::size_t percent = word.find('%');
    const std::string_view name = without_blanks_around(word.substr(0, percent));
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
    int width = field->width;
    if (percent != std::string_view::npos)
      if (const auto asked = signed_number(word.substr(percent + 1)))
        width = static_cast<int>(std::clamp<std::int64_t>(*asked, -100'000, 100'000));
    wanted.columns.push_back({field, width});
  }
  return true;
}

std::optional<Instant> read_time(ShimCall& call, const std::string& text) {
  const Instant now = now_here();
  if (const auto time = parse_past_time(text, now, local_offset(now))) return *time;
  call.complain(fmt::format("Invalid time specification (pos=0): {}", text));
  return std::nullopt;
}

Instant midnight() {
  const Instant now = now_here();
  const UtcOffset offset = local_offset(now);
  const Duration local = now.time_since_epoch() + offset.ahead;
  const Duration day = std::chrono::hours(24);
  return instant_at(local - local % day - offset.ahead);
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
  bool start_given = false;
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
    if (name == "gid" || name == "group") wanted.groups = value;
    if (name == "state") {
      for (const std::string_view word : split(value, ','))
        if (!word.empty() && !parse_job_states(word))
          return call.complain(
                     fmt::format("sacct: fatal: unrecognized job state value '{}'", word)),
                 1;
      wanted.states = value;
    }
    if (name == "starttime" || name == "endtime") {
      const auto time = read_time(call, value);
      if (!time) return 1;
      (name == "starttime" ? wanted.since : wanted.until) = *time;
      start_given = start_given || name == "starttime";
    }
    if (name == "units") {
      if (value.size() != 1 || std::string_view("KMGTP").find(value[0]) == std::string_view::npos)
        return call.complain("Invalid --units specified, valid units are: K, M, G, T, P"), 1;
      wanted.context.unit = value[0];
    }
    if (name == "uid" || name == "user") {
      for (const std::string_view word : split(value, ',')) {
        if (word.empty()) continue;
        const auto user = user_name(word);
        if (!user) return call.complain(fmt::format("sacct: fatal: Invalid user id: {}", word)), 1;
        wanted.users += (wanted.users.empty() ? "" : ",") + *user;
      }
    }
    static constexpr std::string_view kUnused[] = {"allclusters", "completion", "file",    "json",
                                                   "yaml",        "cluster",    "clusters"};
    if (std::find(std::begin(kUnused), std::end(kUnused), name) != std::end(kUnused) &&
        !take_unused(call, name))
      return 1;
  }
  for (const std::string_view word : split(wanted.jobs, ',')) {
    if (word.empty()) continue;
    const std::string_view job = word.substr(0, word.find('.'));
    if (!parse_job_reference(job.substr(0, job.find('+'))))
      return call.complain(fmt::format("sacct: fatal: Bad job/step specified: {}", word)), 1;
  }
  if (format.empty()) format = variable("SACCT_FORMAT").value_or(std::string(kDefaultFormat));
  if (!read_format(call, wanted, format)) return 1;
  if (!start_given && wanted.jobs.empty())
    wanted.since = wanted.states.empty() ? midnight() : now_here();
  return -1;
}

bool is_referred(const Wanted& wanted, const AccountLine& it) {
  if (wanted.jobs.empty()) return true;
  for (std::string_view word : split(wanted.jobs, ',')) {
    word = word.substr(0, word.find('.'));
    if (word.empty()) continue;
    const auto reference = parse_job_reference(word);
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
    const auto reference = parse_job_reference(word.substr(0, dot));
    if (!reference || reference->job != line.job->job) continue;
    const std::string_view step = word.substr(dot + 1);
    if (line.kind == SacctRow::kBatch && step == "batch") return true;
    if (line.kind == SacctRow::kStep && step == std::to_string(line.step->number)) return true;
  }
  return !named;
}

bool has_state(const Wanted& wanted, const AccountLine& it) {
  if (wanted.states.empty()) return true;
  const auto list = parse_job_states(wanted.states);
  if (!list) return false;
  if (list->all || list->contains(it.state)) return true;
  return it.requeued && in_list(wanted.states, "RQ");
}

bool passes(const Wanted& wanted, const AccountLine& it) {
  if (!is_referred(wanted, it) || !has_state(wanted, it)) return false;
  if (!wanted.users.empty() && !in_list(wanted.users, it.user)) return false;
  if (!wanted.accounts.empty() && !in_list(wanted.accounts, it.account)) return false;
  if (!wanted.qos.empty() && !in_list(wanted.qos, it.qos)) return false;
  if (!wanted.groups.empty() && !in_list(wanted.groups, group_text(it.user)) &&
      !in_list(wanted.groups, gid_text(it.user)))
    return false;
  if (!wanted.names.empty()) {
    const auto names = split(wanted.names, ',');
    if (std::find(names.begin(), names.end(), it.name) == names.end()) return false;
  }
  if (!wanted.partitions.empty()) {
    const auto own = split(it.partition, ',');
    if (std::none_of(own.begin(), own.end(),
                     [&](std::string_view each) { return in_list(wanted.partitions, each); }))
      return false;
  }
  if (!wanted.nodes.empty()) {
    const auto asked = expand_hostlist(wanted.nodes);
    const auto own = expand_hostlist(it.nodes);
    if (!asked || !own || std::none_of(own->begin(), own->end(), [&](const std::string& node) {
          return std::find(asked->begin(), asked->end(), node) != asked->end();
        }))
      return false;
  }
  if (wanted.since && it.ended && to_seconds(*it.ended) < to_seconds(*wanted.since)) return false;
  return !wanted.until || to_seconds(it.submitted) <= to_seconds(*wanted.until);
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
    const std::string cell = text(column);
    if (wanted.parsable) {
      if (!first) call.out += wanted.delimiter;
      call.out += cell;
    } else {
      // A title is cut without a mark.
      if (title)
        append_marked_cell(
            call.out,
            std::string_view(cell).substr(0, static_cast<std::size_t>(std::abs(column.width))),
            column.width);
      else
        append_marked_cell(call.out, cell, column.width);
      call.out += ' ';
    }
    first = false;
  }
  if (wanted.parsable && wanted.trailing) call.out += wanted.delimiter;
  call.out += '\n';
}

}  // namespace

int run_sacct(ShimCall& call) {
  Wanted wanted;
  if (const int code = read_command_line(call, wanted); code >= 0) return code;
  if (wanted.users.empty() && !wanted.all_users && ::geteuid() != 0) wanted.users = own_user();
  wanted.context.now = now_here();
  if (std::any_of(wanted.columns.begin(), wanted.columns.end(),
                  [](const Column& it) { return it.field->name == "Cluster"; })) {
    const auto policy = call.engine->policy();
    if (!policy) return call.fail(policy.error());
    wanted.context.cluster = policy->cluster;
  }
  std::string query;
  std::set<std::string> numbers;
  for (std::string_view word : split(wanted.jobs, ','))
    if (const auto reference = parse_job_reference(word.substr(0, word.find('.'))))
      numbers.insert(std::to_string(reference->job.value()));
  if (!numbers.empty()) query += fmt::format("&job={}", fmt::join(numbers, ","));
  if (wanted.since) query += fmt::format("&since={}", to_seconds(*wanted.since));
  if (!wanted.users.empty() && wanted.users.find(',') == std::string::npos)
    query += "&user=" + url_escaped(wanted.users);
  if (wanted.context.duplicates) query += "&duplicates=1";
  auto lines = call.engine->fetch<Lines<AccountLine>>("/v1/accounts" +
                                                      (query.empty() ? "" : "?" + query.substr(1)));
  if (!lines) return call.fail(lines.error());
  sort_as_told(lines->lines);
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
  std::int64_t index = 0;
  for (const AccountLine& job : lines->lines) {
    ++index;
    if (!passes(wanted, job)) continue;
    const auto print = [&](const SacctLine& line) {
      if (wants_row(wanted, line))
        print_cells(
            call, wanted, [&](const Column& it) { return it.field->text(line, wanted.context); },
            false);
    };
    print({SacctRow::kJob, &job, nullptr, index});
    if (!wanted.steps || job.nodes.empty()) continue;
    if (job.details.batch) print({SacctRow::kBatch, &job, nullptr, index});
    for (const StepLine& step : job.details.steps) print({SacctRow::kStep, &job, &step, index});
  }
  return 0;
}

}  // namespace sluice
