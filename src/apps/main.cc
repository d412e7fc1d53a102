// main(): the only place where concrete ports meet the engine.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "apps/completion_names.h"
#include "apps/daemon_verb.h"
#include "apps/top_verb.h"
#include "apps/web_verb.h"
#include "apps/when_verb.h"
#include "chains/chain_folders.h"
#include "chains/interrupted.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/connection.h"
#include "cli/elsewhere.h"
#include "cli/submission_notes.h"
#include "cli/verbs.h"
#include "host/machine/nvidia_smi.h"
#include "host/machine/nvml.h"
#include "pools/chain_context.h"
#include "pools/counters.h"
#include "pools/daemon_connection.h"
#include "pools/run_placement.h"
#include "pools/verbs/chain_verb.h"
#include "pools/verbs/chain_wait.h"
#include "pools/verbs/doctor_verb.h"
#include "pools/verbs/each_verb.h"
#include "pools/verbs/limits_verb.h"
#include "pools/verbs/metrics_verb.h"
#include "pools/verbs/notify_verb.h"
#include "pools/verbs/pools_verb.h"
#include "pools/verbs/route_verb.h"
#include "pools/verbs/slurm_lists.h"
#include "pools/verbs/submit_verb.h"
#include "pools/verbs/usage_verb.h"
#include "shims/shims_verb.h"
#include "slurm/command.h"
#include "slurm/slow_command.h"
#include "studies/verbs/journal_verb.h"
#include "studies/verbs/sim_verb.h"
#include "studies/verbs/test_verb.h"
#include "system/users.h"
#include "targets/verbs/policy_verb.h"

namespace {

// Standard streams that the caller closed are opened, so that no file takes their numbers and no
// message goes into it.
void open_standard_streams() {
  for (int number = 0; number <= STDERR_FILENO; ++number)
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(::open("/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY));
}

// What was printed reached nobody. It is said as far as there is somebody to say it to.
int say_output_is_lost(int problem, int code) {
  if (problem == EPIPE) return code;  // The reader has had enough.
  std::fputs(fmt::format("sluice: standard output: {}\n", std::strerror(problem)).c_str(), stderr);
  return code == 0 ? static_cast<int>(sluice::ExitCode::kWorkFailed) : code;
}

// Everything is done. What libraries made at the start, hundreds of constants, need not be taken
// apart one by one; only leaks are looked for after that.
[[noreturn]] void leave(int code) {
  if (std::fflush(stdout) != 0) code = say_output_is_lost(errno, code);
#if defined(SLUICE_COVERAGE)
  std::exit(code);  // The counts are written then.
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  std::exit(code);
#endif
#endif
  std::fflush(nullptr);
  sluice::keep_counts();
  std::_Exit(code);
}

// A program without shared libraries (`make portable`) can load neither the name services of the C
// library nor NVML: there getent and nvidia-smi are asked.
#if defined(SLUICE_PORTABLE)
sluice::Result<sluice::ProgramOutput> run_program(const std::vector<std::string>& argv) {
  std::vector<std::string> environment;
  for (const char* name : {"PATH", "LD_LIBRARY_PATH"})
    if (const char* value = std::getenv(name))
      environment.push_back(fmt::format("{}={}", name, value));
  TRY(sluice::CommandOutput ran, sluice::run_command(argv, environment, sluice::seconds(60)));
  return sluice::ProgramOutput{ran.exit_code, std::move(ran.output)};
}

std::optional<std::vector<sluice::FoundGpu>> gpus_by_command() {
  const auto ran = run_program({"nvidia-smi", "-q"});
  if (!ran || ran->exit_code != 0) return std::nullopt;
  return sluice::read_nvidia_smi(ran->output);
}

void load_no_libraries() {
  sluice::use_getent(&run_program);
  sluice::use_gpu_source({"nvidia-smi", &gpus_by_command});
}
#else
void load_no_libraries() {}
#endif

// What a killed submission left is tidied by the next command, whichever it is; not by those that
// the program itself starts.
void tidy_before(std::span<char* const> words) {
  using namespace sluice;
  const std::string_view verb = words.size() > 1 ? words[1] : "";
  if (verb.empty() || verb.starts_with('-') || verb == "keeper" || verb == "daemon" ||
      verb == "shims" || verb == "complete")
    return;
  if (words.size() > 2 && verb == "chain" && std::string_view(words[2]) == "advance") return;
  tidy_interrupted(chain_ports(StartDaemon::kNever),
                   [](const std::string& what) { fmt::print(stderr, "sluice: {}\n", what); });
}

// Beside the chains: what is the user's own.
std::string notes_folder() {
  return (std::filesystem::path(sluice::chains_folder()).parent_path() / "recent").string();
}

// A person who waits sees what for.
void say_slow(const std::string& program, sluice::Duration so_far) {
  // Not our own program, which says by itself what it does.
  if (program.starts_with('/')) return;
  fmt::print(stderr, "sluice: {} has not answered for {} s; still waiting\n", program,
             sluice::to_seconds(so_far));
}

int run(int argc, char** argv) {
  using namespace sluice;
  load_no_libraries();
  use_connector(&connect_to_daemon);
  use_notes_folder(&notes_folder);
  use_older_chains([] { return !chain_ids().empty(); });
  // By the name of one of Slurm's commands, as a link has it.
  if (const auto code = run_as_shim(argc, argv)) leave(*code);
  const auto words = std::span(argv, static_cast<std::size_t>(argc));
  use_elsewhere({&cancel_chains, &resume_chains, &chain_logs, &why_on_slurm, &waiting_of_chain,
                 &wait_for_named_chain, &queue_of_slurm, &nodes_of_slurm, &reservations_of_slurm,
                 &known_names});
  const Verb verbs[] = {
      {"submit", &add_submit, &run_submit},
      {"run", &add_run, &run_run},
      {"each", &add_each, &run_each},
      {"queue", &add_queue},
      {"job", &add_job},
      {"why", &add_why},
      {"when", &add_when, &run_when},
      {"logs", &add_logs},
      {"wait", &add_wait},
      {"cancel", &add_cancel},
      {"hold", &add_hold},
      {"release", &add_release},
      {"requeue", &add_requeue},
      {"suspend", &add_suspend},
      {"resume", &add_resume},
      {"update", &add_update},
      {"nodes", &add_nodes},
      {"reservations", &add_reservations},
      {"shares", &add_shares},
      {"limits", &add_limits},
      {"qos", &add_qos},
      {"partitions", &add_partitions},
      {"usage", &add_usage},
      {"priority", &add_priority},
      {"history", &add_history},
      {"efficiency", &add_efficiency},
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
      {"notify", &add_notify},
      {"shims", &add_shims, &run_shims},
      {"completion", &add_completion},
      {"manual", &add_manual},
      {"keeper", &add_keeper, &run_keeper_verb},
  };
  use_cluster_names(&names_for_completion);
  use_pools_for_run();
  on_slow_command(&say_slow);
  on_started_command(&count_command);
  tidy_before(words);
  return run_cli(argc, argv, verbs);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  try {
    leave(run(argc, argv));
  } catch (const std::system_error& problem) {
    // {fmt} throws it where a stream takes no more; all others are mistakes of ours.
    if (std::ferror(stdout) == 0 && std::ferror(stderr) == 0) throw;
    leave(say_output_is_lost(problem.code().value(), 0));
  }
}
