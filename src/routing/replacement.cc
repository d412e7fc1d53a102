#include "routing/replacement.h"

#include <algorithm>

#include "cluster/departure.h"

namespace sluice {
namespace {

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
    Departure old(cluster_, it_.old,
                  it_.tasks ? Departure::Kind::kArray : Departure::Kind::kOneJob);
    if (it_.stage == Replacement::Stage::kSubmitted) {
      TRY(Departure::Held held, old.hold(all()));
      if (!held.refused.empty()) {
        TRY_VOID(cluster_.cancel({*it_.job, std::nullopt}));
        store_.end(it_);
        return ended(Replaced::End::kRefused, held.refused);
      }
      if (!held.seen) return ended(Replaced::End::kLater, "the old job is not seen now");
      it_.going = std::move(held.tasks);
      it_.stage = Replacement::Stage::kCancelling;
      TRY_VOID(store_.write(it_));
    } else if (it_.stage == Replacement::Stage::kCancelling) {
      TRY_VOID(old.hold_again(it_.going));
    }
    if (it_.stage == Replacement::Stage::kCancelling) {
      TRY(auto cancelled, old.cancel(it_.going));
      if (!cancelled) return ended(Replaced::End::kLater, "the old job is not seen cancelled yet");
      it_.going = std::move(*cancelled);
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

  Result<void> cancel(const RemoteJob& job, const IndexSet& tasks) {
    return it_.tasks ? cluster_.cancel_tasks(job, tasks) : cluster_.cancel({job, std::nullopt});
  }

  Cluster& cluster_;
  ReplacementStore& store_;
  Replacement it_;
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
