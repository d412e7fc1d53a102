// What a story sees of the real Slurm.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "lab/slurm_target.h"
#include "slurm/assoc_records.h"
#include "slurm/job_update.h"
#include "slurm/records.h"
#include "slurm/sacctmgr.h"
#include "slurm/sbatch_arguments.h"
#include "slurm/squeue.h"
#include "slurm/table.h"

namespace sluice {
namespace {

int rank(JobState state) { return holds_nodes(state) ? 0 : 1; }

// " on n1:4 n3:2": nodes by name, with the CPUs on each.
std::string place_of(const SeenJob& job) {
  std::vector<std::string> places;
  for (const SeenShare& share : job.shares)
    places.push_back(fmt::format("{}:{}", share.node, share.cpus));
  std::sort(places.begin(), places.end());
  std::string out = places.empty() ? "" : " on";
  for (const std::string& place : places) out += " " + place;
  return out;
}

// As a quiet moment shows it: what is being ended has ended.
std::string kind_of(JobState state) {
  if (state == JobState::kRunning) return "runs";
  if (state == JobState::kSuspended) return "is suspended";
  return state == JobState::kPending ? "waits" : "ended";
}

}  // namespace

Result<void> SlurmTarget::refresh() {
  TRY(const CommandOutput listed, lab_.run("root", squeue_command()));
  if (listed.exit_code != 0)
    return tl::unexpected<Error>(
        Error{ErrorKind::kUnreachable, fmt::format("squeue failed: {}", listed.error), {}, {}});
  TRY(rows_, parse_queue_rows(listed.output));
  std::erase_if(rows_, [this](const QueueRow& row) { return name_of(row.array) == nullptr; });
  for (const QueueRow& row : rows_) follow(row);
  details_.clear();
  if (std::any_of(rows_.begin(), rows_.end(),
                  [](const QueueRow& row) { return holds_nodes(row.state); })) {
    TRY(const CommandOutput shown,
        lab_.run("root", {"scontrol", "--oneliner", "--details", "show", "job"}));
    TRY(details_, parse_job_details(shown.output));
  }
  return {};
}

void SlurmTarget::follow(const QueueRow& row) {
  Life& life = lives_[{row.array, row.task}];
  const Instant now = story_time(lab_.now());
  if (row.restarts > life.restarts) {
    life.requeued = now;
    life.ended = now;
    life.outcome = cause_.value_or(JobState::kPreempted);
    if (!cause_) life.preempted = now;
  }
  if (life.state == JobState::kSuspended && row.state == JobState::kRunning) life.resumed = now;
  if (life.state != JobState::kSuspended && row.state == JobState::kSuspended && !suspends_)
    life.preempted = now;
  if (row.preempted) life.preempted = story_time(*row.preempted);
  if (has_ended(row.state)) {
    life.outcome = row.state;
    life.ended = row.end ? story_time(*row.end) : now;
    if (row.state == JobState::kPreempted && !row.preempted) life.preempted = life.ended;
  }
  life.restarts = row.restarts;
  life.state = row.state;
}

const std::string* SlurmTarget::name_of(std::uint32_t array) const {
  const auto found = names_.find(array);
  return found == names_.end() ? nullptr : &found->second;
}

const QueueRow* SlurmTarget::find(std::uint32_t array, std::optional<std::uint32_t> task) const {
  for (const QueueRow& row : rows_)
    if (row.array == array && row.task == task) return &row;
  return nullptr;
}

SeenJob SlurmTarget::seen(const QueueRow& row) const {
  SeenJob out;
  out.name = *name_of(row.array);
  out.task = row.task;
  out.user = row.user;
  out.account = row.account;
  out.qos = row.qos;
  out.partition = row.partition;
  out.asks = fmt::format("{} cpus, {}", row.cpus, row.time_limit);
  out.state = row.state;
  out.priority = row.priority;
  if (const auto life = lives_.find({row.array, row.task}); life != lives_.end()) {
    out.requeued = life->second.requeued;
    out.resumed = life->second.resumed;
    out.preempted = life->second.preempted;
    out.ended = life->second.ended;
    out.outcome = life->second.outcome;
  }
  if (row.state == JobState::kPending) {
    out.reason = reason_word(row.reason);
    if (out.reason != row.reason) out.detail = row.reason;
    if (row.start) out.expected = Instant(*row.start - origin_);
    out.planned = row.planned;
    return out;
  }
  if (row.start) out.started = story_time(*row.start);
  if (const auto held = details_.find(row.job); holds_nodes(row.state) && held != details_.end())
    for (const HeldOnNode& one : held->second)
      out.shares.push_back({one.node, one.cpus, one.memory_mb, one.gpus});
  else
    for (const std::string& node : row.nodes) out.shares.push_back({node, 0, 0, {}});
  return out;
}

SeenJob SlurmTarget::seen(const std::string& name, std::optional<std::uint32_t> task) const {
  const Submitted& known = jobs_.at(name);
  if (!known.refused)
    if (const QueueRow* row = find(known.id, task)) return seen(*row);
  SeenJob out;
  out.name = name;
  out.task = task;
  out.user = known.who;
  out.refused = known.refused;
  out.state = JobState::kCancelled;  // Tasks cancelled before they had a record of their own.
  if (const auto life = lives_.find({known.id, task}); life != lives_.end()) {
    out.outcome = JobState::kCancelled;
    out.ended = life->second.ended.value_or(done_.back().first);
  }
  return out;
}

Result<std::vector<SeenJob>> SlurmTarget::observe(const StoryJob& job) {
  const Submitted& known = jobs_.at(job.name);
  const std::optional<IndexSet>& tasks = job.tasks ? job.tasks : known.tasks;
  std::vector<SeenJob> out;
  if (!tasks || known.refused) {
    out.push_back(seen(job.name, std::nullopt));
    return out;
  }
  for (const std::uint32_t task : tasks->to_vector()) out.push_back(seen(job.name, task));
  return out;
}

std::vector<SeenJob> SlurmTarget::in_order() const {
  const Policy& policy = *story_->policy;
  auto tier = [&](const QueueRow& row) {
    const auto id = policy.find_partition(row.partition.substr(0, row.partition.find(',')));
    return id ? policy.partitions[id->index()].priority_tier : 0;
  };
  std::vector<const QueueRow*> order;
  for (const QueueRow& row : rows_)
    if (!has_ended(row.state)) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [&](const QueueRow* a, const QueueRow* b) {
    if (rank(a->state) != rank(b->state)) return rank(a->state) < rank(b->state);
    if (rank(a->state) == 0) return a->start < b->start;
    if (tier(*a) != tier(*b)) return tier(*a) > tier(*b);
    if (a->priority != b->priority) return a->priority > b->priority;
    return std::pair(a->job, a->task) < std::pair(b->job, b->task);
  });
  std::vector<SeenJob> out;
  for (const QueueRow* row : order) out.push_back(seen(*row));
  return out;
}

Result<std::vector<SeenJob>> SlurmTarget::queue() { return in_order(); }

bool SlurmTarget::differs_anew(const CheckedStep& step) const {
  const auto found = quiet_differences(*story_, step.queue, in_order());
  return std::any_of(found.begin(), found.end(), [this](const QuietDifference& one) {
    return std::find(known_differences_.begin(), known_differences_.end(), one) ==
           known_differences_.end();
  });
}

Result<SeenUsage> SlurmTarget::usage(ExpectUsage::Holder holder, const std::string& name) {
  TRY(const CommandOutput shown,
      lab_.run("root", {"scontrol", "--oneliner", "show", "assoc_mgr", "flags=qos,assoc"}));
  SeenUsage out;
  for (const AssocRecord& record : parse_assoc_records(shown.output)) {
    const bool meant = holder == ExpectUsage::Holder::kQos ? record.qos == name
                       : !record.qos.empty()               ? false
                       : holder == ExpectUsage::Holder::kUser
                           ? record.user == name
                           : record.user.empty() && record.account == name;
    if (!meant) continue;
    out.jobs += record.jobs;
    for (const auto& [tres, amount] : record.tres)
      if (const auto index = story_->policy->tres.find(tres)) out.tres[*index] += amount;
  }
  return out;
}

Result<double> SlurmTarget::fairshare(const std::string& user) {
  // The same kind of table as sacctmgr's.
  const SacctmgrColumns columns = {{"Account"}, {"User"}, {"FairShare"}};
  TRY(const CommandOutput shown, lab_.run("root", {"sshare", "--all", "--parsable2", "--noheader",
                                                   "--format=Account,User,FairShare"}));
  for (const SacctmgrLine& row : read_sacctmgr(shown.output, columns))
    if (row.get("User") == user) return std::strtod(row.get("FairShare").c_str(), nullptr);
  return failed(fmt::format("sshare does not list {}", user));
}

Result<SeenFree> SlurmTarget::free_of(const std::string& node) {
  TRY(const CommandOutput shown,
      lab_.run("root", {"scontrol", "--oneliner", "--details", "show", "node", node}));
  SeenFree out;
  for (const Record& record : records_of(shown.output, "NodeName=")) {
    const auto number = [&](std::string_view key) {
      return whole_number<std::int64_t>(record.get(key)).value_or(0);
    };
    out.cpus = number("CPUTot") - number("CPUAlloc");
    out.memory_mb = number("RealMemory") - number("AllocMem");
  }
  const auto id = story_->policy->find_node(node);
  if (!id) return failed(fmt::format("there is no node {}", node));
  out.gpus = static_cast<std::int64_t>(story_->policy->nodes[id->index()].gpus.size());
  for (const auto& [job, held] : details_)
    for (const HeldOnNode& one : held)
      if (one.node == node) out.gpus -= static_cast<std::int64_t>(one.gpus.size());
  return out;
}

Result<std::vector<std::string>> SlurmTarget::gates(const StoryJob&) {
  return std::vector<std::string>{};
}

Result<StoryAnswer> SlurmTarget::update(const StoryUpdate& step) {
  const std::vector<std::string> all = refs(step.job);
  if (all.empty()) return StoryAnswer{true, "", "Invalid job id specified", ""};
  StoryAnswer answer;
  for (const std::string& ref : all) {
    JobChange change = step.change;
    if (change.begin) *change.begin += origin_;
    std::vector<std::string> argv = update_command(ref, change);
    if (step.dependencies) {
      const auto text = dependency_text(*step.dependencies, step.any_dependency);
      if (!text) return StoryAnswer{true, "", "it would depend on a job that was refused", ""};
      argv.push_back("Dependency=" + *text);
    }
    TRY(StoryAnswer one, asked(step.who, argv));
    if (one.refused) answer = std::move(one);
  }
  return answer;
}

std::vector<QuietDifference> quiet_differences(const Story& story,
                                               const std::vector<SeenJob>& simulated,
                                               const std::vector<SeenJob>& slurm) {
  // By task: the waiting rest of an array is one row in one of them and many in the other.
  const bool reasons = story.has_tag("same-reasons");
  const bool places = story.has_tag("same-nodes");
  auto kinds = [=](const std::vector<SeenJob>& queue) {
    std::map<std::string, std::string> out;
    for (const SeenJob& job : queue)
      if (job.task || job.tasks == 1)
        if (std::string kind = kind_of(job.state); kind != "ended") {
          if (reasons && kind == "waits") kind += " " + job.reason;
          if (places && kind == "runs") kind += place_of(job);
          out[job.text()] = std::move(kind);
        }
    return out;
  };
  auto waiting_rest = [](const std::vector<SeenJob>& queue, const std::string& name) {
    return std::any_of(queue.begin(), queue.end(), [&](const SeenJob& job) {
      return !job.task && job.tasks > 1 && job.name == name;
    });
  };
  const auto ours = kinds(simulated);
  const auto theirs = kinds(slurm);
  std::vector<QuietDifference> out;
  for (const auto& [name, kind] : ours) {
    const auto found = theirs.find(name);
    const std::string other = found == theirs.end() ? "ended" : found->second;
    // None: slurmctld has not looked at it yet.
    if (other == kind || (other == "waits None" && kind.starts_with("waits"))) continue;
    // The last waiting task of an array has no record of its own in virtual time.
    const auto task = theirs.lower_bound(name + "[");
    if (kind.starts_with("waits") && task != theirs.end() && task->first.starts_with(name + "["))
      continue;
    out.push_back({name, kind, other});
  }
  for (const auto& [name, kind] : theirs)
    if (!ours.contains(name)) {
      const std::string array = name.substr(0, name.find('['));
      if (kind.starts_with("waits") && array != name &&
          (waiting_rest(simulated, array) || ours.contains(array)))
        continue;
      out.push_back({name, "ended", kind});
    }
  return out;
}

}  // namespace sluice
