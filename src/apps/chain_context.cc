// Folders, leases and handler jobs of chains.
#include "apps/chain_context.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "apps/chain_rebalance.h"
#include "apps/embedded_cluster.h"
#include "apps/files.h"
#include "apps/routing_context.h"
#include "host/output_pattern.h"
#include "text/array_spec.h"
#include "text/scan.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEngineFile = "engine";
constexpr const char* kEmbedded = "embedded";
constexpr const char* kMovesFile = "moves";
constexpr const char* kProjectFile = "project";
// Jobs that only look are not free for others.
constexpr Duration kLeastBetweenMoves = minutes(1);
// For what a person only asks about.
constexpr Duration kReadPatience = seconds(2);
constexpr const char* kUnattended = "SLUICE_UNATTENDED";
// Of what a task wrote, from its end: the message that ended it stands there.
constexpr std::streamoff kMostOutputRead = 1 << 20;
// A step takes seconds; a handler that finds Slurm slow looks several times.
constexpr Duration kHandlerTime = minutes(5);
constexpr Duration kShortHandlerTime = minutes(1);

std::string end_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kMostOutputRead));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string chains_folder() {
  // The daemon knows where the chain is, whatever else is set.
  if (const std::string named = environment_value("SLUICE_CHAINS"); !named.empty()) return named;
  const std::string home = environment_value("SLUICE_HOME");
  return (home.empty() ? state_folder() : home) + "/chains";
}

std::string chain_folder(const std::string& id) { return chains_folder() + "/" + id; }

std::vector<std::string> chain_ids() {
  std::vector<std::string> out;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(chains_folder(), problem))
    if (fs::exists(entry.path() / "ledger.db", problem))
      out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<std::string> chain_of_key(const std::string& key) {
  const std::size_t mark = key.rfind(".b");
  if (mark == std::string::npos || key.find('/') != std::string::npos) return std::nullopt;
  const std::string id = key.substr(0, mark);
  std::error_code problem;
  if (!fs::exists(chain_folder(id) + "/ledger.db", problem)) return std::nullopt;
  return id;
}

std::optional<Replacement> moved_by_chain(std::uint32_t job, std::optional<std::uint32_t> task) {
  for (const std::string& id : chain_ids()) {
    if (engine_of(id) == kEmbedded) continue;
    const auto open = OpenChain::open(id, kReadPatience);
    if (!open) continue;
    const Chain& chain = (*open)->chain();
    for (const Batch& batch : chain.batches) {
      if (!batch.move || !batch.job || batch.move->job.job.value() != job) continue;
      if (batch.state != BatchState::kReleased && batch.state != BatchState::kClosed) continue;
      Replacement out;
      out.key = batch.key;
      out.old = batch.move->job;
      out.going = shifted_down(batch.tasks, chain.batch(batch.move->from).offset);
      if (chain.array) out.tasks = out.going;
      out.pool = batch.move->account;
      out.stage = Replacement::Stage::kReleasing;
      out.job = batch.job;
      if (!task || out.going.contains(*task)) return out;
    }
  }
  return std::nullopt;
}

Result<std::string> find_chain(const std::string& given) {
  const auto ids = chain_ids();
  if (ids.empty())
    return bad_input("there is no chain yet",
                     "start one: sluice submit --chain --array=0-9 job.sh");
  if (given == "last" && !ids.empty()) return ids.back();
  std::vector<std::string> found;
  for (const std::string& id : ids) {
    if (id == given) return id;
    if (!given.empty() && id.starts_with(given)) found.push_back(id);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    return bad_input(fmt::format("'{}' may be {} or {}", given, found[0], found[1]),
                     "write more of it");
  return bad_input(fmt::format("there is no chain '{}'", given), "sluice list shows them");
}

std::string new_chain_id() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  unsigned char bytes[6] = {};
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    bytes[0] = static_cast<unsigned char>(::getpid());
  std::string tail;
  for (const unsigned char byte : bytes) tail += "abcdefghijkmnpqrstuvwxyz23456789"[byte % 32];
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}-{}", local.tm_year + 1900, local.tm_mon + 1,
                     local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec, tail);
}

std::unique_ptr<Cluster> cluster_named(const std::string& engine, Look look) {
  if (engine == kEmbedded) return std::make_unique<EmbeddedCluster>();
  return this_slurm(look);
}

std::string engine_of(const std::string& id) {
  const auto engine = read_file(chain_folder(id) + "/" + kEngineFile);
  return engine ? engine->substr(0, engine->find('\n')) : "slurm";
}

std::unique_ptr<Cluster> cluster_of(const Chain& chain, StartDaemon start) {
  const std::string engine = engine_of(chain.id);
  if (engine != kEmbedded) return cluster_named(engine);
  return std::make_unique<EmbeddedCluster>(is_attended(chain) ? chain_folder(chain.id) : "", start);
}

Duration pause_between_looks(const std::string& id) {
  return engine_of(id) == kEmbedded ? Duration(std::chrono::milliseconds(500)) : seconds(30);
}

Result<RoutingSettings> settings_of(const Chain& chain) {
  // Chains of older versions: the folder their tasks run in is mostly the one.
  std::string project = chain.spec.launch.working_directory;
  if (const auto said = read_file(chain_folder(chain.id) + "/" + kProjectFile))
    project = said->substr(0, said->rfind('\n'));
  return load_routing_settings(project);
}

bool is_attended(const Chain& chain) {
  return std::none_of(chain.spec.launch.environment.begin(), chain.spec.launch.environment.end(),
                      [](const EnvironmentVariable& one) { return one.name == kUnattended; });
}

Result<std::unique_ptr<OpenChain>> OpenChain::open(const std::string& id, Duration patience) {
  std::error_code problem;
  if (!fs::exists(chain_folder(id) + "/ledger.db", problem))
    return bad_input(fmt::format("there is no chain '{}'", id), "sluice list shows them");
  TRY(Lease lease, Lease::take(chain_folder(id), patience));
  TRY(auto ledger, Ledger::open(chain_folder(id)));
  return std::unique_ptr<OpenChain>(new OpenChain(std::move(lease), std::move(ledger)));
}

Result<std::unique_ptr<OpenChain>> OpenChain::create(const Chain& chain,
                                                     const std::string& engine) {
  TRY(auto ledger, Ledger::create(chain_folder(chain.id), chain));
  std::error_code problem;
  TRY_VOID(write_files(
      chain_folder(chain.id),
      {{kEngineFile, engine + "\n"}, {kProjectFile, fs::current_path(problem).string() + "\n"}}));
  TRY(Lease lease, Lease::take(chain_folder(chain.id), Duration(0)));
  return std::unique_ptr<OpenChain>(new OpenChain(std::move(lease), std::move(ledger)));
}

void OpenChain::attend(Cluster& cluster, std::optional<RemoteJob> self) {
  if (!is_attended(chain_) || engine_of(chain_.id) == kEmbedded) return;
  attendance_.self = self;
  attendance_.handler_job = [&cluster](const Chain& chain) { return handler_job(chain, cluster); };
  if (!may_move(chain_) || accounts_for(chain_, cluster) < 2) return;
  if (const auto settings = settings_of(chain_))
    attendance_.look_every = std::max<Duration>(settings->stuck_after, kLeastBetweenMoves);
}

Advance& OpenChain::advance(Cluster& cluster) {
  if (!advance_)
    advance_ =
        std::make_unique<Advance>(chain_, cluster, *ledger_, attendance_, stderr_matcher(chain_));
  return *advance_;
}

Result<Progress> OpenChain::move(Cluster& cluster, std::span<const ChainMove> moves) {
  lease_.renew();
  return advance(cluster).move(moves, now_here());
}

Result<Progress> OpenChain::step(Cluster& cluster) {
  for (;;) {
    take_words(chain_folder(chain_.id));
    lease_.renew();
    TRY(Progress progress, advance(cluster).step(now_here()));
    rebalance(cluster, progress);
    if (!take_words(chain_folder(chain_.id))) return progress;
  }
}

// The note says when somebody looked last, and how many accounts there were.
bool OpenChain::may_find_room() const {
  if (!may_move(chain_) || !tasks_wait(chain_)) return false;
  const auto note = read_file(chain_folder(chain_.id) + "/" + kMovesFile);
  return !note || !note->starts_with("1 ");
}

// It only helps: where it cannot be done the chain goes on as it is.
void OpenChain::rebalance(Cluster& cluster, Progress& progress) {
  if (progress.ended || !may_move(chain_) || !tasks_wait(chain_)) return;
  const auto settings = settings_of(chain_);
  if (!settings) {
    progress.notes.push_back(fmt::format("nothing is moved: {}", settings.error().text()));
    return;
  }
  const Instant now = now_here();
  const std::string note = chain_folder(chain_.id) + "/" + kMovesFile;
  const auto said = read_file(note);
  const auto last =
      said ? whole_number(std::string_view(*said).substr(said->find(' ') + 1)) : std::nullopt;
  if (last && now - instant_at(seconds(*last)) <
                  std::min<Duration>(settings->stuck_after, kLeastBetweenMoves))
    return;
  const bool old_enough =
      std::any_of(chain_.batches.begin(), chain_.batches.end(), [&](const Batch& batch) {
        return batch.state == BatchState::kReleased &&
               now - batch.intended >= settings->stuck_after;
      });
  if (!old_enough) return;
  const auto done = rebalance_chain(chain_, cluster, now);
  if (!done) {
    progress.notes.push_back(fmt::format("nothing was moved: {}", done.error().what));
    return;
  }
  progress.moved += done->moved;
  for (const std::string& one : done->notes) progress.notes.push_back(one);
  if (!done->refused.empty()) {
    const auto moved = move(cluster, done->refused);
    if (moved) {
      progress.moved += moved->moved;
      progress.uncertain |= moved->uncertain;
      progress.unseen |= moved->unseen;
    }
    for (const std::string& one : moved ? moved->notes : std::vector{moved.error().what})
      progress.notes.push_back(one);
  }
  (void)write_files(chain_folder(chain_.id),
                    {{kMovesFile, fmt::format("{} {}", done->accounts < 2 ? 1 : done->accounts,
                                              to_seconds(now))}});
}

Result<Progress> OpenChain::cancel(Cluster& cluster) {
  Advance advance(chain_, cluster, *ledger_, attendance_, stderr_matcher(chain_));
  lease_.renew();
  return advance.cancel(now_here());
}

Result<void> OpenChain::record(ChainEvent event) {
  TRY_VOID(ledger_->commit({&event, 1}));
  record_in(chain_, event);
  return {};
}

Result<ChainView> OpenChain::view() {
  std::vector<TaskRun> runs;
  TRY_VOID(ledger_->each_run([&](const TaskRun& run) { runs.push_back(run); }));
  ChainView out = chain_view(chain_, runs, now_here());
  out.attended = is_attended(chain_);
  out.followed = out.attended && engine_of(chain_.id) == kEmbedded;
  return out;
}

OutputPaths output_paths(const Chain& chain, const Batch& batch, std::uint32_t index,
                         const std::string& node) {
  const JobSpec spec = batch_job(chain, batch);
  PatternFacts facts;
  const JobId job = batch.job ? batch.job->job : JobId{};
  facts.job = job;
  if (chain.array) {
    facts.array = job;
    facts.task = index - batch.offset;
  }
  const std::string user = environment_value("USER");
  facts.user = user;
  facts.job_name = spec.name;
  facts.first_node = node;
  const std::string& folder = spec.launch.working_directory;
  OutputPaths out;
  out.output =
      fill_pattern(spec.launch.stdout_path.empty() ? default_output(facts)
                                                   : std::string_view(spec.launch.stdout_path),
                   facts, folder);
  out.error = spec.launch.stderr_path.empty()
                  ? out.output
                  : fill_pattern(spec.launch.stderr_path, facts, folder);
  return out;
}

MatchStderr stderr_matcher(const Chain& chain) {
  return [&chain](const Batch& batch, const TaskRun& run) -> std::optional<std::size_t> {
    const std::string text = end_of_file(output_paths(chain, batch, run.index, run.node).error);
    const auto& rules = chain.ladder.handling.stderr_rules;
    for (std::size_t i = 0; i < rules.size(); ++i)
      if (RE2::PartialMatch(text, RE2(rules[i].pattern, RE2::Quiet))) return i;
    return std::nullopt;
  };
}

Result<void> check_patterns(const Ladder& ladder) {
  for (const StderrRule& rule : ladder.handling.stderr_rules) {
    const RE2 pattern(rule.pattern, RE2::Quiet);
    if (!pattern.ok())
      return bad_input(
          fmt::format("cannot read the pattern '{}': {}", rule.pattern, pattern.error()),
          "write a regular expression as RE2 takes it");
  }
  return {};
}

JobSpec handler_job(const Chain& chain, Cluster& cluster) {
  JobSpec out;
  out.name = "sluice-handler";
  out.account = chain.spec.account;
  out.qos = chain.spec.qos;
  out.reservation = chain.spec.reservation;
  out.tasks = 1;
  out.cpus_per_task = 1;
  out.memory =
      MemoryRequest{MemoryPer::kNode, 256 + static_cast<std::int64_t>(chain.tasks.size()) / 2000};
  out.requeue = true;
  // Somewhere among the chain's partitions: those that give it the time it may need.
  std::vector<std::string> named;
  for (const Level& level : chain.ladder.levels)
    for (const std::string& name : level.partitions)
      if (std::find(named.begin(), named.end(), name) == named.end()) named.push_back(name);
  if (const auto description = cluster.describe()) {
    const Ceilings ceilings = ceilings_of(*description, chain.spec);
    if (named.empty() && !ceilings.default_partition.empty())
      named.push_back(ceilings.default_partition);
    const auto allow = [&](Duration time) {
      std::vector<std::string> allowed;
      for (const std::string& name : named)
        if (const PartitionCeiling* one = ceilings.find(name))
          if ((!one->time || *one->time >= time) && one->memory_mb >= out.memory->mb)
            allowed.push_back(name);
      return allowed;
    };
    out.time_limit = kHandlerTime;
    out.partitions = allow(kHandlerTime);
    if (out.partitions.size() < named.size()) {
      out.time_limit = kShortHandlerTime;
      out.partitions = allow(kShortHandlerTime);
    }
    if (ceilings.time && *ceilings.time < *out.time_limit) out.time_limit = ceilings.time;
  }
  if (out.partitions.empty()) out.partitions = std::move(named);
  std::error_code problem;
  const std::string program = fs::read_symlink("/proc/self/exe", problem).string();
  // Everything but the chain's name is read from the ledger.
  out.launch.script =
      fmt::format("#!/bin/sh\nexec \"$SLUICE_PROGRAM\" chain advance {}\n", chain.id);
  out.launch.working_directory = chain_folder(chain.id);
  out.launch.stdout_path = "handlers.log";
  out.launch.open_mode = OpenMode::kAppend;
  out.launch.environment = {{"SLUICE_PROGRAM", program}};
  for (const char* name : {"HOME", "PATH", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "SLUICE_HOME",
                           "XDG_STATE_HOME", "XDG_CONFIG_HOME", "LD_PRELOAD", "SLUICE_CLOCK"})
    if (const std::string value = environment_value(name); !value.empty())
      out.launch.environment.push_back({name, value});
  return out;
}

}  // namespace sluice
