// For tests: the seed's cluster, ladder and job, a store in memory, and a world in which handlers
// run, processes crash and a user types `sluice resume`.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "escalation/advance.h"
#include "sim/chains/simulated_cluster.h"
#include "text/array_spec.h"
#include "text/scan.h"

namespace sluice {

// Eighteen nodes in four partitions: devel, day, week and pi_jetz.
inline Policy seed_policy() {
  Policy policy;
  struct Group {
    const char* partition;
    const char* prefix;
    int nodes;
    std::int64_t memory_mb;
    std::int64_t minutes;
  };
  for (const Group& group : {Group{"devel", "d", 10, 1024, 1}, Group{"day", "n", 5, 2048, 2},
                             Group{"week", "w", 2, 8192, 4}, Group{"pi_jetz", "p", 1, 16384, 8}}) {
    Partition& partition = policy.partitions.emplace_back();
    partition.name = group.partition;
    partition.is_default = partition.name == "day";
    partition.max_time = minutes(group.minutes);
    for (int i = 1; i <= group.nodes; ++i) {
      partition.nodes.push_back(NodeId(static_cast<std::uint32_t>(policy.nodes.size())));
      Node& node = policy.nodes.emplace_back();
      node.name = group.prefix + std::to_string(i);
      node.cpus = 64;
      node.memory_mb = group.memory_mb;
    }
  }
  policy.associations.emplace_back().account = "root";
  const auto add = [&](const char* user, std::uint32_t parent) {
    Association& association = policy.associations.emplace_back();
    association.account = "lab";
    association.user = user;
    association.parent = AssocId(parent);
  };
  add("", 0);
  add("ann", 1);
  User& ann = policy.users.emplace_back();
  ann.name = "ann";
  ann.default_account = "lab";
  policy.jobs.max_array_size = 10'001;
  policy.jobs.max_job_count = 100'000;
  policy.scheduler.backfill_max_job_test = 100;
  return policy;
}

// The same with a second account, which ann may use too.
inline Policy two_account_policy() {
  Policy policy = seed_policy();
  Association& account = policy.associations.emplace_back();
  account.account = "other";
  account.parent = AssocId(0);
  Association& ann = policy.associations.emplace_back();
  ann.account = "other";
  ann.user = "ann";
  ann.parent = AssocId(static_cast<std::uint32_t>(policy.associations.size() - 2));
  return policy;
}

// Memory is what one task asks for; the nodes have more than one task's share of it.
inline Ladder seed_ladder() {
  Ladder ladder;
  const auto level = [&](std::vector<std::string> partitions, std::int64_t mb, int time) {
    ladder.levels.push_back({std::move(partitions), MemoryRequest{MemoryPer::kNode, mb},
                             minutes(time),
                             fmt::format("ladder.yaml:{}", ladder.levels.size() + 2)});
  };
  level({"devel", "day", "week", "pi_jetz"}, 1024, 1);
  level({"day", "week", "pi_jetz"}, 2048, 2);
  level({"week", "pi_jetz"}, 4096, 4);
  level({"pi_jetz"}, 8192, 8);
  return ladder;
}

inline std::string variable(const JobSpec& spec, std::string_view name) {
  std::string out;
  for (const EnvironmentVariable& one : spec.launch.environment)
    if (one.name == name) out = one.value;
  return out;
}

// The seed's test job: by its index modulo ten quick, too long or too large for the first levels.
inline Fate variable_job(const JobSpec& spec, std::uint32_t index) {
  Fate fate;
  const std::string fail_tasks = variable(spec, "FAIL_TASKS");
  const std::string fail_mod = variable(spec, "FAIL_MOD");
  bool fails = !fail_mod.empty() && index % static_cast<std::uint32_t>(std::stoul(fail_mod)) == 0;
  for (std::string_view one : split(fail_tasks, ':')) fails |= one == std::to_string(index);
  if (fails) return {seconds(1), {.state = JobState::kFailed, .exit_code = 1}};
  std::string behaviour = variable(spec, "BEHAVIOUR");
  if (behaviour.empty()) {
    static constexpr const char* kByDigit[] = {"quick",  "quick",  "quick", "quick",  "quick",
                                               "medium", "medium", "slow",  "memory", "long"};
    behaviour = kByDigit[index % 10];
  }
  std::int64_t need_mb = 100;
  if (behaviour == "quick") fate.run = seconds(5);
  if (behaviour == "medium") fate.run = seconds(75);
  if (behaviour == "slow") fate.run = seconds(150);
  if (behaviour == "long") fate.run = seconds(300);
  if (behaviour == "memory") {
    fate.run = seconds(5);
    need_mb = 1536;
  }
  fate.outcome.max_rss_kb = need_mb * 1024;
  if (spec.memory && spec.memory->mb < need_mb)
    fate = {seconds(2),
            {.state = JobState::kOutOfMemory,
             .exit_code = 0,
             .signal = 125,
             .max_rss_kb = spec.memory->mb * 1024}};
  return fate;
}

struct Crash {};

inline constexpr Duration kBetweenLooks = std::chrono::hours(72);

// Keeps what was committed; dies when told to.
class MemoryStore final : public ChainStore {
 public:
  explicit MemoryStore(Chain chain) : kept(std::move(chain)) {}
  Result<void> commit(std::span<const ChainEvent> events) override {
    if (before_commit) before_commit();
    for (const ChainEvent& event : events) {
      if (const auto* settled = std::get_if<TasksSettled>(&event))
        for (const Settlement& one : settled->settlements) ended.push_back(one.run);
      record_in(kept, event);
    }
    if (after_commit) after_commit();
    return {};
  }
  Result<std::vector<TaskRun>> runs() const override { return ended; }
  Chain kept;
  std::vector<TaskRun> ended;
  std::function<void()> before_commit;
  std::function<void()> after_commit;
};

// A cluster whose every call may be the last that its caller makes, or may lose its answer.
class FaultyCluster final : public Cluster {
 public:
  explicit FaultyCluster(Cluster& real) : real_(real) {}
  std::function<void()> before;
  std::function<void()> after;
  // Answers of submissions that get lost: 1 although accepted, 2 before they arrive.
  std::function<int()> lose_answer;
  // As a site whose job_submit plugin lets nobody change a job's account, QoS or partition.
  bool refuse_changes = false;
  // So many looks after the next hold see what was seen before it: answers are shared.
  int old_looks_after_hold = 0;

  Result<SubmitAnswer> submit(const Submission& submission) override {
    enter();
    const int lost = lose_answer ? lose_answer() : 0;
    if (lost == 2) return Uncertain{"Socket timed out on send/recv operation"};
    auto answer = real_.submit(submission);
    leave();
    if (lost == 1 && answer && std::holds_alternative<Accepted>(*answer))
      return Uncertain{"Socket timed out on send/recv operation"};
    return answer;
  }
  Result<std::vector<RemoteJob>> find(const std::string& key) override {
    return call([&] { return real_.find(key); });
  }
  Result<Changed> release(const RemoteRef& ref) override {
    return call([&] { return real_.release(ref); });
  }
  Result<std::variant<Changed, Refusal>> hold(const RemoteRef& ref) override {
    old_looks_ += std::exchange(old_looks_after_hold, 0);
    return call([&] { return real_.hold(ref); });
  }
  Result<std::variant<Changed, Refusal>> update(const RemoteRef& ref,
                                                const JobChange& change) override {
    if (refuses(change)) return Refusal{{}, "Unspecified error"};
    return call([&] { return real_.update(ref, change); });
  }
  Result<std::variant<Changed, Refusal>> update_tasks(const RemoteJob& job, const IndexSet& tasks,
                                                      const JobChange& change) override {
    if (refuses(change)) return Refusal{{}, "Unspecified error"};
    return call([&] { return real_.update_tasks(job, tasks, change); });
  }
  Result<void> cancel(const RemoteRef& ref) override {
    return call([&] { return real_.cancel(ref); });
  }
  Result<std::vector<Sighting>> observe(std::span<const RemoteRef> refs) override {
    auto seen = call([&] { return real_.observe(refs); });
    if (!seen) return seen;
    const bool old = old_looks_ > 0;
    if (old) --old_looks_;
    for (std::size_t i = 0; i < refs.size(); ++i) {
      Sighting& kept = kept_[refs[i].job.job];
      (old ? (*seen)[i] : kept) = old ? kept : (*seen)[i];
    }
    return seen;
  }
  Result<Description> describe() override {
    return call([&] { return real_.describe(); });
  }
  Result<std::vector<PastRun>> past_runs(const std::string& name) override {
    return call([&] { return real_.past_runs(name); });
  }
  Result<std::vector<WaitingTasks>> waiting() override {
    return call([&] { return real_.waiting(); });
  }

 private:
  bool refuses(const JobChange& change) const {
    return refuse_changes && (change.account || change.qos || change.partitions);
  }
  void enter() {
    if (before) before();
  }
  void leave() {
    if (after) after();
  }
  template <class Call>
  std::invoke_result_t<Call> call(Call make) {
    enter();
    auto out = make();
    leave();
    return out;
  }
  Cluster& real_;
  int old_looks_ = 0;
  std::map<JobId, Sighting> kept_;
};

// A chain from its submission to its end.
class ChainWorld {
 public:
  using Fates = std::function<Fate(const JobSpec&, std::uint32_t index)>;

  ChainWorld(Policy policy, JobSpec spec, Ladder ladder, const std::string& array,
             Fates fates = variable_job, const Rung& first = {})
      : cluster(std::make_shared<const Policy>(std::move(policy)), "ann",
                [fates = std::move(fates)](const JobSpec& job, std::optional<std::uint32_t> task) {
                  if (job.name == "handler") return Fate{seconds(1), {}};
                  const std::string offset = variable(job, "SLUICE_OFFSET");
                  return fates(job, task.value_or(0) + static_cast<std::uint32_t>(std::stoul(
                                                           offset.empty() ? "0" : offset)));
                }),
        faulty(cluster),
        store(make(cluster, std::move(spec), std::move(ladder), array, first)) {}

  // As submitted with --size-from-history.
  void learn() { store.kept.sizing = Sizing{}; }

  // One process: loads what is stored, makes a step, may die on the way.
  bool step(std::optional<RemoteJob> self = std::nullopt) {
    Chain chain = store.kept;
    Attendance attendance;
    attendance.self = self;
    attendance.look_every = look_every;
    if (attended)
      attendance.handler_job = [](const Chain&) {
        JobSpec handler;
        handler.name = "handler";
        handler.cpus_per_task = 1;
        handler.memory = MemoryRequest{MemoryPer::kNode, 10};
        handler.time_limit = minutes(1);
        handler.partitions = {"day"};
        return handler;
      };
    Advance advance(chain, faulty, store, attendance);
    try {
      auto progress = advance.step(cluster.now());
      if (progress && !progress->ended && to_move)
        if (const auto stuck = to_move(chain); !stuck.empty())
          progress = advance.move(stuck, cluster.now());
      if (progress) moved += progress->moved;
      if (!progress) last_error = progress.error();
      return progress.has_value();
    } catch (const Crash&) {
      ++crashes;
      return false;
    }
  }

  // Handlers advance the chain when they start; a user types `sluice resume` every few days.
  void run(Duration patience = std::chrono::hours(2400)) {
    step();
    const Instant end = cluster.now() + patience;
    Instant resume = cluster.now() + kBetweenLooks;
    while (store.kept.state != ChainState::kEnded && cluster.now() < end) {
      const auto next = cluster.next();
      const bool idle = !next || *next > resume;
      cluster.pass_until(idle ? resume : *next);
      take_launched();
      if (idle) {
        resume = cluster.now() + kBetweenLooks;
        ++resumes;
        step();
      }
    }
  }

  // What has started since: tasks are counted, handlers do what they came for.
  void take_launched() {
    for (const SimulatedCluster::Launched& launched : cluster.take_launched()) note(launched);
  }

  std::size_t rounds_of(std::uint32_t round, JobState state) const {
    std::size_t count = 0;
    for (const TaskRun& one : store.ended) count += one.round == round && one.state == state;
    return count;
  }
  std::size_t launches(std::uint32_t index) const {
    const auto found = launched_.find(index);
    return found == launched_.end() ? 0 : found->second;
  }
  std::size_t handlers_run = 0;
  std::size_t resumes = 0;
  std::size_t crashes = 0;
  bool attended = true;
  std::optional<Duration> look_every;
  // What the process finds stuck, on a site that lets nobody change a job.
  std::function<std::vector<ChainMove>(const Chain&)> to_move;
  std::size_t moved = 0;
  // Everything of the chain that waits, for the other of two accounts.
  std::vector<ChainMove> all_that_waits(const Chain& chain) {
    std::vector<ChainMove> out;
    const auto groups = cluster.waiting().value();
    for (const WaitingTasks& group : groups)
      if (chain.carried_by(group.job) != nullptr && !group.reason.starts_with("JobHeld"))
        out.push_back({group.job, group.tasks, group.account == "lab" ? "other" : "lab", "", {}});
    return out;
  }
  bool lose_handlers = false;  // A user cancels every handler that starts.
  Error last_error;

  SimulatedCluster cluster;
  FaultyCluster faulty;
  MemoryStore store;

 private:
  static Chain make(SimulatedCluster& cluster, JobSpec spec, Ladder ladder,
                    const std::string& array, const Rung& first) {
    const Ceilings ceilings = ceilings_of(cluster.describe().value(), spec);
    Ladder settled = settle_ladder(std::move(ladder), spec, ceilings).value();
    std::optional<ArraySpec> indices;
    if (!array.empty()) indices = parse_array_spec(array).value();
    return make_chain("c1", cluster.now(), std::move(spec), std::move(settled), std::move(indices),
                      first);
  }
  void note(const SimulatedCluster::Launched& launched) {
    if (launched.key.find(".h") != std::string::npos) {
      ++handlers_run;
      const auto found = cluster.find(launched.key).value();
      for (const RemoteJob& job : found)
        if (job.job == launched.job && !lose_handlers) step(job);
      return;
    }
    // Parts that were resized share their key.
    const auto carried =
        std::find_if(store.kept.batches.begin(), store.kept.batches.end(),
                     [&](const Batch& batch) { return batch.key == launched.key; });
    if (carried != store.kept.batches.end())
      ++launched_[launched.task.value_or(0) + carried->offset];
  }
  std::map<std::uint32_t, std::size_t> launched_;
};

}  // namespace sluice
