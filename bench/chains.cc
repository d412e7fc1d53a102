// Chains: what they add to the array they carry, and how fast large ones are looked at.
//
//   build/bench/chains [COUNT]      an array of COUNT tasks, 10,000 by default
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"
#include "bench/commands.h"
#include "bench/table.h"
#include "escalation/next_step.h"
#include "host/files/folder_for_tests.h"
#include "ledger/ledger.h"
#include "text/array_spec.h"

namespace sluice::bench {
namespace {

void sluice(std::vector<std::string> words) {
  words.insert(words.begin(), sluice_program());
  CHECK(exit_of(std::move(words), Errors::kHidden) <= 1);  // 1: tasks were given up.
}

void carrying(int count, int repeats) {
  Table table(fmt::format("An array of {} tasks on this machine, with a chain and without",
                          count_text(count)));
  Sample plain;
  Sample chain;
  for (int i = 0; i < repeats; ++i)
    for (const bool chained : {false, true}) {
      const FolderForTests folder;
      ::setenv("SLUICE_HOME", folder.path().c_str(), 1);
      ::setenv("SLUICE_ON", "embedded", 1);
      std::ofstream(folder / "policy.yaml")
          << "cluster: bench\nnodes: [{name: n1, cpus: 2, memory: 64G}]\n"
             "partitions: {main: {nodes: all, default: yes}}\n"
             "enforce: []\njobs: {max_array_size: 4000001, max_job_count: 4000000}\n";
      std::ofstream(folder / "task.sh") << "#!/bin/sh\n";
      sluice({"daemon", "start"});
      std::vector<std::string> words = {"submit",
                                        "--wait",
                                        "--mem=10M",
                                        "--time=10",
                                        "--output=/dev/null",
                                        fmt::format("--array=0-{}", count - 1)};
      if (chained) words.emplace_back("--chain");
      words.push_back(folder / "task.sh");
      (chained ? chain : plain).add(wall_of([&] { sluice(words); }));
      if (chained) sluice({"audit"});
      sluice({"daemon", "stop", "--cancel-jobs"});
    }
  table.row("from submission to the end", time_text(chain.median()), time_text(plain.median()),
            ratio_text(chain, plain), chain.median() / plain.median(), at_most(1.1, "< 1.1 x"));
}

// Every task has run once; one in ten was out of memory and waits.
Chain made_up(std::uint32_t tasks) {
  Ladder ladder;
  ladder.levels.push_back({{}, MemoryRequest{MemoryPer::kNode, 1024}, minutes(60), ""});
  ladder.levels.push_back({{}, MemoryRequest{MemoryPer::kNode, 4096}, minutes(60), ""});
  ArraySpec array;
  array.indices.insert_range(0, tasks - 1);
  JobSpec spec;
  spec.name = "bench";
  return make_chain("20261115-000000-aaaaaa", Instant{}, spec, ladder, array, {});
}

std::vector<ChainEvent> life_of(const Chain& chain) {
  PackingLimits limits;
  limits.max_array_size = 4'000'001;
  BatchesIntended intended = hand_in(chain, limits, Instant{}).value();
  const RemoteJob job{JobId(1), Instant{}};
  TasksSettled settled;
  for (const Task& task : chain.tasks) {
    TaskRun run;
    run.index = task.index;
    run.batch = 1;
    run.round = 1;
    run.max_rss_kb = 100'000;
    run.start = Instant{};
    run.end = Instant{} + minutes(1);
    run.node = "n1";
    Task after = task;
    after.batch = 1;
    after.round = 1;
    after.state = TaskState::kCompleted;
    if (task.index % 10 == 0) {
      run.state = JobState::kFailed;
      after.state = TaskState::kGivenUp;
      after.given_up = GivenUp::kNotRetried;
    }
    settled.settlements.push_back({std::move(run), after});
  }
  return {std::move(intended), BatchAccepted{1, job}, BatchReleased{1}, std::move(settled),
          ChainStateChanged{ChainState::kEnded}};
}

double write_ledger(const std::string& folder, std::uint32_t tasks) {
  const Chain chain = made_up(tasks);
  const auto events = life_of(chain);
  return wall_of([&] {
    auto ledger = Ledger::create(folder + "/" + chain.id, chain);
    CHECK(ledger.has_value());
    for (const ChainEvent& event : events) CHECK((*ledger)->commit({&event, 1}).has_value());
  });
}

void looking() {
  Table table("Large chains");
  const FolderForTests folder;
  ::setenv("SLUICE_CHAINS", folder.path().c_str(), 1);
  write_ledger(folder.path(), 100'000);
  Sample status;
  Sample floor;
  for (int i = 0; i < kRepeats; ++i) {
    status.add(wall_of([] { sluice({"status", "last"}); }));
    floor.add(wall_of([] { sluice({"--version"}); }));
  }
  table.row("status of a chain of 100,000 tasks", time_text(status.median()),
            time_text(floor.median()), ratio_text(status, floor), status.median(),
            at_most(0.2, "< 200 ms"));
  const FolderForTests large;
  const double written = write_ledger(large.path(), 1'000'000);
  const double seconds = wall_of([&] {
    auto ledger = Ledger::open(large.path() + "/20261115-000000-aaaaaa");
    CHECK(ledger.has_value() && (*ledger)->chain().tasks.size() == 1'000'000);
    CHECK(audit((*ledger)->chain()).problems.empty());
  });
  table.note("a ledger of a million tasks: written", time_text(written), "", "");
  table.note("and opened and audited", time_text(seconds), "", "");
  table.note("its size",
             fmt::format("{} MB", std::filesystem::file_size(large.path() +
                                                             "/20261115-000000-aaaaaa/ledger.db") >>
                                      20),
             "", "");
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::max(1, std::atoi(argv[1])) : 10'000;
  sluice::bench::looking();
  ::unsetenv("SLUICE_CHAINS");
  sluice::bench::carrying(count, 3);
  return 0;
}
