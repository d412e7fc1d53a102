#include "shims/accounts_json.h"

#include <algorithm>
#include <cstring>

#include "shims/slurm_json.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "text/printed_tres.h"
#include "text/scan.h"

namespace sluice {
namespace {

class Writer {
 public:
  Writer(SlurmJson& json, const SacctContext& context) : json_(json), context_(context) {}

  void add(const SacctJob& all) {
    const SacctLine& line = all.job;
    const AccountLine& job = *line.job;
    const bool ran = !job.nodes.empty();
    json_.writer().begin_object();
    json_.text("account", job.account);
    json_.begin_object("comment");
    nulls({"administrator", "job", "system"});
    json_.end_object();
    json_.number("allocation_nodes", ran ? sacct_nodes(line) : 0);
    json_.begin_object("array");
    json_.number("job_id", job.array ? std::int64_t{job.array->value()} : 0);
    json_.begin_object("limits");
    json_.begin_object("max");
    json_.begin_object("running");
    json_.number("tasks", std::int64_t{0});
    json_.end_object();
    json_.end_object();
    json_.end_object();
    if (job.array && !job.task)
      json_.text("task", job.waiting);
    else
      json_.null("task");
    json_.number("task_id",
                 job.task ? std::optional(std::int64_t{*job.task}) : std::optional<std::int64_t>());
    json_.end_object();
    json_.begin_object("association");
    json_.text("account", job.account);
    json_.text("cluster", context_.cluster);
    json_.null("partition");
    json_.text("user", job.user);
    json_.end_object();
    json_.text("cluster", context_.cluster);
    json_.text("constraints", job.details.constraint);
    json_.null("container");
    exit_code("derived_exit_code", derived_exit(job));
    json_.begin_object("time");
    json_.number("elapsed", field_number("ElapsedRaw", line));
    json_.time("eligible", job.eligible);
    json_.time("end", job.ended);
    json_.time("start", job.started);
    json_.time("submission", job.submitted);
    json_.number("suspended", std::int64_t{0});
    processor_time("system", Duration(0));
    json_.number("limit", job.limit ? std::optional(to_seconds(*job.limit) / 60)
                                    : std::optional<std::int64_t>());
    processor_time("total", job.cpu_time);
    processor_time("user", job.cpu_time);
    json_.end_object();
    exit_code("exit_code", field("ExitCode", line));
    json_.texts("flags", ran ? std::vector<std::string>{"CLEAR_SCHEDULING", "STARTED_ON_SCHEDULE"}
                             : std::vector<std::string>());
    json_.text("group", group_text(job.user));
    json_.begin_object("het");
    json_.number("job_id", std::int64_t{0});
    json_.null("job_offset");
    json_.end_object();
    json_.number("job_id", std::int64_t{job.job.value()});
    json_.text("name", job.name);
    json_.begin_object("mcs");
    json_.text("label", "");
    json_.end_object();
    json_.text("nodes", field("NodeList", line));
    json_.text("partition", job.partition);
    json_.number("priority", job.details.priority);
    json_.text("qos", job.qos);
    json_.begin_object("required");
    const PrintedTres asked = read_printed_tres(job.requested);
    json_.number("CPUs", asked.cpus.value_or(0));
    json_.number("memory", asked.memory_mb.value_or(0));
    json_.end_object();
    if (job.details.cancelled_by.empty())
      json_.null("kill_request_user");
    else
      json_.text("kill_request_user", job.details.cancelled_by);
    json_.begin_object("reservation");
    json_.number("id", std::int64_t{0});
    json_.number("name", std::int64_t{0});
    json_.end_object();
    json_.begin_object("state");
    json_.text("current", state_of(line));
    json_.text("reason", field("Reason", line));
    json_.end_object();
    json_.begin_array("steps");
    for (const SacctLine& step : all.steps) add_step(step);
    json_.end_array();
    json_.begin_object("tres");
    resources("allocated", ran ? job.allocated : std::string());
    resources("requested", job.requested);
    json_.end_object();
    json_.text("user", job.user);
    json_.begin_object("wckey");
    json_.text("wckey", job.details.wckey);
    json_.begin_array("flags");
    json_.end_array();
    json_.end_object();
    json_.text("working_directory", job.details.folder);
    json_.end_object();
  }

 private:
  std::string field(std::string_view name, const SacctLine& line) const {
    return sacct_field(name)->text(line, context_);
  }
  std::int64_t field_number(std::string_view name, const SacctLine& line) const {
    return whole_number(field(name, line)).value_or(0);
  }
  void nulls(std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) json_.null(key);
  }

  // "CANCELLED by 1000" is a state and a person.
  static std::string state_of(const SacctLine& line) {
    const std::string state = sacct_state(line);
    return state.substr(0, state.find(' '));
  }

  void resources(std::string_view key, const std::string& list) {
    constexpr std::pair<std::string_view, std::int64_t> kIds[] = {
        {"cpu", 1}, {"mem", 2}, {"node", 4}, {"billing", 5}, {"gres", 1001}};
    json_.begin_array(key);
    for (const auto& [type, id] : kIds)
      for (const std::string_view word : split(list, ',')) {
        const std::string_view whole = word.substr(0, word.find('='));
        if (whole.substr(0, whole.find('/')) != type) continue;
        json_.writer().begin_object();
        json_.text("type", type);
        if (whole == type)
          json_.null("name");
        else
          json_.text("name", whole.substr(type.size() + 1));
        json_.number("id", id);
        // Memory in megabytes, everything else as it stands.
        const std::size_t value = std::min(whole.size() + 1, word.size());
        json_.number("count", type == "mem" ? read_printed_tres(word).memory_mb
                                            : whole_number(word.substr(value)));
        json_.end_object();
      }
    json_.end_array();
  }

  void processor_time(std::string_view key, Duration time) {
    json_.begin_object(key);
    json_.number("seconds", to_seconds(time));
    json_.number("microseconds", time.count() % 1000 * 1000);
    json_.end_object();
  }

  // "3:0" and "0:15"; Slurm 22.05 has 0 in place of every code.
  void exit_code(std::string_view key, const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::int64_t code = whole_number(text.substr(0, colon)).value_or(0);
    const std::int64_t signal =
        colon == std::string::npos ? 0 : whole_number(text.substr(colon + 1)).value_or(0);
    json_.begin_object(key);
    json_.text("status", signal != 0 ? "SIGNALED" : code != 0 ? "ERROR" : "SUCCESS");
    json_.number("return_code", signal != 0 ? std::nullopt : std::optional(code));
    if (signal != 0) {
      json_.begin_object("signal");
      json_.number("signal_id", signal);
      json_.text("name", ::strsignal(static_cast<int>(signal)));
      json_.end_object();
    }
    json_.end_object();
  }

  // What is measured of a step: CPU time and the most memory.
  void usage(std::string_view key, const SacctLine& line, bool where) {
    json_.begin_array(key);
    const std::string node = field("MaxRSSNode", line);
    if (!node.empty()) {
      const auto one = [&](std::string_view type, std::int64_t id, std::int64_t count) {
        json_.writer().begin_object();
        json_.text("type", type);
        json_.null("name");
        json_.number("id", id);
        json_.number("count", count);
        if (where) {
          json_.number("task", std::int64_t{0});
          json_.text("node", node);
        }
        json_.end_object();
      };
      one("cpu", 1, used(line).count());
      one("mem", 2,
          (line.kind == SacctRow::kStep ? line.step->max_rss_kb : line.job->max_rss_kb) * 1024);
    }
    json_.end_array();
  }
  static Duration used(const SacctLine& line) {
    if (line.kind == SacctRow::kStep) return line.step->cpu_time;
    Duration rest = line.job->cpu_time;
    for (const StepLine& step : line.job->details.steps) rest -= step.cpu_time;
    return std::max(rest, Duration(0));
  }

  void add_step(const SacctLine& line) {
    const bool batch = line.kind == SacctRow::kBatch;
    const std::string nodes = field("NodeList", line);
    const auto hosts = expand_hostlist(nodes);
    json_.writer().begin_object();
    json_.begin_object("nodes");
    json_.texts("list", hosts ? *hosts : std::vector<std::string>());
    json_.number("count", sacct_nodes(line));
    json_.text("range", nodes);
    json_.end_object();
    json_.begin_object("tres");
    json_.begin_object("requested");
    usage("max", line, true);
    usage("min", line, true);
    usage("average", line, false);
    usage("total", line, false);
    json_.end_object();
    json_.begin_object("consumed");
    for (const char* key : {"max", "min", "average", "total"}) {
      json_.begin_array(key);
      json_.end_array();
    }
    json_.end_object();
    resources("allocated", field("AllocTRES", line));
    json_.end_object();
    json_.begin_object("time");
    json_.number("elapsed", field_number("ElapsedRaw", line));
    json_.time("end", batch ? line.job->ended : line.step->ended);
    json_.time("start", batch ? line.job->started : line.step->started);
    json_.number("suspended", std::int64_t{0});
    processor_time("system", Duration(0));
    processor_time("total", used(line));
    processor_time("user", used(line));
    json_.end_object();
    exit_code("exit_code", field("ExitCode", line));
    json_.begin_object("tasks");
    json_.number("count", batch ? std::int64_t{1} : line.step->tasks);
    json_.end_object();
    json_.null("pid");
    json_.begin_object("CPU");
    json_.begin_object("requested_frequency");
    const auto frequency = batch ? std::optional<std::int64_t>(0) : std::nullopt;
    json_.number("min", frequency);
    json_.number("max", frequency);
    json_.end_object();
    json_.texts("governor", batch ? std::vector<std::string>()
                                  : std::vector<std::string>{"Conservative", "Performance",
                                                             "PowerSave", "OnDemand", "UserSpace"});
    json_.end_object();
    json_.null("kill_request_user");
    json_.text("state", state_of(line));
    json_.begin_object("statistics");
    json_.begin_object("CPU");
    json_.number("actual_frequency", std::int64_t{0});
    json_.end_object();
    json_.begin_object("energy");
    json_.number("consumed", std::int64_t{0});
    json_.end_object();
    json_.end_object();
    json_.begin_object("step");
    json_.number("job_id", std::int64_t{line.job->job.value()});
    json_.begin_object("het");
    json_.null("component");
    json_.end_object();
    if (batch)
      json_.text("id", "batch");
    else
      json_.number("id", line.step->number);
    json_.text("name", batch ? "batch" : line.step->name);
    json_.end_object();
    json_.begin_object("task");
    json_.text("distribution", batch ? "Unknown" : line.step->tasks > 1 ? "Block" : "Cyclic");
    json_.end_object();
    json_.end_object();
  }

  SlurmJson& json_;
  const SacctContext& context_;
};

}  // namespace

std::string accounts_json(const std::vector<SacctJob>& jobs, const SacctContext& context) {
  SlurmJson json("openapi/dbv0.0.38", "Slurm OpenAPI DB v0.0.38", "jobs",
                 jobs.empty() ? SlurmJson::Found::kNothing : SlurmJson::Found::kSomething);
  Writer writer(json, context);
  for (const SacctJob& job : jobs) writer.add(job);
  return json.finish();
}

}  // namespace sluice
