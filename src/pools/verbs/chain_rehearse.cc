// sluice chain rehearse: a chain whose tasks' fates are known beforehand, on a daemon of its own
// that ends with it, or on the Slurm at hand.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>

#include "chains/open_chain.h"
#include "cli/command.h"
#include "host/files/files.h"
#include "pools/chain_context.h"
#include "pools/routed_cluster.h"
#include "pools/verbs/chain_verb.h"
#include "pools/verbs/chain_wait.h"
#include "pools/verbs/rehearsal.h"
#include "slurm/command.h"
#include "text/duration.h"
#include "text/printable.h"
#include "text/rough_duration.h"
#include "text/scan.h"
#include "views/json.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string name = "levels";
  std::string minute;
  std::string engine;
  std::string account;
  std::string partition;
  bool list = false;
  bool json = false;
};

// A signal that should end us ends the program that we wait for; what was set up is taken down.
constexpr int kEndings[] = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t running_child = 0;
volatile std::sig_atomic_t stopped_by = 0;
void stop_child(int signal) {
  stopped_by = signal;
  if (running_child != 0) ::kill(running_child, SIGTERM);
}

// Does it in a process of its own, which a signal may end without us; whether it could.
bool apart(const std::function<Result<ExitCode>()>& work) {
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (const int signal : kEndings) std::signal(signal, SIG_DFL);
    const auto done = work();
    if (!done) report(done.error());
    std::fflush(nullptr);
    ::_exit(done ? 0 : 1);
  }
  if (pid < 0) return false;
  running_child = static_cast<std::sig_atomic_t>(pid);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  running_child = 0;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A folder, and the daemon in it, for as long as this lives.
class OwnDaemon {
 public:
  static Result<std::unique_ptr<OwnDaemon>> set_up(Duration minute, std::uint32_t tasks) {
    std::error_code problem;
    std::string folder = (fs::temp_directory_path(problem) / "sluice-rehearsal-XXXXXX").string();
    if (problem || ::mkdtemp(folder.data()) == nullptr)
      return failed(fmt::format("cannot make the folder {}", folder), "set TMPDIR");
    auto out = std::unique_ptr<OwnDaemon>(new OwnDaemon(folder));
    // Nothing of the person's own daemon, settings or chains is touched.
    for (const char* name : {"SLUICE_SOCKET", "SLUICE_CHAINS", "SLUICE_POLICY", "SLUICE_KEEPER"})
      ::unsetenv(name);
    ::setenv("SLUICE_HOME", folder.c_str(), 1);
    ::setenv("SLUICE_ON", "embedded", 1);
    TRY_VOID(write_files(folder, {{"policy.yaml", rehearsal_policy(minute, tasks)}}));
    return out;
  }
  OwnDaemon(const OwnDaemon&) = delete;
  OwnDaemon& operator=(const OwnDaemon&) = delete;
  ~OwnDaemon() {
    const auto stopped = run_command({"/proc/self/exe", "daemon", "stop", "--cancel-jobs"},
                                     process_environment(), seconds(60));
    std::error_code problem;
    if (stopped) fs::remove_all(folder_, problem);
    if (!stopped || problem) fmt::print(stderr, "sluice: left behind: {}\n", folder_);
  }
  const std::string& folder() const { return folder_; }

 private:
  explicit OwnDaemon(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

// A job script and a ladder, to be read once.
class Papers {
 public:
  static Result<std::unique_ptr<Papers>> write(const std::string& ladder) {
    std::error_code problem;
    std::string folder = (fs::temp_directory_path(problem) / "sluice-papers-XXXXXX").string();
    if (problem || ::mkdtemp(folder.data()) == nullptr)
      return failed(fmt::format("cannot make the folder {}", folder), "set TMPDIR");
    auto out = std::unique_ptr<Papers>(new Papers(folder));
    TRY_VOID(
        write_files(folder, {{"ladder.yaml", ladder}, {"job.sh", std::string(kRehearsalJob)}}));
    return out;
  }
  Papers(const Papers&) = delete;
  Papers& operator=(const Papers&) = delete;
  ~Papers() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string ladder() const { return folder_ + "/ladder.yaml"; }
  std::string job() const { return folder_ + "/job.sh"; }

 private:
  explicit Papers(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

std::vector<std::string> submit_words(const Rehearsal& what, const Papers& papers,
                                      const Options& options, double second, bool here) {
  std::string variables =
      fmt::format("ALL,SECOND={:.6f},HOG_MB=96,HOG_HOLDS={}", second, here ? "0" : "5");
  if (!what.variables.empty()) variables += fmt::format(",{}", what.variables);
  std::vector<std::string> out = {"/proc/self/exe",
                                  "submit",
                                  "--ladder=" + papers.ladder(),
                                  fmt::format("--array=0-{}", what.tasks - 1),
                                  fmt::format("--job-name=rehearse-{}", what.name),
                                  "--output=/dev/null",
                                  "--export=" + variables,
                                  "--no-wait"};
  out.push_back(here ? "--on=embedded" : "--on=slurm");
  if (!options.account.empty()) out.push_back("--account=" + options.account);
  out.push_back(papers.job());
  return out;
}

Result<std::string> submitted(const std::vector<std::string>& words) {
  TRY(const CommandOutput done, run_command(words, process_environment(), minutes(5)));
  fmt::print(stderr, "{}", done.error);
  if (done.exit_code != 0)
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, "the chain was not taken", {}, {}});
  const auto lines = split(done.output, '\n');
  return std::string(lines.front());
}

// The fates are known: what came out is right or wrong.
Result<ExitCode> judged(const Rehearsal& what, const std::string& id, const Options& options) {
  TRY(auto open, OpenChain::open(chain_ports(), id, seconds(60)));
  TRY(const ChainView view, open->view());
  if (open->chain().state != ChainState::kEnded)
    return failed(fmt::format("the rehearsal could not be followed to its end: {} of {} tasks had "
                              "completed",
                              view.sum.completed, what.tasks),
                  "run it again");
  const std::size_t completed = what.tasks - what.fail;
  const bool right = view.sum.completed == completed && view.sum.given_up == what.fail;
  if (options.json) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    writer.key("schema");
    writer.text("sluice.rehearsal/1");
    writer.key("rehearsal");
    writer.text(what.name);
    writer.key("as_expected");
    writer.boolean(right);
    writer.key("expected");
    writer.begin_object();
    writer.key("completed");
    writer.number(static_cast<std::int64_t>(completed));
    writer.key("given_up");
    writer.number(static_cast<std::int64_t>(what.fail));
    writer.end_object();
    writer.key("report");
    writer.raw(chain_json({&view, 1}));
    writer.end_object();
    fmt::print("{}\n", out);
    return right ? ExitCode::kDone : ExitCode::kWorkFailed;
  }
  fmt::print("\n{}", printable_lines(chain_markdown(view, ReportDetail::kShort)));
  fmt::print("\n{}: {} of {} tasks completed, {} failed; expected were {} and {}.\n",
             right ? "As expected" : "NOT as expected", view.sum.completed, what.tasks,
             view.sum.given_up, completed, what.fail);
  if (!right && view.sum.given_up > what.fail && options.minute.empty())
    fmt::print(
        "A busy machine may have kept tasks from ending in time; longer minutes: --minute 5s\n");
  return right ? ExitCode::kDone : ExitCode::kWorkFailed;
}

Result<ExitCode> rehearse(const Options& options) {
  if (options.list && options.json) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    writer.key("schema");
    writer.text("sluice.rehearsals/1");
    writer.key("rehearsals");
    writer.begin_array();
    for (const Rehearsal& each : rehearsals()) {
      writer.begin_object();
      writer.key("name");
      writer.text(each.name);
      writer.key("tasks");
      writer.number(static_cast<std::int64_t>(each.tasks));
      writer.key("minutes");
      writer.number(each.minutes);
      writer.key("what");
      writer.text(each.what);
      writer.end_object();
    }
    writer.end_array();
    writer.end_object();
    fmt::print("{}\n", out);
    return ExitCode::kDone;
  }
  if (options.list) {
    for (const Rehearsal& each : rehearsals())
      fmt::print("{:<11} {:>6} tasks {:>6}  {}\n", each.name, each.tasks,
                 format_rough_duration(seconds(each.minutes)), each.what);
    return ExitCode::kDone;
  }
  const Rehearsal* what = find_rehearsal(options.name);
  if (what == nullptr)
    return bad_input(fmt::format("there is no rehearsal '{}'", options.name),
                     "see them with: sluice chain rehearse --list");
  // Slurm's limits are whole minutes; nothing says that this machine should be Slurm but a word.
  TRY(const std::string engine, chosen_engine(options.engine));
  const bool here = engine == "embedded";
  Duration minute = here ? seconds(1) : minutes(1);
  if (!options.minute.empty()) {
    const auto given = parse_friendly_duration(options.minute);
    if (!given || !given->duration || *given->duration < seconds(1) ||
        *given->duration > minutes(1))
      return bad_input(fmt::format("--minute: '{}' is not from 1s to 1m", options.minute),
                       "write 1s, 5s or 60s");
    if (!here) return bad_input("--minute: a minute of Slurm's is a minute", "leave it out");
    minute = *given->duration;
  }
  TRY(const auto papers,
      Papers::write(rehearsal_ladder(minute, here ? "here" : options.partition)));
  std::unique_ptr<OwnDaemon> daemon;
  for (const int signal : kEndings) std::signal(signal, stop_child);
  if (here) {
    TRY(daemon, OwnDaemon::set_up(minute, what->tasks));
  }
  const double second = static_cast<double>(minute.count()) / 60'000.0;
  TRY(const std::string id, submitted(submit_words(*what, *papers, options, second, here)));
  const std::string takes =
      here ? fmt::format(", takes about {}", format_rough_duration(minute * what->minutes)) : "";
  fmt::print(options.json ? stderr : stdout, "{}: {} tasks, a minute is {}{}; chain {}\n",
             what->name, what->tasks, format_friendly_duration(minute), takes, id);
  std::fflush(nullptr);
  // One's own daemon is started again, should it be stopped; a look that fails is tried again.
  constexpr int kLooks = 5;
  for (int look = 0; look < kLooks && stopped_by == 0; ++look)
    if (apart([&] { return wait_for_chain(id, here ? WhenAway::kStart : WhenAway::kWait); })) break;
  if (stopped_by != 0) {
    if (!here)
      fmt::print(stderr, "sluice: the chain continues; end it with: sluice cancel {}\n", id);
    return ExitCode::kWorkFailed;
  }
  return judged(*what, id, options);
}

}  // namespace

void add_chain_rehearse(Command& chain, ExitCode& exit_code) {
  Command* verb =
      chain.add_subcommand("rehearse", "Run a chain whose outcome is known, and show its report");
  auto options = std::make_shared<Options>();
  verb->add_option("NAME", options->name, "Which one; --list shows them")->capture_default_str();
  verb->add_flag("--list", options->list, "The rehearsals and what each is for");
  verb->add_option("--minute", options->minute, "How long a minute is here: 1s (default) to 1m");
  verb->add_option("-A,--account", options->account, "Charge this account, on Slurm");
  verb->add_option("-p,--partition", options->partition, "Use these partitions, on Slurm");
  verb->add_flag("--json", options->json, "As JSON");
  add_engine_option(*verb, options->engine);
  verb->footer(
      "Tasks fail by the last digit of their index: 0-4 complete at once, 5 and 6 need 2 minutes, "
      "7\nneeds 4, 9 needs 8, 8 needs 128 MB; the ladder begins with 1 minute and 64 MB.\n"
      "Here a daemon of its own runs them, on a cluster of 18 nodes that this machine pretends to\n"
      "be (large: 90, max: 180), and is gone afterwards; --list says how long each takes, a busy\n"
      "machine longer. On Slurm minutes are minutes, and the chain stays in sluice list.\n\n"
      "Exit code 0: everything came out as expected; 1: not.\n\n"
      "Examples:\n  sluice chain rehearse\n  sluice chain rehearse mixed-fail\n"
      "  sluice chain rehearse levels --on slurm -A physics");
  verb->callback([options, &exit_code] {
    const auto done = rehearse(*options);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
