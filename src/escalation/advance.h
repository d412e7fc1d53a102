// Carries a chain forward on a cluster: every fact is stored before anything depends on it, so
// that any process that comes after a crash, at any point, goes on from there.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cluster/cluster.h"
#include "escalation/chain.h"
#include "escalation/next_step.h"

namespace sluice {

class ChainStore {
 public:
  virtual ~ChainStore() = default;
  // All of them durable, or none.
  virtual Result<void> commit(std::span<const ChainEvent> events) = 0;
  // Every run that has ended.
  virtual Result<std::vector<TaskRun>> runs() const = 0;
};

// How a chain goes on without anybody logged in.
struct Attendance {
  // The small job that will advance the chain; nothing where something else does.
  std::function<JobSpec(const Chain& chain)> handler_job;
  std::optional<RemoteJob> self;  // We are that job.
  // How often the chain is looked at while tasks wait; nothing: when batches have ended.
  std::optional<Duration> look_every;
  // Whether a process of ours may still be handing in the submission of this key.
  std::function<bool(const std::string& key)> on_its_way;
};

struct Progress {
  std::size_t settled = 0;
  // Of these:
  std::size_t completed = 0;
  std::size_t more_memory = 0;  // Climb for memory, time or both, or run again as they were.
  std::size_t more_time = 0;
  std::size_t more_of_both = 0;
  std::size_t other_gpu = 0;
  std::size_t continued = 0;  // From where they had stopped when their time was over.
  std::size_t again = 0;
  std::size_t given_up = 0;
  std::size_t handed_in = 0;  // Tasks.
  std::size_t resized = 0;    // Tasks that wait and ask for something else now.
  std::size_t moved = 0;      // Tasks that wait in another account now.
  bool ended = false;
  bool uncertain = false;  // A submission may or may not have arrived: it is looked for again.
  bool unseen = false;     // The cluster did not say how everything that it has stands.
  bool waits_for_room = false;
  std::vector<std::string> notes;  // For people.

  // "13 settled: 9 completed, 2 escalate (1 memory, 1 time), 2 given up; 2 handed in"
  std::string words() const;
};

// Waiting tasks of one job that another account has room for, on a site that allows no change of a
// job.
struct ChainMove {
  RemoteJob job;
  std::optional<IndexSet> tasks;  // As the job numbers them; nothing: no array.
  std::string account;
  std::string qos;
  std::vector<std::string> partitions;
  // As the job asks now, where it was changed since it was submitted; nothing: as before.
  std::optional<MemoryRequest> memory = {};
  std::optional<Duration> time = {};
};

// A submission without an answer is looked for during this time before it is made again: twice
// Slurm's MessageTimeout, and some.
inline constexpr Duration kLookFor = seconds(30);

class Advance {
 public:
  Advance(Chain& chain, Cluster& cluster, ChainStore& store, Attendance attendance = {},
          MatchStderr match_stderr = {}, Spread spread = {})
      : chain_(chain),
        cluster_(cluster),
        store_(store),
        attendance_(std::move(attendance)),
        match_stderr_(std::move(match_stderr)),
        spread_(std::move(spread)) {}

  // One look and what follows from it. Errors: the cluster or the store could not be reached, or
  // the cluster refuses the chain's very first batch.
  Result<Progress> step(Instant now);
  // Submits these tasks anew, held; takes them out of the job that they wait in; releases them.
  // Whatever is interrupted goes on with the next step.
  Result<Progress> move(std::span<const ChainMove> moves, Instant now);
  // Ends everything the chain started.
  Result<Progress> cancel(Instant now);
  // For a routed submission whose process is gone. Jobs that are all there are released; where one
  // is missing, its user was told of none of them, and all that are held are cancelled. Moves are
  // carried to their end.
  Result<Progress> tidy(Instant now);

 private:
  Result<void> record(ChainEvent event);
  Result<void> record_all(std::vector<ChainEvent> events);
  Result<void> secure_successor(Instant now);
  Result<void> clear_withdrawn();
  Result<void> recover(Instant now);
  Result<void> look();
  Result<void> look_at_handlers();
  Result<void> start_new(Instant now);
  // Learns what first attempts should ask for, and changes those that wait.
  Result<void> size(Instant now);
  Result<void> resize(const Batch& part);
  // Makes the job and records it; a batch that the cluster does not take is withdrawn.
  Result<void> submit(std::uint32_t batch);
  Result<bool> adopt(std::uint32_t batch);
  // Whether it is certain by now that a submission never arrived: every source was asked, and the
  // settle time has passed.
  Result<bool> never_arrived(std::uint32_t batch, Instant now);
  // Of a routed submission: the jobs that are not released yet are cancelled, or never were.
  Result<void> withdraw_wave();
  Result<void> withdraw_lost(std::uint32_t batch, Instant now);
  Result<void> recover_move(std::uint32_t batch, Instant now);
  Result<void> clear_twins();
  // Goes on with a batch that takes over tasks of another job.
  Result<void> take_over(std::uint32_t batch);
  Result<void> take_over_all();
  Result<void> stay(std::uint32_t batch, const std::string& why);
  Result<void> forgo_moves();
  Result<void> attend(Instant now);
  Result<std::optional<std::uint32_t>> add_handler(std::vector<std::uint32_t> batches,
                                                   Dependencies dependencies, Instant now);
  Result<void> attend_without_room(const std::vector<std::uint32_t>& batches);
  Dependencies dependencies_on(const std::vector<std::uint32_t>& batches) const;
  Result<void> release_all();
  Result<void> drop_handlers();
  Result<PackingLimits> limits();
  bool is_open(const Batch& batch) const;
  bool anything_waits() const;
  // Whether there is something to see while arrays are under way.
  bool worth_a_look() const;
  Duration until_next_look(Instant now) const;

  Chain& chain_;
  Cluster& cluster_;
  ChainStore& store_;
  Attendance attendance_;
  MatchStderr match_stderr_;
  Spread spread_;
  Progress progress_;
  std::optional<std::uint32_t> successor_;
  std::optional<Capabilities> capabilities_;
  std::optional<std::size_t> most_at_once_;  // Learnt from refusals.
  static constexpr std::uint32_t kAllSent = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t unsent_from_ = kAllSent;  // Batches that were written down and not handed in yet.
};

}  // namespace sluice
