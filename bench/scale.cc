// A machine of thousands of nodes: what a job costs there, how that grows with the nodes, and one
// backfill cycle over a thousand waiting jobs.
#include "bench/scale_workload.h"
#include "bench/table.h"
#include "model/event.h"
#include "sim/recorder.h"
#include "sim/virtual_time.h"

namespace sluice::bench {
namespace {

// FastSim (HPE, 2023): 600,000 jobs of ARCHER2 in 7 h 20 min.
constexpr double kFastSim = 23;

struct Ran {
  double seconds = 0;
  std::size_t started = 0;
  std::size_t ended = 0;
  std::size_t refused = 0;
  std::size_t most_pending = 0;
  std::size_t most_running = 0;
  std::uint64_t digest = 0;
};

// The jobs that run are few beside all that ever will.
Ran run(const Scale& scale, const ScaleWorkload& workload, Engine::Passes passes) {
  Ran out;
  const auto policy = std::make_shared<const Policy>(scale_policy(scale));
  Recorder recorder;
  Engine engine(Engine::Explain::kNo, passes);
  std::vector<std::uint32_t> item_of_job;
  const std::uint32_t first = policy->jobs.first_job_id;
  std::uint32_t next = 0;
  VirtualTime time(
      engine,
      [&](const Job& job) {
        return Fate{workload.jobs[item_of_job[job.id.value() - first]].run,
                    Outcome{.state = JobState::kCompleted}};
      },
      [&](const Turn& turn) {
        for (const Event& event : turn.events) {
          if (std::holds_alternative<JobSubmitted>(event.body)) item_of_job.push_back(next);
          if (std::holds_alternative<JobStarted>(event.body)) ++out.started;
          if (std::holds_alternative<JobEnded>(event.body)) ++out.ended;
        }
        out.most_pending = std::max(out.most_pending, engine.state().pending_count());
        out.most_running = std::max(out.most_running, engine.state().expected_ends().size());
        CHECK(recorder.commit(turn.events).has_value());
      });
  out.seconds = time_of([&] {
    time.give(AdoptPolicy{policy}, workload.jobs.front().submit);
    std::vector<std::optional<SpecId>> specs(workload.requests.size());
    for (const ScaleJob& job : workload.jobs) {
      std::optional<SpecId>& spec = specs[job.request];
      if (!spec) {
        const Reply reply = time.give(DefineSpec{workload.requests[job.request]}, job.submit);
        const auto* accepted = std::get_if<SpecAccepted>(&reply);
        CHECK(accepted != nullptr, "a request of the bench was refused");
        spec = accepted->spec;
      }
      const Reply reply = time.give(SubmitKnown{*spec, std::nullopt}, job.submit);
      if (!std::holds_alternative<Submitted>(reply)) ++out.refused;
      ++next;
    }
    while (engine.state().pending_count() > 0 || !engine.state().expected_ends().empty())
      time.advance(*time.next());
  });
  CHECK(recorder.finish().has_value());
  out.digest = recorder.digest();
  return out;
}

bool is_whole(Table& table, const std::string& name, const ScaleWorkload& workload,
              const Ran& ran) {
  const std::size_t jobs = workload.jobs.size();
  if (ran.started == jobs && ran.ended == jobs && ran.refused == 0) return true;
  table.wrong(name,
              fmt::format("{} of {} jobs ended, {} were refused", ran.ended, jobs, ran.refused));
  return false;
}

std::string queue_text(const Ran& ran) {
  return fmt::format("{} waited, {} ran", count_text(static_cast<double>(ran.most_pending)),
                     count_text(static_cast<double>(ran.most_running)));
}

// Returns jobs a second, or 0.
double whole_machine(Table& table, std::int64_t jobs, double aim) {
  Scale scale;
  scale.jobs = jobs;
  const std::string name = fmt::format("{} jobs, {} nodes, whole nodes",
                                       count_text(static_cast<double>(jobs)), count_text(5860));
  const ScaleWorkload workload = scale_workload(scale);
  const Ran ran = run(scale, workload, Engine::Passes::kQuick);
  if (!is_whole(table, name, workload, ran)) return 0;
  const double rate = static_cast<double>(jobs) / ran.seconds;
  table.row(name, count_text(rate) + " jobs/s", fmt::format("{:.0f} FastSim", kFastSim),
            fmt::format("{:.0f} x", rate / kFastSim), rate,
            at_least(aim, fmt::format(">= {}/s", count_text(aim))));
  table.note("  at most", queue_text(ran), "", time_text(ran.seconds));
  return rate;
}

// Every kind of pass gives the same journal, so the plain one tells what the others save.
void plain_pass(Table& table, std::int64_t jobs) {
  Scale scale;
  scale.jobs = jobs;
  const ScaleWorkload workload = scale_workload(scale);
  const std::string name =
      fmt::format("the first {}, beside the plain pass", count_text(static_cast<double>(jobs)));
  const Ran quick = run(scale, workload, Engine::Passes::kQuick);
  const Ran plain = run(scale, workload, Engine::Passes::kPlain);
  if (quick.digest != plain.digest) return table.wrong(name, "the journals differ");
  table.note(name, time_text(quick.seconds), time_text(plain.seconds) + " plain",
             fmt::format("{:.3f} x", quick.seconds / plain.seconds));
}

void sharing(Table& table, std::int64_t jobs, double whole_rate) {
  for (const Sharing kind : {Sharing::kCores, Sharing::kGpus}) {
    Scale scale;
    scale.jobs = jobs;
    scale.sharing = kind;
    scale.begins_full = true;
    const std::string name =
        kind == Sharing::kCores ? "  nodes shared, cores and memory" : "  nodes shared, GPUs too";
    const ScaleWorkload workload = scale_workload(scale);
    const Ran ran = run(scale, workload, Engine::Passes::kQuick);
    if (!is_whole(table, name, workload, ran)) continue;
    const double rate = static_cast<double>(workload.jobs.size()) / ran.seconds;
    table.row(name, count_text(rate) + " jobs/s", count_text(whole_rate) + " whole nodes",
              fmt::format("{:.2f} x", whole_rate / rate), whole_rate / rate, at_most(5, "<= 5 x"));
    table.note("  at most", queue_text(ran), "", time_text(ran.seconds));
  }
}

// Small jobs, so that ten times the nodes run ten times the jobs.
void growth(Table& table) {
  double first = 0;
  for (const std::int64_t nodes : {60, 600, 6'000, 60'000}) {
    Scale scale;
    scale.nodes = nodes;
    scale.most_nodes = 16;
    scale.jobs = std::max<std::int64_t>(20'000, nodes * 3);
    const std::string name =
        fmt::format("  a job on {} nodes", count_text(static_cast<double>(nodes)));
    const ScaleWorkload workload = scale_workload(scale);
    const Ran ran = run(scale, workload, Engine::Passes::kQuick);
    if (!is_whole(table, name, workload, ran)) return;
    const double each = ran.seconds / static_cast<double>(scale.jobs);
    if (nodes == 60) first = each;
    if (nodes < 60'000) {
      table.note(name, time_text(each), "", queue_text(ran));
      continue;
    }
    const double exponent = std::log10(each / first) / 3;
    table.row(name, time_text(each), queue_text(ran), fmt::format("n^{:.2f}", exponent), exponent,
              at_most(0.3, "<= n^0.3"));
  }
}

// A busy machine whose nodes are given away whole, and jobs that wait, told why and when.
class Busy {
 public:
  Busy(std::int64_t nodes, Sharing kinds, std::size_t waiting) {
    Scale scale;
    scale.nodes = nodes;
    scale.sharing = kinds;
    Policy policy = scale_policy(scale);
    policy.partitions[0].oversubscribe = OverSubscribe::kExclusive;
    policy.scheduler.backfill_max_job_test = 1'000'000;
    policy.scheduler.backfill_window = std::chrono::hours(24 * 30);
    policy.priority.calc_period = std::chrono::hours(24 * 365);
    tell(AdoptPolicy{std::make_shared<const Policy>(std::move(policy))});
    while (engine_.state().pending_count() < waiting) submit();
  }
  void tell(const Input& input) { engine_.handle(input, now_, turn_); }
  void submit() {
    JobSpec spec;
    const std::uint64_t user = draws_.below(1000);
    spec.user = fmt::format("u{}", 1 + user);
    spec.account = fmt::format("g{}", user % 40 + 1);
    const std::int32_t nodes = 1 << draws_.below(11);
    const auto limit = static_cast<std::int64_t>(30 + draws_.below(1400));
    spec.tasks = kNodeCpus * nodes;
    spec.time_limit = minutes(limit);
    tell(SubmitJob{std::move(spec)});
    submitted_.emplace_back(nodes, limit);
  }
  // Nodes and minutes, in the order in which they were submitted.
  const std::vector<std::pair<std::int32_t, std::int64_t>>& submitted() const { return submitted_; }
  void pass(Duration time) { now_ += time; }
  void end_one() {
    const auto& ends = engine_.state().expected_ends();
    const JobId job = ends[draws_.below(ends.size())].job;
    tell(RunEnded{job, engine_.state().job(job).attempt, Outcome{.state = JobState::kCompleted}});
  }
  std::size_t planned() const {
    std::size_t count = 0;
    for (const QueueEntry& entry : engine_.queue().entries())
      if (!entry.gone && engine_.explanation(entry.job).expected) ++count;
    return count;
  }

 private:
  std::vector<std::pair<std::int32_t, std::int64_t>> submitted_;
  Draws draws_{3, 1};
  Engine engine_;
  Turn turn_;
  Instant now_ = instant_at(seconds(1'000'000));
};

void cycle(Table& table) {
  const std::string name = "cycle, 1,000 waiting, 10,000 mixed nodes";
  Sample cold;
  Sample after_end;
  for (int i = 0; i < kRepeats; ++i) {
    Busy busy(10'000, Sharing::kGpus, 1000);
    busy.pass(minutes(1));
    cold.add(time_of([&] { busy.tell(Tick{}); }));
    if (busy.planned() < 900) return table.wrong(name, "hardly any job is planned");
    busy.end_one();
    busy.pass(minutes(1));
    after_end.add(time_of([&] { busy.tell(Tick{}); }));
  }
  table.row(name, time_text(cold.median()), "", "from nothing", cold.median(),
            at_most(10e-3, "<= 10 ms"));
  table.row("  when one job ended", time_text(after_end.median()), "", "", after_end.median(),
            at_most(1e-3, "<= 1 ms"));
}

// What scripts/bench-slurm-scale tells a real slurmctld: its nodes, then its queue.
void print_queue(std::int64_t nodes, std::size_t waiting) {
  Scale scale;
  scale.nodes = nodes;
  for (const Node& node : scale_policy(scale).nodes)
    fmt::print("NodeName={} CPUs={} RealMemory={} State=CLOUD\n", node.name, node.cpus,
               node.memory_mb);
  const Busy busy(nodes, Sharing::kWhole, waiting);
  for (const auto& [size, limit] : busy.submitted()) fmt::print("{} {}\n", size, limit);
}

// Our cycle over that queue, beside the seconds that slurmctld took.
void queue_cycle(std::int64_t nodes, std::size_t waiting, double slurm) {
  Table table("The same queue");
  const std::string name =
      fmt::format("cycle, {} waiting, {} nodes", count_text(static_cast<double>(waiting)),
                  count_text(static_cast<double>(nodes)));
  Sample cold;
  for (int i = 0; i < kRepeats; ++i) {
    Busy busy(nodes, Sharing::kWhole, waiting);
    busy.pass(minutes(1));
    cold.add(time_of([&] { busy.tell(Tick{}); }));
    if (busy.planned() < waiting * 9 / 10) return table.wrong(name, "hardly any job is planned");
  }
  table.row(name, time_text(cold.median()), time_text(slurm) + " slurmctld",
            fmt::format("{:.0f} x", slurm / cold.median()), slurm / cold.median(),
            at_least(200, ">= 200 x"));
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  using namespace sluice::bench;
  const std::string only = argc > 1 ? argv[1] : "";
  const std::int64_t jobs = argc > 2 ? std::stoll(argv[2]) : 600'000;
  if (only.starts_with("queue")) {
    const std::size_t waiting = argc > 3 ? std::stoul(argv[3]) : 1000;
    if (argc > 4)
      queue_cycle(jobs, waiting, std::stod(argv[4]));
    else
      print_queue(jobs, waiting);
    return 0;
  }
  Table table("A machine of thousands of nodes (journal included), one core");
  double rate = 0;
  if (only.empty() || only == "whole" || only == "sharing") rate = whole_machine(table, jobs, 5000);
  if (only.empty() || only == "whole")
    table.row("  peak memory", fmt::format("{:.0f} MB", peak_memory_mb()), "", "", peak_memory_mb(),
              at_most(1024, "<= 1 GB"));
  if (only.empty() || only == "plain") plain_pass(table, argc > 2 ? jobs : 500);
  if (only.empty() || only == "sharing")
    sharing(table, std::min<std::int64_t>(jobs, 200'000), rate);
  if (only.empty() || only == "growth") growth(table);
  if (only.empty() || only == "cycle") cycle(table);
}
