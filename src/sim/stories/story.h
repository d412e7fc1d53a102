// A story: a cluster, what people do at which time, and what is expected right after.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "engine/command.h"
#include "model/index_set.h"
#include "model/job.h"
#include "model/outcome.h"
#include "model/policy.h"
#include "routing/settings.h"

namespace sluice {

// A job of the story, or some tasks of it: A, A[3], A[0-3].
struct StoryJob {
  std::string name;
  std::optional<IndexSet> tasks;
  std::string text;  // As written.
};

// What a job does once it runs, at every attempt.
struct StoryFate {
  std::optional<Duration> run;  // Nothing: it goes on until a user or its limit stops it.
  Outcome outcome;
};

struct StoryDependency {
  DependencyType type = DependencyType::kAfterAny;
  StoryJob job;
  Duration delay{0};
};

// ann submits A cpus=4 limit=10:00
struct StorySubmit {
  std::string who;
  std::string name;
  JobSpec request;  // Without dependencies: these are on jobs of the story.
  std::vector<StoryDependency> dependencies;
  bool any_dependency = false;
  StoryFate fate;
};

enum class StoryVerb : std::uint8_t { kCancel, kHold, kRelease, kRequeue, kSuspend, kResume };

// ann cancels A
struct StoryCommand {
  std::string who;
  StoryVerb verb = StoryVerb::kCancel;
  StoryJob job;
};

// root updates A qos=high
struct StoryUpdate {
  std::string who;
  StoryJob job;
  JobChange change;  // Without dependencies.
  std::optional<std::vector<StoryDependency>> dependencies;
  bool any_dependency = false;
};

// node n1 goes down
struct StoryNodeChange {
  std::vector<std::string> nodes;
  NodeState state = NodeState::kUp;
};

// root creates reservation R start=10:00 duration=20:00 nodes=n1 users=ann; root updates
// reservation R duration=30:00; root deletes reservation R
struct StoryReservation {
  enum class Verb : std::uint8_t { kCreate, kUpdate, kDelete };
  std::string who;
  Verb verb = Verb::kCreate;
  ReservationRequest request;  // With its name, whatever is done.
  ReservationChange change;
};

// A ends; A fails exit=1; A runs out of memory
struct StoryEnd {
  StoryJob job;
  Outcome outcome;
};

// alice routes A array=0-3 gpus=1 mem=125G device=gpu accounts=clive,maigan
struct StoryRoute {
  StorySubmit submit;
  std::string device;  // gpu, cpu, any; empty: what the job asks for.
  std::vector<std::string> accounts;
};

// alice rebalances
struct StoryRebalance {
  std::string who;
};

// policy sets qos.high.GrpTRES=cpu=4
struct StoryPolicyChange {
  std::shared_ptr<const Policy> policy;
};

struct StoryUsageReset {};
struct StoryTimePasses {};

using StoryAction =
    std::variant<StoryTimePasses, StorySubmit, StoryCommand, StoryUpdate, StoryNodeChange, StoryEnd,
                 StoryPolicyChange, StoryUsageReset, StoryRoute, StoryRebalance, StoryReservation>;

// What may be said of a job.
enum class StoryState : std::uint8_t {
  kStarts,     // At this instant.
  kRuns,       // Whenever it started.
  kWaits,      // Pending, with the reason given.
  kEnds,       // At this instant, for good or until it is requeued.
  kEnded,      // At any time.
  kSuspended,  // Now.
  kResumes,    // At this instant.
  kRequeued,   // At this instant.
  kPreempted,  // Picked to make room at this instant: ended, suspended or warned.
};

struct ExpectState {
  StoryJob job;
  StoryState state = StoryState::kRuns;
  std::string reason;               // kWaits: Slurm's word, or empty.
  std::optional<JobState> outcome;  // kEnds, kEnded
  std::vector<std::string> nodes;   // Where it runs, or is planned to.
  std::optional<Instant> expected;  // kWaits
};

// A is refused QOSGrpGRES "text"; without a job: what this line asked for.
struct ExpectRefusal {
  std::string reason;
  std::string message;  // A part of it.
};

// 3 of A run
struct ExpectCount {
  std::int64_t count = 0;
  StoryJob job;
  StoryState state = StoryState::kRuns;  // kRuns, kWaits, kEnded
};

// A has priority 1234; A has priority above B
struct ExpectPriority {
  StoryJob job;
  std::optional<std::int64_t> exactly;
  std::optional<StoryJob> above;
  std::optional<StoryJob> below;
};

// order A B C
struct ExpectOrder {
  std::vector<StoryJob> jobs;
};

// A holds gpus 0-3 of n1; A holds 4 cpus of n1; A holds 2G memory
struct ExpectHolding {
  StoryJob job;
  std::optional<IndexSet> gpus;
  std::string what;  // cpus, gpus, memory
  std::int64_t amount = 0;
  std::string node;  // Empty: of all nodes together.
};

// usage of qos interactive cpu=4 jobs=1
struct ExpectUsage {
  enum class Holder : std::uint8_t { kQos, kAccount, kUser };
  Holder holder = Holder::kQos;
  std::string name;
  std::vector<std::pair<TresIndex, std::int64_t>> tres;
  std::optional<std::int64_t> jobs;
};

// fairshare of ann > bob
struct ExpectFairshare {
  std::string user;
  char relation = '>';  // > < =
  std::string other;    // A user, or empty:
  double value = 0;     // compared to six decimals, as sshare prints it.
};

// n1 has 2 cpus free
struct ExpectFree {
  std::string node;
  std::string what;  // cpus, gpus, memory
  std::int64_t amount = 0;
};

// nothing waits; nothing runs
struct ExpectNothing {
  StoryState state = StoryState::kWaits;
};

// A[0-3] go to maigan/gpu; clive/gpu takes none "full: …". Of the line that routed or rebalanced.
struct ExpectPool {
  std::optional<StoryJob> job;  // Nothing: it takes none.
  std::string pool;
  std::string why;  // A part of the reason.
};

struct Expectation {
  int line = 0;
  std::string text;  // As written.
  std::variant<ExpectState, ExpectRefusal, ExpectCount, ExpectPriority, ExpectOrder, ExpectHolding,
               ExpectUsage, ExpectFairshare, ExpectFree, ExpectNothing, ExpectPool>
      what;
};

struct StoryStep {
  int line = 0;
  Instant at;
  std::string text;  // What is done, as written; empty where only time passes.
  StoryAction action;
  std::vector<Expectation> expectations;
};

struct Story {
  std::string file;
  int line = 0;  // Where it begins.
  std::string title;
  std::vector<std::string> tags;
  std::optional<Duration> tolerance;  // On a real cluster.
  std::shared_ptr<const Policy> policy;
  RoutingSettings routing;  // Of the user who routes.
  std::vector<StoryStep> steps;

  bool has_tag(std::string_view tag) const {
    for (const std::string& own : tags)
      if (own == tag) return true;
    return false;
  }
};

}  // namespace sluice
