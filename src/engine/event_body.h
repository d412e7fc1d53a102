// The body of each kind of event, written down once for both directions.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "model/event.h"
#include "storage/bytes.h"
#include "storage/job_fields.h"
#include "storage/outcome_fields.h"
#include "storage/policy_fields.h"
#include "storage/short_writer.h"

namespace sluice {

template <>
struct LastOf<SuspendedBy> {
  static constexpr auto value = SuspendedBy::kGang;
  static_assert(static_cast<int>(value) == 2, "the numbers of enumerators are for ever");
};
template <>
struct LastOf<HeldBy> {
  static constexpr auto value = HeldBy::kReservationGone;
  static_assert(static_cast<int>(value) == 3, "the numbers of enumerators are for ever");
};
template <>
struct LastOf<NodeState> {
  static constexpr auto value = NodeState::kDown;
  static_assert(static_cast<int>(value) == 2, "the numbers of enumerators are for ever");
};

// Why a policy that was read cannot be used: something names what is not there. Empty: it can.
std::string broken_reference(const Policy& policy);

// Fails where the sum leaves 64 bits.
inline Instant later(ByteReader& in, Instant from, std::int64_t by) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(from.time_since_epoch().count(), by, &sum)) {
    in.fail("a time that does not fit into 64 bits");
    return from;
  }
  return Instant(Duration(sum));
}

// The two directions have the same verbs, so that every body is written down once. `Out` is a
// ByteWriter, or for those that are short a ShortWriter.
template <class Out>
class EventWriter {
 public:
  EventWriter(Out& out, Instant now, std::uint32_t& last_job)
      : out_(out), now_(now), last_job_(last_job) {}

  void job(JobId id) {
    out_.zigzag(std::int64_t{id.value()} - std::int64_t{last_job_});
    last_job_ = id.value();
  }
  template <class T>
  void value(const T& it) {
    if constexpr (IsPlain<T>)
      write_element(out_, it);
    else
      PackedWriter(out_).element(it);
  }
  void time(Instant it) { out_.zigzag((it - now_).count()); }
  void shares(const Allocation& allocation) {
    out_.varint(allocation.size());
    std::int64_t node = 0;
    for (const NodeShare& share : allocation.shares()) {
      const int has = (share.memory_mb != 0 ? 1 : 0) | (share.gpus != 0 ? 2 : 0) |
                      (share.layer != 0 ? 4 : 0) | (share.first_cpu != 0 ? 8 : 0);
      out_.byte(static_cast<std::uint8_t>(has));
      out_.zigzag(std::int64_t{share.node.value()} - node);
      out_.zigzag(share.cpus);
      if ((has & 1) != 0) out_.zigzag(share.memory_mb);
      if ((has & 2) != 0) out_.varint(share.gpus);
      if ((has & 4) != 0) out_.byte(share.layer);
      if ((has & 8) != 0) out_.zigzag(share.first_cpu);
      node = share.node.value();
    }
  }
  // Most runs end well and were not measured: one byte.
  void ended(const Outcome& it, bool forgotten) {
    const bool plain = it == Outcome{it.state, 0, 0, 0, Duration(0)};
    out_.byte(static_cast<std::uint8_t>(static_cast<int>(it.state) | (plain ? 0 : 0x80) |
                                        (forgotten ? 0x40 : 0)));
    if (plain) return;
    out_.zigzag(it.exit_code);
    out_.zigzag(it.signal);
    out_.zigzag(it.max_rss_kb);
    out_.zigzag(it.cpu_time.count());
  }
  template <class T>
  void optional(const std::optional<T>& it) {
    out_.byte(it ? 1 : 0);
    if (it) value(*it);
  }
  template <class T>
  void shared(const std::shared_ptr<const T>& it) {
    CHECK(it != nullptr, "an event without what it is about");
    value(*it);
  }

 private:
  Out& out_;
  Instant now_;
  std::uint32_t& last_job_;
};

class EventReader {
 public:
  EventReader(ByteReader& in, Instant now, std::uint32_t& last_job)
      : in_(in), now_(now), last_job_(last_job) {}

  void job(JobId& id) { id = JobId(last_job_ = near(last_job_)); }
  template <class T>
  void value(T& it) {
    PackedReader(in_).element(it);
  }
  void time(Instant& it) { it = later(in_, now_, in_.zigzag()); }
  void shares(Allocation& allocation) {
    const std::uint64_t count = in_.varint();
    std::uint32_t node = 0;
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
      const std::size_t start = in_.offset();
      NodeShare share;
      const std::uint8_t has = in_.byte();
      node = near(node);
      share.node = NodeId(node);
      value(share.cpus);
      if ((has & 1) != 0) value(share.memory_mb);
      if ((has & 2) != 0) value(share.gpus);
      if ((has & 4) != 0) share.layer = in_.byte();
      if ((has & 8) != 0) value(share.first_cpu);
      if (has > 15 || ((has & 8) != 0 && share.first_cpu == 0) ||
          ((has & 1) != 0 && share.memory_mb == 0) || ((has & 2) != 0 && share.gpus == 0) ||
          ((has & 4) != 0 && share.layer == 0))
        in_.fail_at(start, "a share of a node that cannot be");
      allocation.add(share);
    }
  }
  void ended(Outcome& it, bool& forgotten) {
    const std::size_t start = in_.offset();
    const std::uint8_t head = in_.byte();
    const int state = head & 0x3f;
    forgotten = (head & 0x40) != 0;
    if (state > static_cast<int>(LastOf<JobState>::value))
      return in_.fail_at(start, "state " + std::to_string(state) + " of a job is not known here");
    it.state = static_cast<JobState>(state);
    if (head < 0x80) return;
    value(it.exit_code);
    value(it.signal);
    value(it.max_rss_kb);
    value(it.cpu_time);
    if (it == Outcome{it.state, 0, 0, 0, Duration(0)})
      in_.fail_at(start, "an outcome is longer than it needs to be");
  }
  template <class T>
  void optional(std::optional<T>& it) {
    bool there = false;
    value(there);
    if (there) value(it.emplace());
  }
  void shared(std::shared_ptr<const JobSpec>& it) {
    auto made = std::make_shared<JobSpec>();
    value(*made);
    it = std::move(made);
  }
  void shared(std::shared_ptr<const Policy>& it) {
    const std::size_t start = in_.offset();
    auto made = std::make_shared<Policy>();
    value(*made);
    if (const std::string broken = broken_reference(*made); in_.ok() && !broken.empty())
      in_.fail_at(start, broken);
    it = std::move(made);
  }

 private:
  // A number given as its distance from another.
  std::uint32_t near(std::uint32_t other) {
    const std::size_t start = in_.offset();
    std::int64_t sum = 0;
    if (__builtin_add_overflow(std::int64_t{other}, in_.zigzag(), &sum) || sum < 0 ||
        sum > std::numeric_limits<std::uint32_t>::max()) {
      in_.fail_at(start, "a number is out of range");
      return 0;
    }
    return static_cast<std::uint32_t>(sum);
  }
  ByteReader& in_;
  Instant now_;
  std::uint32_t& last_job_;
};

// Kinds. The number of one that is gone is not given again.
template <class Body>
inline constexpr std::uint8_t kKind = 0;
template <>
inline constexpr std::uint8_t kKind<PolicyAdopted> = 1;
template <>
inline constexpr std::uint8_t kKind<SpecDefined> = 2;
template <>
inline constexpr std::uint8_t kKind<JobSubmitted> = 3;
template <>
inline constexpr std::uint8_t kKind<JobBecameEligible> = 4;
template <>
inline constexpr std::uint8_t kKind<DependencyDecided> = 5;
template <>
inline constexpr std::uint8_t kKind<TaskSplit> = 6;
template <>
inline constexpr std::uint8_t kKind<JobStarted> = 7;
template <>
inline constexpr std::uint8_t kKind<JobSuspended> = 8;
template <>
inline constexpr std::uint8_t kKind<JobResumed> = 9;
template <>
inline constexpr std::uint8_t kKind<PreemptionWarned> = 10;
template <>
inline constexpr std::uint8_t kKind<JobEnding> = 11;
template <>
inline constexpr std::uint8_t kKind<JobEnded> = 12;
template <>
inline constexpr std::uint8_t kKind<JobRequeued> = 13;
template <>
inline constexpr std::uint8_t kKind<JobHeld> = 14;
template <>
inline constexpr std::uint8_t kKind<JobReleased> = 15;
template <>
inline constexpr std::uint8_t kKind<JobChanged> = 16;
template <>
inline constexpr std::uint8_t kKind<TimeLimitChanged> = 17;
template <>
inline constexpr std::uint8_t kKind<ThrottleChanged> = 18;
template <>
inline constexpr std::uint8_t kKind<TasksCancelled> = 19;
template <>
inline constexpr std::uint8_t kKind<NodeChanged> = 20;
template <>
inline constexpr std::uint8_t kKind<PrioritiesCalculated> = 21;
template <>
inline constexpr std::uint8_t kKind<UsageWasReset> = 22;
template <>
inline constexpr std::uint8_t kKind<JobForgotten> = 23;
template <>
inline constexpr std::uint8_t kKind<RequeueWithdrawn> = 24;
template <>
inline constexpr std::uint8_t kKind<LimitSignalled> = 25;
template <>
inline constexpr std::uint8_t kKind<TaskPutInLine> = 26;
template <>
inline constexpr std::uint8_t kKind<ReservationMade> = 27;
template <>
inline constexpr std::uint8_t kKind<ReservationRemoved> = 28;
template <>
inline constexpr std::uint8_t kKind<AgeBegan> = 29;

// Whether it is short enough for a ShortWriter: those of which every job has some.
template <class Body>
inline constexpr bool kMayBeShort =
    std::is_same_v<Body, JobSubmitted> || std::is_same_v<Body, JobBecameEligible> ||
    std::is_same_v<Body, JobStarted> || std::is_same_v<Body, JobEnding> ||
    std::is_same_v<Body, JobEnded> || std::is_same_v<Body, JobRequeued> ||
    std::is_same_v<Body, PrioritiesCalculated> || std::is_same_v<Body, JobForgotten>;
template <class Body>
bool is_short(const Body& event) {
  // A head, the time since the last and no more than eight numbers, or a share's six and four.
  static_assert(ShortWriter::kRoom > 1 + 12 * ShortWriter::kLongestNumber);
  if constexpr (std::is_same_v<Body, JobStarted>) return event.allocation.size() <= 1;
  return kMayBeShort<Body>;
}

// A body is what it was when its kind got its number: one that has to say more is a new kind.
void body(auto& io, Like<PolicyAdopted> auto& event) {
  auto& [policy] = event;
  io.shared(policy);
}
void body(auto& io, Like<SpecDefined> auto& event) {
  auto& [spec, request, keep] = event;
  io.value(spec);
  io.shared(request);
  io.value(keep);
}
void body(auto& io, Like<JobSubmitted> auto& event) {
  auto& [job, spec, limit] = event;
  io.job(job);
  io.value(spec);
  io.optional(limit);
}
void body(auto& io, Like<JobBecameEligible> auto& event) {
  auto& [job] = event;
  io.job(job);
}
void body(auto& io, Like<DependencyDecided> auto& event) {
  auto& [job, never] = event;
  io.job(job);
  io.value(never);
}
void body(auto& io, Like<TaskSplit> auto& event) {
  auto& [array, task, job] = event;
  io.job(array);
  io.value(task);
  io.job(job);
}
void body(auto& io, Like<JobStarted> auto& event) {
  auto& [job, attempt, partition, allocation] = event;
  io.job(job);
  io.value(attempt);
  io.value(partition);
  io.shares(allocation);
}
void body(auto& io, Like<JobSuspended> auto& event) {
  auto& [job, by, preemptor] = event;
  io.job(job);
  io.value(by);
  io.value(preemptor);
}
void body(auto& io, Like<JobResumed> auto& event) {
  auto& [job] = event;
  io.job(job);
}
void body(auto& io, Like<PreemptionWarned> auto& event) {
  auto& [job, preemptor, deadline] = event;
  io.job(job);
  io.value(preemptor);
  io.time(deadline);
}
void body(auto& io, Like<JobEnding> auto& event) {
  auto& [job, as, requeue, preemptor] = event;
  io.job(job);
  io.value(as);
  io.value(requeue);
  io.value(preemptor);
}
void body(auto& io, Like<JobEnded> auto& event) {
  auto& [job, attempt, outcome, forgotten] = event;
  io.job(job);
  io.value(attempt);
  io.ended(outcome, forgotten);
}
void body(auto& io, Like<JobRequeued> auto& event) {
  auto& [job, begin, held] = event;
  io.job(job);
  io.time(begin);
  io.value(held);
}
void body(auto& io, Like<JobHeld> auto& event) {
  auto& [job, by] = event;
  io.job(job);
  io.value(by);
}
void body(auto& io, Like<JobReleased> auto& event) {
  auto& [job] = event;
  io.job(job);
}
void body(auto& io, Like<JobChanged> auto& event) {
  auto& [job, spec] = event;
  io.job(job);
  io.value(spec);
}
void body(auto& io, Like<TimeLimitChanged> auto& event) {
  auto& [job, limit] = event;
  io.job(job);
  io.value(limit);
}
void body(auto& io, Like<ThrottleChanged> auto& event) {
  auto& [array, throttle] = event;
  io.job(array);
  io.optional(throttle);
}
void body(auto& io, Like<TasksCancelled> auto& event) {
  auto& [array, tasks] = event;
  io.job(array);
  io.value(tasks);
}
void body(auto& io, Like<NodeChanged> auto& event) {
  auto& [node, state, why] = event;
  io.value(node);
  io.value(state);
  io.value(why);
}
void body(auto&, Like<PrioritiesCalculated> auto&) {}
void body(auto&, Like<UsageWasReset> auto&) {}
void body(auto& io, Like<JobForgotten> auto& event) {
  auto& [job] = event;
  io.job(job);
}
void body(auto& io, Like<RequeueWithdrawn> auto& event) {
  auto& [job] = event;
  io.job(job);
}
void body(auto& io, Like<LimitSignalled> auto& event) {
  auto& [job] = event;
  io.job(job);
}
void body(auto& io, Like<TaskPutInLine> auto& event) {
  auto& [job] = event;
  io.job(job);
}
void body(auto& io, Like<ReservationMade> auto& event) {
  auto& [reservation] = event;
  io.value(reservation);
}
void body(auto& io, Like<ReservationRemoved> auto& event) {
  auto& [name] = event;
  io.value(name);
}
void body(auto& io, Like<AgeBegan> auto& event) {
  auto& [job] = event;
  io.job(job);
}

}  // namespace sluice
