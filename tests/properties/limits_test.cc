// Limits over random policies and holdings, against a recomputation that knows nothing of bits.
#include "policy/limits.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "policy/gates.h"
#include "policy/past_for_tests.h"

namespace sluice {
namespace {

constexpr std::int64_t kDimensions = 5;

TresIndex dimension(std::int64_t i) { return TresIndex(static_cast<std::uint8_t>(i)); }

TresLimits random_limits(std::int64_t most) {
  TresLimits limits;
  if (*rc::gen::inRange(0, 2) == 0) return limits;
  for (std::int64_t i = 0; i < kDimensions; ++i)
    if (*rc::gen::inRange(0, 3) == 0)
      limits.put(dimension(i), *rc::gen::inRange<std::int64_t>(0, most));
  return limits;
}

void randomize(GroupLimits& group) {
  group.tres = random_limits(12);
  group.tres_minutes = random_limits(200);
  group.tres_run_minutes = random_limits(200);
}

void randomize(JobLimits& job) {
  job.max_tres = random_limits(6);
  job.max_tres_node = random_limits(6);
  job.max_tres_minutes = random_limits(100);
}

// Accounts a, b below a, c below root; three QoS; one partition with one of them.
Policy random_policy() {
  PolicyBuilder b;
  Policy& policy = b.policy();
  policy.nodes[0].cpus = 1000;
  policy.nodes[0].memory_mb = 100'000;
  for (const char* name : {"q0", "q1", "q2"}) {
    b.qos(name, 0);
    Qos& qos = policy.qos.back();
    randomize(qos.group);
    randomize(qos.job);
    qos.job.min_tres = random_limits(4);
    qos.user.max_tres = random_limits(10);
    qos.account.max_tres = random_limits(10);
    qos.flags.over_part_qos = *rc::gen::arbitrary<bool>();
  }
  if (*rc::gen::arbitrary<bool>()) policy.partitions[0].qos = QosId(*rc::gen::inRange(0u, 3u));
  b.account("a", "root", 1).account("b", "a", 1).account("c", "root", 1);
  for (const char* account : {"a", "b", "c"})
    for (const char* user : {"ann", "bob"}) b.user(user, account, 1);
  for (Association& assoc : policy.associations) {
    randomize(assoc.group);
    randomize(assoc.job);
  }
  policy.enforce.safe = *rc::gen::arbitrary<bool>();
  return policy;
}

JobSpec random_request() {
  JobSpec spec;
  spec.user = *rc::gen::element<std::string>("ann", "bob");
  spec.account = *rc::gen::element<std::string>("a", "b", "c");
  spec.qos = *rc::gen::element<std::string>("q0", "q1", "q2");
  spec.partitions = {"all"};
  spec.time_limit = minutes(*rc::gen::inRange(1, 30));
  spec.cpus_per_task = *rc::gen::inRange(1, 5);
  spec.memory = MemoryRequest{MemoryPer::kNode, *rc::gen::inRange(1, 6)};
  return spec;
}

struct Running {
  JobSpec spec;
  TresVector tres;
  Instant end;
};

// The books, by adding up the running jobs that `counts` says belong.
struct Sums {
  TresVector tres;
  TresVector seconds_left;
};
template <class Counts>
Sums sum(const std::vector<Running>& running, Instant now, Counts counts) {
  Sums sums;
  for (const Running& job : running) {
    if (!counts(job.spec)) continue;
    sums.tres += job.tres;
    for (std::int64_t i = 0; i < kDimensions; ++i)
      sums.seconds_left[dimension(i)] += job.tres[dimension(i)] * to_seconds(job.end - now);
  }
  return sums;
}

// Every limit that binds, written out as a plain map from kind and dimension to whose it is.
class Naive {
 public:
  Naive(const State& state, const std::vector<Running>& running, const JobSpec& spec,
        const TresVector& tres, Instant now)
      : policy_(state.policy()), running_(running), spec_(spec), tres_(tres), now_(now) {}

  bool all_respected() {
    std::vector<std::string> order;
    const Partition& partition = policy_.partitions[0];
    const std::string part_qos = partition.qos ? policy_.qos[partition.qos->index()].name : "";
    const bool over = policy_.qos[policy_.find_qos(spec_.qos)->index()].flags.over_part_qos;
    if (!part_qos.empty() && !over) order.push_back(part_qos);
    order.push_back(spec_.qos);
    if (!part_qos.empty() && over) order.push_back(part_qos);
    bool good = true;
    for (const std::string& name : order) good = qos_respected(name, part_qos) && good;
    return good && associations_respected();
  }

 private:
  bool seen(const std::string& kind, TresIndex tres) { return !seen_.insert({kind, tres}).second; }
  std::int64_t minutes_asked(TresIndex t) const {
    return tres_[t] * (to_seconds(*spec_.time_limit) / 60);
  }
  template <class Respected>
  bool qos_kind(const std::string& kind, const TresLimits& limits, Respected respected) {
    bool good = true;
    for (std::int64_t i = 0; i < kDimensions; ++i) {
      const auto limit = limits.get(dimension(i));
      if (limit && !seen(kind, dimension(i))) good = respected(dimension(i), *limit) && good;
    }
    return good;
  }
  bool group_respected(TresIndex t, std::int64_t limit, const Sums& held) const {
    // There is one node, and who shares it adds none.
    if (t == kTresNode) return tres_[t] == 0 || tres_[t] <= limit;
    return tres_[t] == 0 || held.tres[t] + tres_[t] <= limit;
  }
  // Nothing has ended yet, so past usage is zero.
  bool minutes_respected(TresIndex t, std::int64_t limit, const Sums& held) const {
    if (tres_[t] == 0) return true;
    if (limit <= 0) return false;
    return !policy_.enforce.safe || held.seconds_left[t] / 60 + minutes_asked(t) <= limit;
  }
  bool run_minutes_respected(TresIndex t, std::int64_t limit, const Sums& held) const {
    return tres_[t] == 0 || held.seconds_left[t] / 60 + minutes_asked(t) <= limit;
  }

  bool qos_respected(const std::string& name, const std::string& part_qos) {
    const Qos& qos = policy_.qos[policy_.find_qos(name)->index()];
    const auto in_qos = [&](const JobSpec& job) { return job.qos == name || part_qos == name; };
    const Sums all = sum(running_, now_, in_qos);
    const Sums users = sum(
        running_, now_, [&](const JobSpec& job) { return in_qos(job) && job.user == spec_.user; });
    const Sums accounts = sum(running_, now_, [&](const JobSpec& job) {
      return in_qos(job) && job.account == spec_.account;
    });
    bool good = qos_kind("grp mins", qos.group.tres_minutes, [&](TresIndex t, std::int64_t limit) {
      return minutes_respected(t, limit, all);
    });
    good &= qos_kind("grp", qos.group.tres, [&](TresIndex t, std::int64_t limit) {
      return group_respected(t, limit, all);
    });
    good &= qos_kind("grp run", qos.group.tres_run_minutes, [&](TresIndex t, std::int64_t limit) {
      return run_minutes_respected(t, limit, all);
    });
    good &= qos_kind("mins", qos.job.max_tres_minutes,
                     [&](TresIndex t, std::int64_t limit) { return minutes_asked(t) <= limit; });
    good &= qos_kind("job", qos.job.max_tres,
                     [&](TresIndex t, std::int64_t limit) { return tres_[t] <= limit; });
    good &= qos_kind("node", qos.job.max_tres_node,
                     [&](TresIndex t, std::int64_t limit) { return tres_[t] <= limit; });
    good &= qos_kind("min", qos.job.min_tres,
                     [&](TresIndex t, std::int64_t limit) { return tres_[t] >= limit; });
    good &= qos_kind("pa", qos.account.max_tres, [&](TresIndex t, std::int64_t limit) {
      return group_respected(t, limit, accounts);
    });
    good &= qos_kind("pu", qos.user.max_tres, [&](TresIndex t, std::int64_t limit) {
      return group_respected(t, limit, users);
    });
    return good;
  }

  bool associations_respected() {
    std::vector<const Association*> chain;
    for (auto a = policy_.find_association(spec_.account, spec_.user, ""); a;
         a = policy_.associations[a->index()].parent)
      chain.push_back(&policy_.associations[a->index()]);
    bool good = true;
    for (const Association* assoc : chain) {
      const Sums held = sum(running_, now_, [&](const JobSpec& job) {
        for (auto a = policy_.find_association(job.account, job.user, ""); a;
             a = policy_.associations[a->index()].parent)
          if (&policy_.associations[a->index()] == assoc) return true;
        return false;
      });
      for (std::int64_t i = 0; i < kDimensions; ++i) {
        const TresIndex t = dimension(i);
        const auto free = [&](const char* kind) { return seen_.count({kind, t}) == 0; };
        if (auto l = assoc->group.tres_minutes.get(t); l && free("grp mins"))
          good &= minutes_respected(t, *l, held);
        if (auto l = assoc->group.tres.get(t); l && free("grp"))
          good &= group_respected(t, *l, held);
        if (auto l = assoc->group.tres_run_minutes.get(t); l && free("grp run"))
          good &= run_minutes_respected(t, *l, held);
      }
    }
    for (std::int64_t i = 0; i < kDimensions; ++i) {
      const TresIndex t = dimension(i);
      const auto nearest = [&](TresLimits JobLimits::*member) -> std::optional<std::int64_t> {
        for (const Association* assoc : chain)
          if (auto limit = (assoc->job.*member).get(t)) return limit;
        return std::nullopt;
      };
      if (auto l = nearest(&JobLimits::max_tres_minutes); l && seen_.count({"mins", t}) == 0)
        good &= minutes_asked(t) <= *l;
      if (auto l = nearest(&JobLimits::max_tres); l && seen_.count({"job", t}) == 0)
        good &= tres_[t] <= *l;
      if (auto l = nearest(&JobLimits::max_tres_node); l && seen_.count({"node", t}) == 0)
        good &= tres_[t] <= *l;
    }
    return good;
  }

  const Policy& policy_;
  const std::vector<Running>& running_;
  const JobSpec& spec_;
  const TresVector& tres_;
  Instant now_;
  std::set<std::pair<std::string, TresIndex>> seen_;
};

std::vector<Running> start_some(Past& past) {
  std::vector<Running> running;
  for (int count = *rc::gen::inRange(0, 6); count > 0; --count) {
    const JobSpec spec = random_request();
    const JobId id = past.submit(spec);
    NodeShare share;
    share.cpus = *spec.cpus_per_task;
    share.memory_mb = spec.memory->mb;
    past.apply(JobStarted{id, 1, PartitionId(0), Allocation(share)});
    const Run& run = past.state().run_of(past.state().job(id));
    running.push_back(Running{spec, run.tres, run.expected_end});
  }
  return running;
}

TEST(LimitProperties, AJobMayStartIffEveryLimitThatBindsIsRespected) {
  EXPECT_TRUE(rc::check([] {
    Past past(random_policy());
    const std::vector<Running> running = start_some(past);
    past.pass(seconds(*rc::gen::inRange(0, 60)));
    const JobSpec spec = random_request();
    const Shape shape = shape_of(past.state().policy(), std::make_shared<const JobSpec>(spec),
                                 past.state().find_user(spec.user).value_or(UserId(99)));
    const auto reason = limit_after_placement(past.state(), shape, PartitionId(0), shape.limit,
                                              shape.asked, past.now());
    Naive naive(past.state(), running, spec, shape.asked, past.now());
    const bool respected = naive.all_respected();
    RC_CLASSIFY(respected, "may start");
    RC_ASSERT(respected == !reason.has_value());
  }));
}

TEST(LimitProperties, TheFirstGateThatIsShutIsTheReason) {
  EXPECT_TRUE(rc::check([] {
    Past past(random_policy());
    start_some(past);
    const JobSpec spec = random_request();
    const Shape shape = shape_of(past.state().policy(), std::make_shared<const JobSpec>(spec),
                                 past.state().find_user(spec.user).value_or(UserId(99)));
    auto reason =
        limit_before_placement(past.state(), shape, PartitionId(0), shape.limit, past.now());
    if (!reason)
      reason = limit_after_placement(past.state(), shape, PartitionId(0), shape.limit, shape.asked,
                                     past.now());
    std::optional<Reason> first;
    for (const Gate& gate :
         gates_of(past.state(), shape, PartitionId(0), shape.limit, shape.asked, past.now()))
      if (!gate.passed && !first) first = gate.reason;
    RC_ASSERT(first == reason);
  }));
}

}  // namespace
}  // namespace sluice
