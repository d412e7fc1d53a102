// Names are numbered as they come; equal requests become one.
#include "sim/workloads/log_workload.h"

#include <algorithm>
#include <limits>
#include <map>

#include "engine/codec.h"
#include "model/event.h"
#include "sim/workloads/request_table.h"

namespace sluice {
namespace {

class Numbers {
 public:
  explicit Numbers(std::vector<std::string>& names) : names_(names) {}
  std::uint32_t index_of(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
  }
  // Counted from 1; 0 for nothing.
  std::uint32_t place_of(const std::string& name) { return name.empty() ? 0 : index_of(name) + 1; }

 private:
  std::vector<std::string>& names_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

// A job that ran into its limit would have gone on.
Duration whole_run(Duration run, JobState state, Duration limit) {
  return state == JobState::kTimeout ? std::max(run, limit) + minutes(1) : run;
}

class Maker {
 public:
  explicit Maker(std::string name) : requests_(out_.requests) { out_.name = std::move(name); }

  void add(const LoggedRecord& job) {
    if (job.cpus <= 0 || job.cpus > std::numeric_limits<std::int32_t>::max() || !job.elapsed) {
      ++out_.left_out.without_size;
      return;
    }
    if (!has_ended(job.state)) {
      ++out_.left_out.not_ended;
      return;
    }
    if (job.state == JobState::kCancelled && *job.elapsed == Duration(0)) {
      ++out_.left_out.never_started;
      return;
    }
    WorkRequest request;
    request.cpus = static_cast<std::int32_t>(job.cpus);
    request.gpus = static_cast<std::int32_t>(std::min<std::int64_t>(job.gpus, 1'000'000));
    request.nodes = static_cast<std::int32_t>(std::min<std::int64_t>(job.nodes, 1'000'000));
    request.user = users_.index_of(job.user.empty() ? "unknown" : job.user);
    request.account = accounts_.index_of(job.account);
    request.qos = qos_.place_of(job.qos);
    request.partition = partitions_.place_of(job.partition);
    request.program = programs_.place_of(job.program);
    if (job.memory) {
      request.memory_mb = job.memory->mb;
      request.memory_per = job.memory->per;
    }
    if (!job.limit) ++out_.without_limit;
    request.limit = job.limit ? *job.limit : std::max(*job.elapsed, minutes(1));
    WorkItem item;
    item.submit = job.submitted;
    item.run = whole_run(*job.elapsed, job.state, request.limit);
    item.ends = job.state == JobState::kTimeout ? JobState::kCompleted : job.state;
    item.request = requests_.number_of(request);
    item.log_line = job.line;
    out_.items.push_back(item);
  }

  // Times count from midnight before the first submission, so that the hours of the day stay.
  Workload finish() {
    std::stable_sort(out_.items.begin(), out_.items.end(),
                     [](const WorkItem& a, const WorkItem& b) { return a.submit < b.submit; });
    std::uint32_t number = 0;
    if (!out_.items.empty()) {
      constexpr std::int64_t kDay = 86'400;
      const std::int64_t first = to_seconds(out_.items.front().submit);
      const Duration before = seconds(first - ((first % kDay) + kDay) % kDay);
      for (WorkItem& item : out_.items) {
        item.submit -= before;
        item.number = ++number;
      }
    }
    return std::move(out_);
  }

  Workload& workload() { return out_; }

 private:
  Workload out_;
  RequestTable requests_;
  Numbers users_{out_.users};
  Numbers accounts_{out_.accounts};
  Numbers qos_{out_.qos};
  Numbers partitions_{out_.partitions};
  Numbers programs_{out_.labels};
};

LoggedRecord record_of(const JobSpec& spec) {
  LoggedRecord out;
  out.user = spec.user;
  out.account = spec.account;
  out.qos = spec.qos;
  if (!spec.partitions.empty()) out.partition = spec.partitions.front();
  out.program = spec.name;
  out.memory = spec.memory;
  out.limit = spec.time_limit;
  if (spec.max_nodes && spec.max_nodes == spec.min_nodes) out.nodes = *spec.max_nodes;
  return out;
}

// What each job of a journal was and became.
class JournalLog {
 public:
  void take(const Event& event) {
    if (const auto* adopted = std::get_if<PolicyAdopted>(&event.body)) {
      cpus_ = 0;
      for (const Node& node : adopted->policy->nodes) cpus_ += node.cpus;
    } else if (const auto* defined = std::get_if<SpecDefined>(&event.body)) {
      specs_[defined->spec] = defined->request;
    } else if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
      submit(submitted->job, submitted->spec, submitted->limit, event.at);
    } else if (const auto* split = std::get_if<TaskSplit>(&event.body)) {
      if (const auto array = jobs_.find(split->array); array != jobs_.end())
        jobs_[split->job] = array->second;
    } else if (const auto* changed = std::get_if<JobChanged>(&event.body)) {
      // A job that has started keeps what it runs with.
      if (const auto job = jobs_.find(changed->job); job != jobs_.end() && !job->second.started) {
        const Instant at = job->second.submitted;
        submit(changed->job, changed->spec, std::nullopt, at);
      }
    } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
      start(*started, event.at);
    } else if (const auto* suspended = std::get_if<JobSuspended>(&event.body)) {
      suspended_at_[suspended->job] = event.at;
    } else if (const auto* resumed = std::get_if<JobResumed>(&event.body)) {
      resume(resumed->job, event.at);
    } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
      resume(ended->job, event.at);
      end(*ended, event.at);
    } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
      if (const auto job = jobs_.find(requeued->job); job != jobs_.end())
        job->second.state = JobState::kPending;
    }
  }

  void hand_over(Maker& maker) const {
    for (const auto& [id, job] : jobs_)
      if (job.started) maker.add(job);
    maker.workload().machine_cpus = static_cast<std::int32_t>(
        std::min<std::int64_t>(cpus_, std::numeric_limits<std::int32_t>::max()));
  }

 private:
  void submit(JobId job, SpecId spec, std::optional<Duration> limit, Instant at) {
    const auto found = specs_.find(spec);
    if (found == specs_.end()) return;
    LoggedRecord record = record_of(*found->second);
    if (limit) record.limit = limit;
    record.submitted = at;
    record.state = JobState::kPending;
    record.line = job.value();
    jobs_[job] = std::move(record);
  }

  void start(const JobStarted& started, Instant at) {
    const auto job = jobs_.find(started.job);
    if (job == jobs_.end()) return;
    LoggedRecord& record = job->second;
    record.started = at;
    suspended_for_.erase(started.job);
    record.cpus = record.gpus = 0;
    for (const NodeShare& share : started.allocation.shares()) {
      record.cpus += share.cpus;
      record.gpus += __builtin_popcountll(share.gpus);
    }
    record.state = JobState::kRunning;
  }

  // What a job was suspended for is no part of its run: under another policy it may not be.
  void resume(JobId job, Instant at) {
    const auto since = suspended_at_.find(job);
    if (since == suspended_at_.end()) return;
    suspended_for_[job] += at - since->second;
    suspended_at_.erase(since);
  }

  void end(const JobEnded& ended, Instant at) {
    const auto job = jobs_.find(ended.job);
    if (job == jobs_.end() || !job->second.started) return;
    const auto suspended = suspended_for_.find(ended.job);
    job->second.elapsed = at - *job->second.started -
                          (suspended == suspended_for_.end() ? Duration(0) : suspended->second);
    job->second.state = ended.outcome.state;
  }

  std::map<SpecId, std::shared_ptr<const JobSpec>> specs_;
  std::map<JobId, LoggedRecord> jobs_;
  std::map<JobId, Instant> suspended_at_;
  std::map<JobId, Duration> suspended_for_;
  std::int64_t cpus_ = 0;
};

}  // namespace

Workload workload_of_log(const std::vector<LoggedRecord>& log, std::string name) {
  Maker maker(std::move(name));
  for (const LoggedRecord& job : log) maker.add(job);
  return maker.finish();
}

Result<Workload> workload_of_journal(std::string_view bytes, std::string name) {
  TRY(JournalReader reader, JournalReader::of_journal(bytes));
  JournalLog log;
  std::vector<Event> events;
  while (true) {
    TRY(const bool more, reader.next(events));
    if (!more) break;
    for (const Event& event : events) log.take(event);
  }
  Maker maker(std::move(name));
  log.hand_over(maker);
  return maker.finish();
}

}  // namespace sluice
