// scancel: by number, or by what the filters let through.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "cli/own_user.h"
#include "shims/clusters.h"
#include "shims/help.h"
#include "shims/records.h"
#include "shims/shim.h"
#include "shims/words.h"
#include "text/array_spec.h"
#include "text/job_reference.h"
#include "text/scan.h"
#include "text/signal.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

using enum OptionArgument;

// clang-format off
constexpr OptionShape kOptions[] = {
    {"account", 'A', kRequired}, {"batch", 'b', kNone}, {"cluster", '\0', kRequired}, {"clusters", 'M', kRequired}, {"ctld", '\0', kNone},
    {"full", 'f', kNone}, {"help", '\0', kNone}, {"hurry", 'H', kNone}, {"interactive", 'i', kNone}, {"jobname", '\0', kRequired}, {"me", '\0', kNone},
    {"name", 'n', kRequired}, {"nodelist", 'w', kRequired}, {"partition", 'p', kRequired}, {"qos", 'q', kRequired}, {"quiet", 'Q', kNone},
    {"reservation", 'R', kRequired}, {"sibling", '\0', kRequired}, {"signal", 's', kRequired}, {"state", 't', kRequired}, {"usage", '\0', kNone},
    {"user", 'u', kRequired}, {"verbose", 'v', kNone}, {"version", 'V', kNone}, {"wckey", '\0', kRequired},
};
// clang-format on

// As slurmctld's errors come out of exit(): their number's last byte.
constexpr int kDenied = 210;

struct Wanted {
  std::vector<std::string> ids;
  std::string account;
  std::string name;
  std::string nodes;
  std::string partition;
  std::string qos;
  std::string reservation;
  std::string state;
  std::string user;
  std::string user_said;  // In place of its name, for --me.
  std::string wckey;
  std::optional<std::int32_t> signal;
  bool full = false;  // To the script as well as to the steps.
  bool batch = false;
  bool interactive = false;
  bool quiet = false;
  bool verbose = false;
  // "account=a job_name=x ", as scancel says it; "" where there is none.
  std::string filters_text() const {
    const std::pair<std::string_view, const std::string*> all[] = {
        {"account", &account}, {"job_name", &name},
        {"nodelist", &nodes},  {"partition", &partition},
        {"qos", &qos},         {"reservation", &reservation},
        {"state", &state},     {"user_name", user_said.empty() ? &user : &user_said},
        {"wckey", &wckey}};
    std::string out;
    for (const auto& [word, value] : all)
      if (!value->empty()) out += fmt::format("{}={} ", word, shown(*value));
    return out;
  }
  bool filters() const { return !filters_text().empty(); }
};

int read_command_line(ShimCall& call, Wanted& wanted) {
  const auto given = read_shim_options(call, kOptions);
  if (!given) return 1;
  wanted.account = variable("SCANCEL_ACCOUNT").value_or("");
  wanted.name = variable("SCANCEL_NAME").value_or("");
  wanted.partition = variable("SCANCEL_PARTITION").value_or("");
  wanted.qos = variable("SCANCEL_QOS").value_or("");
  if (const auto said = variable("SCANCEL_USER"); said && !said->empty()) {
    const auto user = user_name(*said);
    if (!user) return call.error("Invalid user name: " + *said), 1;
    wanted.user = *user;
  }
  wanted.wckey = variable("SCANCEL_WCKEY").value_or("");
  std::string state = variable("SCANCEL_STATE").value_or("");
  std::string clusters = variable("SLURM_CLUSTERS").value_or("");
  for (const GivenOption& option : given->options) {
    const std::string_view name = kOptions[option.row].name;
    const std::string value = option.value.value_or("");
    if (name == "help") return call.say(shim_help("scancel")), 0;
    if (name == "usage") return call.say(shim_usage("scancel")), 0;
    if (name == "version") return call.say(kShimVersion), 0;
    if (name == "account") wanted.account = value;
    if (name == "batch") wanted.batch = true;
    if (name == "interactive") wanted.interactive = true;
    if (name == "jobname" || name == "name") wanted.name = value;
    if (name == "me") {
      wanted.user = own_user();
      wanted.user_said = std::to_string(::getuid());
    }
    if (name == "nodelist") wanted.nodes = value;
    if (name == "partition") wanted.partition = value;
    if (name == "qos") wanted.qos = value;
    // The later of -v and -Q counts.
    if (name == "quiet") {
      wanted.quiet = true;
      wanted.verbose = false;
    }
    if (name == "reservation") wanted.reservation = value;
    if (name == "state") state = value;
    if (name == "verbose") {
      wanted.verbose = true;
      wanted.quiet = false;
    }
    if (name == "wckey") wanted.wckey = value;
    if (name == "user") {
      const auto user = user_name(value);
      if (!user) return call.error("Invalid user name: " + value), 1;
      wanted.user = *user;
      wanted.user_said.clear();
    }
    if (name == "full") wanted.full = true;
    if (name == "signal") {
      wanted.signal = signal_named(value);
      // Any number but 0: it is for the cluster to say that there is no such signal.
      if (const auto number = signed_number(value); number && *number != 0)
        wanted.signal =
            static_cast<std::int32_t>(std::clamp<std::int64_t>(*number, INT32_MIN, INT32_MAX));
      if (!wanted.signal) return call.complain("Unknown job signal: " + value), 1;
    }
    if (name == "cluster" || name == "clusters") clusters = value;
    if (name == "sibling" && !take_unused(call, name)) return 1;
  }
  if (!clusters.empty() && !pick_cluster(call, clusters)) return 1;
  if (!state.empty()) {
    const auto known = job_state_named(state);
    if (!known) {
      call.complain("Invalid job state specified: " + state);
      call.complain("Valid job states are PENDING, RUNNING, and SUSPENDED");
      return 1;
    }
    wanted.state = slurm_name(*known);
  }
  for (const std::string& operand : given->operands) {
    if (operand.empty()) return call.error("Invalid job id "), 1;
    // A list of numbers may stand in one word, with commas.
    std::string word;
    int depth = 0;
    const auto take = [&] {
      if (!word.empty()) wanted.ids.push_back(word);
      word.clear();
    };
    for (const char c : operand) {
      depth += (c == '[') - (c == ']');
      if (c == ',' && depth == 0)
        take();
      else
        word += c;
    }
    take();
  }
  for (std::string& id : wanted.ids) {
    // "12+1" is a part of a heterogeneous job, of which there are none: the number counts.
    if (const std::size_t plus = id.find('+'); plus != std::string::npos && plus > 0) {
      const auto end = std::find_if_not(id.begin() + static_cast<std::ptrdiff_t>(plus) + 1,
                                        id.end(), [](char c) { return is_digit(c); });
      id.erase(id.begin() + static_cast<std::ptrdiff_t>(plus), end);
    }
    if (id.ends_with(".batch")) return call.error("Invalid job id " + id), 1;
    const std::string job = id.substr(0, id.find('.'));
    if (!parse_job_reference(job)) return call.error("Invalid job id " + id), 1;
  }
  if (wanted.ids.empty() && !wanted.filters())
    return call.error("No job identification provided"), 1;
  return -1;
}

bool passes(const Wanted& wanted, const RecordLine& it) {
  if (!wanted.account.empty() && !in_list(wanted.account, it.account)) return false;
  // One name, commas and all.
  if (!wanted.name.empty() && wanted.name != it.name) return false;
  if (!wanted.partition.empty()) {
    const auto own = split(it.partition, ',');
    if (std::none_of(own.begin(), own.end(),
                     [&](std::string_view each) { return each == wanted.partition; }))
      return false;
  }
  if (!wanted.qos.empty() && !in_list(wanted.qos, it.qos)) return false;
  if (!wanted.reservation.empty() && wanted.reservation != it.reservation) return false;
  if (!wanted.wckey.empty() && wanted.wckey != it.wckey) return false;
  if (!wanted.state.empty() && wanted.state != slurm_name(it.state)) return false;
  if (!wanted.user.empty() && wanted.user != it.user) return false;
  return wanted.nodes.empty() || share_a_node(wanted.nodes, it.nodes);
}

bool means(const std::vector<std::string>& ids, const RecordLine& it) {
  if (ids.empty()) return true;
  for (const std::string& id : ids) {
    const auto reference = parse_job_reference(id.substr(0, id.find('.')));
    const bool own = it.array && reference->job == *it.array;
    if (!reference->tasks && (reference->job == it.job || own)) return true;
    if (!reference->tasks || !own) continue;
    const auto spec = it.task ? Result<ArraySpec>{} : parse_array_spec(it.waiting);
    for (auto task = reference->tasks->first(); task; task = reference->tasks->first(*task + 1))
      if (it.task ? *it.task == *task : spec && spec->indices.contains(*task)) return true;
  }
  return false;
}

// "12_[1-3]" is three tasks, each of which is there or not.
std::vector<std::string> each_of(const std::vector<std::string>& ids) {
  std::vector<std::string> out;
  for (const std::string& id : ids) {
    const auto reference = parse_job_reference(id);
    if (!reference || !reference->tasks) {
      out.push_back(id);
      continue;
    }
    for (const std::uint32_t task : reference->tasks->to_vector())
      out.push_back(fmt::format("{}_{}", reference->job.value(), task));
  }
  return out;
}

bool agreed(ShimCall& call, const std::string& id, const RecordLine* record) {
  call.flush();
  std::string question = fmt::format("Cancel job_id={}", id);
  if (record != nullptr)
    question = fmt::format("Cancel job_id={} name={} partition={}", id, shown(record->name),
                           record->partition);
  std::fprintf(stdout, "%s [y/n]? ", question.c_str());
  std::fflush(stdout);
  std::string answer;
  return std::getline(std::cin, answer) && !answer.empty() &&
         (answer.front() == 'y' || answer.front() == 'Y');
}

struct Target {
  std::string id;
  const RecordLine* record = nullptr;
};

int act(ShimCall& call, const Wanted& wanted, const std::vector<Target>& targets) {
  std::string ids;
  // SIGKILL ends the job, as in Slurm; other signals leave it to the job.
  const bool ends = !wanted.signal || (*wanted.signal == 9 && !wanted.batch);
  for (const Target& target : targets) {
    if (wanted.interactive && !agreed(call, target.id, target.record)) continue;
    if (wanted.verbose)
      call.complain(ends ? fmt::format("scancel: Terminating job {}", target.id)
                         : fmt::format("scancel: Signal {} to {}job {}", *wanted.signal,
                                       wanted.batch ? "batch " : "", target.id));
    ids += (ids.empty() ? "" : ",") + target.id.substr(0, target.id.find('.'));
  }
  if (ids.empty()) return 0;
  const auto body =
      ends ? call.engine->send("POST", fmt::format("/v1/jobs/{}/cancel", url_escaped(ids)), "")
           : call.engine->send("POST", fmt::format("/v1/jobs/{}/signal", url_escaped(ids)),
                               to_json(SignalRequest{*wanted.signal, wanted.batch}));
  if (!body) return call.fail(body.error());
  const auto reply = from_json<ActionReply>(*body);
  if (!reply) return call.fail(reply.error());
  if (!ends && wanted.full && !wanted.batch)
    static_cast<void>(call.engine->send("POST", fmt::format("/v1/jobs/{}/signal", url_escaped(ids)),
                                        to_json(SignalRequest{*wanted.signal, true})));
  int code = 0;
  for (const ActionResult& result : reply->results) {
    if (result.error.empty()) continue;
    // A job that has ended, or never was, is as good as cancelled.
    const bool gone = !result.denied;
    if (gone && !wanted.verbose) continue;
    if (!wanted.quiet || !gone)
      call.error(fmt::format("Kill job error on job id {}: {}", result.id,
                             result.denied ? "Access/permission denied" : result.error));
    if (!gone) code = kDenied;
  }
  return code;
}

}  // namespace

int run_scancel(ShimCall& call) {
  Wanted wanted;
  if (const int code = read_command_line(call, wanted); code >= 0) return code;
  std::vector<Target> targets;
  const bool names_steps = std::any_of(wanted.ids.begin(), wanted.ids.end(), [](const auto& id) {
    return id.find('.') != std::string::npos;
  });
  // What goes by filters, signals and steps looks at the queue first.
  if (!wanted.filters() && !wanted.interactive && !wanted.signal && !wanted.batch && !names_steps) {
    for (const std::string& id : wanted.ids) targets.push_back({id, nullptr});
    return act(call, wanted, targets);
  }
  const auto records = fetch_records(*call.engine, "");
  if (!records) return call.fail(records.error());
  for (const RecordLine& it : *records) {
    if (!passes(wanted, it) || !means(wanted.ids, it)) continue;
    const bool has_steps = holds_nodes(it.state);
    if (!wanted.ids.empty()) {
      // The tasks that were named, not the whole record.
      for (const std::string& id : wanted.ids) {
        // A job that waits has no steps to end.
        if (!means({id}, it) || (!has_steps && id.find('.') != std::string::npos)) continue;
        if (std::none_of(targets.begin(), targets.end(),
                         [&](const Target& target) { return target.id == id; }))
          targets.push_back({id, &it});
      }
      continue;
    }
    targets.push_back(
        {it.array && !it.task
             ? fmt::format("{}_[{}]", it.array->value(), it.waiting.substr(0, it.waiting.find('%')))
             : record_id(it),
         &it});
  }
  int code = 0;
  for (const std::string& id : each_of(wanted.ids)) {
    // A job that is there and passes no filter is left alone without a word.
    if (std::any_of(records->begin(), records->end(),
                    [&](const RecordLine& it) { return means({id}, it); }))
      continue;
    code = 1;
    if (wanted.quiet) continue;
    call.error(fmt::format("Kill job error on job {}id {}: Invalid job id specified",
                           id.find('.') == std::string::npos ? "" : "step ", id));
  }
  if (targets.empty() && wanted.verbose && wanted.filters())
    call.error("No active jobs match ALL job filters, including: " + wanted.filters_text());
  return std::max(code, act(call, wanted, targets));
}

}  // namespace sluice
