#include "policy/limit_memory.h"

#include <gtest/gtest.h>

#include "policy/past_for_tests.h"

namespace sluice {
namespace {

// Ann and bob in one account, cyd in another; the QoS counts all that run in it, if asked to.
class Remembering {
 public:
  explicit Remembering(bool qos_counts_all = false) : past_(policy(qos_counts_all)) {
    memory_.adopt(past_.state().policy());
  }
  // A request that waits, of which it is noted that the limits let it through.
  JobId waits(const std::string& user, const std::string& account) {
    const JobId job = past_.submit(request(user, account));
    memory_.note(past_.state(), entry_of(job), spec_of(job), true);
    return job;
  }
  void runs(const std::string& user, const std::string& account) {
    const JobId job = past_.submit(request(user, account));
    NodeShare share;
    share.cpus = 1;
    past_.apply(JobStarted{job, 1, PartitionId(0), Allocation(share)});
  }
  bool knows(JobId job, Duration more = Duration(0)) const {
    QueueEntry entry = entry_of(job);
    entry.limit += more;
    return memory_
        .recall(past_.state(), entry, spec_of(job), past_.state().shape_of_job(record(job)))
        .has_value();
  }

 private:
  static Policy policy(bool qos_counts_all) {
    PolicyBuilder b;
    b.qos("q", 0).account("a", "root", 1).account("b", "root", 1);
    b.user("ann", "a", 1).user("bob", "a", 1).user("cyd", "b", 1);
    if (qos_counts_all) b.policy().qos[0].group.jobs = 5;
    b.policy().enforce.limits = true;
    return b.policy();
  }
  static JobSpec request(const std::string& user, const std::string& account) {
    JobSpec spec = Past::request(user, account);
    spec.qos = "q";
    return spec;
  }
  const Job& record(JobId job) const { return past_.state().job(job); }
  SpecId spec_of(JobId job) const { return record(job).spec; }
  QueueEntry entry_of(JobId job) const {
    QueueEntry entry;
    entry.job = job;
    entry.partition = PartitionId(0);
    entry.request = spec_of(job).value();
    entry.limit = record(job).limit;
    return entry;
  }

  Past past_;
  LimitMemory memory_;
};

TEST(LimitMemory, KeepsWhatNobodyElsesJobsTouch) {
  Remembering remembering;
  const JobId job = remembering.waits("ann", "a");
  EXPECT_TRUE(remembering.knows(job));
  remembering.runs("cyd", "b");
  EXPECT_TRUE(remembering.knows(job));
}

TEST(LimitMemory, ForgetsWithAJobOfTheUserOrTheAccount) {
  Remembering remembering;
  const JobId anns = remembering.waits("ann", "a");
  const JobId bobs = remembering.waits("bob", "a");
  remembering.runs("ann", "a");
  EXPECT_FALSE(remembering.knows(anns));
  EXPECT_FALSE(remembering.knows(bobs));
}

TEST(LimitMemory, ForgetsWithAnyJobWhereTheQosCountsAll) {
  Remembering remembering(true);
  const JobId job = remembering.waits("ann", "a");
  remembering.runs("cyd", "b");
  EXPECT_FALSE(remembering.knows(job));
}

TEST(LimitMemory, SaysNothingOfAnotherTimeLimit) {
  Remembering remembering;
  const JobId job = remembering.waits("ann", "a");
  EXPECT_FALSE(remembering.knows(job, minutes(1)));
}

}  // namespace
}  // namespace sluice
