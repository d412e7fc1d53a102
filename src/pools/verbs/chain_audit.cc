// sluice audit: whether the ledger of a chain adds up, and whether the cluster agrees.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "policyfile/read/value.h"
#include "pools/chain_context.h"
#include "pools/chain_look.h"
#include "pools/verbs/chain_verb.h"

namespace sluice {
namespace {

// The ledger's own sum, then every open array against the cluster.
ExitCode audit_chain(const std::string& given, bool json) {
  const auto id = find_chain(given);
  if (!id) return report(id.error());
  auto open = OpenChain::open(chain_ports(), *id, kChainPatience);
  if (!open) return report(open.error());
  const Chain& chain = (*open)->chain();
  const Audit sum = audit(chain);
  std::vector<std::string> problems = sum.problems;
  std::size_t seen = 0;
  std::vector<RemoteRef> refs;
  for (const Batch& batch : chain.batches)
    if (batch.job && batch.state != BatchState::kWithdrawn)
      refs.push_back({*batch.job, std::nullopt});
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  std::string unseen;
  if (!refs.empty()) {
    const auto sightings = (*open)->cluster().observe(refs);
    if (!sightings) {
      unseen = sightings.error().what;
    } else {
      for (const Sighting& sighting : *sightings) {
        const Batch* carried = chain.carried_by(sighting.ref.job);
        for (const SeenTask& task : sighting.tasks) {
          ++seen;
          const std::uint32_t index = chain.array ? task.task.value_or(0) + carried->offset : 0;
          const Task* own = chain.find_task(index);
          if (own == nullptr || !chain.knows(sighting.ref.job, index)) {
            problems.push_back(fmt::format("job {} has a task {} that is not of this chain",
                                           sighting.ref.job.job.value(), index));
          } else if (!has_ended(task.state) && chain.batch(own->batch).job != sighting.ref.job &&
                     !chain.is_moving(index)) {
            problems.push_back(fmt::format("task {} is still {} in job {}, and was handed in again",
                                           index, slurm_name(task.state),
                                           sighting.ref.job.job.value()));
          }
        }
      }
    }
  }
  if (json) {
    Value list = Value::list();
    for (const std::string& problem : problems) list.items.push_back(Value::quoted_text(problem));
    Value out = Value::map();
    out.add("schema", Value::quoted_text("sluice-audit/1"));
    out.add("chain", Value::quoted_text(*id));
    for (const auto& [name, count] : {std::pair("tasks", sum.tasks),
                                      {"completed", sum.completed},
                                      {"given_up", sum.given_up},
                                      {"waiting", sum.waiting},
                                      {"running", sum.running},
                                      {"seen", seen}})
      out.add(name, Value::scalar(std::to_string(count)));
    if (!unseen.empty()) out.add("unseen", Value::quoted_text(unseen));
    out.add("problems", std::move(list));
    fmt::print("{}", print_json(out));
  } else {
    fmt::print(
        "{} tasks = {} completed + {} given up + {} waiting + {} running: {}\n", sum.tasks,
        sum.completed, sum.given_up, sum.waiting, sum.running,
        sum.completed + sum.given_up + sum.waiting + sum.running == sum.tasks ? "true" : "FALSE");
    if (!unseen.empty())
      fmt::print("The cluster could not be asked: {}\n", unseen);
    else
      fmt::print("The cluster shows {} of the chain's runs; {}\n", seen,
                 problems.empty() ? "none contradicts the ledger." : "");
    for (const std::string& problem : problems) fmt::print("PROBLEM: {}\n", problem);
  }
  return problems.empty() ? ExitCode::kDone : ExitCode::kWorkFailed;
}

}  // namespace

void add_chain_audit(Command& chain, ExitCode& exit_code) {
  Command* verb =
      chain.add_subcommand("audit", "Prove that every task is in one state, and ask the cluster");
  auto given = std::make_shared<std::string>("last");
  auto json = std::make_shared<bool>(false);
  verb->add_option("CHAIN", *given, "Its id, a prefix of the id, or last (the default)");
  verb->add_flag("--json", *json, "As JSON");
  verb->footer("Exit code 1 where something does not add up.\nExample:\n  sluice audit last");
  verb->callback([given, json, &exit_code] { exit_code = audit_chain(*given, *json); });
}

}  // namespace sluice
