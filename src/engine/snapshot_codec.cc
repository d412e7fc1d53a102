#include "engine/snapshot_codec.h"

#include <bit>
#include <utility>

#include "engine/event_body.h"
#include "storage/checksum.h"

namespace sluice {

template <>
struct LastOf<DependencyState> {
  static constexpr auto value = DependencyState::kNever;
  static_assert(static_cast<int>(value) == 3, "the numbers of enumerators are for ever");
};

namespace {

constexpr std::uint64_t kVersion = 1;

// What has no fields of its own, in a form that has.
struct WrittenSpec {
  SpecId id;
  // Not copied to be written: scripts and environments are most of a state.
  std::shared_ptr<JobSpec> request = std::make_shared<JobSpec>();
  UserId user;
  bool keep = false;
};
struct WrittenRun {
  Run run;
  std::vector<NodeShare> shares;
};
// Bits, so that nothing is rounded.
struct WrittenPast {
  std::uint64_t billing = 0;
  std::uint64_t wall = 0;
  std::vector<std::uint64_t> tres;
};
struct Written {
  Policy policy;
  Instant origin{};
  Instant last_calculated{};
  Instant now{};
  std::uint32_t next_job = 0;
  std::uint32_t next_spec = 0;
  std::uint64_t starts = 0;
  std::vector<std::string> users;
  std::vector<WrittenSpec> specs;
  std::vector<Job> jobs;
  std::vector<WrittenRun> runs;
  std::vector<Array> arrays;
  std::vector<NodeState> nodes;
  std::vector<WrittenPast> past;
  std::vector<WrittenPast> qos_past;
  std::vector<KeptTime> ended;
  std::vector<KeptTime> begins;
  std::vector<JobId> awaiting_signal;
  std::vector<JobId> overstaying;
  std::vector<Reservation> reservations;
};

}  // namespace

template <class Fields>
void each_field(Fields& f, Like<NodeShare> auto& item) {
  auto& [node, cpus, memory_mb, gpus, layer, first_cpu] = item;
  f(1, node);
  f(2, cpus);
  f(3, memory_mb);
  f(4, gpus);
  f(5, layer);
  f(6, first_cpu);
}

template <class Fields>
void each_field(Fields& f, Like<KeptTime> auto& item) {
  auto& [at, job] = item;
  f(1, at);
  f(2, job);
}

template <class Fields>
void each_field(Fields& f, Like<Job> auto& item) {
  auto& [id, spec, array, task, attempt, run, state, held, dependency, is_array, eligible, in_line,
         submitted, begin, eligible_since, ages_since, ended, limit] = item;
  f(1, id);
  f(2, spec);
  f(3, array);
  f(4, task);
  f(5, attempt);
  f(6, run);
  f(7, state);
  f(8, held);
  f(9, dependency);
  f(10, is_array);
  f(11, eligible);
  f(12, submitted);
  f(13, begin);
  f(14, eligible_since);
  f(15, ended);
  f(16, limit);
  f(17, in_line);
  f(18, ages_since);
}

template <class Fields>
void each_field(Fields& f, Like<Array> auto& item) {
  auto& [id, waiting, throttle, total, holding, unfinished, remembered, failed, any_started] = item;
  f(1, id);
  f(2, waiting);
  f(3, throttle);
  f(4, total);
  f(5, holding);
  f(6, unfinished);
  f(7, remembered);
  f(8, failed);
  f(9, any_started);
}

namespace {

template <class Fields>
void each_field(Fields& f, Like<WrittenSpec> auto& item) {
  auto& [id, request, user, keep] = item;
  f(1, id);
  f(2, *request);
  f(3, user);
  f(4, keep);
}

template <class Fields>
void each_field(Fields& f, Like<WrittenRun> auto& item) {
  auto& [job, partition, allocation, tres, order, started, ended, expected_end, planned_end,
         counted_until, suspended_at, warned_until, suspended_for, outcome, ending_as, requeue,
         warned, cpus_lent, suspended_by, preemptor] = item.run;
  // The allocation is in the shares; what it counts for follows from it.
  static_cast<void>(allocation);
  static_cast<void>(tres);
  f(1, job);
  f(2, partition);
  f(3, order);
  f(4, started);
  f(5, ended);
  f(6, expected_end);
  f(7, planned_end);
  f(8, counted_until);
  f(9, suspended_at);
  f(10, warned_until);
  f(11, suspended_for);
  f(12, outcome);
  f(13, ending_as);
  f(14, requeue);
  f(15, warned);
  f(16, cpus_lent);
  f(17, suspended_by);
  f(18, preemptor);
  f(19, item.shares);
}

template <class Fields>
void each_field(Fields& f, Like<WrittenPast> auto& item) {
  auto& [billing, wall, tres] = item;
  f(1, billing);
  f(2, wall);
  f(3, tres);
}

template <class Fields>
void each_field(Fields& f, Like<Written> auto& item) {
  auto& [policy, origin, last_calculated, now, next_job, next_spec, starts, users, specs, jobs,
         runs, arrays, nodes, past, qos_past, ended, begins, awaiting_signal, overstaying,
         reservations] = item;
  f(1, policy);
  f(2, origin);
  f(3, last_calculated);
  f(4, now);
  f(5, next_job);
  f(6, next_spec);
  f(7, starts);
  f(8, users);
  f(9, specs);
  f(10, jobs);
  f(11, runs);
  f(12, arrays);
  f(13, nodes);
  f(14, past);
  f(15, qos_past);
  f(16, ended);
  f(17, begins);
  f(18, awaiting_signal);
  f(19, overstaying);
  f(20, reservations);
}

std::vector<WrittenPast> written(const std::vector<PastUsage>& rows) {
  std::vector<WrittenPast> out;
  for (const PastUsage& row : rows) {
    WrittenPast& past = out.emplace_back();
    past.billing = std::bit_cast<std::uint64_t>(row.billing_seconds);
    past.wall = std::bit_cast<std::uint64_t>(row.wall_seconds);
    for (const double tres : row.tres_seconds)
      past.tres.push_back(std::bit_cast<std::uint64_t>(tres));
    while (!past.tres.empty() && past.tres.back() == 0) past.tres.pop_back();
  }
  return out;
}

std::vector<PastUsage> read_past(const std::vector<WrittenPast>& rows) {
  std::vector<PastUsage> out;
  for (const WrittenPast& row : rows) {
    PastUsage& past = out.emplace_back();
    past.billing_seconds = std::bit_cast<double>(row.billing);
    past.wall_seconds = std::bit_cast<double>(row.wall);
    for (std::size_t i = 0; i < std::min(row.tres.size(), past.tres_seconds.size()); ++i)
      past.tres_seconds[i] = std::bit_cast<double>(row.tres[i]);
  }
  return out;
}

constexpr std::size_t kRoomForTheRest = std::size_t{1} << 20;

// What users sent, which may have megabytes.
std::size_t bytes_of_texts(const std::vector<KeptSpec>& specs) {
  std::size_t out = 0;
  for (const KeptSpec& kept : specs) {
    const Launch& launch = kept.request->launch;
    out += launch.script.size();
    for (const std::string& word : launch.arguments) out += word.size() + 4;
    for (const EnvironmentVariable& variable : launch.environment)
      out += variable.name.size() + variable.value.size() + 12;
  }
  return out;
}

tl::unexpected<Error> damaged(std::string what) {
  return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::move(what), {}, {}});
}

// What the rest takes for granted; the checksum vouches for the rest of it.
std::string broken(const Written& it) {
  if (std::string problem = broken_reference(it.policy); !problem.empty()) return problem;
  if (it.nodes.size() != it.policy.nodes.size() ||
      it.past.size() != it.policy.associations.size() || it.qos_past.size() != it.policy.qos.size())
    return "its books do not fit its policy";
  for (const Job& job : it.jobs)
    if (job.run > it.runs.size()) return "a job's run is missing";
  return {};
}

}  // namespace

void write_snapshot(const StateSnapshot& from, ByteWriter& out) {
  Written all;
  all.policy = *from.policy;
  all.origin = from.origin;
  all.last_calculated = from.last_calculated;
  all.now = from.now;
  all.next_job = from.next_job;
  all.next_spec = from.next_spec;
  all.starts = from.starts;
  all.users = from.users;
  for (const KeptSpec& kept : from.specs)
    all.specs.push_back(
        {kept.id, std::const_pointer_cast<JobSpec>(kept.request), kept.user, kept.keep});
  all.jobs = from.jobs;
  for (const Run& run : from.runs) {
    const auto shares = run.allocation.shares();
    all.runs.push_back({run, {shares.begin(), shares.end()}});
  }
  all.arrays = from.arrays;
  all.nodes = from.nodes;
  all.past = written(from.past);
  all.qos_past = written(from.qos_past);
  all.ended = from.ended;
  all.begins = from.begins;
  all.awaiting_signal = from.awaiting_signal;
  all.overstaying = from.overstaying;
  all.reservations = from.reservations;
  out.clear();
  // A buffer that has to grow is there twice.
  out.room(kRoomForTheRest + bytes_of_texts(from.specs));
  out.varint(kVersion);
  const std::size_t checksum_at = out.size();
  for (unsigned i = 0; i < 4; ++i) out.byte(0);
  const std::size_t body_at = out.size();
  PackedWriter(out).element(all);
  const std::uint32_t checksum = crc32c(out.view().substr(body_at));
  for (unsigned i = 0; i < 4; ++i)
    out.data()[checksum_at + i] = static_cast<char>(checksum >> (8 * i));
}

std::string write_snapshot(const StateSnapshot& from) {
  ByteWriter out;
  write_snapshot(from, out);
  return std::string(out.view());
}

Result<StateSnapshot> read_snapshot(std::string_view bytes) {
  ByteReader head(bytes);
  const std::uint64_t version = head.varint();
  std::uint32_t stored = 0;
  for (unsigned i = 0; i < 4; ++i) stored |= std::uint32_t{head.byte()} << (8 * i);
  if (!head.ok()) return damaged("the snapshot is cut off");
  if (version != kVersion)
    return damaged("the snapshot has format " + std::to_string(version) +
                   ", this program reads format " + std::to_string(kVersion));
  const std::string_view body = bytes.substr(head.offset());
  if (crc32c(body) != stored) return damaged("the snapshot's checksum is wrong");
  ByteReader in(body);
  Written all;
  PackedReader(in).element(all);
  if (in.ok() && !in.at_end()) in.fail("something follows its end");
  if (!in.ok()) return damaged("the snapshot cannot be read: " + std::string(in.error()));
  if (const std::string problem = broken(all); !problem.empty())
    return damaged("the snapshot cannot be used: " + problem);
  StateSnapshot out;
  out.policy = std::make_shared<const Policy>(std::move(all.policy));
  out.origin = all.origin;
  out.last_calculated = all.last_calculated;
  out.now = all.now;
  out.next_job = all.next_job;
  out.next_spec = all.next_spec;
  out.starts = all.starts;
  out.users = std::move(all.users);
  for (WrittenSpec& spec : all.specs)
    out.specs.push_back({spec.id, std::move(spec.request), spec.user, spec.keep});
  out.jobs = std::move(all.jobs);
  for (WrittenRun& each : all.runs) {
    Run& run = out.runs.emplace_back(std::move(each.run));
    run.allocation = Allocation();
    for (const NodeShare& share : each.shares) run.allocation.add(share);
  }
  out.arrays = std::move(all.arrays);
  out.nodes = std::move(all.nodes);
  out.past = read_past(all.past);
  out.qos_past = read_past(all.qos_past);
  out.ended = std::move(all.ended);
  out.begins = std::move(all.begins);
  out.awaiting_signal = std::move(all.awaiting_signal);
  out.overstaying = std::move(all.overstaying);
  out.reservations = std::move(all.reservations);
  return out;
}

}  // namespace sluice
