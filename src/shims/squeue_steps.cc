#include "shims/squeue_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/local_time.h"
#include "shims/records.h"
#include "shims/squeue_fields.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "views/step_share.h"
#include "wire/api_fields.h"

namespace sluice {

int print_steps(ShimCall& call, const std::vector<RecordLine>& records, bool header) {
  const auto line = [&](const std::string& id, const std::string& name,
                        const std::string& partition, const std::string& user,
                        const std::string& time, const std::string& nodes) {
    const std::pair<std::string_view, int> cells[] = {
        {id, 15}, {name, 8}, {partition, 9}, {user, 8}, {time, 9}};
    for (const auto& [text, width] : cells) {
      append_cell(call.out, text, width, true);
      call.out += ' ';
    }
    call.say(nodes);
  };
  if (header) line("STEPID", "NAME", "PARTITION", "USER", "TIME", "NODELIST");
  std::string jobs;
  for (const RecordLine& it : records)
    if (holds_nodes(it.state)) jobs += (jobs.empty() ? "" : ",") + std::to_string(it.job.value());
  if (jobs.empty()) return 0;
  const auto accounts = call.engine->fetch<Lines<AccountLine>>("/v1/accounts?job=" + jobs);
  if (!accounts) return call.fail(accounts.error());
  for (const RecordLine& it : records) {
    if (!holds_nodes(it.state)) continue;
    const auto hosts = expand_hostlist(it.nodes);
    const std::string first = hosts && !hosts->empty() ? hosts->front() : it.nodes;
    if (it.batch)
      line(record_id(it) + ".batch", "batch", it.partition, it.user, squeue_duration(it.elapsed),
           first);
    const auto own = std::find_if(accounts->lines.begin(), accounts->lines.end(),
                                  [&](const AccountLine& each) { return each.job == it.job; });
    if (own == accounts->lines.end()) continue;
    for (const StepLine& step : own->details.steps)
      if (!step.ended)
        line(fmt::format("{}.{}", record_id(it), step.number), shown(step.name), it.partition,
             it.user, squeue_duration(step.started ? now_here() - *step.started : Duration(0)),
             step.shares.empty() ? it.nodes : nodes_of_step(step.shares));
  }
  return 0;
}

}  // namespace sluice
