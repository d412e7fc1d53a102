// tests/slurm/lab does the work; this keeps one in a folder of its own and takes it down at the
// end.
#include "lab/slurm_lab.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>

#include "host/files/files.h"
#include "policyfile/plan/account_swap.h"
#include "slurm/assoc_records.h"
#include "slurm/queue_rows.h"
#include "slurm/reservation_commands.h"
#include "system/users.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t interrupted = 0;

// sbatch tries for two minutes by itself.
constexpr Duration kCommandLimit = seconds(150);
constexpr Duration kLabLimit = minutes(15);

// What makes slurmctld patient when its clock jumps, quick where a story waits for it, and what
// keeps the records of ended jobs. None of it changes a decision.
constexpr const char* kSettings[] = {
    "MinJobAge=1000000",         "KillWait=2",    "ReturnToService=1",  "SlurmdTimeout=0",
    "BatchStartTimeout=600",     "TCPTimeout=30", "MessageTimeout=100", "PriorityCalcPeriod=1",
    "UnkillableStepTimeout=3600"};

tl::unexpected<Error> unreachable(std::string what, std::string hint) {
  return tl::unexpected<Error>(
      Error{ErrorKind::kUnreachable, std::move(what), {}, std::move(hint)});
}

std::string lab_script() {
  if (const char* given = std::getenv("SLUICE_LAB"); given != nullptr && *given != '\0')
    return given;
  std::error_code problem;
  for (const fs::path& base : {fs::current_path(problem),
                               fs::read_symlink("/proc/self/exe", problem).parent_path() / ".."}) {
    const fs::path script = base / "tests/slurm/lab";
    if (fs::exists(script, problem)) return fs::canonical(script, problem).string();
  }
  return {};
}

// Of lines "n1 idle".
std::vector<std::string> nodes_not_idle(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string name, state; lines >> name >> state;)
    if (state != "idle" && std::find(out.begin(), out.end(), name) == out.end())
      out.push_back(name);
  return out;
}

}  // namespace

void pause_for(Duration time) { std::this_thread::sleep_for(time); }

void end_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { interrupted = signal; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

Result<std::unique_ptr<SlurmLab>> SlurmLab::find(LabEngine engine) {
  std::unique_ptr<SlurmLab> out(new SlurmLab());
  out->engine_ = engine;
  const bool embedded = engine == LabEngine::kEmbedded;
  out->script_ = lab_script();
  if (out->script_.empty() || !fs::exists(out->script_))
    return unreachable(fmt::format("there is no tests/slurm/lab here to bring up {} with",
                                   embedded ? "a daemon" : "a Slurm"),
                       "run it in the repository, or set SLUICE_LAB to that script");
  if (!embedded && !fs::exists("/usr/sbin/slurmctld"))
    return unreachable("Slurm is not installed", "type: tests/slurm/install");
  if (::geteuid() != 0)
    return unreachable(fmt::format("{} of its own needs root (it starts daemons and makes users)",
                                   embedded ? "a daemon" : "a Slurm"),
                       "run the same command as root");
  const char* temporary = std::getenv("TMPDIR");
  std::string folder = fmt::format("{}/sluice-slurm-XXXXXX",
                                   temporary != nullptr && *temporary != '\0' ? temporary : "/tmp");
  if (::mkdtemp(folder.data()) == nullptr)
    return failed(fmt::format("cannot make {}: {}", folder, std::strerror(errno)));
  out->folder_ = folder;
  out->state_ = folder + "/lab";
  out->story_folder_ = folder + "/story";
  fs::permissions(folder, fs::perms(0755));
  fs::create_directory(out->story_folder_);
  return out;
}

SlurmLab::~SlurmLab() {
  if (up_)
    if (auto done = lab({"down"}); !done) {
      fmt::print(stderr, "sluice: {}\n", done.error().text());
      return;  // What is left is named by the message.
    }
  std::error_code problem;
  if (!folder_.empty()) fs::remove_all(folder_, problem);
}

Result<void> SlurmLab::lab(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {script_, "--state", state_});
  TRY(const CommandOutput done,
      run_command(arguments, {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}, kLabLimit));
  if (done.exit_code == 0) return {};
  return unreachable(
      fmt::format("the lab could not do '{}': {}{}", arguments[3], done.error, done.output),
      fmt::format("{} --state {} status", script_, state_));
}

Result<void> SlurmLab::prepare(const LabPolicy& policy) {
  const bool embedded = engine_ == LabEngine::kEmbedded;
  if (!embedded && up_ && policy.conf == current_.conf && policy.cgroups == current_.cgroups &&
      clear()) {
    if (policy.accounts == current_.accounts) return {};
    TRY(const bool swapped, swap_accounts(policy.accounts));
    if (swapped) {
      current_ = policy;
      return {};
    }
  }
  const std::string source = folder_ + "/policy";
  std::string accounts;
  for (const Argv& argv : policy.accounts) accounts += shell_quoted(argv) + "\n";
  TRY_VOID(write_files(
      source, {{embedded ? "policy.yaml" : "slurm.conf", embedded ? policy.file : policy.conf},
               {"accounts", accounts}}));
  current_ = {};
  if (up_ && cgroups_ != policy.cgroups) {
    TRY_VOID(lab({"down"}));
    up_ = false;
  }
  std::vector<std::string> arguments = {up_ ? "reset" : "up", source};
  if (!up_) arguments.insert(arguments.end(), {"--clock", "--owner", std::to_string(::getpid())});
  if (!up_ && embedded)
    arguments.insert(arguments.end(), {"--embedded", fs::read_symlink("/proc/self/exe").string()});
  if (!up_ && !embedded && policy.cgroups) arguments.emplace_back("--cgroup");
  if (!embedded)
    for (const char* setting : kSettings) arguments.insert(arguments.end(), {"--set", setting});
  if (!up_) ahead_ = Duration(0);
  up_ = true;  // Also when it fails half way: `down` then tidies up.
  cgroups_ = policy.cgroups;
  if (const auto done = lab(arguments); !done) {
    // slurmdbd sometimes does not take the new database; a lab from nothing does.
    if (arguments.front() == "up") return done;
    TRY_VOID(lab({"down"}));
    up_ = false;
    return prepare(policy);
  }
  current_ = policy;
  if (embedded) return {};
  // Its first pass comes some seconds after its start: a job submitted before waits for no reason.
  pause_for(Duration(1000));
  TRY_VOID(set_forward(seconds(10)));
  pause_for(Duration(1000));
  return {};
}

std::vector<std::string> SlurmLab::environment() const {
  std::vector<std::string> out = {"LC_ALL=C.UTF-8", "TZ=UTC", "SLURM_TIME_FORMAT=%s",
                                  "LD_PRELOAD=" + state_ + "/clock.so",
                                  "SLUICE_CLOCK=" + state_ + "/clock"};
  const std::string path = "/usr/sbin:/usr/bin:/sbin:/bin";
  if (engine_ == LabEngine::kEmbedded) {
    out.push_back("PATH=" + state_ + "/shims:" + path);
    out.push_back("SLUICE_HOME=" + state_ + "/embedded");
  } else {
    out.push_back("PATH=" + path);
    out.push_back("SLURM_CONF=" + state_ + "/slurm.conf");
  }
  return out;
}

Result<CommandOutput> SlurmLab::adopt(const std::string& policy_file) const {
  TRY_VOID(write_file(state_ + "/embedded/policy.yaml", policy_file));
  return run("root", {state_ + "/sluice", "daemon", "reload"});
}

Result<CommandOutput> SlurmLab::run(const std::string& user,
                                    const std::vector<std::string>& argv) const {
  if (interrupted != 0) return unreachable("interrupted", {});
  // A program is looked up in this process's PATH, which has Slurm's own commands.
  if (const std::string shim = fmt::format("{}/shims/{}", state_, argv.front());
      engine_ == LabEngine::kEmbedded && fs::exists(shim)) {
    std::vector<std::string> meant = argv;
    meant.front() = shim;
    return run_as(user, std::move(meant));
  }
  return run_as(user, argv);
}

Result<CommandOutput> SlurmLab::run_as(const std::string& user,
                                       const std::vector<std::string>& argv) const {
  if (user == "root") return run_command(argv, environment(), kCommandLimit);
  std::vector<std::string> as_user = {"setpriv", "--reuid=" + user, "--regid=" + user,
                                      "--init-groups", "--"};
  // Users without an account were not made: any user that no policy names will do.
  if (!is_user(user))
    as_user = {"setpriv", "--reuid=64999", "--regid=64999", "--clear-groups", "--"};
  as_user.insert(as_user.end(), argv.begin(), argv.end());
  return run_command(as_user, environment(), kCommandLimit);
}

Instant SlurmLab::now() const {
  const auto real = std::chrono::system_clock::now().time_since_epoch();
  return Instant(std::chrono::duration_cast<Duration>(real) + ahead_);
}

Result<void> SlurmLab::set_forward(Duration by) {
  ahead_ += by;
  const std::int64_t ahead = std::chrono::nanoseconds(ahead_).count();
  const std::string path = state_ + "/clock";
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = file >= 0 && ::pwrite(file, &ahead, sizeof ahead, 0) == sizeof ahead;
  if (file >= 0) ::close(file);
  if (!written) return failed(fmt::format("cannot set {}: {}", path, std::strerror(errno)));
  return {};
}

Result<bool> SlurmLab::swap_accounts(const std::vector<Argv>& accounts) const {
  const auto commands = swap_commands(current_.accounts, accounts);
  if (!commands) return false;
  std::set<std::string> users;
  for (const Argv& argv : accounts)
    if (argv.size() > 4 && argv[2] == "add" && argv[3] == "user") {
      std::istringstream names(argv[4]);
      for (std::string name; std::getline(names, name, ',');) users.insert(name);
    }
  for (const std::string& user : users)
    if (!is_user(user)) return false;
  for (const Argv& argv : *commands) {
    TRY(const CommandOutput done, run("root", argv));
    if (done.exit_code != 0 && done.output.find("Nothing") == std::string::npos &&
        done.output.find("already exists") == std::string::npos)
      return false;
  }
  // slurmctld is told a moment later.
  for (int round = 0; round < 300; ++round) {
    TRY(const CommandOutput shown,
        run("root", {"scontrol", "--oneliner", "show", "assoc_mgr", "flags=assoc"}));
    std::set<std::string> known;
    for (const AssocRecord& record : parse_assoc_records(shown.output)) known.insert(record.user);
    if (std::includes(known.begin(), known.end(), users.begin(), users.end())) return true;
    pause_for(Duration(100));
  }
  return false;
}

// Cancels whatever is left and brings every node back.
Result<void> SlurmLab::clear() const {
  constexpr int kPatience = 600;
  bool reserved = true;  // As far as is known.
  for (int round = 0; round < kPatience; ++round) {
    TRY(const CommandOutput listed, run("root", squeue_command()));
    TRY(const auto rows, parse_queue_rows(listed.output));
    std::vector<std::string> cancel = {"scancel"};
    bool busy = false;
    for (const QueueRow& row : rows) {
      if (has_ended(row.state)) continue;
      busy = true;
      if (row.state != JobState::kCompleting) cancel.push_back(std::to_string(row.array));
    }
    if (!busy && reserved) {
      TRY(const CommandOutput shown,
          run("root", {"scontrol", "--oneliner", "show", "reservation"}));
      for (const std::string& name : reservation_names(shown.output))
        TRY_VOID(run("root", {"scontrol", "delete", "reservation=" + name}));
      reserved = false;
    }
    if (!busy) {
      TRY(const CommandOutput nodes, run("root", {"sinfo", "--noheader", "-N", "-o", "%N %T"}));
      const std::vector<std::string> away = nodes_not_idle(nodes.output);
      if (away.empty()) return {};
      for (const std::string& node : away)
        TRY_VOID(run("root", {"scontrol", "update", "nodename=" + node, "state=resume"}));
    }
    if (round % 10 == 0 && cancel.size() > 1) TRY_VOID(run("root", cancel));
    pause_for(Duration(100));
  }
  return failed("jobs of the story before do not end");
}

}  // namespace sluice
