#include "pools/verbs/doctor_verb.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/version.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/table.h"
#include "host/files/files.h"
#include "host/files/folders.h"
#include "host/machine/survey.h"
#include "policyfile/check/check.h"
#include "pools/routing_context.h"
#include "slurm/version.h"
#include "text/memory.h"
#include "text/plural.h"
#include "views/json.h"
#include "views/rows.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

enum class Health : std::uint8_t { kGood, kNote, kBad };

struct HealthLine {
  std::string about;
  Health health = Health::kGood;
  std::string says;
  std::string next;  // What to do; empty where nothing is.
};
using HealthLines = std::vector<HealthLine>;

void look_at_machine(HealthLines& out) {
  const Survey survey = survey_machine();
  out.push_back({"machine", Health::kGood,
                 fmt::format("{} CPUs, {} of memory", survey.node.cpus,
                             format_memory_mb(survey.node.memory_mb, MemoryStyle::kRounded)),
                 ""});
  if (survey.gpus.empty()) {
    out.push_back({"GPUs", Health::kGood, "none found", ""});
  } else {
    out.push_back({"GPUs", Health::kGood,
                   fmt::format("{} ({}), found by {}", survey.gpus.size(), survey.gpus.front().name,
                               survey.gpus_found_by),
                   ""});
  }
}

void look_at_cgroups(HealthLines& out) {
  std::error_code ignored;
  const bool v2 = fs::exists("/sys/fs/cgroup/cgroup.controllers", ignored);
  const bool v1 = fs::exists("/sys/fs/cgroup/memory/memory.limit_in_bytes", ignored);
  const char* where = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  if (!v1 && !v2) {
    out.push_back({"cgroups", Health::kNote,
                   "there are none: memory is watched and CPUs are pinned, but not enforced",
                   "mount cgroup v2 at /sys/fs/cgroup, if jobs of this machine need hard limits"});
  } else if (::access(where, W_OK) != 0) {
    out.push_back({"cgroups", Health::kNote,
                   fmt::format("version {}, and this user may not write to {}", v2 ? 2 : 1, where),
                   "for hard limits, let root start the daemon: sluice daemon start --system"});
  } else {
    out.push_back({"cgroups", Health::kGood,
                   fmt::format("version {}: memory, CPUs and devices can be enforced", v2 ? 2 : 1),
                   ""});
  }
}

void look_at_state(const Folders& folders, HealthLines& out) {
  std::error_code ignored;
  fs::path there = folders.state;
  while (!fs::exists(there, ignored) && there != there.parent_path()) there = there.parent_path();
  const bool made = there == fs::path(folders.state);
  if (::access(there.c_str(), W_OK | X_OK) != 0) {
    out.push_back({"state folder", Health::kBad,
                   fmt::format("{} cannot be written by this user", there.string()),
                   "name another one: export SLUICE_HOME=FOLDER"});
    return;
  }
  out.push_back({"state folder", Health::kGood,
                 fmt::format("{}{}", folders.state, made ? "" : ", made when it is needed"), ""});
  if (is_on_network(there))
    out.push_back({"file system", Health::kNote,
                   "the state folder is on a network file system: slower, one machine at a time",
                   "for a daemon with many jobs, set SLUICE_HOME to a folder on a local disk"});
  struct statvfs room {};
  if (::statvfs(there.c_str(), &room) == 0) {
    const auto free_mb =
        static_cast<std::int64_t>(room.f_bavail) * static_cast<std::int64_t>(room.f_frsize) >> 20;
    constexpr std::int64_t kLittleMb = 512;
    out.push_back({"disk", free_mb < kLittleMb ? Health::kBad : Health::kGood,
                   fmt::format("{} free", format_memory_mb(free_mb, MemoryStyle::kRounded)),
                   free_mb < kLittleMb ? "make room: a full disk stops new submissions" : ""});
  }
}

void look_at_clock(HealthLines& out) {
  struct timex now {};
  const int state = ::adjtimex(&now);
  if (state == TIME_ERROR || (now.status & STA_UNSYNC) != 0)
    out.push_back({"clock", Health::kNote, "no time service keeps this machine's clock",
                   "times of jobs are still right, dates in reports may not be. Install "
                   "chrony or systemd-timesyncd"});
  else
    out.push_back({"clock", Health::kGood, "kept by a time service", ""});
}

void look_at_daemon(const Folders& folders, HealthLines& out) {
  auto daemon = Connection::open(StartDaemon::kNever);
  if (!daemon) {
    const bool refused = daemon.error().kind == ErrorKind::kNotAllowed;
    out.push_back({"daemon", refused ? Health::kBad : Health::kGood,
                   refused ? daemon.error().what : "not running; the first submission starts it",
                   refused ? daemon.error().hint : ""});
  } else if (const auto card = daemon->fetch<DaemonCard>("/v1/daemon"); !card) {
    out.push_back({"daemon", Health::kBad, card.error().text(),
                   fmt::format("read its log: {}", folders.daemon_log())});
  } else {
    const bool other = card->version != kVersion;
    out.push_back(
        {"daemon", other ? Health::kNote : Health::kGood,
         fmt::format("runs, version {}, {} running, {} waiting", card->version,
                     plural(static_cast<std::uint64_t>(card->running), "job"), card->waiting),
         other ? "it is not of this program's version: sluice daemon stop, then start" : ""});
  }
}

void look_at_policy(const Folders& folders, HealthLines& out) {
  std::error_code ignored;
  if (!fs::exists(folders.policy_file, ignored)) {
    out.push_back({"policy", Health::kGood, "none written: one is made from the machine",
                   "write one: sluice policy init"});
    return;
  }
  const auto text = read_file(folders.policy_file);
  if (!text) {
    out.push_back({"policy", Health::kBad, text.error().text(), "let this user read the file"});
    return;
  }
  const auto findings = check_policy(read_policy_text(*text, folders.policy_file, &read_file));
  const auto errors = std::count_if(findings.begin(), findings.end(), [](const auto& one) {
    return one.severity == Severity::kError;
  });
  out.push_back(
      {"policy", errors > 0 ? Health::kBad : Health::kGood,
       fmt::format("{}: {}, {}", folders.policy_file,
                   plural(static_cast<std::uint64_t>(errors), "error"),
                   plural(findings.size() - static_cast<std::uint64_t>(errors), "other finding")),
       findings.empty() ? ""
                        : fmt::format("see them: sluice policy check {}", folders.policy_file)});
}

void look_at_slurm(HealthLines& out) {
  std::string found;
  for (std::string rest = environment_value("PATH"); !rest.empty() && found.empty();) {
    const auto end = std::min(rest.find(':'), rest.size());
    const std::string command = rest.substr(0, end) + "/scontrol";
    if (::access(command.c_str(), X_OK) == 0) found = command;
    rest = end < rest.size() ? rest.substr(end + 1) : "";
  }
  if (found.empty()) {
    out.push_back({"Slurm", Health::kGood, "its commands are not installed here", ""});
    return;
  }
  // An alternative of the Debian package, or what `sluice shims install` made.
  if (std::error_code ignored; fs::equivalent(found, "/proc/self/exe", ignored)) {
    out.push_back(
        {"Slurm", Health::kGood, "sbatch, squeue, … here are sluice's own, for this machine", ""});
    return;
  }
  const auto seen = this_slurm()->describe();
  if (!seen) {
    out.push_back({"Slurm", Health::kNote, seen.error().what,
                   "without it everything on this machine works; --on slurm does not"});
    return;
  }
  const auto version = read_slurm_version(seen->capabilities.software);
  const bool old = !version || *version < kOldestSlurm;
  out.push_back(
      {"Slurm", old ? Health::kNote : Health::kGood,
       fmt::format("{}, {} nodes, {} partitions", seen->capabilities.software,
                   seen->policy->nodes.size(), seen->policy->partitions.size()),
       old ? fmt::format("releases before {} are not tested", format_slurm_version(kOldestSlurm))
           : ""});
  if (!seen->capabilities.accounting)
    out.push_back({"accounting", Health::kNote, "Slurm keeps no record of jobs that ended",
                   "chains need one: set AccountingStorageType=accounting_storage/slurmdbd"});
  if (!seen->capabilities.others_visible)
    out.push_back({"private data", Health::kNote, "what other users hold is hidden from this user",
                   "pools show limits and totals, not which users hold them"});
}

std::string_view word_of(Health health) {
  return health == Health::kGood ? "ok" : health == Health::kNote ? "note" : "wrong";
}

void print_json(const HealthLines& findings, bool good) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("schema");
  writer.text("sluice.doctor/1");
  writer.key("ok");
  writer.boolean(good);
  writer.key("findings");
  writer.begin_array();
  for (const HealthLine& one : findings) {
    writer.begin_object();
    for (const auto& [key, value] :
         {std::pair<std::string_view, std::string_view>{"about", one.about},
          {"health", word_of(one.health)},
          {"says", one.says},
          {"next", one.next}}) {
      writer.key(key);
      writer.text(value);
    }
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  fmt::print("{}\n", out);
}

void print_text(const HealthLines& findings) {
  const Display display = Display::of_stdout();
  for (const HealthLine& one : findings) {
    const std::string word = fmt::format("{:5}", word_of(one.health));
    fmt::print("{}  {:13} {}\n",
               one.health == Health::kGood  ? green(display, word)
               : one.health == Health::kBad ? red(display, word)
                                            : bold(display, word),
               one.about, printable(one.says));
    if (!one.next.empty()) fmt::print("       {:13} {}\n", "", printable(one.next));
  }
}

Result<ExitCode> run(bool json) {
  TRY(const Folders folders, client_folders(FolderSetting::of_this_process()));
  HealthLines findings;
  look_at_machine(findings);
  look_at_cgroups(findings);
  look_at_state(folders, findings);
  look_at_clock(findings);
  look_at_daemon(folders, findings);
  look_at_policy(folders, findings);
  look_at_slurm(findings);
  const bool good = std::none_of(findings.begin(), findings.end(),
                                 [](const HealthLine& one) { return one.health == Health::kBad; });
  if (json)
    print_json(findings, good);
  else
    print_text(findings);
  return good ? ExitCode::kDone : ExitCode::kWorkFailed;
}

}  // namespace

void add_doctor(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand(
      "doctor", "Check this machine, its folders, its daemon and its Slurm, and see what to do");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "As JSON");
  verb->footer(
      "Exit code 1: something is wrong. Nothing is changed and no daemon is started.\n\n"
      "Examples:\n  sluice doctor\n  sluice doctor --json");
  verb->callback([json, &exit_code] {
    const auto done = run(*json);
    exit_code = done ? *done : report(done.error());
  });
}

}  // namespace sluice
