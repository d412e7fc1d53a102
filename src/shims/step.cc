#include "shims/step.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "cli/local_time.h"
#include "shims/other_job.h"
#include "shims/step_environment.h"
#include "shims/words.h"
#include "system/oom_kills.h"
#include "text/array_spec.h"
#include "text/hostlist.h"
#include "text/output_pattern.h"
#include "text/scan.h"
#include "views/record_line.h"
#include "views/step_share.h"

extern char** environ;

namespace sluice {
namespace {

volatile std::sig_atomic_t arrived = 0;
void note_signal(int number) { arrived = number; }

// What Slurm has as the signal of what ran out of memory.
constexpr std::int64_t kOomSignal = 125;

struct Task {
  pid_t pid = -1;
  int in = -1;   // Our end of its standard input.
  int out = -1;  // Our ends of its outputs, where they are labelled.
  int err = -1;
  std::string out_rest;  // A line that is not whole yet.
  std::string err_rest;
  std::optional<int> status;
};

class Step {
 public:
  Step(EngineDoor& engine, const StepPlan& plan) : engine_(engine), plan_(plan) {
    job_ = variable("SLURM_JOB_ID").value_or("0");
    const auto nodes = expand_hostlist(variable("SLURM_JOB_NODELIST").value_or("localhost"));
    lay_out({{nodes && !nodes->empty() ? nodes->front() : "localhost", plan.cpus, 0, {}}});
  }

  int run() {
    if (!note_begin()) return 1;
    if (!open_files()) return note_end(1);
    oom_before_ = own_oom_kills();
    tasks_.resize(static_cast<std::size_t>(plan_.tasks));
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (!start(i)) {
        end_all(SIGKILL);
        break;
      }
    for (const int file : {shared_out_, shared_err_, shared_in_})
      if (file > 2) ::close(file);
    catch_signals();
    watch();
    look_for_oom();
    say_failures();
    return note_end(status());
  }

 private:
  void lay_out(const std::vector<StepShare>& shares) {
    order_ = plan_.order.value_or(default_task_order(plan_.tasks, shares.size()));
    nodes_ = lay_out_step(shares, plan_.tasks, plan_.cpus_per_task.value_or(1), order_);
    node_ = nodes_.front().name;
  }

  // False: there is no room in the job, and there will be none.
  bool note_begin() {
    StepRequest request;
    request.step.name = plan_.name;
    request.step.line = plan_.line;
    request.step.tasks = plan_.tasks;
    request.step.cpus = plan_.cpus;
    request.ask = plan_.ask;
    request.step.overlaps = plan_.overlaps;
    request.step.process = ::getpid();
    line_ = request.step;
    const std::string body = to_json(request);
    const Instant begun = now_here();
    bool waited = false;
    for (useconds_t pause = 20'000;; pause = std::min<useconds_t>(pause * 3 / 2, 500'000)) {
      const auto answer = engine_.send("POST", "/v1/jobs/" + job_ + "/steps", body);
      // A daemon that is away keeps no step from running; the accounts miss it.
      if (!answer) return true;
      const auto reply = from_json<StepReply>(*answer);
      if (!reply) return true;
      if (!reply->refusal.empty()) return complain("Unable to create step", reply->refusal);
      if (!reply->busy) {
        number_ = reply->number;
        if (const auto shares = parse_step_shares(reply->shares); !shares.empty()) lay_out(shares);
        if (waited && !plan_.quiet) fmt::print(stderr, "srun: Step created for job {}\n", job_);
        return true;
      }
      constexpr const char* kBusy = "Requested nodes are busy";
      if (plan_.patience && now_here() - begun >= *plan_.patience)
        return complain("Unable to create step", kBusy);
      if (!waited && !plan_.quiet && !plan_.patience)
        fmt::print(stderr, "srun: Job {} step creation temporarily disabled, retrying ({})\n", job_,
                   kBusy);
      waited = true;
      ::usleep(pause);
    }
  }
  bool complain(const char* what, const std::string& why) const {
    fmt::print(stderr, "srun: error: {} for job {}: {}\n", what, job_, why);
    return false;
  }

  int note_end(int code) {
    if (!number_) return code;
    StepRequest request;
    request.number = number_;
    request.step = line_;
    bool oom = false;
    for (const Task& task : tasks_) {
      const int status = task.status.value_or(0);
      oom = oom || is_oom(task);
      if (WIFEXITED(status))
        request.step.exit_code =
            std::max<std::int64_t>(request.step.exit_code, WEXITSTATUS(status));
      if (WIFSIGNALED(status))
        request.step.exit_signal =
            std::max<std::int64_t>(request.step.exit_signal, WTERMSIG(status));
    }
    if (oom) {
      request.step.exit_code = 0;
      request.step.exit_signal = kOomSignal;
    }
    request.step.state = oom                             ? JobState::kOutOfMemory
                         : timed_out_                    ? JobState::kTimeout
                         : request.step.exit_signal != 0 ? JobState::kCancelled
                         : code != 0                     ? JobState::kFailed
                                                         : JobState::kCompleted;
    request.step.max_rss_kb = max_rss_;
    request.step.cpu_time = cpu_time_;
    static_cast<void>(engine_.send("POST", "/v1/jobs/" + job_ + "/steps", to_json(request)));
    return code;
  }

  std::string path_of(const std::string& pattern, std::uint32_t task) const {
    PatternFacts facts;
    facts.job = JobId(static_cast<std::uint32_t>(whole_number(job_).value_or(0)));
    const std::string array = variable("SLURM_ARRAY_JOB_ID").value_or("");
    facts.array = JobId(static_cast<std::uint32_t>(whole_number(array).value_or(0)));
    facts.task = static_cast<std::uint32_t>(
        whole_number(variable("SLURM_ARRAY_TASK_ID").value_or("")).value_or(0));
    const std::string user = variable("SLURM_JOB_USER").value_or("");
    const std::string name = variable("SLURM_JOB_NAME").value_or("");
    facts.user = user;
    facts.job_name = name;
    const TaskPlace place = place_of(nodes_, task);
    facts.first_node = nodes_[place.node].name;
    facts.step_node = static_cast<std::uint32_t>(place.node);
    facts.step = static_cast<std::uint32_t>(number_.value_or(0));
    facts.step_task = task;
    return fill_pattern(pattern, facts, folder());
  }

  std::string folder() const {
    if (!plan_.folder.empty()) return plan_.folder;
    char* name = ::getcwd(nullptr, 0);
    const std::string out = name != nullptr ? name : "/";
    std::free(name);
    return out;
  }

  static bool is_own(const std::string& pattern) {
    for (const char* each : {"%t", "%n", "%N"})
      if (pattern.find(each) != std::string::npos) return true;
    return false;
  }

  int open_output(const std::string& pattern, std::uint32_t task) {
    const std::string path = pattern == "none" ? "/dev/null" : path_of(pattern, task);
    // Tasks whose patterns come to one name write to one file.
    const bool first = opened_.insert(path).second;
    const int mode = plan_.append || !first ? 0 : O_TRUNC;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | mode, 0666);
    if (file < 0)
      fmt::print(stderr, "srun: error: Could not open stdout file {}: {}\n", path,
                 std::strerror(errno));
    return file;
  }

  static bool to_caller(const std::string& pattern) { return pattern.empty() || pattern == "all"; }

  bool open_files() {
    shared_out_ = STDOUT_FILENO;
    shared_err_ = STDERR_FILENO;
    if (!to_caller(plan_.out) && !is_own(plan_.out)) {
      shared_out_ = open_output(plan_.out, 0);
      if (shared_out_ < 0) return false;
      // Without a file of their own errors go along.
      if (plan_.err.empty()) shared_err_ = shared_out_;
    }
    if (!to_caller(plan_.err) && !is_own(plan_.err)) {
      shared_err_ = open_output(plan_.err, 0);
      if (shared_err_ < 0) return false;
    }
    shared_in_ = STDIN_FILENO;
    if (plan_.in == "none") {
      shared_in_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    } else if (!plan_.in.empty() && plan_.in != "all" && !whole_number(plan_.in)) {
      const std::string path = path_of(plan_.in, 0);
      shared_in_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      if (shared_in_ < 0)
        fmt::print(stderr, "srun: error: Could not open stdin file: {}\n", std::strerror(errno));
    }
    broadcasts_ = plan_.tasks > 1 && shared_in_ == STDIN_FILENO;
    labels_ = plan_.label;
    return shared_in_ >= 0;
  }

  void set_environment(std::size_t task) const {
    if (plan_.clean_environment) {
      std::vector<std::string> kept;
      for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view text = *each;
        if (text.starts_with("SLURM_") || text.starts_with("SLUICE_") || text.starts_with("PATH="))
          kept.emplace_back(text);
      }
      ::clearenv();
      for (const std::string& each : kept) put(each);
    }
    for (const std::string& each : plan_.environment) put(each);
    const auto set = [](const char* name, const std::string& value) {
      ::setenv(name, value.c_str(), 1);
    };
    const StepFacts facts{
        nodes_,     plan_.tasks, number_.value_or(0), order_, plan_.gpus_per_task.value_or(0),
        plan_.label};
    const auto of_job = [](const char* name) { return variable(name).value_or(""); };
    for (const auto& [name, value] :
         step_environment(facts, static_cast<std::uint32_t>(task), of_job))
      set(name.c_str(), value);
    set("SLURM_TASK_PID", std::to_string(::getpid()));
    const mode_t mask = ::umask(0);
    ::umask(mask);
    set("SLURM_UMASK", fmt::format("{:04o}", mask));
    if (plan_.named || plan_.outside) set("SLURM_JOB_NAME", plan_.name);
    if (plan_.cpus_per_task) set("SLURM_CPUS_PER_TASK", std::to_string(*plan_.cpus_per_task));
  }
  static void put(const std::string& pair) {
    const std::size_t equals = pair.find('=');
    if (equals != std::string::npos)
      ::setenv(pair.substr(0, equals).c_str(), pair.c_str() + equals + 1, 1);
  }

  bool start(std::size_t index) {
    Task& task = tasks_[index];
    const auto number = static_cast<std::uint32_t>(index);
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    int err[2] = {-1, -1};
    int own_out = shared_out_;
    int own_err = shared_err_;
    if (!to_caller(plan_.out) && is_own(plan_.out)) {
      own_out = open_output(plan_.out, number);
      if (plan_.err.empty()) own_err = own_out;
    }
    if (!to_caller(plan_.err) && is_own(plan_.err)) own_err = open_output(plan_.err, number);
    if (own_out < 0 || own_err < 0) return false;
    const bool one_input = whole_number(plan_.in).has_value();
    if (broadcasts_ && ::pipe2(in, O_CLOEXEC) != 0) return false;
    if (labels_ && own_out == STDOUT_FILENO && ::pipe2(out, O_CLOEXEC) != 0) return false;
    if (labels_ && own_err == STDERR_FILENO && ::pipe2(err, O_CLOEXEC) != 0) return false;
    std::fflush(nullptr);
    task.pid = ::fork();
    if (task.pid < 0) return false;
    if (task.pid == 0) {
      if (broadcasts_)
        ::dup2(in[0], STDIN_FILENO);
      else if (shared_in_ != STDIN_FILENO)
        ::dup2(shared_in_, STDIN_FILENO);
      // Errors first: they may go where the output goes.
      ::dup2(err[1] >= 0 ? err[1] : own_err, STDERR_FILENO);
      ::dup2(out[1] >= 0 ? out[1] : own_out, STDOUT_FILENO);
      become(index);
    }
    for (const int end : {in[0], out[1], err[1]})
      if (end >= 0) ::close(end);
    if (own_out > 2 && own_out != shared_out_) ::close(own_out);
    if (own_err > 2 && own_err != shared_err_ && own_err != own_out) ::close(own_err);
    task.in = in[1];
    task.out = out[0];
    task.err = err[0];
    if (one_input && std::to_string(index) != plan_.in && task.in >= 0) {
      ::close(task.in);
      task.in = -1;
    }
    return true;
  }

  [[noreturn]] void become(std::size_t index) const {
    set_environment(index);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGPIPE})
      ::signal(each, SIG_DFL);
    if (!plan_.folder.empty() && ::chdir(plan_.folder.c_str()) != 0) {
      fmt::print(stderr,
                 "slurmstepd-{}: error: couldn't chdir to `{}': {}: going to /tmp instead\n",
                 nodes_[place_of(nodes_, static_cast<std::uint32_t>(index)).node].name,
                 plan_.folder, std::strerror(errno));
      if (::chdir("/tmp") != 0) ::_exit(1);
    }
    const std::vector<std::string>& command =
        plan_.commands.empty() ? plan_.command : plan_.commands[index];
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    const int error = errno;
    fmt::print(stderr, "slurmstepd-{}: error: execve(): {}: {}\n",
               nodes_[place_of(nodes_, static_cast<std::uint32_t>(index)).node].name,
               command.front(), std::strerror(error));
    std::fflush(stderr);
    ::_exit(error == ENOENT ? 2 : error == EACCES ? 13 : 127);
  }

  static void catch_signals() {
    struct sigaction action {};
    action.sa_handler = &note_signal;
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGCONT})
      ::sigaction(each, &action, nullptr);
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, nullptr);
    sigset_t all;
    sigemptyset(&all);
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGCONT})
      sigaddset(&all, each);
    ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  }

  void end_all(int signal) {
    for (const Task& task : tasks_)
      if (task.pid > 0 && !task.status) ::kill(task.pid, signal);
  }

  bool all_ended() const {
    return std::all_of(tasks_.begin(), tasks_.end(),
                       [](const Task& task) { return task.pid <= 0 || task.status; });
  }
  bool all_said() const {
    return std::all_of(tasks_.begin(), tasks_.end(),
                       [](const Task& task) { return task.out < 0 && task.err < 0; });
  }

  // Until every task has ended and everything they said was passed on.
  void watch() {
    const Instant begun = now_here();
    while (!all_ended() || !all_said()) {
      if (const int number = arrived; number != 0) {
        arrived = 0;
        take_signal(number);
      }
      const Instant now = now_here();
      if (plan_.limit && !timed_out_ && now - begun > *plan_.limit) {
        timed_out_ = true;
        say_cancelled(" DUE TO TIME LIMIT");
        end_gently();
      }
      if (plan_.wait && first_end_ && !stopped_ && !all_ended() && now - *first_end_ >= *plan_.wait)
        end_after_waiting();
      if (kill_at_ && now >= *kill_at_) {
        kill_at_.reset();
        end_all(SIGKILL);
      }
      if (plan_.outside) look_at_job(now);
      const bool moves = move_bytes();
      reap(moves || broadcasts_ || is_timed() ? WNOHANG : 0);
    }
  }

  // Something happens at a time, and not only when a task ends.
  bool is_timed() const { return plan_.limit || plan_.wait || kill_at_ || plan_.outside; }

  // The end of the job ends what is in its cage; a step that was started outside sees to it itself.
  void look_at_job(Instant now) {
    if (stopped_ || now - looked_at_job_ < seconds(1)) return;
    looked_at_job_ = now;
    if (holds_on(engine_, job_)) return;
    stopped_ = true;
    say_aborted();
    say_cancelled("");
    end_gently();
  }

  std::string step_id() const { return fmt::format("{}.{}", job_, number_.value_or(0)); }

  void take_signal(int number) {
    if (number == SIGINT && !plan_.attached && now_here() - last_interrupt_ > seconds(1)) {
      last_interrupt_ = now_here();
      fmt::print(stderr, "srun: interrupt (one more within 1 sec to abort)\n");
      say_tasks();
      return;
    }
    if (number == SIGINT && !plan_.attached) {
      fmt::print(stderr, "srun: sending Ctrl-C to StepId={}\n", step_id());
      end_all(SIGINT);
    }
    if (plan_.attached || (number != SIGINT && number != SIGTERM)) return end_all(number);
    if (!stopped_) {
      stopped_ = true;
      fmt::print(stderr, "srun: forcing job termination\n");
      say_aborted();
      if (number == SIGTERM) say_cancelled("");
    }
    end_gently();
  }

  // "task 0: running", those that are alike together.
  void say_tasks() const {
    IndexSet running;
    IndexSet exited;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      (tasks_[i].status ? exited : running).insert(static_cast<std::uint32_t>(i));
    const auto say = [&](const IndexSet& which, const char* what) {
      if (which.size() > 0)
        fmt::print(stderr, "srun: StepId={} task{} {}: {}\n", step_id(),
                   which.size() > 1 ? "s" : "", format_array_tasks(ArraySpec{which, {}}, 0), what);
    };
    say(running, "running");
    say(exited, "exited");
  }

  void say_aborted() {
    fmt::print(stderr, "srun: Job step aborted: Waiting up to {} seconds for job step to finish.\n",
               (kill_wait() / seconds(1)) + 2);
  }
  void say_cancelled(std::string_view why) const {
    fmt::print(stderr, "slurmstepd-{}: error: *** STEP {} ON {} CANCELLED AT {}{} ***\n", node_,
               step_id(), node_, time_text(now_here(), "Unknown"), why);
  }

  Duration kill_wait() {
    if (!kill_wait_) {
      const auto policy = engine_.policy();
      kill_wait_ = policy ? policy->jobs.kill_wait : seconds(30);
    }
    return *kill_wait_;
  }
  // SIGTERM, and SIGKILL for what is there after the time that the policy gives.
  void end_gently() {
    if (!kill_at_) kill_at_ = now_here() + kill_wait();
    end_all(SIGCONT);
    end_all(SIGTERM);
  }

  void end_after_waiting() {
    stopped_ = true;
    fmt::print(stderr, "srun: First task exited {}s ago\n", *plan_.wait / seconds(1));
    say_tasks();
    fmt::print(stderr, "srun: launch/slurm: _step_signal: Terminating StepId={}\n", step_id());
    say_aborted();
    say_cancelled("");
    end_all(SIGKILL);
  }

  // False where there is nothing to wait for but the tasks themselves.
  bool move_bytes() {
    std::vector<pollfd> waits;
    std::vector<std::pair<Task*, bool>> whose;
    for (Task& task : tasks_) {
      if (task.out >= 0) {
        waits.push_back({task.out, POLLIN, 0});
        whose.emplace_back(&task, true);
      }
      if (task.err >= 0) {
        waits.push_back({task.err, POLLIN, 0});
        whose.emplace_back(&task, false);
      }
    }
    const bool reads = broadcasts_ && !all_ended();
    if (reads) waits.push_back({STDIN_FILENO, POLLIN, 0});
    if (waits.empty() && !is_timed()) return false;
    if (::poll(waits.data(), waits.size(), 100) <= 0) return true;
    for (std::size_t i = 0; i < whose.size(); ++i)
      if (waits[i].revents != 0) pass_on(*whose[i].first, whose[i].second);
    if (reads && waits.back().revents != 0) feed();
    return true;
  }

  void feed() {
    char piece[16384];
    const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return;
    for (Task& task : tasks_) {
      if (task.in < 0) continue;
      if (got > 0) {
        const char* at = piece;
        auto left = static_cast<std::size_t>(got);
        while (left > 0) {
          const ssize_t written = ::write(task.in, at, left);
          if (written < 0 && errno == EINTR) continue;
          if (written <= 0) break;
          at += written;
          left -= static_cast<std::size_t>(written);
        }
        if (left == 0) continue;
      }
      ::close(task.in);
      task.in = -1;
    }
    if (got <= 0) broadcasts_ = false;
  }

  void pass_on(Task& task, bool is_out) {
    int& from = is_out ? task.out : task.err;
    std::string& rest = is_out ? task.out_rest : task.err_rest;
    char piece[16384];
    const ssize_t got = ::read(from, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return;
    if (got > 0) rest.append(piece, static_cast<std::size_t>(got));
    if (got <= 0) {
      ::close(from);
      from = -1;
      if (!rest.empty()) rest += '\n';
    }
    const auto number = static_cast<std::size_t>(&task - tasks_.data());
    const std::size_t width = std::to_string(tasks_.size() - 1).size();
    std::string text;
    std::size_t end = 0;
    while ((end = rest.find('\n')) != std::string::npos) {
      text += fmt::format("{:>{}}: {}\n", number, width, rest.substr(0, end));
      rest.erase(0, end + 1);
    }
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t written =
          ::write(is_out ? STDOUT_FILENO : STDERR_FILENO, text.data() + done, text.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return end_all(SIGPIPE);
      done += static_cast<std::size_t>(written);
    }
  }

  void reap(int flags) {
    int status = 0;
    rusage used{};
    const pid_t pid = ::wait4(-1, &status, flags, &used);
    if (pid <= 0) {
      // All are gone, and only what they said is left.
      if (pid < 0 && errno == ECHILD)
        for (Task& task : tasks_)
          if (!task.status) task.status = 0;
      return;
    }
    max_rss_ = std::max<std::int64_t>(max_rss_, used.ru_maxrss);
    cpu_time_ += Duration((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
                          (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
    for (Task& task : tasks_) {
      if (task.pid != pid) continue;
      task.status = status;
      if (!first_end_) first_end_ = now_here();
      if (task.in >= 0) ::close(task.in);
      task.in = -1;
    }
    if (plan_.kill_on_bad_exit && status != 0 && !all_ended() && !stopped_) {
      stopped_ = true;
      fmt::print(stderr, "srun: launch/slurm: _step_signal: Terminating StepId={}\n", step_id());
      say_cancelled("");
      end_all(SIGTERM);
    }
  }

  bool is_oom(const Task& task) const {
    const int status = task.status.value_or(0);
    return oom_kills_ > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
  void look_for_oom() {
    oom_kills_ = own_oom_kills() - oom_before_;
    if (std::none_of(tasks_.begin(), tasks_.end(), [&](const Task& it) { return is_oom(it); }))
      return;
    fmt::print(stderr,
               "slurmstepd-{}: error: Detected {} oom-kill event(s) in StepId={}. Some of your "
               "processes may have been killed by the cgroup out-of-memory handler.\n",
               node_, oom_kills_, step_id());
  }

  // "tasks 0-1: Exited with exit code 3", those of a node that ended alike together.
  void say_failures() const {
    std::map<std::pair<std::size_t, std::string>, IndexSet> failures;  // Of each node.
    std::vector<std::pair<std::size_t, std::string>> order;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const int status = tasks_[i].status.value_or(0);
      if (status == 0) continue;
      std::string words;
      if (is_oom(tasks_[i])) {
        words = "Out Of Memory";
      } else if (WIFEXITED(status)) {
        words = fmt::format("Exited with exit code {}", WEXITSTATUS(status));
      } else {
        words = ::strsignal(WTERMSIG(status));
        if (WCOREDUMP(status)) words += " (core dumped)";
      }
      const std::pair key(place_of(nodes_, static_cast<std::uint32_t>(i)).node, words);
      if (!failures.contains(key)) order.push_back(key);
      failures[key].insert(static_cast<std::uint32_t>(i));
    }
    for (const auto& key : order) {
      const IndexSet& which = failures.at(key);
      fmt::print(stderr, "srun: error: {}: task{} {}: {}\n", nodes_[key.first].name,
                 which.size() > 1 ? "s" : "", format_array_tasks(ArraySpec{which, {}}, 0),
                 key.second);
    }
    const bool by_signal = std::any_of(tasks_.begin(), tasks_.end(), [&](const Task& task) {
      const int status = task.status.value_or(0);
      return !is_oom(task) && WIFSIGNALED(status) &&
             (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGKILL);
    });
    if (plan_.kill_on_bad_exit && !stopped_ && !order.empty())
      fmt::print(stderr, "srun: launch/slurm: _step_signal: Terminating StepId={}\n", step_id());
    if (by_signal && !plan_.outside)
      fmt::print(stderr, "srun: Force Terminated StepId={}.{}\n", job_, number_.value_or(0));
  }

  int status() const {
    int worst = 0;
    for (const Task& task : tasks_) {
      const int status = is_oom(task) ? 256 : task.status.value_or(256);
      worst = std::max(worst, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
    return worst;
  }

  EngineDoor& engine_;
  const StepPlan& plan_;
  std::string job_;
  std::string node_;             // The first.
  std::vector<StepNode> nodes_;  // All of the step's; never empty.
  TaskOrder order_ = TaskOrder::kBlock;
  std::optional<std::int64_t> number_;
  StepLine line_;
  std::vector<Task> tasks_;
  std::set<std::string> opened_;  // Files of outputs.
  int shared_in_ = STDIN_FILENO;
  int shared_out_ = STDOUT_FILENO;
  int shared_err_ = STDERR_FILENO;
  bool broadcasts_ = false;
  bool labels_ = false;
  bool timed_out_ = false;
  bool stopped_ = false;              // By --kill-on-bad-exit, --wait or a signal.
  std::optional<Instant> first_end_;  // Of a task.
  std::optional<Instant> kill_at_;
  std::optional<Duration> kill_wait_;
  Instant last_interrupt_{};
  Instant looked_at_job_{};
  std::int64_t max_rss_ = 0;
  std::int64_t oom_before_ = 0;  // What its cgroup had counted.
  std::int64_t oom_kills_ = 0;
  Duration cpu_time_{0};
};

}  // namespace

int run_step(EngineDoor& engine, const StepPlan& plan) { return Step(engine, plan).run(); }

}  // namespace sluice
