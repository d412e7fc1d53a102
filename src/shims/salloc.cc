// salloc: an allocation, and a command or shell beside it.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "cli/attached_job.h"
#include "cli/job_request.h"
#include "shims/attached_side.h"
#include "shims/help.h"
#include "shims/shim.h"
#include "shims/srun_options.h"
#include "shims/submission_words.h"
#include "shims/words.h"

namespace sluice {
namespace {

// NAME=value, each followed by a NUL, until the writer is done.
std::vector<std::string> read_variables(int from) {
  std::string text;
  char piece[4096];
  while (!text.ends_with(std::string_view("\0\0", 2))) {
    const ssize_t got = ::read(from, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece, static_cast<std::size_t>(got));
  }
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// What a task has and a shell beside the allocation has not.
bool is_of_tasks(std::string_view name) {
  static constexpr std::string_view kOfTasks[] = {
      "SLURM_CPUS_ON_NODE", "SLURM_GTIDS",    "SLURM_JOB_GID",       "SLURM_JOB_UID",
      "SLURM_JOB_USER",     "SLURM_LOCALID",  "SLURM_NODEID",        "SLURM_PRIO_PROCESS",
      "SLURM_PROCID",       "SLURM_TASK_PID", "SLURM_TOPOLOGY_ADDR", "SLURM_TOPOLOGY_ADDR_PATTERN"};
  return std::find(std::begin(kOfTasks), std::end(kOfTasks), name) != std::end(kOfTasks);
}

int run_command(const std::vector<std::string>& command,
                const std::vector<std::string>& variables) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return 1;
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const std::string& each : variables) {
      const std::size_t equals = each.find('=');
      if (equals != std::string::npos && !is_of_tasks(std::string_view(each).substr(0, equals)))
        ::setenv(each.substr(0, equals).c_str(), each.c_str() + equals + 1, 1);
    }
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    fmt::print(stderr, "salloc: error: _fork_command: Unable to find command \"{}\"\n",
               command.front());
    std::fflush(stderr);
    ::_exit(1);
  }
  // What the terminal sends is the command's business.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int run_salloc(ShimCall& call) {
  auto options = read_srun_options(call, InJob::kNo);
  if (!options) return call.err.find("Invalid numeric value") != std::string::npos ? 1 : 255;
  if (options->help) return call.say(shim_help("salloc")), 0;
  if (options->usage) return call.say(shim_usage("salloc")), 0;
  if (options->version) return call.say(kShimVersion), 0;
  auto line = read_sbatch_arguments(options->for_job);
  if (!line) return complain_of_options(call, line.error());
  line->wrap = "salloc";
  auto request = request_of(*line, SbatchVariables::kIgnored);
  if (!request) return complain_of_options(call, request.error());
  if (request->clusters.empty()) request->clusters = variable("SLURM_CLUSTERS").value_or("");
  if (!take_request(call, *request)) return 1;
  if (!say_warnings(call, request->warnings)) return 1;
  JobSpec& spec = request->spec;
  if (spec.name.empty() || spec.name == "wrap") spec.name = "interactive";
  if (const auto folder = check_folder_of(*request); !folder)
    return call.error(folder.error().what), 1;
  add_surroundings(*request);
  spec.launch.command = "(null)";
  note_submit_line(call, spec);
  std::vector<std::string> command = options->step.command;
  if (command.empty()) command.push_back(variable("SHELL").value_or("/bin/sh"));
  int words[2] = {-1, -1};
  if (::pipe2(words, O_CLOEXEC) != 0) return call.error("no pipe could be made"), 1;
  AttachedWork work;
  work.words = {std::string(kHoldWord)};
  work.descriptors[0] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  work.descriptors[1] = words[1];
  const bool quiet = options->step.quiet;
  const auto say = [&](const std::string& text) {
    if (!quiet) fmt::print(stderr, "salloc: {}\n", text);
  };
  AttachedWatch watch;
  watch.queued = [&](std::uint32_t job) {
    if (spec.hold) say("Job is in held state, pending scheduler release");
    say(fmt::format("Pending job allocation {}", job));
    say(fmt::format("job {} queued and waiting for resources", job));
  };
  watch.allocated = [&](std::uint32_t job) {
    say(fmt::format("job {} has been allocated resources", job));
  };
  int status = 1;
  watch.attached = [&](std::uint32_t job) {
    say(fmt::format("Granted job allocation {}", job));
    status = run_command(command, read_variables(words[0]));
    say(fmt::format("Relinquishing job allocation {}", job));
  };
  watch.patience = options->step.patience;
  call.flush();
  const auto end = run_attached(spec, work, watch);
  if (!end) return call.fail(end.error());
  if (end->gave_up) {
    say(fmt::format("Job allocation {} has been revoked.", end->job));
    const bool of_partition = end->reason.starts_with("Partition");
    const bool waited = !of_partition && *watch.patience > seconds(1);
    call.error(fmt::format(
        "{}: {}", of_partition ? "Job submit/allocate failed" : "Unable to allocate resources",
        waited ? "Connection timed out" : why_not_now(end->reason)));
    return 1;
  }
  if (end->refused) {
    complain_of_refusal(call, "Job submit/allocate failed", {{}, 1, end->refusal, end->reason, {}},
                        spec);
    return 1;
  }
  return status;
}

}  // namespace sluice
