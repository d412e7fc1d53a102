// The journal's bytes as they were when they were first written, its errors, and its lines.
#include "engine/codec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "storage/checksum.h"

namespace sluice {
namespace {

Event at(std::int64_t second, EventBody body) {
  return {Instant(seconds(second)), std::move(body)};
}

std::shared_ptr<const Policy> small_policy() {
  auto policy = std::make_shared<Policy>();
  policy->cluster = "lab";
  for (const char* name : {"n1", "n2", "n3", "n4", "n5"}) {
    policy->nodes.emplace_back().name = name;
    policy->nodes.back().cpus = 4;
  }
  policy->partitions.emplace_back().name = "all";
  policy->partitions.back().nodes = {NodeId(0), NodeId(1)};
  policy->qos.emplace_back().name = "normal";
  policy->qos.back().group.tres.put(kTresGpu, 4);
  policy->associations.emplace_back().account = "root";
  // The first journals did not say so: their history is kept for ever.
  policy->jobs.history_kept = Duration(0);
  return policy;
}

std::shared_ptr<const JobSpec> small_request() {
  auto request = std::make_shared<JobSpec>();
  request->name = "fit";
  request->user = "ann";
  request->account = "lab";
  request->cpus_per_task = 4;
  request->time_limit = minutes(10);
  request->array.emplace().indices.insert_range(0, 98, 2);
  request->launch.arguments = {"a b", ""};
  return request;
}

Allocation on(std::initializer_list<std::uint32_t> nodes, std::int32_t cpus, std::uint64_t gpus) {
  Allocation allocation;
  for (std::uint32_t node : nodes) {
    NodeShare share;
    share.node = NodeId(node);
    share.cpus = cpus;
    share.gpus = gpus;
    allocation.add(share);
  }
  return allocation;
}

IndexSet indices(std::uint32_t first, std::uint32_t last) {
  IndexSet set;
  set.insert_range(first, last);
  return set;
}

// One event of every kind.
std::vector<Event> all_kinds() {
  return {
      at(0, PolicyAdopted{small_policy()}),
      at(0, SpecDefined{SpecId(1), small_request(), false}),
      at(1, JobSubmitted{JobId(12), SpecId(1), minutes(5)}),
      at(1, JobBecameEligible{JobId(12)}),
      at(2, DependencyDecided{JobId(12), true}),
      at(2, TaskSplit{JobId(12), 4, JobId(13)}),
      at(60, JobStarted{JobId(13), 1, PartitionId(0), on({0}, 4, 0)}),
      at(61, JobSuspended{JobId(13), SuspendedBy::kPreemption, JobId(14)}),
      at(62, JobResumed{JobId(13)}),
      at(63, PreemptionWarned{JobId(13), JobId(14), Instant(seconds(120))}),
      at(64, JobEnding{JobId(13), JobState::kPreempted, true, JobId(14)}),
      at(65, JobEnded{JobId(13), 1, {JobState::kOutOfMemory, 0, 9, 4096, seconds(3)}}),
      at(65, JobRequeued{JobId(13), Instant(seconds(185)), false}),
      at(66, JobHeld{JobId(13), HeldBy::kAdmin}),
      at(67, JobReleased{JobId(13)}),
      at(68, JobChanged{JobId(13), SpecId(2)}),
      at(69, TimeLimitChanged{JobId(13), minutes(90)}),
      at(70, ThrottleChanged{JobId(12), 10}),
      at(71, TasksCancelled{JobId(12), indices(50, 98)}),
      at(72, NodeChanged{NodeId(1), NodeState::kDown, "fan"}),
      at(73, PrioritiesCalculated{}),
      at(74, UsageWasReset{}),
      at(365'000, JobForgotten{JobId(13)}),
      at(365'000, RequeueWithdrawn{JobId(14)}),
  };
}

std::string written(const std::vector<Event>& events) {
  std::string out = journal_header();
  JournalWriter writer(out);
  for (const Event& event : events) writer.append(event);
  writer.end_batch();
  return out;
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

// Format 1, for ever. When this fails the code no longer reads what is on people's disks: mend the
// code, not the bytes. A new field reads as zero from these: give it zero in small_policy().
constexpr std::string_view kFormat1 =
    "736c75696365206a6f75726e616c0a01a203c706a2cc000101036c6162020503637075036d656d046e6f6465"
    "0762696c6c696e6708677265732f677075030501026e31020803020402050208020001026e32020803020402"
    "050208020001026e33020803020402050208020001026e34020803020402050208020001026e350208030204"
    "02050208020004010103616c6c0202000109020a02120800050101066e6f726d616c0401010408000d80897a"
    "0006010104726f6f7406020009098090e4c0040a8090e4c0040bc0cf240e1702000a05e0d40307000b010203"
    "80f0b25204c0a90705e80708c8010b80d30e000c010203000d01e90702904e030104c0cf2405e0d403070c00"
    "00020101036669740203616e6e03036c61620a0814809f491a010100310200220202036120620000000083e8"
    "07180101c0cf24040085e8070001060004028790c5030001000100000888e80700010e89e807008ae807000e"
    "d0fa068be8070009010e8ce80700018a00128040f02e0d0080d30e008ee80700028fe8070090e807000291e8"
    "07008097930592e80701010a93e807000132300194e80701020366616e95e80796e80797b0a881ae01021802";

TEST(Journal, ReadsWhatFormat1Wrote) {
  const std::string bytes = from_hex(kFormat1);
  auto reader = JournalReader::of_journal(bytes);
  ASSERT_TRUE(reader.has_value());
  std::vector<Event> events;
  ASSERT_TRUE(reader->next(events).value());
  const std::vector<Event> expected = all_kinds();
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i)
    EXPECT_TRUE(events[i] == expected[i]) << describe(expected[i], nullptr);
  EXPECT_FALSE(reader->next(events).value());
  EXPECT_FALSE(reader->cut_off());
}

TEST(Journal, WritesFormat1) { EXPECT_EQ(to_hex(written(all_kinds())), kFormat1); }

// Came after the bytes above.
TEST(Journal, ReadsLaterKinds) {
  const std::vector<Event> later = {at(0, LimitSignalled{JobId(14)}), at(0, AgeBegan{JobId(16)}),
                                    at(0, TaskPutInLine{JobId(15)})};
  const std::string bytes = written(later);
  EXPECT_EQ(to_hex(bytes).substr(2 * (journal_header().size() + 5)), "00191c1d041a01");
  auto reader = JournalReader::of_journal(bytes);
  std::vector<Event> events;
  ASSERT_TRUE(reader->next(events).value());
  EXPECT_EQ(events, later);
  EXPECT_EQ(describe(later.front(), nullptr), "0:00:00 job 14 signalled before its time limit");
  EXPECT_EQ(describe(later.back(), nullptr),
            "0:00:00 job 15 put in line behind a task of its array");
}

TEST(Journal, ReadsReservations) {
  Reservation night;
  night.name = "night";
  night.start = Instant(seconds(3600));
  night.end = Instant(seconds(7200));
  night.nodes = {"n1", "n2"};
  night.users = {"ann"};
  night.repeat = ReservationRepeat::kDaily;
  night.flags.ignore_jobs = true;
  const std::vector<Event> later = {at(0, ReservationMade{night}),
                                    at(1, ReservationRemoved{"night"}),
                                    at(2, JobHeld{JobId(14), HeldBy::kReservationGone})};
  const std::string bytes = written(later);
  auto reader = JournalReader::of_journal(bytes);
  std::vector<Event> events;
  ASSERT_TRUE(reader->next(events).value());
  EXPECT_EQ(events, later);
  EXPECT_EQ(describe(later[0], nullptr),
            "0:00:00 reservation night of 2 nodes from 1:00:00 to 2:00:00");
}

TEST(Journal, SmallEventsTakeFewBytes) {
  std::string out;
  JournalWriter writer(out);
  writer.append(at(1000, JobSubmitted{JobId(70'000), SpecId(5), std::nullopt}));
  writer.end_batch();
  const std::size_t one = out.size();
  EXPECT_EQ(one, 1u + 4 + 3 + 1 + 3 + 1 + 1);
  out.clear();
  writer.append(at(1000, JobSubmitted{JobId(70'000), SpecId(5), std::nullopt}));
  writer.append(at(1000, JobBecameEligible{JobId(70'000)}));
  writer.append(at(1000, JobStarted{JobId(70'000), 1, PartitionId(0), on({3}, 4, 0)}));
  writer.end_batch();
  EXPECT_EQ(out.size() - one, 2u + 8);
}

TEST(Journal, AnEmptyBatchLeavesNoTrace) {
  std::string out;
  JournalWriter writer(out);
  writer.end_batch();
  EXPECT_EQ(out, "");
}

std::string error_of(std::string_view bytes) {
  auto reader = JournalReader::of_journal(bytes);
  if (!reader) return reader.error().text();
  std::vector<Event> events;
  for (;;) {
    auto more = reader->next(events);
    if (!more) return more.error().text();
    if (!*more) return reader->cut_off() ? "cut off" : "whole";
  }
}

std::string with_payload(std::string_view payload) {
  ByteWriter out;
  out.varint(payload.size());
  for (unsigned i = 0; i < 4; ++i) out.byte(static_cast<std::uint8_t>(crc32c(payload) >> (8 * i)));
  return journal_header() + std::string(out.view()) + std::string(payload);
}

TEST(Journal, SaysWhereItDoesNotUnderstand) {
  EXPECT_EQ(error_of("PNG"),
            "journal, byte 0: this is not a journal of sluice\n"
            "  a journal begins with 'sluice journal'");
  EXPECT_EQ(error_of("sluice journal\n\x07"),
            "journal, byte 15: the journal has format 7, this program reads format 1\n"
            "  use the version of sluice that wrote it, or a newer one");
  // Header 16 bytes, length 1, checksum 4: the payload begins at 21, its first event at 22.
  EXPECT_EQ(error_of(with_payload({"\x00\x7f", 2})),
            "journal, byte 22: event kind 127 is not known here");
  EXPECT_EQ(error_of(with_payload({"\x00\x04", 2})), "journal, byte 23: the bytes end too early");
  EXPECT_EQ(error_of(with_payload({"\x00\x0e\x02\x09", 4})),
            "journal, byte 24: a choice of 9 is not known here");
  // Request 1 with field 99, at 24.
  EXPECT_EQ(error_of(with_payload({"\x00\x02\x01\x63\x00\x00", 6})),
            "journal, byte 24: field 99 is not known here");
  EXPECT_EQ(error_of(with_payload({"\x00\x04\x81\x00", 4})),
            "journal, byte 25: a number is longer than it needs to be");
  EXPECT_EQ(error_of(with_payload({"\x00\x04\x01", 3})),
            "journal, byte 23: a number is out of range");
}

TEST(Journal, TellsACutOffEndFromDamage) {
  std::string out = journal_header();
  JournalWriter writer(out);
  std::vector<std::size_t> ends;
  for (std::uint32_t job = 1; job <= 3; ++job) {
    writer.append(at(job, JobBecameEligible{JobId(job)}));
    writer.end_batch();
    ends.push_back(out.size());
  }
  EXPECT_EQ(error_of(out), "whole");
  EXPECT_EQ(error_of(out.substr(0, ends[1])), "whole");
  EXPECT_EQ(error_of(out.substr(0, ends[1] + 3)), "cut off");
  EXPECT_EQ(error_of(out + std::string(4096, '\0')), "cut off") << "space that was never written";
  std::string damaged = out;
  damaged[ends[0] + 6] ^= 1;
  EXPECT_EQ(error_of(damaged),
            "journal, byte " + std::to_string(ends[0]) +
                ": a batch is damaged, and sound ones follow: nothing was cut off here\n"
                "  take the journal from a copy");
}

TEST(Journal, RefusesTimeThatRunsBackwards) {
  std::string out = journal_header();
  for (std::int64_t second : {5, 4}) {
    JournalWriter writer(out);
    writer.append(at(second, UsageWasReset{}));
    writer.end_batch();
  }
  EXPECT_EQ(error_of(out), "journal, byte 29: time runs backwards");
}

TEST(Journal, RefusesAPolicyThatNamesWhatIsNotThere) {
  auto policy = std::make_shared<Policy>(*small_policy());
  policy->partitions[0].nodes.push_back(NodeId(7));
  EXPECT_NE(error_of(written({at(0, PolicyAdopted{policy})}))
                .find("a partition has a node that is not there"),
            std::string::npos);
}

TEST(Describe, SaysEverythingInOneLine) {
  const auto policy = small_policy();
  std::string text;
  for (const Event& event : all_kinds()) text += describe(event, policy.get()) + "\n";
  EXPECT_EQ(text,
            "0:00:00 policy of lab adopted: 5 nodes, 1 partitions, 1 associations, 1 QoS\n"
            "0:00:00 request 1 'fit' of ann in account lab, 50 tasks\n"
            "0:00:01 job 12 submitted, request 1\n"
            "0:00:01 job 12 became eligible\n"
            "0:00:02 job 12: its dependency can never come true\n"
            "0:00:02 task 4 of array 12 became job 13\n"
            "0:01:00 job 13 started on n1 (4 cpus)\n"
            "0:01:01 job 13 suspended, makes room for job 14\n"
            "0:01:02 job 13 resumed\n"
            "0:01:03 job 13 warned, makes room for job 14 at 0:02:00\n"
            "0:01:04 job 13 told to end: PREEMPTED, makes room for job 14, to be requeued\n"
            "0:01:05 job 13 ended: OUT_OF_MEMORY, signal 9\n"
            "0:01:05 job 13 requeued, not before 0:03:05\n"
            "0:01:06 job 13 held by an administrator\n"
            "0:01:07 job 13 released\n"
            "0:01:08 job 13 changed to request 2\n"
            "0:01:09 job 13 has a new time limit of 1:30:00\n"
            "0:01:10 array 12 may run 10 tasks at once\n"
            "0:01:11 49 tasks of array 12 cancelled\n"
            "0:01:12 node n2 is down: fan\n"
            "0:01:13 priorities calculated\n"
            "0:01:14 usage reset\n"
            "101:23:20 job 13 forgotten\n"
            "101:23:20 job 14 will not be requeued after all\n");
}

TEST(Describe, NamesAFewNodesAndCountsTheOthers) {
  const auto policy = small_policy();
  EXPECT_EQ(describe(at(1, JobStarted{JobId(1), 2, {}, on({0, 1, 2, 3, 4}, 4, 3)}), policy.get()),
            "0:00:01 job 1 started on n1,n2,n3,n4,… 5 nodes (20 cpus, 10 gpus), attempt 2");
  EXPECT_EQ(describe({Instant(Duration(1'789'000'000'250)), JobResumed{JobId(1)}}, nullptr),
            "2026-09-10T00:26:40.250Z job 1 resumed");
}

TEST(Checksum, IsCrc32c) {
  // The check value of CRC-32C, and the vectors of RFC 3720, B.4.
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string bytes;
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_EQ(crc32c(bytes), checksum_detail::crc32c_by_table(bytes)) << i << " bytes";
    bytes += static_cast<char>(i * 167 + 13);
  }
}

}  // namespace
}  // namespace sluice
