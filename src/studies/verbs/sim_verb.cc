// sluice sim: reads a workload, runs it to the end and prints what it came to.
#include "studies/verbs/sim_verb.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "host/files/files.h"
#include "policyfile/read/policy_reader.h"
#include "sim/checkpoint.h"
#include "sim/recorder.h"
#include "sim/reports/comparison.h"
#include "sim/reports/report.h"
#include "sim/reports/report_html.h"
#include "sim/simulation.h"
#include "sim/workloads/swf.h"
#include "studies/workload_options.h"
#include "text/duration.h"

namespace sluice {
namespace {

struct Options {
  std::shared_ptr<WorkloadOptions> workload = std::make_shared<WorkloadOptions>();
  std::string policy;
  std::string scheduler = "easy";
  std::string output_swf;
  std::string write_swf;
  std::string journal;
  std::string golden;
  std::string users = "10";
  std::string accounts = "10";
  std::int32_t cpus = 0;
  std::string csv;
  std::string html;
  std::string until;
  std::string checkpoint;
  std::string resume;
  std::int32_t speed = 0;  // Virtual seconds a second; 0: as fast as it goes.
  bool json = false;
};

// A simulation that dies is worth a minute of work.
constexpr double kBetweenCheckpoints = 60;

// What the person waits for: not part of what a run prints, because no two runs take as long.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Lets virtual time pass as fast as a person wants to watch it, and says what is going on.
class Watching {
 public:
  Watching(double speed, Instant begin, ProgressLine& progress)
      : speed_(speed),
        begin_(begin),
        progress_(progress),
        terminal_(::isatty(STDERR_FILENO) != 0) {}
  ~Watching() {
    if (terminal_ && said_) fmt::print(stderr, "\r\x1b[K");
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  // False where the person wants it to end.
  bool at(const SimulationMoment& moment) {
    using Clock = std::chrono::steady_clock;
    const double virtual_seconds = static_cast<double>((moment.now - begin_).count()) / 1000;
    const auto due = started_ + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(virtual_seconds / speed_));
    while (true) {
      if (progress_.interrupted()) return false;
      const auto now = Clock::now();
      if (now >= due) break;
      std::this_thread::sleep_for(
          std::min<Clock::duration>(due - now, std::chrono::milliseconds(100)));
    }
    const auto now = Clock::now();
    if (said_ && now < next_) return true;
    fmt::print(stderr, "{}{}  {} running, {} waiting{}", terminal_ ? "\r" : "",
               format_duration(std::chrono::floor<std::chrono::seconds>(moment.now - begin_)),
               moment.running, moment.pending, terminal_ ? "\x1b[K" : "\n");
    std::fflush(stderr);
    said_ = true;
    next_ = now + std::chrono::milliseconds(terminal_ ? 100 : 1000);
    return true;
  }

 private:
  double speed_;
  Instant begin_;
  ProgressLine& progress_;
  bool terminal_;
  bool said_ = false;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_{};
};

Result<std::shared_ptr<const Policy>> machine_for(const Options& options, Workload& workload) {
  if (options.cpus > 0) workload.machine_cpus = options.cpus;
  if (workload.machine_cpus <= 0)
    return tl::unexpected<Error>(Error{ErrorKind::kBadInput,
                                       "does not say how large its machine is", workload.name,
                                       "give its size: --cpus N, or a policy: --policy FILE"});
  return std::make_shared<const Policy>(machine_of(workload, machine_scheduler(options.scheduler)));
}

Result<std::optional<std::size_t>> rows_named(const std::string& option, const std::string& text) {
  if (text == "all") return std::optional<std::size_t>{};
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return bad_input(fmt::format("{} is '{}'", option, text), "give a number, or all");
  return std::optional(value);
}

Result<void> write_schedule(const Options& options, const Workload& workload,
                            const Simulation& simulation) {
  const auto run_of = [&](std::size_t i) -> std::optional<SwfRun> {
    const SimulatedJob& job = simulation.jobs[i];
    const WorkItem& item = workload.items[i];
    if (!job.started() || !job.ended()) return std::nullopt;
    return SwfRun{job.start - item.submit, std::min(item.run, workload.request_of(item).limit),
                  job.cpus};
  };
  return write_output(options.output_swf, write_swf(workload, run_of));
}

tl::unexpected<Error> nothing_ran(const Options& options, const SimulationReport& report) {
  const std::string why =
      report.refused > 0
          ? fmt::format("job {} is refused: {}", report.first_refused, report.first_refusal)
          : fmt::format("job {} waits for ever: {}", report.first_left, report.first_left_reason);
  if (options.policy.empty())
    return tl::unexpected<Error>(Error{
        ErrorKind::kBadInput, fmt::format("none of its {} jobs can run: {}", report.items, why),
        report.workload, "give the machine more processors: --cpus N"});
  return tl::unexpected<Error>(Error{
      ErrorKind::kBadInput,
      fmt::format("none of the {} jobs of {} can run: {}", report.items, report.workload, why),
      options.policy, "see what the policy allows: sluice policy show " + options.policy});
}

// A file that goes there takes the report's place.
bool writes_to_standard_output(const Options& options) {
  for (const std::string* file :
       {&options.csv, &options.html, &options.output_swf, &options.write_swf, &options.journal})
    if (*file == "-") return true;
  return false;
}

Result<ExitCode> run(const Options& options) {
  ReportRows rows;
  TRY(rows.accounts, rows_named("--accounts", options.accounts));
  TRY(rows.users, rows_named("--users", options.users));
  if (options.scheduler == "conservative" &&
      (!options.checkpoint.empty() || !options.resume.empty()))
    return bad_input("the places of conservative backfill are in no checkpoint",
                     "leave out --checkpoint, or choose another --scheduler");
  const Stopwatch watch;
  std::shared_ptr<const Policy> policy;
  if (!options.policy.empty()) {
    TRY(policy, load_policy(options.policy));
  }
  std::optional<SimulationCheckpoint> resumed;
  std::shared_ptr<const Policy> resume_under;
  if (!options.resume.empty()) {
    TRY(const std::string bytes, read_maybe_gzipped(options.resume));
    TRY(resumed, simulation_checkpoint_in(bytes, options.resume));
    TRY(const std::shared_ptr<const Policy> before, policy_of(*resumed));
    // What is submitted was made for the policy that it began with.
    if (policy != nullptr && !(*policy == *before)) resume_under = std::exchange(policy, before);
    if (policy != nullptr) policy = before;
  }
  TRY(LoadedWorkload loaded, load_workload(*options.workload, policy));
  Workload& workload = loaded.workload;
  if (!options.write_swf.empty()) TRY_VOID(write_output(options.write_swf, write_swf(workload)));
  if (policy == nullptr) {
    TRY(policy, machine_for(options, workload));
  }
  if (resumed &&
      (resumed->workload != digest_of(workload) || resumed->items != workload.items.size()))
    return tl::unexpected<Error>(
        Error{ErrorKind::kBadInput, "is of another workload", options.resume,
              "give the same workload and its options as when it was written"});
  // A schedule that cannot be compared is found out before an hour of simulation.
  std::string golden;
  if (!options.golden.empty()) {
    TRY(golden, read_maybe_gzipped(options.golden));
    TRY_VOID(parse_swf_waits(golden, options.golden));
  }

  OutputFile journal;
  Recorder::Sink sink;
  if (!options.journal.empty()) {
    TRY_VOID(journal.open(options.journal));
    sink = [&journal](std::string_view bytes) { return journal.write(bytes); };
  }
  Recorder recorder(sink);
  SimulationOptions simulation_options;
  simulation_options.observe = true;
  simulation_options.commit = [&](std::span<const Event> events) {
    return recorder.commit(events);
  };
  // The reference that everything quick is held against; far slower, the same journal.
  if (const char* plain = std::getenv("SLUICE_PLAIN_PASS"); plain != nullptr && *plain == '1')
    simulation_options.passes = Passes::kPlain;
  const Instant begin = workload.items.empty() ? Instant{} : workload.items.front().submit;
  if (!options.until.empty()) {
    TRY(const TimeLimit until, parse_friendly_duration(options.until));
    if (until.duration) simulation_options.until = begin + *until.duration;
  }
  Stopwatch since_kept;
  if (!options.checkpoint.empty()) {
    simulation_options.keep = [&](const SimulationCheckpoint& now) {
      since_kept = Stopwatch();
      return write_output(options.checkpoint, simulation_checkpoint_text(now));
    };
    simulation_options.keeps = [&] { return since_kept.seconds() > kBetweenCheckpoints; };
  }
  if (resumed) {
    simulation_options.resume = &*resumed;
    simulation_options.resume_under = resume_under;
  }
  ProgressLine progress;
  std::optional<Watching> watching;
  if (options.speed > 0) {
    watching.emplace(options.speed, begin, progress);
    simulation_options.on_instant = [&](const SimulationMoment& now) { return watching->at(now); };
  } else {
    simulation_options.go_on = [&](const SimulationProgress& so_far) {
      return progress.show(so_far.ended, so_far.items);
    };
  }
  TRY(Simulation simulation, simulate(policy, workload, simulation_options));
  watching.reset();
  progress.clear();
  TRY_VOID(recorder.finish());
  if (simulation.stopped_early) {
    workload.items.resize(simulation.submitted);
    simulation.jobs.resize(simulation.submitted);
  }
  if (resume_under != nullptr) policy = resume_under;
  SimulationReport report = make_report(workload, simulation, policy);
  if (report.ran == 0 && simulation.stopped_early) {
    fmt::print(stderr, "sluice: {}\n",
               simulation.reached_until ? "no job had ended by the time of --until"
                                        : "stopped before any job had ended");
    return ExitCode::kWorkFailed;
  }
  if (report.ran == 0) return nothing_ran(options, report);
  if (!options.journal.empty()) TRY_VOID(journal.finish());
  if (!options.output_swf.empty()) TRY_VOID(write_schedule(options, workload, simulation));
  if (!options.csv.empty()) TRY_VOID(write_output(options.csv, jobs_csv(workload, simulation)));

  report.rules = options.policy.empty() ? options.scheduler : options.policy;
  report.people = loaded.people;
  report.unexercised = loaded.unexercised;
  report.journal_events = recorder.events();
  report.journal_bytes = recorder.bytes();
  report.journal_digest = recorder.digest();
  if (!options.golden.empty() && !simulation.stopped_early) {
    TRY(report.comparison, compare_with_swf(workload, simulation, golden, options.golden));
    report.compared_with = std::filesystem::path(options.golden).filename().string();
  }
  if (!options.html.empty())
    TRY_VOID(write_output(options.html, report_html(report, workload, simulation, *policy)));
  if (!writes_to_standard_output(options))
    fmt::print("{}", options.json ? report_json(report) : report_text(report, rows));
  std::fflush(stdout);
  const double took = watch.seconds();
  fmt::print(stderr, "simulated in {:.2f} s, {:.0f} jobs a second\n", took,
             static_cast<double>(report.items) / std::max(took, 1e-6));
  if (simulation.stopped_early && !simulation.reached_until) {
    fmt::print(stderr, "sluice: stopped early; the report is about what had happened by then\n");
    return ExitCode::kWorkFailed;
  }
  return report.comparison && !report.comparison->same() ? ExitCode::kWorkFailed : ExitCode::kDone;
}

}  // namespace

void add_sim(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("sim", "Run a workload under a policy in virtual time");
  auto options = std::make_shared<Options>();
  add_workload_options(*verb, options->workload);
  auto* policy = verb->add_option("--policy", options->policy,
                                  "A policy file; without it, the machine of the trace's header")
                     ->type_name("FILE");
  verb->add_option("--scheduler", options->scheduler,
                   "fifo, easy, conservative or backfill, without a policy")
      ->one_of({"fifo", "easy", "conservative", "backfill"})
      ->capture_default_str()
      ->excludes(policy);
  verb->add_option("--cpus", options->cpus, "How large the machine is, whatever the trace says")
      ->between(1, 1'000'000'000)
      ->type_name("N")
      ->excludes(policy);
  verb->add_option("--compare", options->golden,
                   "Hold every start time against this schedule (SWF, column 3 is the wait); "
                   "exit 1 where one differs")
      ->type_name("FILE");
  verb->add_option("--output-swf", options->output_swf, "Write the schedule: column 3 is the wait")
      ->type_name("FILE");
  verb->add_option("--write-swf", options->write_swf, "Write the workload itself")
      ->type_name("FILE");
  verb->add_option("--journal", options->journal, "Write the journal: every event, in order")
      ->type_name("FILE");
  verb->add_option("--users", options->users, "How many users to list, or all")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--accounts", options->accounts, "How many accounts to list, or all")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--csv", options->csv, "Write a line for each job")->type_name("FILE");
  verb->add_option("--html", options->html, "Write a report with charts, one file")
      ->type_name("FILE");
  verb->add_option("--until", options->until,
                   "Stop this long after the first submission, in virtual time: 12h, 7d")
      ->type_name("TIME");
  verb->add_option("--checkpoint", options->checkpoint,
                   "Keep where it stands: every minute, and where it is stopped")
      ->type_name("FILE");
  verb->add_option(
          "--resume", options->resume,
          "Continue from a checkpoint, with the same workload; under --policy from then on")
      ->type_name("FILE");
  verb->add_option("--speed", options->speed,
                   "Watch it: N virtual seconds per second; 3600 is an hour")
      ->between(1, 1'000'000'000)
      ->type_name("N");
  verb->add_flag("--json", options->json, "The report as JSON");
  verb->footer(
      "What is printed is the same for the same input, byte for byte; progress and the time\n"
      "taken go to standard error. Ctrl-C ends it early with the report so far (exit code 1).\n\n"
      "Examples:\n"
      "  sluice sim --swf KTH-SP2.swf.gz --scheduler easy\n"
      "  sluice sim --swf KTH-SP2.swf.gz --compare KTH-SP2.easy-golden.swf.gz\n"
      "  sluice sim --policy policy.yaml --generate jobs=10000,load=0.95 --html report.html\n"
      "  sluice sim --policy policy.yaml --workload sacct.txt --map rules.yaml\n"
      "  sluice sim --policy policy.yaml --generate jobs=500 --speed 600 --until 12h\n"
      "  sluice sim --policy old.yaml -w month.txt --until 14d --checkpoint half.ckpt\n"
      "  sluice sim --policy new.yaml -w month.txt --resume half.ckpt\n"
      "  sluice sim --generate jobs=1000 --journal run.journal && sluice journal show run.journal");
  verb->require_subcommand(0, 1);
  add_sim_compare(*verb, exit_code);
  add_sim_tune(*verb, exit_code);
  add_sim_chain(*verb, exit_code);
  verb->callback([options, verb, &exit_code] {
    if (verb->has_subcommand()) return;
    const auto ended = run(*options);
    exit_code = ended ? *ended : report(ended.error());
  });
}

}  // namespace sluice
