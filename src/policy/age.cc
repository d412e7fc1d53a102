// Ages, by the walk over limits.
#include "policy/age.h"

#include <algorithm>

#include "limits/walk.h"

namespace sluice {
namespace {

// The books of one job, as the walk reads them.
class AgeUsage {
 public:
  AgeUsage(const Policy& policy, const AgeBooks& books, const Shape& shape)
      : policy_(policy), books_(books), shape_(shape) {}

  const Policy& policy() const { return policy_; }
  // Limits on age never look at the partition's QoS.
  QosPair qos_pair(PartitionId, std::optional<QosId> qos) const {
    return {qos, std::nullopt, LimitHolder::kJobQos, LimitHolder::kNone};
  }
  std::int64_t ageing(QosId qos) const { return books_.of_qos(qos); }
  std::int64_t ageing_of_user(QosId qos) const { return books_.of_user(qos, shape_.user); }
  std::int64_t ageing_of_account(QosId qos) const {
    const auto account = shape_.assoc ? policy_.associations[shape_.assoc->index()].parent
                                      : std::optional<AssocId>();
    return account ? books_.of_account(qos, *account) : 0;
  }
  std::int64_t ageing(AssocId assoc) const { return books_.of_association(assoc); }

 private:
  const Policy& policy_;
  const AgeBooks& books_;
  const Shape& shape_;
};

// The one limit that counts, with what is used of it.
std::optional<Reason> age_limit(const Policy& policy, const AgeBooks& books, const Shape& shape) {
  std::optional<Reason> found;
  const auto note = [&](const Reason& reason, bool passed) {
    found = reason;
    return passed;
  };
  const LimitQuestion question{shape.assoc, shape.qos, PartitionId(0), shape.limit, shape.asked};
  const AgeUsage usage(policy, books, shape);
  LimitWalk(question, usage, note).gains_age();
  return found;
}

}  // namespace

std::optional<Instant> age_since(const Policy& policy, const Shape& shape, const Job& job) {
  if (policy.priority.accrue_always) return job.submitted;
  if (job.ages_since != Instant{}) return job.ages_since;
  if (job.eligible_since == Instant{} && !job.eligible) return std::nullopt;
  if (age_limit(policy, AgeBooks(policy), shape)) return std::nullopt;
  return job.eligible_since;
}

void AgeBooks::add(const Shape& shape, std::int64_t jobs) {
  if (shape.qos) {
    qos_[shape.qos->value()] += jobs;
    users_[{shape.qos->value(), shape.user.value()}] += jobs;
    if (shape.assoc)
      if (const auto account = policy_.associations[shape.assoc->index()].parent)
        accounts_[{shape.qos->value(), account->value()}] += jobs;
  }
  for (std::optional<AssocId> a = shape.assoc; a; a = policy_.associations[a->index()].parent)
    associations_[a->value()] += jobs;
}

std::optional<std::int64_t> AgeBooks::room_for(const Shape& shape) const {
  const auto limit = age_limit(policy_, *this, shape);
  if (!limit) return std::nullopt;
  return std::max<std::int64_t>(0, limit->limit - limit->used);
}

AgeBooks ages_now(const State& state) {
  AgeBooks books(state.policy());
  state.for_each_job([&](const Job& job) {
    if (job.state != JobState::kPending || !job.eligible) return;
    const Shape& shape = state.shape_of_job(job);
    if (!age_since(state.policy(), shape, job)) return;
    const std::int64_t tasks =
        job.is_array ? static_cast<std::int64_t>(state.find_array(job.array)->waiting.size()) : 1;
    books.add(shape, tasks);
  });
  return books;
}

}  // namespace sluice
