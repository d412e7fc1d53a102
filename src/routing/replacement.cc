// What waits is held before it is cancelled: between the look and scancel it could start.
#include "routing/replacement.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

bool is_held(const SeenTask& task) {
  return task.state == JobState::kPending && task.reason.starts_with("JobHeld");
}

class Steps {
 public:
  Steps(Cluster& cluster, ReplacementStore& store, Replacement replacement)
      : cluster_(cluster), store_(store), it_(std::move(replacement)) {}

  Result<Replaced> begin(const JobSpec& spec) {
    TRY_VOID(store_.write(it_));
    auto answer = cluster_.submit({spec, it_.key, true});
    if (!answer) {
      store_.end(it_);  // Nothing was done.
      return tl::unexpected<Error>(answer.error());
    }
    if (const auto* declined = std::get_if<Declined>(&*answer)) {
      store_.end(it_);
      return ended(Replaced::End::kRefused, declined->refusal.message);
    }
    if (const auto* accepted = std::get_if<Accepted>(&*answer)) {
      it_.job = accepted->job;
    } else {
      TRY_VOID(adopt());
      if (!it_.job) return ended(Replaced::End::kLater, std::get<Uncertain>(*answer).why);
    }
    return submitted();
  }

  Result<Replaced> finish(Instant now) {
    if (it_.stage != Replacement::Stage::kSubmitting) return go_on();
    TRY_VOID(adopt());
    if (it_.job) return submitted();
    if (now - it_.intended < kReplacementSettles)
      return ended(Replaced::End::kLater, "whether the new job was accepted is not known yet");
    store_.end(it_);
    return ended(Replaced::End::kRefused, "the new job never arrived; the old one is as it was");
  }

 private:
  Replaced ended(Replaced::End how, std::string why = {}) const {
    return {how, it_.job, it_.tasks, std::move(why)};
  }

  // Of twins only the first counts; the others are held and can never run by themselves.
  Result<void> adopt() {
    TRY(auto found, cluster_.find(it_.key));
    std::sort(found.begin(), found.end());
    for (std::size_t i = 1; i < found.size(); ++i)
      TRY_VOID(cluster_.cancel({found[i], std::nullopt}));
    if (!found.empty()) it_.job = found.front();
    return {};
  }

  Result<Replaced> submitted() {
    it_.stage = Replacement::Stage::kSubmitted;
    TRY_VOID(store_.write(it_));
    return go_on();
  }

  IndexSet all() const {
    if (it_.tasks) return *it_.tasks;
    IndexSet one;
    one.insert(0);
    return one;
  }

  Result<Replaced> go_on() {
    if (it_.stage == Replacement::Stage::kSubmitted) {
      TRY(const auto refused, hold(all()));
      if (refused) {
        TRY_VOID(cluster_.cancel({*it_.job, std::nullopt}));
        store_.end(it_);
        return ended(Replaced::End::kRefused, *refused);
      }
      TRY(const bool seen, look(all()));
      if (!seen) return ended(Replaced::End::kLater, "the old job is not seen now");
      it_.going = held_;
      TRY_VOID(let_go_on(running_));
      it_.stage = Replacement::Stage::kCancelling;
      TRY_VOID(store_.write(it_));
    } else if (it_.stage == Replacement::Stage::kCancelling) {
      // Somebody may have released them since.
      TRY_VOID(hold(it_.going));
    }
    if (it_.stage == Replacement::Stage::kCancelling) {
      TRY(bool seen, look(it_.going));
      if (!seen) return ended(Replaced::End::kLater, "the old job is not seen now");
      TRY_VOID(let_go_on(running_));
      for (const std::uint32_t task : running_.to_vector()) it_.going.erase(task);
      for (const std::uint32_t task : loose_.to_vector()) it_.going.erase(task);
      if (!held_.empty()) TRY_VOID(cancel(it_.old, held_));
      TRY(seen, look(it_.going));
      if (!seen || !held_.empty() || !loose_.empty())
        return ended(Replaced::End::kLater, "the old job is not seen cancelled yet");
      for (const std::uint32_t task : running_.to_vector()) it_.going.erase(task);
      it_.stage = Replacement::Stage::kReleasing;
      TRY_VOID(store_.write(it_));
    }
    return release();
  }

  Result<Replaced> release() {
    const IndexSet& going = it_.going;
    if (going.empty()) {
      TRY_VOID(cluster_.cancel({*it_.job, std::nullopt}));
      store_.end(it_);
      return ended(Replaced::End::kStarted);
    }
    IndexSet stay;
    for (const std::uint32_t task : all().to_vector())
      if (!going.contains(task)) stay.insert(task);
    if (!stay.empty()) TRY_VOID(cancel(*it_.job, stay));
    TRY_VOID(cluster_.release({*it_.job, std::nullopt}));
    store_.end(it_);
    Replaced out = ended(Replaced::End::kMoved);
    if (it_.tasks) out.tasks = going;
    return out;
  }

  // Nothing, or why the site does not hold them.
  Result<std::optional<std::string>> hold(const IndexSet& tasks) {
    if (tasks.empty()) return std::nullopt;
    TRY(const auto done,
        it_.tasks ? cluster_.hold_tasks(it_.old, tasks) : cluster_.hold({it_.old, std::nullopt}));
    const auto* refusal = std::get_if<Refusal>(&done);
    if (refusal == nullptr) return std::nullopt;
    return fmt::format("the old job cannot be held: {}", refusal->message);
  }

  Result<void> cancel(const RemoteJob& job, const IndexSet& tasks) {
    return it_.tasks ? cluster_.cancel_tasks(job, tasks) : cluster_.cancel({job, std::nullopt});
  }

  // What runs and was held would be held where it is requeued.
  Result<void> let_go_on(const IndexSet& tasks) {
    for (const std::uint32_t task : tasks.to_vector())
      TRY_VOID(cluster_.release(
          {it_.old, it_.tasks ? std::optional<std::uint32_t>(task) : std::nullopt}));
    return {};
  }

  // Each of these tasks is held, waits otherwise, runs, was cancelled, or has ended. False: the
  // cluster does not know of all of them now.
  Result<bool> look(const IndexSet& tasks) {
    held_ = {};
    loose_ = {};
    running_ = {};
    if (tasks.empty()) return true;
    const RemoteRef ref{it_.old, std::nullopt};
    TRY(const auto sightings, cluster_.observe({&ref, 1}));
    if (!sightings.front().complete) return false;
    IndexSet known;
    bool rest_cancelled = false;
    for (const SeenTask& task : sightings.front().tasks) {
      // An array all of whose waiting tasks were cancelled at once: Slurm names them no more.
      if (it_.tasks && !task.task) {
        rest_cancelled |= task.state == JobState::kCancelled;
        continue;
      }
      const std::uint32_t index = task.task.value_or(0);
      if (!tasks.contains(index)) continue;
      known.insert(index);
      if (is_held(task))
        held_.insert(index);
      else if (task.state == JobState::kPending)
        loose_.insert(index);
      else if (task.state != JobState::kCancelled)
        running_.insert(index);
    }
    return rest_cancelled || known.size() == tasks.size();
  }

  Cluster& cluster_;
  ReplacementStore& store_;
  Replacement it_;
  IndexSet held_;
  IndexSet loose_;    // Wait, and somebody has released them.
  IndexSet running_;  // Or have ended by themselves.
};

}  // namespace

Result<Replaced> replace(Cluster& cluster, ReplacementStore& store, Replacement replacement,
                         const JobSpec& spec) {
  return Steps(cluster, store, std::move(replacement)).begin(spec);
}

Result<Replaced> finish_replacement(Cluster& cluster, ReplacementStore& store,
                                    Replacement replacement, Instant now) {
  return Steps(cluster, store, std::move(replacement)).finish(now);
}

}  // namespace sluice
