// Ten thousand times /bin/true, two at a time: keeper and journal as the daemon uses them, against
// the least that it can cost and against others that do it.
//
//   build/bench/launch [COUNT]
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "bench/launch_floor.h"
#include "bench/table.h"
#include "host/files/folder_for_tests.h"
#include "host/journal/sqlite_journal.h"
#include "host/keeper/keeper.h"
#include "host/keeper/keeper_client.h"
#include "model/event.h"

namespace sluice::bench {
namespace {

struct Cost {
  double wall = 0;
  double cpu = 0;  // Of everybody: the tasks, the keeper, this process.
};

double cpu_of_all() {
  double total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    total += static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
             static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  }
  return total;
}

Cost cost_of(const std::function<void()>& work) {
  const double cpu = cpu_of_all();
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {wall.count(), cpu_of_all() - cpu};
}

enum class Output { kCaptured, kFileEach };

// A daemon without a scheduler: what ended is committed together with what starts in its place, and
// only then the launch is ordered.
class Runner {
 public:
  Runner(const std::string& folder, CageChoice cage, Output output)
      : folder_(folder), output_(output) {
    std::filesystem::create_directories(folder + "/spool");
    std::filesystem::create_directories(folder + "/output");
    std::filesystem::create_directories(folder + "/files");
    int said[2];
    CHECK(::pipe(said) == 0);
    keeper_ = ::fork();
    if (keeper_ == 0) {
      ::close(said[0]);
      KeeperSettings settings;
      settings.socket = folder + "/k.sock";
      settings.lock = folder + "/lock";
      settings.spool = folder + "/spool";
      settings.output = folder + "/output";
      settings.cage = cage;
      settings.ready = said[1];
      ::_exit(run_keeper(settings));
    }
    ::close(said[1]);
    char answer[8] = {};
    usable_ = ::read(said[0], answer, sizeof answer) == 6 && std::string(answer, 6) == "ready\n";
    ::close(said[0]);
    if (!usable_) return;
    auto client = KeeperClient::connect(folder + "/k.sock");
    CHECK(client.has_value());
    client_.emplace(std::move(*client));
    auto journal = SqliteJournal::open(folder + "/journal.db");
    CHECK(journal.has_value());
    journal_ = std::move(*journal);
    identity_ = identity_of(::geteuid()).value();
  }
  ~Runner() {
    client_.reset();
    ::kill(keeper_, SIGTERM);
    ::waitpid(keeper_, nullptr, 0);
  }
  bool usable() const { return usable_; }

  void run(int count) {
    std::uint32_t next = 1;
    int ended = 0;
    std::vector<Event> events;
    std::vector<HistoryRow> rows;
    std::vector<std::uint32_t> starting;
    const auto start = [&] {
      if (next > static_cast<std::uint32_t>(count)) return;
      events.emplace_back(now(),
                          JobStarted{JobId(next), 1, PartitionId(0), Allocation(NodeShare{})});
      starting.push_back(next++);
    };
    const auto turn = [&] {
      CHECK(journal_->commit(events, rows).has_value());
      for (const HistoryRow& row : rows) {
        client_->send(AcknowledgeRun{RunKey{row.job, row.attempt}});
      }
      for (const std::uint32_t job : starting) client_->send(LaunchRun{assignment(job)});
      CHECK(client_->flush().has_value());
      events.clear();
      rows.clear();
      starting.clear();
    };
    start();
    start();
    turn();
    while (ended < count) {
      auto reports = client_->wait(seconds(60));
      CHECK(reports.has_value() && !reports->empty());
      for (const KeeperReport& report : *reports) {
        const auto* over = std::get_if<RunIsOver>(&report);
        if (!over) continue;
        CHECK(over->outcome.state == JobState::kCompleted);
        ++ended;
        events.emplace_back(now(), JobEnded{over->run.job, 1, over->outcome, false});
        HistoryRow row;
        row.job = over->run.job;
        row.attempt = 1;
        row.name = "true";
        row.user = identity_.user;
        row.started = row.ended = over->ended;
        row.outcome = over->outcome;
        rows.push_back(std::move(row));
        start();
      }
      if (!events.empty()) turn();
    }
  }

 private:
  static Instant now() {
    return Instant(
        std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
  }
  Assignment assignment(std::uint32_t job) {
    Assignment made;
    made.run = RunKey{JobId(job), 1};
    made.identity = identity_;
    made.program = "/bin/true";
    made.working_directory = folder_;
    made.capture = output_ == Output::kCaptured;
    if (!made.capture) made.stdout_path = folder_ + "/files/" + std::to_string(job) + ".out";
    made.cpus = 1;
    made.memory_mb = 100;
    made.environment = environment_;
    return made;
  }

  std::string folder_;
  Output output_;
  pid_t keeper_ = 0;
  bool usable_ = false;
  std::optional<KeeperClient> client_;
  std::unique_ptr<SqliteJournal> journal_;
  Identity identity_;
  // As long as a real one.
  std::string environment_ = [] {
    std::string block;
    for (int i = 0; i < 60; ++i) {
      block += "SLURM_VARIABLE_" + std::to_string(i) + "=some value of it";
      block += '\0';
    }
    return block;
  }();
};

Cost keeper_cost(int count, CageChoice cage, Output output) {
  const FolderForTests folder;
  return cost_of([&] {
    Runner runner(folder.path(), cage, output);
    CHECK(runner.usable());
    runner.run(count);
  });
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (::access((rest.substr(0, colon) + "/" + program).c_str(), X_OK) == 0) return true;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return false;
}

// A fixed line of ours: nothing of a user's reaches this shell.
Cost shell_cost(const std::string& line) {
  return cost_of([&] {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    CHECK(status == 0);
  });
}

struct Contestant {
  std::string name;
  std::function<Cost()> run;
  Sample wall;
  Sample cpu;
};

std::string rate_text(const Contestant& it, int count) {
  return count_text(count / it.wall.median()) + "/s";
}

void compare(Table& table, const Contestant& ours, const Contestant& floor, int count,
             const Target& target) {
  const double ratio = ours.wall.median() / floor.wall.median();
  table.row(ours.name, rate_text(ours, count), rate_text(floor, count),
            ratio_text(ours.wall, floor.wall), ratio, target);
  table.note("  CPU of all processes a task", time_text(ours.cpu.median() / count),
             time_text(floor.cpu.median() / count), ratio_text(ours.cpu, floor.cpu));
}

int run(int count, int repeats) {
  const auto cage_usable = [](CageChoice cage) {
    const FolderForTests folder;
    return Runner(folder.path(), cage, Output::kCaptured).usable();
  };
  std::vector<Contestant> all;
  const auto add = [&](std::string name, std::function<Cost()> work) {
    all.push_back(Contestant{std::move(name), std::move(work), {}, {}});
    return all.size() - 1;
  };
  const std::size_t bare =
      add("floor: spawn and wait", [=] { return cost_of([=] { bare_floor(count); }); });
  const std::size_t filed = add("floor: and a file and a durable row each", [=] {
    const FolderForTests folder;
    return cost_of([&] { file_and_row_floor(count, folder.path()); });
  });
  struct Kind {
    const char* name;
    CageChoice cage;
  };
  std::vector<std::pair<std::size_t, std::size_t>> ours;  // Captured, with files.
  for (const Kind& kind :
       {Kind{"no cgroups", CageChoice::kPlain}, Kind{"cgroup v1", CageChoice::kCgroupV1},
        Kind{"cgroup v2", CageChoice::kCgroupV2}}) {
    if (!cage_usable(kind.cage)) continue;
    const CageChoice cage = kind.cage;
    const std::size_t captured = add(fmt::format("durable, captured output, {}", kind.name),
                                     [=] { return keeper_cost(count, cage, Output::kCaptured); });
    const std::size_t files = add(fmt::format("durable, a file each, {}", kind.name),
                                  [=] { return keeper_cost(count, cage, Output::kFileEach); });
    ours.emplace_back(captured, files);
  }
  std::vector<std::size_t> peers;
  std::vector<std::string> missing;
  const auto peer = [&](const std::string& program, const std::string& name,
                        const std::string& line) {
    if (!is_installed(program)) {
      missing.push_back(name);
      return;
    }
    peers.push_back(add(name, [=] { return shell_cost(line); }));
  };
  const std::string numbers = "seq " + std::to_string(count);
  peer("xargs", "xargs -P2", numbers + " | xargs -P2 -n1 /bin/true");
  peer("parallel", "GNU parallel",
       numbers + " | parallel -j2 --joblog /dev/null /bin/true {} > /dev/null");
  // It has no room for more at once than about a thousand.
  peer("tsp", "task-spooler",
       "export TS_SOCKET=$(mktemp -u); tsp -S 2; for i in $(seq " + std::to_string(count) +
           "); do tsp -nf /bin/true > /dev/null; done; tsp -K");

  for (int round = 0; round < repeats; ++round) {
    for (Contestant& it : all) {
      const Cost cost = it.run();
      it.wall.add(cost.wall);
      it.cpu.add(cost.cpu);
    }
  }
  Table table(fmt::format("Launching: {} x /bin/true, two at a time", count_text(count)));
  for (const auto& [captured, files] : ours) {
    compare(table, all[captured], all[bare], count, at_most(1.15, "<= 1.15 x"));
    compare(table, all[files], all[filed], count, at_most(1.2, "<= 1.2 x"));
  }
  for (const std::size_t index : peers) {
    table.note(all[index].name, rate_text(all[index], count), rate_text(all[bare], count),
               ratio_text(all[index].wall, all[bare].wall));
  }
  for (const std::string& name : missing) table.skipped(name, "it is not installed");
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10'000;
  return sluice::bench::run(count > 0 ? count : 10'000, sluice::bench::kRepeats);
}
