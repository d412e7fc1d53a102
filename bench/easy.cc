// EASY by the real engine, parsing and journal included, beside the bare loop.
#include "bench/easy_floor.h"
#include "bench/table.h"
#include "bench/traces.h"
#include "sim/recorder.h"
#include "sim/reports/comparison.h"
#include "sim/simulation.h"

namespace sluice::bench {
namespace {

struct Ran {
  Workload workload;
  Simulation simulation;
  std::uint64_t journal_bytes = 0;
};

// What `sluice sim --scheduler easy` does, short of its table.
Ran run_engine(const std::string& text) {
  Ran ran;
  ran.workload = parse_swf(text, "trace").value();
  Recorder recorder;
  SimulationOptions options;
  options.commit = [&](std::span<const Event> events) { return recorder.commit(events); };
  ran.simulation =
      simulate(std::make_shared<const Policy>(machine_of(ran.workload, SchedulerType::kEasy)),
               ran.workload, options)
          .value();
  (void)recorder.finish();
  ran.journal_bytes = recorder.bytes();
  return ran;
}

std::vector<FloorJob> run_floor(const std::string& text, std::int64_t cpus) {
  std::vector<FloorJob> jobs = parse_floor(text);
  EasyFloor(jobs, cpus).run();
  return jobs;
}

std::string different(const Ran& ran, const std::vector<FloorJob>& floor) {
  if (ran.simulation.jobs.size() != floor.size()) return "not as many jobs as the floor";
  for (std::size_t i = 0; i < floor.size(); ++i)
    if (to_seconds(ran.simulation.jobs[i].start) != floor[i].start)
      return fmt::format("job {} starts at {}, the floor's at {}", i + 1,
                         to_seconds(ran.simulation.jobs[i].start), floor[i].start);
  return {};
}

std::string different_from_golden(const Ran& ran, const Trace& trace) {
  if (trace.golden.empty()) return {};
  const auto compared = compare_with_swf(ran.workload, ran.simulation, trace.golden, "golden");
  if (!compared) return compared.error().text();
  if (!compared->same())
    return fmt::format("{} of {} starts are not the golden ones", compared->differing,
                       compared->compared);
  return {};
}

void real(Table& table) {
  for (const Trace& trace : real_traces()) {
    const Ran ran = run_engine(trace.text);
    const std::int64_t cpus = ran.workload.machine_cpus;
    std::string wrong = different_from_golden(ran, trace);
    if (wrong.empty()) wrong = different(ran, run_floor(trace.text, cpus));
    const auto jobs = static_cast<double>(ran.workload.items.size());
    const std::string figure = fmt::format("EASY {} ({} jobs)", trace.name, count_text(jobs));
    if (!wrong.empty()) {
      table.wrong(figure, wrong);
      continue;
    }
    const auto samples = interleaved(
        {[&] { (void)run_engine(trace.text); }, [&] { (void)run_floor(trace.text, cpus); }},
        2 * kRepeats);
    const double rate = jobs / samples[0].median();
    table.row(figure, time_text(samples[0].median()), time_text(samples[1].median()),
              ratio_text(samples[0], samples[1]), samples[0].median() / samples[1].median(),
              at_most(3, "<= 3 x"));
    table.row("  jobs a second", count_text(rate), count_text(jobs / samples[1].median()), "", rate,
              at_least(100'000, ">= 100,000"));
  }
}

void growing(Table& table) {
  double first = 0;
  for (const int jobs : {10'000, 100'000, 1'000'000}) {
    const Trace trace = generated_trace(fmt::format("jobs={},users=100,load=0.7,seed=1", jobs));
    const std::string figure = fmt::format("EASY generated, {} jobs", count_text(jobs));
    std::string wrong;
    {
      const Ran ran = run_engine(trace.text);
      wrong = different(ran, run_floor(trace.text, ran.workload.machine_cpus));
    }
    if (!wrong.empty()) {
      table.wrong(figure, wrong);
      continue;
    }
    const auto samples = interleaved(
        {[&] { (void)run_engine(trace.text); }, [&] { (void)run_floor(trace.text, 1024); }});
    const double each = samples[0].median() / jobs;
    if (first == 0) first = each;
    table.note(figure, time_text(samples[0].median()), time_text(samples[1].median()),
               ratio_text(samples[0], samples[1]));
    table.row("  cost of a job, over that of 10,000", time_text(each), time_text(first),
              fmt::format("{:.2f} x", each / first), each / first, at_most(1.3, "<= 1.3 x"));
    table.note("  peak memory so far, text included", fmt::format("{:.0f} MB", peak_memory_mb()),
               fmt::format("{:.0f} MB of text", static_cast<double>(trace.text.size()) / 1048576),
               "");
  }
}

}  // namespace
}  // namespace sluice::bench

// easy [traces]: with the word, only the real traces.
int main(int argc, char**) {
  sluice::bench::Table table(
      "EASY backfill: the engine, journal and parsing included, and a bare loop");
  sluice::bench::real(table);
  if (argc < 2) sluice::bench::growing(table);
}
