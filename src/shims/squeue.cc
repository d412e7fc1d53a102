// squeue: which records, in which order, in which columns.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/local_time.h"
#include "cli/own_user.h"
#include "shims/clusters.h"
#include "shims/columns.h"
#include "shims/help.h"
#include "shims/queue_json.h"
#include "shims/records.h"
#include "shims/repeated.h"
#include "shims/shim.h"
#include "shims/squeue_fields.h"
#include "shims/squeue_sort.h"
#include "shims/squeue_steps.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "text/job_reference.h"
#include "text/job_states.h"
#include "text/scan.h"

namespace sluice {
namespace {

using enum OptionArgument;

// clang-format off
constexpr OptionShape kOptions[] = {
    {"account", 'A', kRequired}, {"accounts", '\0', kRequired}, {"all", 'a', kNone}, {"array", 'r', kNone},
    {"array-unique", '\0', kNone}, {"Format", 'O', kRequired}, {"format", 'o', kRequired}, {"federation", '\0', kNone},
    {"help", '\0', kNone}, {"hide", '\0', kNone}, {"iterate", 'i', kRequired}, {"jobs", 'j', kOptional},
    {"json", '\0', kNone}, {"long", 'l', kNone}, {"licenses", 'L', kRequired}, {"local", '\0', kNone}, {"cluster", '\0', kRequired},
    {"clusters", 'M', kRequired}, {"me", '\0', kNone}, {"name", 'n', kRequired}, {"noconvert", '\0', kNone},
    {"node", '\0', kRequired}, {"nodes", '\0', kRequired}, {"nodelist", 'w', kRequired}, {"noheader", 'h', kNone},
    {"partitions", '\0', kRequired}, {"partition", 'p', kRequired}, {"priority", 'P', kNone}, {"qos", 'q', kRequired}, {"reservation", 'R', kRequired},
    {"sib", '\0', kNone}, {"sibling", '\0', kNone}, {"sort", 'S', kRequired}, {"start", '\0', kNone}, {"steps", 's', kOptional},
    {"states", 't', kRequired}, {"usage", '\0', kNone}, {"user", 'u', kRequired}, {"users", '\0', kRequired},
    {"verbose", 'v', kNone}, {"version", 'V', kNone}, {"yaml", '\0', kNone},
};
// clang-format on

// A number as strtol() takes it: what follows the digits is not looked at, but for "_" and the
// tasks.
std::optional<JobReference> typed_job(std::string_view word) {
  while (!word.empty() && is_blank(word.front())) word.remove_prefix(1);
  if (word.starts_with('+')) word.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < word.size() && is_digit(word[digits])) ++digits;
  const auto number = whole_number(word.substr(0, digits));
  if (!number || *number <= 0 || *number > 0xffffffff) return std::nullopt;
  JobReference out{JobId(static_cast<std::uint32_t>(*number)), std::nullopt};
  if (!word.substr(digits).starts_with('_')) return out;
  const auto whole = parse_job_reference(word);
  out.tasks = whole && whole->tasks ? *whole->tasks : IndexSet{};
  return out;
}

struct Wanted {
  SqueueContext context;
  ShownColumns columns;
  bool header = true;
  std::string cluster;  // Where -M said which.
  bool nobody = false;  // -u "": the jobs of no user.
  bool tasks = false;
  bool long_report = false;
  bool start = false;
  std::optional<StepListing> steps;
  bool jobs_given = false;
  bool json = false;
  std::string jobs;
  std::string users;
  std::string accounts;
  std::string partitions;
  std::string qos;
  std::string names;
  std::string nodes;
  std::string licenses;
  std::string reservation;
  std::string states;
  std::string sort;
  std::string format_problems;  // Said once the jobs are there.
  int every = 0;
};

void read_format(ShimCall& call, Wanted& wanted, std::string_view format) {
  if (format == "%all") {
    for (const char letter :
         std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
      if (const SqueueField* field = squeue_field(letter))
        wanted.columns.columns.push_back(
            {static_cast<std::size_t>(field - squeue_fields().data()), 0, false, "|"});
    return;
  }
  const LetterTokens read = read_letters(format);
  wanted.columns.prefix = read.prefix;
  for (const LetterToken& token : read.tokens) {
    const SqueueField* field = squeue_field(token.letter);
    if (field == nullptr) {
      call.complain(
          fmt::format("squeue: error: Invalid job format specification: {}",
                      token.letter == '\0' ? std::string() : std::string(1, token.letter)));
      std::string& text = wanted.columns.columns.empty() ? wanted.columns.prefix
                                                         : wanted.columns.columns.back().suffix;
      text += token.text;
      continue;
    }
    wanted.columns.columns.push_back({static_cast<std::size_t>(field - squeue_fields().data()),
                                      token.width, token.right, token.suffix});
  }
}

void read_long_format(ShimCall& call, Wanted& wanted, std::string_view format) {
  for (const NameToken& token : read_names(format)) {
    const SqueueField* field = squeue_field(token.name);
    if (field == nullptr) {
      call.error("Invalid job format specification: " + token.name);
      std::string& text = wanted.columns.columns.empty() ? wanted.columns.prefix
                                                         : wanted.columns.columns.back().suffix;
      text += token.suffix;
      continue;
    }
    wanted.columns.columns.push_back({static_cast<std::size_t>(field - squeue_fields().data()),
                                      token.width, token.right, token.suffix});
  }
}

bool takes_states(ShimCall& call, const std::string& text) {
  if (same_ignoring_case(text, "all") || parse_job_states(text)) return true;
  for (const std::string_view word : split(text, ','))
    if (same_ignoring_case(word, "all") || !parse_job_states(word))
      call.error(fmt::format("Invalid job state specified: {}", word));
  call.error(
      "Valid job states include: PENDING,RUNNING,SUSPENDED,COMPLETED,CANCELLED,FAILED,TIMEOUT,"
      "NODE_FAIL,PREEMPTED,BOOT_FAIL,DEADLINE,OUT_OF_MEMORY,COMPLETING,CONFIGURING,RESIZING,"
      "RESV_DEL_HOLD,REQUEUED,REQUEUE_FED,REQUEUE_HOLD,REVOKED,SIGNALING,SPECIAL_EXIT,STAGE_OUT,"
      "STOPPED\n");
  return false;
}

void set_from_environment(Wanted& wanted) {
  wanted.accounts = variable("SQUEUE_ACCOUNT").value_or("");
  wanted.names = variable("SQUEUE_NAMES").value_or("");
  wanted.partitions = variable("SQUEUE_PARTITION").value_or("");
  wanted.qos = variable("SQUEUE_QOS").value_or("");
  wanted.states = variable("SQUEUE_STATES").value_or("");
  wanted.users = variable("SQUEUE_USERS").value_or("");
  wanted.sort = variable("SQUEUE_SORT").value_or("");
  wanted.licenses = variable("SQUEUE_LICENSES").value_or("");
  wanted.tasks =
      variable("SQUEUE_ARRAY").has_value() || variable("SQUEUE_ARRAY_UNIQUE").has_value();
}

// Steps have a format and an order of their own where none is asked for, and only jobs, users and
// partitions narrow them.
void take_for_steps(Wanted& wanted, const std::optional<std::string>& letters,
                    const std::optional<std::string>& names) {
  wanted.steps->letters = letters.value_or("");
  wanted.steps->names = names.value_or("");
  if (!wanted.sort.empty()) wanted.steps->sort = wanted.sort;
  wanted.steps->header = wanted.header;
  wanted.steps->long_report = wanted.long_report;
  for (std::string* each : {&wanted.accounts, &wanted.qos, &wanted.names, &wanted.nodes,
                            &wanted.licenses, &wanted.reservation, &wanted.states})
    each->clear();
}

// -1: go on; else the exit code.
int read_command_line(ShimCall& call, Wanted& wanted) {
  auto given = read_shim_options(call, kOptions);
  if (!given) return 1;
  set_from_environment(wanted);
  if (!wanted.states.empty() && !takes_states(call, wanted.states)) return 1;
  if (!wanted.users.empty()) wanted.users = known_users(call, wanted.users);
  std::optional<std::string> format;
  std::optional<std::string> long_format;
  std::optional<std::string> clusters;
  for (const GivenOption& option : given->options) {
    const std::string_view name = kOptions[option.row].name;
    const std::string value = option.value.value_or("");
    if (name == "help") return call.say(shim_help("squeue")), 0;
    if (name == "usage") return call.say(shim_usage("squeue")), 0;
    if (name == "version") return call.say(kShimVersion), 0;
    if (name == "account" || name == "accounts") wanted.accounts = value;
    if (name == "array" || name == "array-unique") wanted.tasks = true;
    if (name == "Format") {
      if (format) return call.error("-O (--Format) is incompatible with -o (--format)"), 1;
      long_format = value;
    }
    if (name == "format") {
      if (long_format) return call.error("-o (--format) is incompatible with -O (--Format)"), 1;
      format = value;
    }
    if (name == "iterate") {
      const auto every = whole_number(value);
      if (!every || *every <= 0) return call.error("--iterate=" + value), 1;
      wanted.every = static_cast<int>(std::min<std::int64_t>(*every, 1'000'000));
    }
    if (name == "jobs") {
      wanted.jobs_given = true;
      wanted.jobs = value;
    }
    if (name == "long") wanted.long_report = true;
    if (name == "licenses") wanted.licenses = value;
    if (name == "me") wanted.users = own_user();
    if (name == "name") wanted.names = value;
    if (name == "noconvert") wanted.context.no_convert = true;
    if (name == "node" || name == "nodes" || name == "nodelist") wanted.nodes = value;
    if (name == "noheader") wanted.header = false;
    if (name == "partition" || name == "partitions") wanted.partitions = value;
    if (name == "qos") wanted.qos = value;
    if (name == "reservation") wanted.reservation = value;
    if (name == "sort") wanted.sort = value;
    if (name == "start") wanted.start = true;
    if (name == "steps") wanted.steps.emplace().steps = value;
    if (name == "states") {
      if (!takes_states(call, value)) return 1;
      wanted.states = value;
    }
    if (name == "user" || name == "users") {
      wanted.users = known_users(call, value);
      wanted.nobody = wanted.users.empty();
    }
    if (name == "json") wanted.json = true;
    if (name == "yaml" && !take_unused(call, name)) return 1;
    if (name == "cluster" || name == "clusters") clusters = value;
  }
  const auto cluster = pick_cluster_typed(call, clusters);
  if (!cluster) return 1;
  wanted.cluster = *cluster;
  if (!given->operands.empty() && wanted.jobs_given && wanted.jobs.empty()) {
    wanted.jobs = given->operands.front();
    given->operands.erase(given->operands.begin());
  }
  if (wanted.steps && wanted.steps->steps.empty() && !given->operands.empty()) {
    wanted.steps->steps = given->operands.front();
    given->operands.erase(given->operands.begin());
  }
  for (const std::string_view word : split(wanted.jobs, ','))
    if (!word.empty() && !typed_job(word))
      return call.error(fmt::format("Invalid job id: {}", word)), 1;
  if (!given->operands.empty()) {
    call.error("Unrecognized option: " + given->operands.front());
    call.say(shim_usage("squeue"));
    return 1;
  }
  if (wanted.steps && !names_steps(call, wanted.steps->steps)) return 1;
  if (wanted.long_report && format)
    return call.complain(
               "squeue: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please "
               "remove one and retry."),
           1;
  if (!format && !long_format) {
    format = variable("SQUEUE_FORMAT");
    long_format = variable("SQUEUE_FORMAT2");
    if (format && long_format) long_format.reset();
  }
  if (wanted.start) {
    wanted.states = "PD";
    if (!format && !long_format) format = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";
    if (wanted.sort.empty()) wanted.sort = "S";
  }
  if (wanted.steps) take_for_steps(wanted, format, long_format);
  if (!format && !long_format)
    format = wanted.long_report ? "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
                                : "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
  if (wanted.sort.empty()) wanted.sort = "P,t,-p";
  if (!wanted.steps) {
    const std::size_t said = call.err.size();
    if (long_format)
      read_long_format(call, wanted, *long_format);
    else
      read_format(call, wanted, *format);
    wanted.format_problems = call.err.substr(said);
    call.err.resize(said);
  }
  return -1;
}

bool any_in(std::string_view wanted, std::string_view values) {
  for (const std::string_view value : split(values, ','))
    if (in_list(wanted, value)) return true;
  return false;
}

// Job names are compared as they are.
bool has_name(std::string_view wanted, std::string_view name) {
  for (const std::string_view each : split(wanted, ','))
    if (each == name) return true;
  return false;
}

// The waiting tasks of a record that were named, each in a line of its own; the others go.
std::vector<RecordLine> as_referred(const Wanted& wanted, std::vector<RecordLine> records) {
  std::vector<RecordLine> out;
  for (RecordLine& it : records) {
    bool whole = false;
    IndexSet tasks;
    for (const std::string_view word : split(wanted.jobs, ',')) {
      const auto typed = word.empty() ? std::nullopt : typed_job(word);
      if (!typed) continue;
      if (!typed->tasks) {
        whole = whole || typed->job == it.job || (it.array && typed->job == *it.array);
      } else if (it.array && typed->job == *it.array) {
        if (it.task) whole = whole || typed->tasks->contains(*it.task);
        for (auto task = typed->tasks->first(); task && !it.task;
             task = typed->tasks->first(*task + 1))
          tasks.insert(*task);
      }
    }
    if (whole) {
      out.push_back(std::move(it));
    } else if (!tasks.empty()) {
      for (RecordLine& each : with_tasks_apart({it}))
        if (each.task && tasks.contains(*each.task)) out.push_back(std::move(each));
    }
  }
  return out;
}

bool passes(const Wanted& wanted, const RecordLine& it, const std::vector<std::string>& nodes) {
  if (!wanted.users.empty() && !in_list(wanted.users, it.user)) return false;
  if (!wanted.accounts.empty() && !in_list(wanted.accounts, it.account)) return false;
  if (!wanted.partitions.empty() && !any_in(wanted.partitions, it.partition)) return false;
  if (!wanted.qos.empty() && !in_list(wanted.qos, it.qos)) return false;
  if (!wanted.names.empty() && !has_name(wanted.names, it.name)) return false;
  if (!wanted.reservation.empty() && wanted.reservation != it.reservation) return false;
  if (!wanted.licenses.empty()) {
    bool found = false;
    for (const std::string_view each : split(it.licenses, ','))
      found = found || in_list(wanted.licenses, each.substr(0, each.find(':')));
    if (!found) return false;
  }
  if (!nodes.empty()) {
    const auto own = expand_hostlist(it.nodes);
    if (!own || std::none_of(own->begin(), own->end(), [&](const std::string& node) {
          return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
        }))
      return false;
  }
  return true;
}

void print_line(std::string& out, const ShownColumns& columns, const RecordLine* record,
                const SqueueContext& context) {
  out += columns.prefix;
  for (const ShownColumn& column : columns.columns) {
    const SqueueField& field = squeue_fields()[column.field];
    append_cell(out, record == nullptr ? std::string(field.title) : field.text(*record, context),
                column.width, column.right,
                record == nullptr && field.name != "schednodes" ? CellCut::kAlways : field.cut);
    out += column.suffix;
  }
  out += '\n';
}

std::string query_of(const Wanted& wanted) {
  std::string query;
  const auto add = [&](std::string_view name, std::string_view value) {
    query += fmt::format("{}{}={}", query.empty() ? "" : "&", name, url_escaped(value));
  };
  if (!wanted.states.empty()) add("state", wanted.states);
  std::string numbers;
  for (const std::string_view word : split(wanted.jobs, ','))
    if (const auto typed = typed_job(word))
      numbers += (numbers.empty() ? "" : ",") + std::to_string(typed->job.value());
  if (!numbers.empty()) add("job", numbers);
  if (!wanted.users.empty()) add("user", wanted.users);
  if (std::all_of(wanted.columns.columns.begin(), wanted.columns.columns.end(),
                  [](const ShownColumn& it) { return is_light(squeue_fields()[it.field]); }) &&
      wanted.licenses.empty() && wanted.reservation.empty() && !wanted.steps)
    add("fields", kLightFields);
  return query;
}

bool needs_cluster(const Wanted& wanted) {
  return std::any_of(
      wanted.columns.columns.begin(), wanted.columns.columns.end(),
      [](const ShownColumn& it) { return squeue_fields()[it.field].name == "cluster"; });
}

std::vector<const RecordLine*> each_of(const std::vector<RecordLine>& records) {
  std::vector<const RecordLine*> out;
  out.reserve(records.size());
  for (const RecordLine& it : records) out.push_back(&it);
  return out;
}

int print_once(ShimCall& call, Wanted& wanted) {
  std::vector<std::string> nodes;
  if (!wanted.nodes.empty()) {
    const auto policy = call.engine->policy();
    if (!policy) return call.fail(policy.error());
    const auto hosts = expand_hostlist(wanted.nodes);
    if (!hosts)
      return call.error(fmt::format("'{}' invalid entry for --nodelist", wanted.nodes)), 1;
    for (const std::string& host : *hosts) {
      if (!policy->find_node(host)) return call.error("Invalid node name " + host), 1;
      nodes.push_back(host);
    }
  }
  if (needs_cluster(wanted) && wanted.context.cluster.empty())
    if (const auto policy = call.engine->policy()) wanted.context.cluster = policy->cluster;
  auto records = fetch_records(*call.engine, query_of(wanted));
  if (!records) return call.fail(records.error());
  wanted.context.now = now_here();
  if (wanted.nobody) records->clear();
  if (records->empty() && !wanted.steps && !wanted.jobs.empty() &&
      wanted.jobs.find(',') == std::string::npos) {
    // Unknown, or known in another state?
    const auto any = fetch_records(*call.engine, fmt::format("state=all&fields=job&job={}",
                                                             typed_job(wanted.jobs)->job.value()));
    if (any && any->empty())
      return call.complain("slurm_load_jobs error: Invalid job id specified"), 1;
  }
  call.err += std::exchange(wanted.format_problems, {});
  // States of Slurm that a job here never has match nothing.
  const auto states = parse_job_states(wanted.states);
  if (!wanted.states.empty() && states && !states->all && states->states.empty()) records->clear();
  if (!wanted.jobs.empty()) *records = as_referred(wanted, std::move(*records));
  // squeue sorts the records, and lists their tasks as it prints them.
  bool sorted = true;
  if (wanted.tasks) {
    std::vector<RecordLine> whole = std::move(*records);
    records->clear();
    std::vector<const RecordLine*> in_order = each_of(whole);
    sorted = sort_records(call, wanted.sort, wanted.context, in_order);
    for (const RecordLine* it : in_order) records->push_back(*it);
    *records = with_tasks_apart(*records);
  } else {
    *records = with_tasks_together(std::move(*records));
  }
  std::erase_if(*records, [&](const RecordLine& it) { return !passes(wanted, it, nodes); });
  if (wanted.steps) return print_steps(call, *records, *wanted.steps);
  if (wanted.long_report && wanted.header) call.say(date_text(wanted.context.now));
  if (!wanted.cluster.empty() && wanted.header) call.say("CLUSTER: " + wanted.cluster);
  const std::size_t before = call.out.size();
  if (wanted.header) print_line(call.out, wanted.columns, nullptr, wanted.context);
  std::vector<const RecordLine*> in_order = each_of(*records);
  if (!sorted || (!wanted.tasks && !sort_records(call, wanted.sort, wanted.context, in_order)))
    return 1;
  call.out.reserve(before + records->size() * 96);
  for (const RecordLine* it : in_order) print_line(call.out, wanted.columns, it, wanted.context);
  return 0;
}

}  // namespace

int run_squeue(ShimCall& call) {
  Wanted wanted;
  if (const int code = read_command_line(call, wanted); code >= 0) return code;
  if (wanted.json) return print_queue_json(call);
  return print_every(call, wanted.every, [&] { return print_once(call, wanted); });
}

}  // namespace sluice
