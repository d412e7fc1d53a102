// Every option as --name=value, so that no value can be taken for another option.
#include "slurm/sbatch_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "text/array_spec.h"
#include "text/begin_time.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/gpus.h"
#include "text/hostlist.h"
#include "text/licenses.h"
#include "text/memory.h"
#include "text/node_count.h"

namespace sluice {
namespace {

class Options {
 public:
  void set(std::string_view name, const std::string& value) {
    if (!value.empty()) out_.push_back(fmt::format("--{}={}", name, value));
  }
  template <class Number>
  void set(std::string_view name, const std::optional<Number>& value) {
    if (value) set(name, std::to_string(*value));
  }
  void flag(std::string_view name, bool on = true) {
    if (on) out_.push_back(fmt::format("--{}", name));
  }
  void add(std::string option) { out_.push_back(std::move(option)); }
  std::vector<std::string> take() { return std::move(out_); }

 private:
  std::vector<std::string> out_;
};

void add_gpus(const JobSpec& spec, Options& options) {
  options.set("gpus", format_gpus(spec.gpus, GpusPer::kJob));
  options.set("gpus-per-task", format_gpus(spec.gpus, GpusPer::kTask));
  options.set("gpus-per-socket", format_gpus(spec.gpus, GpusPer::kSocket));
  std::string gres;
  for (const GpuRequest& one : spec.gpus)
    if (one.per == GpusPer::kNode)
      gres += fmt::format("{}gpu{}{}:{}", gres.empty() ? "" : ",", one.type.empty() ? "" : ":",
                          one.type, one.count);
  options.set("gres", gres);
}

void add_times(const JobSpec& spec, Options& options) {
  if (spec.no_time_limit) options.set("time", std::string("UNLIMITED"));
  if (spec.time_limit) options.set("time", format_duration(*spec.time_limit));
  if (spec.time_min) options.set("time-min", format_duration(*spec.time_min));
  if (spec.begin) options.set("begin", format_time(*spec.begin));
  if (spec.deadline) options.set("deadline", format_time(*spec.deadline));
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

std::vector<std::string> sbatch_arguments(const JobSpec& spec) {
  Options options;
  options.set("job-name", spec.name);
  options.set("account", spec.account);
  options.set("qos", spec.qos);
  options.set("partition", fmt::format("{}", fmt::join(spec.partitions, ",")));
  if (spec.min_nodes)
    options.set("nodes",
                format_node_count({*spec.min_nodes, spec.max_nodes.value_or(*spec.min_nodes)}));
  options.set("ntasks", spec.tasks);
  options.set("ntasks-per-node", spec.tasks_per_node);
  options.set("cpus-per-task", spec.cpus_per_task);
  options.set("cpus-per-gpu", spec.cpus_per_gpu);
  if (spec.memory) options.add(format_memory_option(*spec.memory));
  add_gpus(spec, options);
  options.set("licenses", format_licenses({spec.licenses, spec.any_license}));
  options.set("constraint", spec.constraint.text);
  options.set("nodelist", compress_hostlist(spec.require_nodes));
  options.set("exclude", compress_hostlist(spec.exclude_nodes));
  options.flag("exclusive", spec.sharing == NodeSharing::kExclusive);
  options.flag("exclusive=user", spec.sharing == NodeSharing::kUser);
  options.flag("oversubscribe", spec.sharing == NodeSharing::kOversubscribe);
  add_times(spec, options);
  if (!spec.dependencies.terms.empty())
    options.set("dependency", format_dependencies(spec.dependencies));
  if (spec.kill_on_invalid_dependency)
    options.set("kill-on-invalid-dep",
                std::string(*spec.kill_on_invalid_dependency ? "yes" : "no"));
  if (spec.array) options.set("array", format_array_spec(*spec.array));
  if (spec.nice != 0) options.set("nice", std::to_string(spec.nice));
  options.set("priority", spec.priority);
  options.flag("hold", spec.hold);
  if (spec.requeue) options.flag(*spec.requeue ? "requeue" : "no-requeue");
  options.set("comment", spec.comment);
  options.set("wckey", spec.wckey);
  options.set("reservation", spec.reservation);
  return options.take();
}

SaidNo read_refusal(const std::string& standard_error) {
  SaidNo out;
  std::string_view text = standard_error;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    constexpr std::string_view kMark = "error: ";
    if (const std::size_t at = line.find(kMark); at != std::string_view::npos)
      line.remove_prefix(at + kMark.size());
    constexpr std::string_view kSubmission = "Batch job submission failed: ";
    if (line.starts_with(kSubmission)) line.remove_prefix(kSubmission.size());
    if (line.empty()) continue;
    if (out.word.empty() && is_word(line)) {
      out.word = line;
      continue;
    }
    if (!out.message.empty()) out.message += "; ";
    out.message += line;
  }
  return out;
}

}  // namespace sluice
