#include "daemon/daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/version.h"
#include "daemon/api.h"
#include "daemon/driver.h"
#include "daemon/followers.h"
#include "daemon/gpu_uses.h"
#include "daemon/notices.h"
#include "daemon/policy_desk.h"
#include "host/cages/leave_cage.h"
#include "host/files/durable_file.h"
#include "host/keeper/output_store.h"
#include "host/machine/survey.h"
#include "model/event.h"
#include "wire/http.h"
#include "wire/http_client.h"
#include "wire/loop.h"

namespace sluice {
namespace {

std::uint64_t bytes_of(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

class Daemon {
 public:
  explicit Daemon(const DaemonSettings& settings) : settings_(settings) {}

  Result<void> start();
  void serve() { loop_.run(); }
  void finish();

 private:
  Result<void> lock();
  Result<void> note_scope();
  Result<void> find_followers();
  DaemonCard card() const;
  std::uint64_t output_bytes() const;

  DaemonSettings settings_;
  Loop loop_;
  int lock_ = -1;
  Node machine_;
  std::unique_ptr<SqliteJournal> journal_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Followers> followers_;
  std::unique_ptr<Notices> notices_;
  GpuWatch gpu_watch_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<PolicyDesk> desk_;
  Instant started_{};
  bool stops_ = false;
  mutable std::uint64_t output_bytes_ = 0;
  mutable std::chrono::steady_clock::time_point output_counted_until_;
};

// One daemon at a time: the lock goes with the process, however it ends.
Result<void> Daemon::lock() {
  const std::string path = settings_.folders.daemon_lock();
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0)
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(errno), path, {}});
  // One that is on its way out answers no more, though its socket may still take connections, and
  // lets go in a moment; on a busy machine that is long.
  constexpr auto kPatience = std::chrono::seconds(120);
  const auto began = std::chrono::steady_clock::now();
  bool locked = ::flock(lock_, LOCK_EX | LOCK_NB) == 0;
  while (!locked && std::chrono::steady_clock::now() - began < kPatience &&
         !daemon_answers(settings_.folders.api_socket())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    locked = ::flock(lock_, LOCK_EX | LOCK_NB) == 0;
  }
  if (!locked)
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, "another daemon runs already", path,
                                       "see it: sluice daemon status"});
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(lock_, 0) != 0 ||
      ::pwrite(lock_, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(errno), path, {}});
  return {};
}

// So that nobody starts one for root alone in the place of one for everybody.
Result<void> Daemon::note_scope() {
  const std::string mark = settings_.folders.everybody_mark();
  if (settings_.folders.for_everybody) return write_durably(mark, "sluice daemon start --system\n");
  if (::unlink(mark.c_str()) == 0 || errno == ENOENT) return {};
  return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(errno), mark, {}});
}

// There may be many files: what took long to count is not counted again soon.
std::uint64_t Daemon::output_bytes() const {
  constexpr int kRest = 500;
  const auto now = std::chrono::steady_clock::now();
  if (now < output_counted_until_) return output_bytes_;
  output_bytes_ = stored_output(settings_.folders.output());
  output_counted_until_ = now + (std::chrono::steady_clock::now() - now) * kRest;
  return output_bytes_;
}

DaemonCard Daemon::card() const {
  const State& state = driver_->engine().state();
  const Folders& folders = settings_.folders;
  DaemonCard card;
  card.version = kVersion;
  card.pid = ::getpid();
  card.scope = folders.for_everybody                    ? "machine"
               : folders.scope == FolderScope::kMachine ? "root"
               : folders.scope == FolderScope::kUser    ? "user"
                                                        : "folder";
  card.state_folder = folders.state;
  card.socket = folders.api_socket();
  card.policy_file = folders.policy_file;
  card.policy_origin = desk_->origin();
  card.cluster = state.policy().cluster;
  card.started = started_;
  card.jobs = static_cast<std::int64_t>(state.job_count());
  card.waiting = static_cast<std::int64_t>(state.pending_count());
  card.running = static_cast<std::int64_t>(state.expected_ends().size() + state.suspended().size());
  card.turns = driver_->turns();
  card.batches = journal_->batches();
  card.journal_bytes = bytes_of(folders.journal()) + bytes_of(folders.journal() + "-wal");
  card.event_bytes = journal_->batch_bytes();
  card.snapshot_bytes = journal_->snapshot_bytes();
  card.output_bytes = output_bytes();
  const KeeperHello& keeper = driver_->keeper();
  card.keeper_pid = keeper.pid;
  const auto add = [&](const char* what, const std::string& means) {
    card.enforces[what] = means.empty() ? "no" : means;
  };
  add("memory", keeper.enforces.memory);
  add("cpus", keeper.enforces.cpus);
  add("devices", keeper.enforces.devices);
  add("pause", keeper.enforces.pause);
  return card;
}

Result<void> Daemon::find_followers() {
  followers_ = std::make_unique<Followers>(loop_, *journal_, driver_->identities(),
                                           driver_->errands(), [this] { return driver_->now(); });
  TRY_VOID(followers_->recall(driver_->engine().state()));
  notices_ = std::make_unique<Notices>(loop_, *driver_);
  driver_->on_events([this](std::span<const Event> events) {
    const State& state = driver_->engine().state();
    for (const Event& event : events) {
      if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
        if (const Job* job = state.find_job(submitted->job))
          followers_->submitted(*state.shape_of_job(*job).request);
      } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
        if (const Job* job = state.find_job(started->job))
          notices_->began(*job, *state.shape_of_job(*job).request);
      } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
        if (const Job* job = state.find_job(requeued->job))
          notices_->requeued(*job, *state.shape_of_job(*job).request);
      }
    }
  });
  driver_->on_ends([this](const Ended& ended) {
    const JobSpec& spec = *ended.shape.request;
    if (!spec.launch.follower.empty()) followers_->ended(spec, ended.last);
    notices_->ended(ended);
  });
  return {};
}

Result<void> Daemon::start() {
  if (settings_.folders.for_everybody && ::geteuid() != 0)
    return tl::unexpected<Error>(Error{ErrorKind::kNotAllowed,
                                       "only root's daemon can serve all users: it runs jobs as "
                                       "their users",
                                       {},
                                       "start one for yourself: sluice daemon start"});
  TRY_VOID(make_folders(settings_.folders));
  TRY_VOID(lock());
  TRY_VOID(note_scope());
  TRY(journal_, SqliteJournal::open(settings_.folders.journal()));
  const Survey survey = survey_machine();
  machine_ = survey.node;
  driver_ = std::make_unique<Driver>(
      loop_, *journal_,
      Driver::Places{settings_.folders, settings_.program, machine_.name, survey.gpu_identities()});
  TRY_VOID(driver_->replay());
  TRY_VOID(driver_->adopt_runs());
  desk_ = std::make_unique<PolicyDesk>(loop_, *driver_, settings_.folders.policy_file, machine_);
  TRY_VOID(desk_->begin());
  started_ = driver_->now();
  DaemonPort port;
  port.card = [this] { return card(); };
  port.policy = desk_.get();
  watch_gpus(*driver_, gpu_watch_);
  port.gpu_use = [this](RunKey run) { return gpu_watch_.end(run); };
  port.gpu_use_so_far = [this](RunKey run) { return gpu_watch_.so_far(run); };
  // The answer leaves first, and is the last: who starts the next daemon would take one that still
  // answers for running.
  port.stop = [this] {
    stops_ = true;
    server_->close();
    loop_.post([this] { loop_.stop(); });
  };
  api_ = std::make_unique<Api>(loop_, *driver_, settings_.folders.output(), std::move(port));
  TRY_VOID(api_->recall());
  HttpServerSettings http;
  http.socket = settings_.folders.api_socket();
  http.for_everybody = settings_.folders.for_everybody;
  if (http.for_everybody) http.connections_of_one_user = 128;
  // Room is left for the journal, the keeper and what a turn opens.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0)
    http.connections = std::clamp<std::size_t>(files.rlim_cur, 256, 8192) - 128;
  TRY(server_, HttpServer::listen(loop_, http, [this](HttpRequest request, auto reply) {
        if (!stops_) api_->handle(std::move(request), std::move(reply));
      }));
  TRY_VOID(find_followers());
  loop_.on_signals({SIGTERM, SIGINT, SIGHUP}, [this](int signal) {
    if (signal != SIGHUP) {
      stops_ = true;
      return loop_.stop();
    }
    desk_->reload([](const Result<ReloadReply>& done) {
      fmt::print(stderr, "reload: {}\n",
                 done ? (done->changed ? "done" : "nothing new") : done.error().text());
    });
  });
  return {};
}

void Daemon::finish() {
  if (server_) server_->close();
  driver_->dismiss_keeper();
}

void tell(int ready, const std::string& text) {
  if (ready < 0) return;
  [[maybe_unused]] const ssize_t written = ::write(ready, text.data(), text.size());
  ::close(ready);
}

}  // namespace

int run_daemon(const DaemonSettings& settings) {
  std::signal(SIGPIPE, SIG_IGN);
  ::umask(077);
  // Started by another command, which may be part of a job.
  if (settings.ready >= 0) leave_cage();
  Daemon daemon(settings);
  if (const auto started = daemon.start(); !started) {
    const std::string text = "sluice: " + started.error().text() + "\n";
    if (settings.ready >= 0)
      tell(settings.ready, text);
    else
      fmt::print(stderr, "{}", text);
    return started.error().kind == ErrorKind::kBadInput ? 2 : 1;
  }
  tell(settings.ready, "ready\n");
  daemon.serve();
  daemon.finish();
  return 0;
}

}  // namespace sluice
