// The daemon as people meet it: real commands, its real socket, real processes, a durable journal.
//
//   build/bench/daemon [COUNT] [TABLE]      COUNT tasks are launched, 10,000 by default; TABLE is
//                                           submitting, restarting, launching or flat, else all
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "bench/commands.h"
#include "bench/launch_floor.h"
#include "bench/table.h"
#include "host/files/folder_for_tests.h"
#include "views/json_fields.h"
#include "wire/api_fields.h"
#include "wire/http_client.h"

namespace sluice::bench {
namespace {

void run_command(const std::vector<std::string>& words) { CHECK(exit_of(words) == 0); }

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// One daemon in a folder of its own, and what it costs.
class Daemon {
 public:
  Daemon() : sluice_(sluice_program()) {
    std::ofstream(folder_ / "policy.yaml")
        << "cluster: bench\nnodes: [{name: n1, cpus: 2, memory: 64G}]\n"
           "partitions: {main: {nodes: all, default: yes}}\n"
           "enforce: []\n"
           "jobs: {max_array_size: 4000001, max_job_count: 4000000}\n";
    command({"daemon", "start"});
  }
  ~Daemon() { command({"daemon", "stop", "--cancel-jobs"}); }

  void command(std::vector<std::string> words) const {
    words.insert(words.begin(), sluice_);
    ::setenv("SLUICE_HOME", folder_.path().c_str(), 1);
    run_command(std::move(words));
  }
  HttpClient connect() const {
    auto client = HttpClient::connect(folder_ / "run/api.sock");
    CHECK(client.has_value());
    return std::move(*client);
  }
  // Seconds of CPU so far.
  double cpu() const {
    std::istringstream in(file_text("/proc/" + process() + "/stat"));
    std::string word;
    double ticks = 0;
    for (int i = 1; i <= 15 && in >> word; ++i)
      if (i >= 14) ticks += std::stod(word);
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  // The same to the nanosecond; all its work is done in one thread.
  double exact_cpu() const {
    return std::stod(file_text("/proc/" + process() + "/schedstat")) / 1e9;
  }
  double status(const std::string& key) const {
    std::ifstream in("/proc/" + process() + "/status");
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(key + ":")) return std::stod(line.substr(key.size() + 1));
    return 0;
  }
  const std::string& folder() const { return folder_.path(); }

 private:
  std::string process() const {
    const std::string text = file_text(folder_ / "state/daemon.lock");
    return text.substr(0, text.find_first_not_of("0123456789"));
  }
  FolderForTests folder_;
  std::string sluice_;
};

JobSpec request(const Daemon& daemon) {
  JobSpec spec;
  spec.name = "true";
  spec.cpus_per_task = 1;
  spec.memory = MemoryRequest{MemoryPer::kNode, 10};
  spec.launch.program = "/bin/true";
  spec.launch.working_directory = daemon.folder();
  spec.launch.capture = true;
  return spec;
}

SubmitResult submit(HttpClient& client, const JobSpec& spec, std::uint32_t copies = 1) {
  SubmitRequest wanted;
  wanted.jobs.push_back(spec);
  wanted.copies = copies;
  const auto answer = client.request("POST", "/v1/jobs", to_json(wanted));
  CHECK(answer.has_value());
  const auto reply = from_json<SubmitReply>(answer->body);
  CHECK(reply.has_value() && reply->results.size() == 1);
  CHECK(reply->results.front().refusal.empty());
  CHECK(reply->results.front().count == copies);
  return reply->results.front();
}

// What being durable costs on this disk: one small write, synced.
class SyncFloor {
 public:
  explicit SyncFloor(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600)) {
    CHECK(file_ >= 0);
  }
  ~SyncFloor() { ::close(file_); }
  void once() const {
    char block[4096] = {};
    CHECK(::write(file_, block, sizeof block) == sizeof block);
    CHECK(::fdatasync(file_) == 0);
  }

 private:
  int file_;
};

void submitting(int repeats) {
  Table table("Submitting to the daemon");
  const Daemon daemon;
  const SyncFloor floor(daemon.folder() + "/floor");
  HttpClient client = daemon.connect();
  JobSpec held = request(daemon);
  held.hold = true;
  Sample command, command_floor, open, open_floor, many, large, cancelled, cancel_command,
      large_command, plain_queue;
  for (int i = 0; i < 20 * repeats; ++i) {
    command.add(wall_of([&] {
      daemon.command({"submit", "--parsable", "--hold", "--capture", "--mem=10M", "/bin/true"});
    }));
    command_floor.add(wall_of([&] {
      run_command({"/bin/true"});
      floor.once();
    }));
    open.add(wall_of([&] { submit(client, held); }));
    open_floor.add(wall_of([&] { floor.once(); }));
  }
  table.row("one submission, command to durable reply", time_text(command.median()),
            time_text(command_floor.median()), ratio_text(command, command_floor),
            command.median() / command_floor.median(), at_most(2, "<= 2 x"));
  table.row("one submission, open connection", time_text(open.median()),
            time_text(open_floor.median()), ratio_text(open, open_floor),
            open.median() / open_floor.median(), at_most(1.3, "<= 1.3 x"));
  for (int i = 0; i < repeats; ++i) {
    const Daemon fresh;
    HttpClient other = fresh.connect();
    JobSpec array = held;
    array.launch.working_directory = fresh.folder();
    array.array.emplace();
    array.array->indices.insert_range(0, 999'999);
    submit(other, held);
    const double before = fresh.status("VmRSS");
    std::uint32_t made = 0;
    large.add(wall_of([&] { made = submit(other, array).job->value(); }));
    if (i == 0)
      table.row("an array of a million tasks: memory",
                fmt::format("{:.0f} KB", fresh.status("VmRSS") - before), "", "",
                fresh.status("VmRSS") - before, at_most(256, "<= 256 KB"));
    cancelled.add(wall_of([&] {
      const auto done = other.request("POST", fmt::format("/v1/jobs/{}_[0-999999:3]/cancel", made));
      CHECK(done.has_value() && done->status == 200);
    }));
    large_command.add(wall_of([&] {
      fresh.command(
          {"submit", "--hold", "--capture", "--mem=10M", "--array=0-999999", "/bin/true"});
    }));
    cancel_command.add(wall_of([&] {
      fresh.command({"cancel", fmt::format("{}_[1-999999:7]", made + 1)});
    }));
    many.add(wall_of([&] { submit(other, held, 100'000); }));
    plain_queue.add(wall_of([&] { fresh.command({"queue"}); }));
  }
  table.row("an array of a million tasks, durable", time_text(large.median()),
            time_text(open_floor.median()), ratio_text(large, open_floor), large.median(),
            at_most(10e-3, "<= 10 ms"));
  table.row("the same by a command", time_text(large_command.median()),
            time_text(command_floor.median()), ratio_text(large_command, command_floor),
            large_command.median(), at_most(10e-3, "<= 10 ms"));
  table.row("every third task of it cancelled", time_text(cancelled.median()),
            time_text(open_floor.median()), ratio_text(cancelled, open_floor), cancelled.median(),
            at_most(5e-3, "<= 5 ms"));
  table.row("every seventh by a command", time_text(cancel_command.median()),
            time_text(command_floor.median()), ratio_text(cancel_command, command_floor),
            cancel_command.median(), at_most(5e-3, "<= 5 ms"));
  table.row("100,000 jobs in one call", count_text(100'000 / many.median()) + "/s", "", "",
            100'000 / many.median(), at_least(300'000, ">= 300,000/s"));
  table.row("queue with 100,000 jobs", time_text(plain_queue.median()), "", "",
            plain_queue.median(), at_most(0.1, "<= 100 ms"));
}

void restarting() {
  Table table("Restarting and idling");
  const Daemon daemon;
  table.row("memory of an idle daemon", fmt::format("{:.1f} MB", daemon.status("VmRSS") / 1024), "",
            "", daemon.status("VmRSS") / 1024, at_most(30, "<= 30 MB"));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double before = daemon.status("voluntary_ctxt_switches");
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const double woken = daemon.status("voluntary_ctxt_switches") - before;
  table.row("wake-ups in three idle seconds", fmt::format("{:.0f}", woken), "", "", woken,
            at_most(0, "0"));
  {
    HttpClient client = daemon.connect();
    JobSpec held = request(daemon);
    held.hold = true;
    for (int i = 0; i < 10; ++i) submit(client, held, 100'000);
  }
  daemon.command({"daemon", "stop"});
  const double start = wall_of([&] { daemon.command({"daemon", "start"}); });
  table.row("restart with a million waiting jobs", time_text(start), "", "", start,
            at_most(2, "<= 2 s"));
}

void launching(int count, int repeats) {
  Table table(fmt::format("Launching by the daemon: {} tasks of /bin/true, two at a time",
                          count_text(count)));
  Sample captured, filed, bare, bare_files;
  double cpu = 0;
  for (int i = 0; i < repeats; ++i) {
    bare.add(wall_of([&] { bare_floor(count); }));
    {
      const FolderForTests folder;
      bare_files.add(wall_of([&] { file_and_row_floor(count, folder.path()); }));
    }
    for (const bool capture : {true, false}) {
      const Daemon daemon;
      HttpClient client = daemon.connect();
      JobSpec spec = request(daemon);
      spec.launch.capture = capture;
      spec.array.emplace();
      spec.array->indices.insert_range(0, static_cast<std::uint32_t>(count) - 1);
      const double before = daemon.cpu();
      (capture ? captured : filed).add(wall_of([&] {
        const SubmitResult made = submit(client, spec);
        const auto ended =
            client.request("GET", fmt::format("/v1/jobs/{}?wait=ended", made.job->value()));
        CHECK(ended.has_value() && ended->status == 200);
      }));
      if (capture) cpu += (daemon.cpu() - before) / count / repeats;
      // All of them, and none that failed.
      const auto rows = client.request("GET", "/v1/history?state=COMPLETED");
      CHECK(rows.has_value());
      const auto parsed = parse_json(rows->body);
      CHECK(parsed.has_value());
      CHECK(parsed->find("lines")->items.size() == static_cast<std::size_t>(count));
    }
  }
  table.row("durable, captured output", count_text(count / captured.median()) + "/s",
            count_text(count / bare.median()) + "/s", ratio_text(captured, bare),
            captured.median() / bare.median(), at_most(1.15, "<= 1.15 x"));
  table.row("durable, a file each", count_text(count / filed.median()) + "/s",
            count_text(count / bare_files.median()) + "/s", ratio_text(filed, bare_files),
            filed.median() / bare_files.median(), at_most(1.2, "<= 1.2 x"));
  table.row("the daemon's own CPU a task", time_text(cpu), "", "", cpu, at_most(60e-6, "<= 60 µs"));
}

enum class Kind : std::uint8_t { kArray, kJobs };

// What one more costs the daemon with so many in the queue: seconds of CPU.
struct Cost {
  double submit = 0;
  double launch = 0;
};

Cost cost_behind(std::uint32_t queued, Kind kind) {
  const Daemon daemon;
  HttpClient client = daemon.connect();
  const auto node = [&](const char* state) {
    const auto done =
        client.request("PATCH", "/v1/nodes/n1", fmt::format("{{\"state\":\"{}\"}}", state));
    CHECK(done.has_value() && done->status == 200);
  };
  // Nothing starts before all are there.
  node("drain");
  JobSpec spec = request(daemon);
  std::uint32_t first = 0;
  if (kind == Kind::kArray) {
    spec.array.emplace();
    spec.array->indices.insert_range(0, queued - 1);
    first = submit(client, spec).job->value();
    spec.array.reset();
  } else {
    // No request is longer than a hundred thousand jobs.
    constexpr std::uint32_t kAtOnce = 100'000;
    for (std::uint32_t made = 0; made < queued; made += kAtOnce) {
      const auto one = submit(client, spec, std::min(kAtOnce, queued - made));
      if (made == 0) first = one.job->value();
    }
  }
  Cost cost;
  constexpr int kSubmissions = 100;
  double before = daemon.exact_cpu();
  for (int i = 0; i < kSubmissions; ++i) submit(client, spec);
  cost.submit = (daemon.exact_cpu() - before) / kSubmissions;
  const std::uint32_t launched = std::min<std::uint32_t>(queued, 5'000);
  before = daemon.exact_cpu();
  node("up");
  const std::string last = kind == Kind::kArray ? fmt::format("{}_{}", first, launched - 1)
                                                : fmt::format("{}", first + launched - 1);
  const auto ended = client.request("GET", fmt::format("/v1/jobs/{}?wait=ended", last));
  CHECK(ended.has_value() && ended->status == 200);
  cost.launch = (daemon.exact_cpu() - before) / launched;
  return cost;
}

void flat(int repeats) {
  Table table("The daemon's CPU for one more, with so many in the queue; beside it: with 1,000");
  for (const Kind kind : {Kind::kArray, Kind::kJobs}) {
    Sample submit_few, launch_few;
    for (const std::uint32_t queued : {1'000U, 10'000U, 100'000U, 1'000'000U}) {
      Sample submitted, launched;
      for (int i = 0; i < repeats; ++i) {
        const Cost cost = cost_behind(queued, kind);
        submitted.add(cost.submit);
        launched.add(cost.launch);
      }
      if (queued == 1'000) {
        submit_few = submitted;
        launch_few = launched;
      }
      const std::string what = kind == Kind::kArray ? "tasks of an array" : "jobs";
      table.row(fmt::format("a submission behind {} {}", count_text(queued), what),
                time_text(submitted.median()), time_text(submit_few.median()),
                ratio_text(submitted, submit_few), submitted.median() / submit_few.median(),
                at_most(1.3, "<= 1.3 x"));
      table.row(fmt::format("a launch out of {} {}", count_text(queued), what),
                time_text(launched.median()), time_text(launch_few.median()),
                ratio_text(launched, launch_few), launched.median() / launch_few.median(),
                at_most(1.3, "<= 1.3 x"));
    }
  }
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::max(1, std::atoi(argv[1])) : 10'000;
  const std::string table = argc > 2 ? argv[2] : "";
  const auto wanted = [&](const char* name) { return table.empty() || table == name; };
  if (wanted("submitting")) sluice::bench::submitting(sluice::bench::kRepeats);
  if (wanted("restarting")) sluice::bench::restarting();
  if (wanted("launching")) sluice::bench::launching(count, 3);
  if (wanted("flat")) sluice::bench::flat(3);
  return 0;
}
