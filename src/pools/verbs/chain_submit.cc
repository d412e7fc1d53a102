// A submission as a chain: checks everything, remembers the chain, hands in its first round.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <tuple>

#include "chains/chain_folders.h"
#include "chains/open_chain.h"
#include "chains/task_output.h"
#include "cli/own_user.h"
#include "cli/submission_notes.h"
#include "escalation/spread.h"
#include "host/files/files.h"
#include "policyfile/files/ladder_file.h"
#include "policyfile/files/logging_section.h"
#include "pools/chain_context.h"
#include "pools/routed_cluster.h"
#include "pools/routing_context.h"
#include "pools/submit_line.h"
#include "pools/verbs/chain_wait.h"
#include "pools/verbs/submit_verb.h"
#include "views/json.h"

namespace sluice {
namespace {

ChainTerms terms_of(const Asked& asked) {
  const OwnOptions& own = asked.request.own;
  ChainTerms out;
  out.engine = asked.engine;
  std::error_code ignored;
  out.project = std::filesystem::current_path(ignored).string();
  out.attended = own.handlers;
  out.spread = own.names_pools() || !asked.accounts.empty();
  out.device = own.device;
  out.shape = own.shape;
  out.accounts = asked.accounts;
  out.keep_back = own.keep_back;
  out.gpu_runtime = own.gpu_runtime;
  out.cpu_runtime = own.cpu_runtime;
  return out;
}

// --keep-back --detach without a ladder: every task is handed in once.
bool climbs(const OwnOptions& own) {
  OwnOptions without = own;
  without.detach = false;
  return without.starts_chain();
}

Ladder one_rung() {
  Ladder out;
  out.levels.push_back({});
  out.most_again = 0;
  out.handling.states.clear();
  out.handling.exit_codes.clear();
  out.handling.signals.clear();
  out.handling.gpu_memory = Remedy::kGiveUp;
  return out;
}

Result<Ladder> ladder_of(const OwnOptions& own) {
  if (!climbs(own)) return one_rung();
  Ladder ladder;
  if (!own.ladder_file.empty()) {
    TRY(const std::string text, read_file(own.ladder_file));
    std::vector<std::string> notes;
    TRY(ladder, read_ladder_file(text, own.ladder_file, problem_of_pattern, &notes));
    for (const std::string& note : notes) fmt::print(stderr, "sluice: {}\n", note);
  } else {
    ladder.growth = Growth{};
  }
  if (own.max_level) ladder.max_level = own.max_level;
  if (own.whole_level) ladder.climb = Climb::kWholeLevel;
  return ladder;
}

// What was learnt changes jobs that wait, in memory and time alone.
Result<void> check_learnable(const Ladder& ladder) {
  const auto kind = [](const Level& level) {
    return std::tie(level.qos, level.gpus, level.cpus, level.constraint);
  };
  for (const Level& level : ladder.levels)
    if (kind(level) != kind(ladder.levels.front()))
      return bad_input("--size-from-history needs levels that differ in memory and time alone",
                       "leave it out, or leave qos, gpus, cpus and constraint out of the levels");
  return {};
}

void print_ladder(std::FILE* to, const Ladder& ladder) {
  for (std::size_t i = 0; i < ladder.levels.size(); ++i)
    fmt::print(to, "  level {}: {}\n", i + 1, describe(request_of(ladder.levels[i])));
  if (!ladder.top.empty()) fmt::print(to, "  no higher: {}\n", ladder.top);
}

Result<Chain> make(const Asked& asked, Cluster& cluster) {
  const OwnOptions& own = asked.request.own;
  JobSpec spec = asked.request.spec;
  spec.user = own_user();
  TRY(Ladder ladder, ladder_of(own));
  TRY(const Description description, cluster.describe());
  if (climbs(own)) {
    const CeilingsFor ceilings = [&](const JobSpec& asking) {
      return ceilings_of(description, asking, asked.accounts);
    };
    TRY(ladder, settle_ladder(std::move(ladder), spec, ceilings));
  }
  if (own.learn) TRY_VOID(check_learnable(ladder));
  if (spec.array && own.throttle) spec.array->throttle = own.throttle;
  const Rung first = own.start_memory_mb ? rung_with_memory(ladder, *own.start_memory_mb) : Rung{};
  Chain chain =
      make_chain(new_chain_id(), now_on_clock(), spec, std::move(ladder), spec.array, first);
  if (own.learn) chain.sizing = Sizing{first, 0, {}, {}};
  chain.terms = terms_of(asked);
  chain.script_path = chains_folder() + "/" + chain.id + "/script";
  return chain;
}

// The lines that would hand in the first round, and how many tasks they have.
struct FirstRound {
  std::vector<std::string> lines;
  std::size_t tasks = 0;
};

void print_plan_json(const Chain& chain, const FirstRound& first) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("schema");
  writer.text("sluice.chain.plan/1");
  writer.key("tasks");
  writer.number(static_cast<std::int64_t>(chain.tasks.size()));
  writer.key("levels");
  writer.begin_array();
  for (const Level& level : chain.ladder.levels) writer.text(describe(request_of(level)));
  writer.end_array();
  writer.key("no_higher");
  writer.text(chain.ladder.top);
  writer.key("first_round");
  writer.begin_array();
  for (const std::string& line : first.lines) writer.text(line);
  writer.end_array();
  writer.key("tasks_in_it");
  writer.number(static_cast<std::int64_t>(first.tasks));
  writer.end_object();
  fmt::print("{}\n", out);
}

enum class PlanAs : std::uint8_t { kText, kJson };

Result<ExitCode> show_plan(const Chain& chain, Cluster& cluster, PlanAs as) {
  TRY(const Description description, cluster.describe());
  PackingLimits limits;
  limits.max_array_size = description.capabilities.max_array_size;
  Spread spread;
  if (chain.terms.spread) {
    TRY(RoutingSettings settings, load_routing_settings());
    if (!chain.terms.accounts.empty()) settings.accounts = chain.terms.accounts;
    spread = [&description, settings](const Chain& it, const IndexSet& tasks,
                                      const Request& asked) {
      return Result<std::vector<Share>>(
          spread_over(it, tasks, asked, pools_for(it, asked, description, settings)).shares);
    };
  } else {
    limits.submit_room = submit_room(description, chain.spec);
  }
  TRY(const BatchesIntended intended, hand_in(chain, limits, now_on_clock(), spread));
  FirstRound first;
  for (const Batch& batch : intended.batches) {
    JobSpec job = batch_job(chain, batch);
    job.launch.command = chain.spec.launch.command;  // The copy is made with the chain.
    first.lines.push_back(submit_line(job, chain.terms.engine != kEmbeddedEngine));
    first.tasks += batch.tasks.size();
  }
  if (as == PlanAs::kJson) {
    print_plan_json(chain, first);
    return ExitCode::kDone;
  }
  const std::size_t now = first.tasks;
  fmt::print("{} task{}; the ladder:\n", chain.tasks.size(), chain.tasks.size() == 1 ? "" : "s");
  print_ladder(stdout, chain.ladder);
  fmt::print("\nWould hand in first (these lines alone retry nothing):\n");
  for (const std::string& line : first.lines) fmt::print("  {}\n", line);
  if (now < chain.tasks.size())
    fmt::print("{}; the rest follows in waves.\n",
               spread ? fmt::format("{} of {} tasks have no room now", chain.tasks.size() - now,
                                    chain.tasks.size())
                      : fmt::format("{} of {} tasks are more than may be submitted now",
                                    chain.tasks.size() - now, chain.tasks.size()));
  return ExitCode::kDone;
}

// Over no pool at all a chain would wait for ever.
Result<void> check_pools(const Chain& chain, Cluster& cluster) {
  if (!chain.terms.spread) return {};
  TRY(const Description seen, cluster.describe());
  TRY(RoutingSettings settings, load_routing_settings());
  if (!chain.terms.accounts.empty()) settings.accounts = chain.terms.accounts;
  if (!seen.behind.empty() || !pools_for(chain, {}, seen, settings).empty()) return {};
  return tl::unexpected<Error>(no_account_for_this(seen, {}));
}

// The database that the ladder's file names, by its whole path; "" for none.
Result<std::string> record_of(const OwnOptions& own) {
  if (own.ladder_file.empty()) return std::string();
  TRY(const std::string text, read_file(own.ladder_file));
  TRY(const LoggingSection logging, logging_of_ladder_file(text, own.ladder_file));
  std::error_code ignored;
  return logging.db_path.empty() ? std::string()
                                 : std::filesystem::absolute(logging.db_path, ignored).string();
}

}  // namespace

Result<ExitCode> submit_chain(Asked asked) {
  const OwnOptions own = asked.request.own;
  if (!own.shape.empty()) {
    TRY(const RoutingSettings settings, load_routing_settings());
    TRY_VOID(check_shape(settings, own.shape));
  }
  const auto observed = cluster_named(asked.engine, Look::kNow);
  TRY(const Chain chain, make(asked, *observed));
  if (own.dry_run || asked.request.test_only)
    return show_plan(chain, *observed, own.json ? PlanAs::kJson : PlanAs::kText);
  TRY_VOID(check_pools(chain, *observed));
  TRY(const std::string record, record_of(own));
  if (own.capture && asked.engine != kEmbeddedEngine)
    return bad_input("--capture: Slurm keeps no output by itself", "name a file with --output");
  // Levels that were not written down are printed before anything is submitted.
  if (climbs(own) && own.ladder_file.empty() && !own.json && !asked.request.parsable) {
    fmt::print(stderr, "sluice: tasks that run out of memory or time climb\n");
    print_ladder(stderr, chain.ladder);
  }
  TRY(const OpenMark mark, OpenMark::set(ChainKind::kChain, chain.id));
  auto made = OpenChain::create(chain_ports(), chain);
  if (!made) {
    mark.remove();
    return tl::unexpected<Error>(made.error());
  }
  std::unique_ptr<OpenChain> open = std::move(*made);
  if (const auto told = record.empty() ? Result<void>() : open->tell(record); !told)
    fmt::print(stderr, "sluice: {}; nothing is written to {}\n", told.error().what, record);
  open->attend();
  const auto progress = open->step();
  const Chain& kept = open->chain();
  const bool anything =
      std::any_of(kept.batches.begin(), kept.batches.end(), [](const Batch& batch) {
        return batch.job.has_value() || batch.state == BatchState::kIntended;
      });
  if (!progress && !anything) {
    // The cluster took nothing: the chain never was.
    std::error_code ignored;
    std::filesystem::remove_all(chain_folder(chain.id), ignored);
    mark.remove();
    return tl::unexpected<Error>(progress.error());
  }
  if (progress && !progress->uncertain) mark.remove();
  remember_last({SubmittedAs::kChain, chain.id});
  if (own.json) {
    TRY(const ChainView view, open->view());
    fmt::print("{}", chain_json({&view, 1}));
  } else {
    fmt::print("{}\n", chain.id);
  }
  std::fflush(stdout);
  if (!progress) {
    Error error = progress.error();
    error.hint =
        fmt::format("what was submitted is recorded; continue with: sluice resume {}", chain.id);
    return tl::unexpected<Error>(std::move(error));
  }
  for (const std::string& note : progress->notes) fmt::print(stderr, "sluice: {}\n", note);
  if (progress->uncertain)
    return tl::unexpected<Error>(
        Error{ErrorKind::kUnknown,
              "the cluster did not say whether it took everything; it is remembered and looked for",
              {},
              fmt::format("in half a minute type: sluice resume {}", chain.id)});
  if (progress->waits_for_room && kept.batches.empty())
    fmt::print(stderr, "sluice: every pool is full; the chain waits until one has room\n");
  if (!asked.request.wait || own.no_wait) return ExitCode::kDone;
  open.reset();
  return wait_for_chain(chain.id);
}

}  // namespace sluice
