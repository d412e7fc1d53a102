// Lets real time pass, skips what need not be seen, and does what the story says with Slurm's
// own commands.
#include "lab/slurm_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/files/files.h"
#include "policyfile/plan/account_commands.h"
#include "policyfile/plan/slurm_conf.h"
#include "policyfile/write/policy_writer.h"
#include "sim/stories/story_line.h"
#include "slurm/reservation_commands.h"
#include "slurm/sbatch_arguments.h"

namespace sluice {
namespace {

// slurmctld looks at time limits and at the end of grace once in half a minute.
constexpr Duration kTimeLimitRound = seconds(32);
// A gap this long is skipped by setting the clock forward.
constexpr Duration kWorthSkipping = Duration(2500);
constexpr Duration kMoment = Duration(150);
// Passes of both schedulers, and some.
constexpr Duration kQuiet = seconds(3);
constexpr Duration kRound = Duration(600);
constexpr int kRounds = 3;
// How long it may take until the same jobs run and wait as in virtual time.
constexpr Duration kPatience = seconds(8);

bool has_grace(const Policy& policy) {
  return std::any_of(policy.qos.begin(), policy.qos.end(),
                     [](const Qos& qos) { return qos.grace_time > Duration(0); }) ||
         std::any_of(policy.partitions.begin(), policy.partitions.end(),
                     [](const Partition& partition) { return partition.grace_time.has_value(); });
}

bool runs_out_of_memory(const Story& story) {
  return std::any_of(story.steps.begin(), story.steps.end(), [](const StoryStep& step) {
    const auto* submit = std::get_if<StorySubmit>(&step.action);
    return submit != nullptr && submit->fate.outcome.state == JobState::kOutOfMemory;
  });
}

// Rounds of a second; nothing else of the policy is touched.
std::string with_quick_rounds(std::string conf) {
  constexpr std::string_view kQuick =
      "bf_interval=1,sched_interval=1,sched_min_interval=200000,batch_sched_delay=1";
  constexpr std::string_view kKey = "SchedulerParameters=";
  const std::size_t at = conf.find(kKey);
  if (at == std::string::npos) return conf + fmt::format("{}{}\n", kKey, kQuick);
  conf.insert(at + kKey.size(), fmt::format("{},", kQuick));
  return conf;
}

// Ended jobs are remembered for long, and jobs that do not end when they are told are killed soon,
// as in the lab's slurm.conf.
std::string file_for_daemon(Policy policy) {
  policy.jobs.min_job_age = seconds(1'000'000);
  policy.jobs.kill_wait = seconds(2);
  return write_policy(policy);
}

}  // namespace

LabPolicy lab_policy(const Story& story) {
  LabPolicy out;
  out.conf = with_quick_rounds(slurm_conf(*story.policy));
  out.file = file_for_daemon(*story.policy);
  out.accounts = account_commands(*story.policy);
  out.cgroups = runs_out_of_memory(story);
  return out;
}

SlurmTarget::SlurmTarget(SlurmLab& lab, const StoryRun& simulated)
    : lab_(lab), simulated_(simulated) {
  for (const CheckedStep& step : simulated.steps)
    for (const Happening& happening : step.happenings)
      if (happening.at < step.step->at) events_.push_back(happening);
}

Result<void> SlurmTarget::begin(const Story& story) {
  story_ = &story;
  if (story.tolerance) tolerance_ = *story.tolerance;
  origin_ = lab_.now().time_since_epoch();
  // The daemon of sluice makes those of its policy itself.
  if (lab_.engine() == LabEngine::kSlurm)
    for (const ReservationRequest& declared : story.policy->reservations) {
      TRY(const StoryAnswer made,
          reservation({"root", StoryReservation::Verb::kCreate, declared, {}}));
      if (made.refused)
        return failed(fmt::format("reservation {}: {}", declared.name, made.message));
    }
  return {};
}

// Close to a step, time is told from that step: a step may be late by what the one before took.
Instant SlurmTarget::story_time(Instant slurm_time) const {
  // Slurm cuts its times to whole seconds.
  const Instant about = slurm_time + Duration(999);
  for (auto step = done_.rbegin(); step != done_.rend(); ++step)
    if (about >= step->second) {
      if (about - step->second > tolerance_ + seconds(1)) break;
      return step->first + std::max(Duration(0), slurm_time - step->second);
    }
  return Instant(slurm_time - origin_);
}

bool SlurmTarget::comes_by_round(const Happening& happening) const {
  if (lab_.engine() == LabEngine::kEmbedded) return false;
  return happening.text.ends_with("ends TIMEOUT") ||
         (happening.text.ends_with("ends PREEMPTED") && has_grace(*story_->policy));
}

Result<void> SlurmTarget::go_to(Instant at) {
  while (story_now() < at || (next_event_ < events_.size() && events_[next_event_].at <= at)) {
    Instant stop = at;
    const Happening* event = nullptr;
    if (next_event_ < events_.size() && events_[next_event_].at <= at) {
      event = &events_[next_event_++];
      stop = event->at;
    }
    const Duration gap = stop - story_now();
    if (gap > kWorthSkipping)
      TRY_VOID(lab_.set_forward(gap + Duration(200)));
    else if (gap > Duration(0))
      pause_for(gap);
    if (event != nullptr) TRY_VOID(await(*event));
  }
  return {};
}

// Waits until Slurm has done it too, or does not do it.
Result<void> SlurmTarget::await(const Happening& happening) {
  const std::size_t blank = happening.text.find(' ');
  std::string name = happening.text.substr(0, blank);
  const std::string verb = happening.text.substr(blank + 1);
  std::optional<std::uint32_t> task;
  if (const std::size_t open = name.find('['); open != std::string::npos) {
    task = static_cast<std::uint32_t>(std::stoul(name.substr(open + 1)));
    name.resize(open);
  }
  const auto found = jobs_.find(name);
  if (found == jobs_.end() || found->second.refused) return {};
  const bool starts = verb.starts_with("starts") || verb.starts_with("runs on");
  if (!starts && !verb.starts_with("ends") && !verb.starts_with("is suspended")) return {};
  const bool hurry = comes_by_round(happening);
  if (hurry) tolerance_ += kTimeLimitRound;
  const Instant limit = lab_.now() + (hurry ? kTimeLimitRound + seconds(4) : seconds(6));
  while (lab_.now() < limit) {
    TRY_VOID(refresh());
    const SeenJob job = seen(name, task);
    if (starts ? job.state != JobState::kPending : job.state != JobState::kRunning) return {};
    pause_for(kMoment);
    if (hurry) TRY_VOID(lab_.set_forward(seconds(1)));
  }
  return {};
}

Result<StoryAnswer> SlurmTarget::act(const StoryAction& action, Instant at) {
  TRY_VOID(go_to(at));
  done_.emplace_back(at, lab_.now());
  if (const auto* step = std::get_if<StorySubmit>(&action)) return submit(*step);
  if (const auto* step = std::get_if<StoryCommand>(&action)) return command(*step);
  if (const auto* step = std::get_if<StoryUpdate>(&action)) return update(*step);
  if (const auto* step = std::get_if<StoryEnd>(&action)) return end(*step);
  if (const auto* step = std::get_if<StoryNodeChange>(&action)) return change_node(*step);
  if (const auto* step = std::get_if<StoryPolicyChange>(&action)) return change_policy(*step);
  if (const auto* step = std::get_if<StoryReservation>(&action)) return reservation(*step);
  if (std::holds_alternative<StoryUsageReset>(action)) return reset_usage();
  if (std::holds_alternative<StoryRoute>(action) || std::holds_alternative<StoryRebalance>(action))
    return failed("stories route in virtual time only",
                  "give the story the tag simulated-only; tests/slurm/routing does it on Slurm");
  return StoryAnswer{};
}

Result<void> SlurmTarget::settle(Instant) {
  const CheckedStep& step = simulated_.steps[step_++];
  hurry_ = false;
  for (const Happening& happening : step.happenings)
    if (happening.at >= step.step->at && comes_by_round(happening)) hurry_ = true;
  if (hurry_) tolerance_ += kTimeLimitRound;
  deadline_ = lab_.now() + tolerance_;
  return refresh();
}

Result<bool> SlurmTarget::look_again() {
  if (lab_.now() >= deadline_) return false;
  pause_for(kMoment);
  if (hurry_) TRY_VOID(lab_.set_forward(seconds(1)));
  TRY_VOID(refresh());
  return true;
}

// A step is over when what was expected is there. Before time is skipped, and at the end, the
// schedulers get the time to do what is not expected.
std::vector<Happening> SlurmTarget::take_happenings() {
  const CheckedStep& step = simulated_.steps[step_ - 1];
  const bool last = step_ == simulated_.steps.size();
  Instant next = last ? Instant::max() : simulated_.steps[step_].step->at;
  if (next_event_ < events_.size()) next = std::min(next, events_[next_event_].at);
  quiet_.push_back(next == Instant::max() || next - step.step->at > kQuiet);
  if (!quiet_.back()) return {};
  // Rounds of a second come sooner when the clock is helped along.
  for (int round = 0; round < kRounds; ++round) {
    pause_for(kMoment);
    if (!lab_.set_forward(kRound)) return {};
  }
  pause_for(kMoment);
  // What differed at the last quiet moment too will not become the same by waiting.
  const Instant late = lab_.now() + kPatience;
  while (refresh() && differs_anew(step) && lab_.now() < late) pause_for(kMoment);
  known_differences_ = quiet_differences(*story_, step.queue, in_order());
  return {};
}

Result<StoryAnswer> SlurmTarget::asked(const std::string& who,
                                       const std::vector<std::string>& argv) const {
  TRY(const CommandOutput done, lab_.run(who, argv));
  StoryAnswer answer;
  if (done.exit_code == 0 && done.error.find("error:") == std::string::npos) return answer;
  // "11_0: Job has already finished" and "11_1-9: No error": done for those that can still change.
  if (done.error.find(": No error") != std::string::npos) return answer;
  const SaidNo said = read_refusal(done.error);
  return StoryAnswer{true, said.word, said.message, {}};
}

std::optional<std::string> SlurmTarget::dependency_text(
    const std::vector<StoryDependency>& dependencies, bool any) const {
  static constexpr const char* kTypes[] = {"after",      "afterany",  "afterok",
                                           "afternotok", "aftercorr", "singleton"};
  std::string out;
  for (const StoryDependency& one : dependencies) {
    if (!out.empty()) out += any ? "?" : ",";
    out += kTypes[static_cast<std::size_t>(one.type)];
    if (one.type == DependencyType::kSingleton) continue;
    const Submitted& known = jobs_.at(one.job.name);
    if (known.refused) return std::nullopt;
    out += fmt::format(":{}", known.id);
    if (one.job.tasks && !one.job.tasks->empty())
      out += fmt::format("_{}", *one.job.tasks->first());
    if (one.delay > Duration(0)) out += fmt::format("+{}", to_seconds(one.delay) / 60);
  }
  return out;
}

// Sleeps as long as the story says; USR1 ends it with the code that stands in a file.
Result<std::string> SlurmTarget::write_script(const StorySubmit& submit) const {
  const StoryFate& fate = submit.fate;
  const double run =
      fate.run ? static_cast<double>(fate.run->count()) / 1000 : 1e8;  // Longer than any story.
  std::string text = fmt::format(
      "#!/bin/sh\n"
      "trap 'kill $!; exit $(cat {}/end.$SLURM_JOB_ID)' USR1\n"
      "sleep {:.3f} & wait $!\n",
      lab_.story_folder(), run);
  if (fate.outcome.state == JobState::kOutOfMemory) text += "head -c 1000000000 /dev/zero | tail\n";
  text += fmt::format("exit {}\n", fate.outcome.exit_code);
  const std::string name = submit.name + ".sh";
  TRY_VOID(write_files(lab_.story_folder(), {{name, text}}));
  return fmt::format("{}/{}", lab_.story_folder(), name);
}

Result<StoryAnswer> SlurmTarget::submit(const StorySubmit& step) {
  Submitted& own = jobs_[step.name];
  own = {};
  own.who = step.who;
  if (step.request.array) own.tasks = step.request.array->indices;
  JobSpec request = step.request;
  if (request.name.empty()) request.name = step.name;
  if (request.begin) *request.begin += origin_;
  if (request.deadline) *request.deadline += origin_;
  std::vector<std::string> argv = sbatch_arguments(request);
  const auto dependencies = dependency_text(step.dependencies, step.any_dependency);
  own.refused = true;
  if (!dependencies) return StoryAnswer{true, "", "it depends on a job that was refused", ""};
  if (!dependencies->empty()) argv.push_back("--dependency=" + *dependencies);
  TRY(const std::string script, write_script(step));
  argv.insert(argv.begin(), {"sbatch", "--parsable", "--chdir=/", "--output=/dev/null"});
  argv.push_back(script);
  TRY(const CommandOutput done, lab_.run(step.who, argv));
  if (done.exit_code != 0) {
    const SaidNo said = read_refusal(done.error);
    return StoryAnswer{true, said.word, said.message, {}};
  }
  own.refused = false;
  own.id = static_cast<std::uint32_t>(std::strtoul(done.output.c_str(), nullptr, 10));
  names_[own.id] = step.name;
  return StoryAnswer{};
}

std::vector<std::string> SlurmTarget::refs(const StoryJob& job) const {
  const Submitted& known = jobs_.at(job.name);
  if (known.refused) return {};
  if (!job.tasks) return {std::to_string(known.id)};
  std::vector<std::string> out;
  for (const std::uint32_t task : job.tasks->to_vector())
    out.push_back(fmt::format("{}_{}", known.id, task));
  return out;
}

Result<StoryAnswer> SlurmTarget::command(const StoryCommand& step) {
  static constexpr const char* kVerbs[] = {"cancel",  "hold",    "release",
                                           "requeue", "suspend", "resume"};
  const std::vector<std::string> all = refs(step.job);
  if (all.empty()) return StoryAnswer{true, "", "Invalid job id specified", ""};
  if (step.verb == StoryVerb::kRequeue) cause_ = JobState::kCancelled;
  if (step.verb == StoryVerb::kSuspend) suspends_ = true;
  StoryAnswer answer;
  for (const std::string& ref : all) {
    std::vector<std::string> argv = {"scontrol", kVerbs[static_cast<std::size_t>(step.verb)], ref};
    if (step.verb == StoryVerb::kCancel) argv = {"scancel", "--verbose", ref};
    TRY(StoryAnswer one, asked(step.who, argv));
    if (one.refused) answer = std::move(one);
  }
  return answer;
}

Result<StoryAnswer> SlurmTarget::end(const StoryEnd& step) {
  TRY_VOID(refresh());
  bool any = false;
  const Submitted& known = jobs_.at(step.job.name);
  for (const QueueRow& row : rows_) {
    if (known.refused || row.array != known.id || row.state != JobState::kRunning) continue;
    if (step.job.tasks && (!row.task || !step.job.tasks->contains(*row.task))) continue;
    if (step.outcome.state == JobState::kOutOfMemory)
      return failed("a running job cannot be made to run out of memory on Slurm",
                    "submit it with runs=oom@TIME");
    any = true;
    const std::string file = fmt::format("end.{}", row.job);
    TRY_VOID(
        write_files(lab_.story_folder(), {{file, fmt::format("{}\n", step.outcome.exit_code)}}));
    // The number of one task may be the number of the whole array.
    const std::string ref =
        row.task ? fmt::format("{}_{}", row.array, *row.task) : std::to_string(row.job);
    TRY_VOID(lab_.run("root", {"scancel", "--batch", "--signal=USR1", ref}));
  }
  return any ? StoryAnswer{} : StoryAnswer{true, "", "it does not run", ""};
}

Result<StoryAnswer> SlurmTarget::reservation(const StoryReservation& step) {
  const std::string& name = step.request.name;
  std::vector<std::string> argv = {"scontrol", "delete", "reservation=" + name};
  if (step.verb == StoryReservation::Verb::kCreate)
    argv = create_arguments(step.request, origin_);
  else if (step.verb == StoryReservation::Verb::kUpdate)
    argv = update_arguments(name, step.change, origin_);
  TRY(const CommandOutput done, lab_.run(step.who, argv));
  if (done.exit_code == 0) return StoryAnswer{};
  return StoryAnswer{true, "", said_of_reservation(done.error), {}};
}

Result<StoryAnswer> SlurmTarget::change_node(const StoryNodeChange& step) {
  static constexpr const char* kStates[] = {"resume", "drain", "down"};
  if (step.state == NodeState::kDown) cause_ = JobState::kNodeFail;
  StoryAnswer answer;
  for (const std::string& node : step.nodes) {
    TRY(StoryAnswer one,
        asked("root", {"scontrol", "update", "nodename=" + node,
                       fmt::format("state={}", kStates[static_cast<std::size_t>(step.state)]),
                       "reason=story"}));
    if (one.refused) answer = std::move(one);
  }
  return answer;
}

Result<StoryAnswer> SlurmTarget::change_policy(const StoryPolicyChange& step) {
  // Its users are no longer those of a story that comes next.
  lab_.forget();
  if (lab_.engine() == LabEngine::kEmbedded) {
    TRY(const CommandOutput done, lab_.adopt(file_for_daemon(*step.policy)));
    return done.exit_code == 0 ? StoryAnswer{} : StoryAnswer{true, "", done.error, {}};
  }
  const std::string conf = slurm_conf(*step.policy);
  const std::string before = slurm_conf(*story_->policy);
  std::size_t start = 0;
  while (start < conf.size()) {
    const std::size_t end = conf.find('\n', start);
    const std::string line = conf.substr(start, end - start);
    start = end + 1;
    if (before.find(line + "\n") != std::string::npos) continue;
    if (!line.starts_with("PartitionName="))
      return failed(fmt::format("the lab cannot change this while it is up: {}", line));
    std::vector<std::string> argv = {"scontrol", "update"};
    for (std::string& word : story_words(line)) argv.push_back(std::move(word));
    TRY_VOID(asked("root", argv));
  }
  for (const Argv& argv : account_commands(*step.policy)) TRY_VOID(asked("root", argv));
  return StoryAnswer{};
}

Result<StoryAnswer> SlurmTarget::reset_usage() {
  if (lab_.engine() == LabEngine::kEmbedded)
    return failed("the daemon has no command that resets usage",
                  "give the story the tag simulated-only");
  for (const Qos& qos : story_->policy->qos)
    TRY_VOID(asked("root", {"sacctmgr", "-i", "modify", "qos", qos.name, "set", "RawUsage=0"}));
  for (const Association& assoc : story_->policy->associations) {
    if (!assoc.parent) continue;
    std::vector<std::string> argv = {"sacctmgr", "-i", "modify"};
    if (assoc.user.empty())
      argv.insert(argv.end(), {"account", "where", "name=" + assoc.account});
    else
      argv.insert(argv.end(), {"user", "where", "name=" + assoc.user, "account=" + assoc.account});
    argv.insert(argv.end(), {"set", "RawUsage=0"});
    TRY_VOID(asked("root", argv));
  }
  return StoryAnswer{};
}

}  // namespace sluice
