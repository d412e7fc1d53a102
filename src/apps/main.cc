// main(): the only place where concrete ports meet the engine.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "apps/chain_context.h"
#include "apps/chain_verb.h"
#include "apps/daemon_connection.h"
#include "apps/daemon_verb.h"
#include "apps/doctor_verb.h"
#include "apps/journal_verb.h"
#include "apps/metrics_verb.h"
#include "apps/policy_verb.h"
#include "apps/pools_verb.h"
#include "apps/route_verb.h"
#include "apps/run_placement.h"
#include "apps/shims_verb.h"
#include "apps/sim_verb.h"
#include "apps/submit_verb.h"
#include "apps/test_verb.h"
#include "apps/top_verb.h"
#include "apps/usage_verb.h"
#include "apps/web_verb.h"
#include "chains/interrupted.h"
#include "cli/cli.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/verbs.h"
#include "slurm/slow_command.h"

namespace {

// Everything is done. What libraries made at the start, hundreds of constants, need not be taken
// apart one by one; only leaks are looked for after that.
[[noreturn]] void leave(int code) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  std::exit(code);
#endif
#endif
  std::fflush(nullptr);
  std::_Exit(code);
}

// What a killed submission left is tidied by the next command, whichever it is; not by those that
// the program itself starts.
void tidy_before(std::span<char* const> words) {
  using namespace sluice;
  const std::string_view verb = words.size() > 1 ? words[1] : "";
  if (verb.empty() || verb.starts_with('-') || verb == "keeper" || verb == "daemon" ||
      verb == "shims")
    return;
  if (words.size() > 2 && verb == "chain" && std::string_view(words[2]) == "advance") return;
  tidy_interrupted(chain_ports(StartDaemon::kNever),
                   [](const std::string& what) { fmt::print(stderr, "sluice: {}\n", what); });
}

// A person who waits is told what for.
void say_slow(const std::string& program, sluice::Duration so_far) {
  // Not our own program, which says by itself what it does.
  if (program.starts_with('/')) return;
  fmt::print(stderr, "sluice: {} has not answered for {} s; still waiting\n", program,
             sluice::to_seconds(so_far));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace sluice;
  use_connector(&connect_to_daemon);
  // By the name of one of Slurm's commands, as a link has it.
  if (const auto code = run_as_shim(argc, argv)) leave(*code);
  const auto words = std::span(argv, static_cast<std::size_t>(argc));
  use_elsewhere({&cancel_chain, &resume_chain, &chain_logs, &why_on_slurm});
  const Verb verbs[] = {
      {"submit", &add_submit, &run_submit},
      {"run", &add_run, &run_run},
      {"queue", &add_queue},
      {"job", &add_job},
      {"why", &add_why},
      {"logs", &add_logs},
      {"cancel", &add_cancel},
      {"hold", &add_hold},
      {"release", &add_release},
      {"requeue", &add_requeue},
      {"suspend", &add_suspend},
      {"resume", &add_resume},
      {"update", &add_update},
      {"nodes", &add_nodes},
      {"shares", &add_shares},
      {"usage", &add_usage},
      {"priority", &add_priority},
      {"history", &add_history},
      {"daemon", &add_daemon},
      {"api", &add_api},
      {"sim", &add_sim},
      {"policy", &add_policy},
      {"test", &add_test},
      {"story", &add_story},
      {"journal", &add_journal},
      {"pools", &add_pools},
      {"accounts", &add_accounts},
      {"route", &add_route, &run_route},
      {"rebalance", &add_rebalance},
      {"chain", &add_chain},
      {"list", &add_chain_list},
      {"status", &add_chain_status},
      {"report", &add_chain_report},
      {"rerun", &add_chain_rerun},
      {"audit", &add_chain_audit},
      {"config", &add_config},
      {"doctor", &add_doctor},
      {"reasons", &add_reasons},
      {"top", &add_top},
      {"web", &add_web},
      {"metrics", &add_metrics},
      {"shims", &add_shims, &run_shims},
      {"completion", &add_completion},
      {"manual", &add_manual},
      {"keeper", &add_keeper, &run_keeper_verb},
  };
  use_pools_for_run();
  on_slow_command(&say_slow);
  tidy_before(words);
  const int code = run_cli(argc, argv, verbs);
  leave(code);
}
