#include "engine/inputs.h"

#include <gtest/gtest.h>

#include <functional>

#include "engine/engine_for_tests.h"

namespace sluice {
namespace {

const Actor kAnn{"ann", false};
const Actor kBob{"bob", false};
constexpr const char* kDenied = "Access/permission denied";
constexpr const char* kNotYours = "Invalid user id";

JobSpec array_of(std::uint32_t last, std::optional<std::uint32_t> throttle = {}) {
  JobSpec spec = cpus(1);
  spec.array.emplace();
  spec.array->indices.insert_range(1, last);
  spec.array->throttle = throttle;
  return spec;
}

JobSpec after(DependencyType type, JobId job) {
  JobSpec spec = cpus(1);
  spec.dependencies.terms = {{type, job, {}, Duration(0)}};
  return spec;
}

Policy policy_of_ten_cpus() {
  Policy policy = small_policy();
  policy.nodes[0].cpus = 10;
  return policy;
}

TEST(Inputs, OnlyTheOwnerACoordinatorOrAnOperatorMayTouchAJob) {
  Policy policy = small_policy();
  User& carol = policy.users.emplace_back();
  carol.name = "carol";
  carol.coordinates = {"lab"};
  Lab lab(policy);
  for (const Actor& actor : {kAnn, Actor{"carol", false}, kRoot}) {
    const JobId job = lab.submit(cpus(1));
    EXPECT_EQ(message_of(lab.give(CancelJob{{job, {}}, kBob})), kDenied);
    EXPECT_EQ(message_of(lab.give(HoldJob{{job, {}}, kBob})), kNotYours);
    EXPECT_EQ(message_of(lab.give(ReleaseJob{{job, {}}, kBob})), kNotYours);
    EXPECT_EQ(message_of(lab.give(RequeueJob{{job, {}}, kBob})), kDenied);
    EXPECT_EQ(message_of(lab.give(UpdateJob{{job, {}}, {}, kBob})), kNotYours);
    EXPECT_EQ(message_of(lab.give(CancelJob{{job, {}}, actor})), "");
    lab.obey();
    EXPECT_EQ(lab.state_of(job), JobState::kCancelled);
  }
}

// The same words can mean both: slurmctld says "Invalid user id" of a user it does not know, too.
TEST(Inputs, ARefusalSaysWhetherItIsOneOfRights) {
  Lab lab(small_policy());
  const JobId job = lab.submit(cpus(1));
  const auto because = [&](Input input) {
    const Reply reply = lab.give(std::move(input));
    return std::get<Refused>(reply).because;
  };
  EXPECT_EQ(because(CancelJob{{job, {}}, kBob}), RefusedFor::kRights);
  EXPECT_EQ(because(HoldJob{{job, {}}, kBob}), RefusedFor::kRights);
  EXPECT_EQ(because(SuspendJob{{job, {}}, kAnn}), RefusedFor::kRights);
  JobChange sooner;
  sooner.nice = -5;
  EXPECT_EQ(because(UpdateJob{{job, {}}, sooner, kAnn}), RefusedFor::kRights);
  CreateReservation reservation{{}, kAnn};
  reservation.request.name = "night";
  reservation.request.duration = seconds(100);
  reservation.request.nodes = {"n1"};
  reservation.request.users = {"nobody-here"};
  EXPECT_EQ(because(reservation), RefusedFor::kRights);
  reservation.actor = kRoot;
  EXPECT_EQ(message_of(lab.give(reservation)), "Invalid user id");
  EXPECT_EQ(because(reservation), RefusedFor::kRequest);
  EXPECT_EQ(because(CancelJob{{JobId(99), {}}, kBob}), RefusedFor::kRequest);
}

TEST(Inputs, ACoordinatorMayTouchTheJobsOfAccountsBelow) {
  Policy policy = small_policy();
  User& carol = policy.users.emplace_back();
  carol.name = "carol";
  carol.coordinates = {"faculty"};
  Association& faculty = policy.associations.emplace_back();
  faculty.account = "faculty";
  faculty.parent = AssocId(0);
  Association& group = policy.associations.emplace_back();
  group.account = "group";
  group.parent = AssocId(4);
  Association& ann = policy.associations.emplace_back();
  ann.account = "group";
  ann.user = "ann";
  ann.parent = AssocId(5);
  Lab lab(policy);
  JobSpec below = cpus(1);
  below.account = "group";
  const Actor actor{"carol", false};
  EXPECT_EQ(message_of(lab.give(CancelJob{{lab.submit(below), {}}, actor})), "");
  EXPECT_EQ(message_of(lab.give(CancelJob{{lab.submit(cpus(1)), {}}, actor})), kDenied);
}

TEST(Inputs, AJobNobodyKnowsIsRefusedByItsNumber) {
  Lab lab;
  const JobRef nobody{JobId(999), {}};
  EXPECT_EQ(message_of(lab.give(CancelJob{nobody, kRoot})), "Invalid job id specified");
  EXPECT_EQ(message_of(lab.give(HoldJob{nobody, kRoot})), "Invalid job id specified");
  EXPECT_EQ(message_of(lab.give(UpdateJob{nobody, {}, kRoot})), "Invalid job id specified");
}

TEST(Inputs, WhatHasEndedCannotBeCancelledAgain) {
  Lab lab;
  const JobId job = lab.submit(cpus(1));
  lab.end(job);
  EXPECT_EQ(message_of(lab.give(CancelJob{{job, {}}, kAnn})),
            "Job/step already completing or completed");
}

TEST(Inputs, AHoldByAnAdministratorIsNotForTheOwnerToLift) {
  Lab lab;
  JobSpec spec = cpus(1);
  spec.hold = true;
  const JobId job = lab.submit(spec);
  EXPECT_EQ(lab.why(job), Rule::kHeldByUser);
  lab.give(HoldJob{{job, {}}, kRoot});
  EXPECT_EQ(lab.why(job), Rule::kHeldByAdmin);
  EXPECT_EQ(message_of(lab.give(ReleaseJob{{job, {}}, kAnn})), kDenied);
  EXPECT_EQ(message_of(lab.give(HoldJob{{job, {}}, kAnn})), "");
  EXPECT_EQ(lab.why(job), Rule::kHeldByAdmin);
  lab.give(ReleaseJob{{job, {}}, kRoot});
  EXPECT_EQ(lab.state_of(job), JobState::kRunning);
}

TEST(Inputs, ALateExitOfAnEarlierAttemptIsIgnored) {
  Lab lab;
  const JobId job = lab.submit(cpus(1));
  lab.give(RequeueJob{{job, {}}, kRoot});
  EXPECT_EQ(lab.state_of(job), JobState::kCompleting);
  lab.obey();
  EXPECT_EQ(lab.state_of(job), JobState::kRunning);
  EXPECT_EQ(lab.job(job).attempt, 2U);
  lab.give(RunEnded{job, 1, Outcome{.state = JobState::kFailed}});
  EXPECT_EQ(lab.state_of(job), JobState::kRunning);
  lab.give(RunEnded{job, 2, {}});
  EXPECT_EQ(lab.state_of(job), JobState::kCompleted);
}

TEST(Inputs, ARequeueThatIsCancelledMeanwhileDoesNotComeBack) {
  Lab lab;
  const JobId job = lab.submit(cpus(1));
  lab.give(RequeueJob{{job, {}}, kRoot});
  lab.give(CancelJob{{job, {}}, kAnn});
  lab.end(job);
  EXPECT_EQ(lab.state_of(job), JobState::kCancelled);
}

TEST(Inputs, ARunningJobThatIsRequeuedAndHeldComesBackHeld) {
  Lab lab;
  const JobId job = lab.submit(cpus(1));
  lab.give(RequeueJob{{job, {}}, kAnn, true});
  EXPECT_EQ(lab.state_of(job), JobState::kCompleting);
  lab.obey();
  EXPECT_EQ(lab.state_of(job), JobState::kPending);
  EXPECT_EQ(lab.job(job).held, HeldBy::kUser);
  EXPECT_EQ(message_of(lab.give(ReleaseJob{{job, {}}, kAnn})), "");
  EXPECT_EQ(lab.state_of(job), JobState::kRunning);
  EXPECT_EQ(lab.job(job).attempt, 2U);
}

TEST(Inputs, ANodeThatGoesDownTakesItsJobsWithIt) {
  Policy policy = small_policy();
  policy.scheduler.requeue_delay = minutes(2);
  Lab lab(policy);
  const JobId comes_back = lab.submit(cpus(1));
  JobSpec once = cpus(1);
  once.requeue = false;
  const JobId lost = lab.submit(once);
  lab.give(ChangeNode{"n1", NodeState::kDown, "power"});
  EXPECT_EQ(lab.state_of(lost), JobState::kNodeFail);
  EXPECT_EQ(lab.state_of(comes_back), JobState::kPending);
  EXPECT_EQ(lab.why(comes_back), Rule::kBeginTime);
  lab.wait(minutes(2));
  EXPECT_EQ(lab.node_of(comes_back), NodeId(1));
  EXPECT_EQ(message_of(lab.give(ChangeNode{"n9", NodeState::kDown, ""})),
            "Invalid node name specified");
}

TEST(Inputs, ADrainingNodeKeepsItsJobsAndTakesNoNewOnes) {
  Lab lab;
  const JobId first = lab.submit(cpus(1));
  lab.give(ChangeNode{"n1", NodeState::kDraining, "disk"});
  EXPECT_EQ(lab.state_of(first), JobState::kRunning);
  EXPECT_EQ(lab.node_of(lab.submit(cpus(1))), NodeId(1));
}

TEST(Inputs, TasksGetNumbersAsTheyStartAndTheLastKeepsTheArrays) {
  Lab lab;
  const JobId array = lab.submit(array_of(3));
  EXPECT_EQ(lab.state().find_task(array, 1)->id.value(), array.value() + 1);
  EXPECT_EQ(lab.state().find_task(array, 2)->id.value(), array.value() + 2);
  EXPECT_EQ(lab.state().find_task(array, 3)->id, array);
}

TEST(Inputs, AThrottleIsRespectedAndCanBeChanged) {
  Lab lab;
  const JobId array = lab.submit(array_of(5, 2));
  EXPECT_EQ(lab.state().find_array(array)->holding, 2U);
  EXPECT_EQ(lab.why(array), Rule::kArrayTaskLimit);
  JobChange change;
  change.throttle = 3;
  lab.give(UpdateJob{{array, {}}, change, kAnn});
  EXPECT_EQ(lab.state().find_array(array)->holding, 3U);
  change.throttle = 0;
  lab.give(UpdateJob{{array, {}}, change, kAnn});
  EXPECT_EQ(lab.state().find_array(array)->holding, 5U);
}

TEST(Inputs, AThrottleChangesWithWhateverElseIsSaidOfAnArray) {
  Lab lab;
  JobSpec spec = array_of(5, 2);
  spec.hold = true;
  const JobId array = lab.submit(spec);
  JobChange change;
  change.throttle = 3;
  change.nice = 7;
  EXPECT_TRUE(std::holds_alternative<Done>(lab.give(UpdateJob{{array, {}}, change, kAnn})));
  EXPECT_EQ(lab.state().find_array(array)->throttle, 3U);
  EXPECT_EQ(lab.state().shape_of_job(lab.state().job(array)).request->nice, 7);
  change.throttle = 4;
  change.qos = "nosuch";
  EXPECT_TRUE(std::holds_alternative<Refused>(lab.give(UpdateJob{{array, {}}, change, kAnn})));
  EXPECT_EQ(lab.state().find_array(array)->throttle, 4U);
}

TEST(Inputs, AThrottleOfOneTaskOrOfAJobThatIsNoArrayChangesNothing) {
  Lab lab;
  JobSpec spec = array_of(5, 2);
  spec.hold = true;
  const JobId array = lab.submit(spec);
  JobChange change;
  change.throttle = 3;
  lab.give(HoldJob{{array, 2}, kAnn});
  EXPECT_TRUE(std::holds_alternative<Done>(lab.give(UpdateJob{{array, 2}, change, kAnn})));
  EXPECT_EQ(lab.state().find_array(array)->throttle, 2U);
  const JobId job = lab.submit(cpus(1));
  EXPECT_TRUE(std::holds_alternative<Done>(lab.give(UpdateJob{{job, {}}, change, kAnn})));
}

TEST(Inputs, OneTaskCanBeHeldOrCancelledAlone) {
  Lab lab;
  JobSpec spec = array_of(4);
  spec.hold = true;
  const JobId array = lab.submit(spec);
  lab.give(CancelJob{{array, 2}, kAnn});
  EXPECT_FALSE(lab.state().find_array(array)->waiting.contains(2));
  lab.give(HoldJob{{array, 3}, kAnn});
  lab.give(ReleaseJob{{array, {}}, kAnn});
  lab.give(HoldJob{{array, 9}, kAnn});
  EXPECT_EQ(lab.state().find_array(array)->holding, 3U);
  EXPECT_EQ(lab.state().find_task(array, 2), nullptr);
}

TEST(Inputs, ATaskThatWasHeldStillWaitsForWhatItsArrayWaitsFor) {
  Lab lab(policy_of_ten_cpus());
  const JobId first = lab.submit(cpus(1));
  JobSpec spec = array_of(3);
  spec.dependencies.terms = {{DependencyType::kAfterOk, first, {}, Duration(0)}};
  const JobId array = lab.submit(spec);
  lab.give(HoldJob{{array, 2}, kAnn});
  const JobId task = lab.state().find_task(array, 2)->id;
  lab.give(ReleaseJob{{array, 2}, kAnn});
  EXPECT_EQ(lab.state_of(task), JobState::kPending);
  lab.end(first);
  EXPECT_EQ(lab.state_of(task), JobState::kRunning);
}

TEST(Inputs, AnArrayWhoseTaskCameBackAndSucceededHasSucceeded) {
  Lab lab;
  const JobId array = lab.submit(array_of(2));
  const JobId next = lab.submit(after(DependencyType::kAfterOk, array));
  const JobId task = lab.state().find_task(array, 1)->id;
  lab.give(RequeueJob{{array, 1}, kRoot});
  lab.obey();
  lab.end(task);
  lab.end(array);
  EXPECT_EQ(lab.state_of(next), JobState::kRunning);
}

TEST(Inputs, ASingletonWaitsForEveryTaskOfAnEarlierArray) {
  Lab lab;
  JobSpec spec = array_of(2);
  spec.name = "x";
  const JobId array = lab.submit(spec);
  JobSpec single = after(DependencyType::kSingleton, {});
  single.name = "x";
  const JobId job = lab.submit(single);
  lab.end(array);  // The last task, which has the array's number.
  EXPECT_EQ(lab.state_of(job), JobState::kPending);
  lab.end(lab.state().find_task(array, 1)->id);
  EXPECT_EQ(lab.state_of(job), JobState::kRunning);
}

TEST(Inputs, UnderAnotherNameAJobStandsInNoSingletonsWay) {
  Lab lab;
  JobSpec held = cpus(1);
  held.name = "x";
  held.hold = true;
  const JobId first = lab.submit(held);
  JobSpec single = after(DependencyType::kSingleton, {});
  single.name = "x";
  const JobId job = lab.submit(single);
  EXPECT_EQ(lab.why(job), Rule::kDependency);
  JobChange change;
  change.name = "y";
  lab.give(UpdateJob{{first, {}}, change, kAnn});
  EXPECT_EQ(lab.state_of(job), JobState::kRunning);
}

TEST(Inputs, ACorrelatedTaskThatCanNeverStartIsCancelledWhereTheJobSaysSo) {
  Lab lab(policy_of_ten_cpus());
  const JobId array = lab.submit(array_of(2));
  JobSpec spec = array_of(2);
  spec.dependencies.terms = {{DependencyType::kAfterCorr, array, {}, Duration(0)}};
  spec.kill_on_invalid_dependency = true;
  const JobId second = lab.submit(spec);
  lab.end(lab.state().find_task(array, 1)->id, JobState::kFailed);
  EXPECT_EQ(lab.state_of(lab.state().find_task(second, 1)->id), JobState::kCancelled);
  lab.end(array);
  EXPECT_EQ(lab.state_of(lab.state().find_task(second, 2)->id), JobState::kRunning);
}

TEST(Inputs, APendingJobIsChangedInPlaceAndKeepsItsAge) {
  Lab lab;
  lab.submit(cpus(4));
  lab.submit(cpus(4));
  const JobId job = lab.submit(cpus(4));
  const Instant since = lab.job(job).eligible_since;
  lab.pass(minutes(1));
  JobChange change;
  change.time_limit = minutes(3);
  EXPECT_EQ(message_of(lab.give(UpdateJob{{job, {}}, change, kAnn})), "");
  EXPECT_EQ(lab.job(job).limit, minutes(3));
  EXPECT_EQ(lab.job(job).eligible_since, since);
}

TEST(Inputs, OnlyAnOperatorRaisesALimitAPriorityOrNegativeNice) {
  Lab lab;
  const JobId running = lab.submit(cpus(4));
  lab.submit(cpus(4));
  const JobId waiting = lab.submit(cpus(4));
  JobChange more;
  more.time_limit = minutes(60);
  EXPECT_EQ(message_of(lab.give(UpdateJob{{running, {}}, more, kAnn})), kDenied);
  EXPECT_EQ(message_of(lab.give(UpdateJob{{running, {}}, more, kRoot})), "");
  JobChange nice;
  nice.nice = -5;
  EXPECT_EQ(message_of(lab.give(UpdateJob{{waiting, {}}, nice, kAnn})), kDenied);
  JobChange priority;
  priority.priority = 5;
  EXPECT_EQ(message_of(lab.give(UpdateJob{{waiting, {}}, priority, kAnn})), kDenied);
  JobChange account;
  account.account = "lab";
  EXPECT_EQ(message_of(lab.give(UpdateJob{{running, {}}, account, kAnn})),
            "Job is no longer pending execution");
}

TEST(Inputs, WhatIsSaidAboutARunningJobChangesAndWhatItHoldsDoesNot) {
  Lab lab;
  const JobId running = lab.submit(cpus(4));
  JobChange said;
  said.name = "another";
  said.comment = "looked at";
  said.requeue = false;
  said.environment = {{"SLUICE_MAIL_USER", "ann"}};
  EXPECT_EQ(message_of(lab.give(UpdateJob{{running, {}}, said, kAnn})), "");
  const JobSpec& request = *lab.state().shape_of_job(lab.job(running)).request;
  EXPECT_EQ(request.name, "another");
  EXPECT_EQ(request.comment, "looked at");
  EXPECT_EQ(request.requeue, false);
  EXPECT_EQ(request.launch.environment.back().value, "ann");
  EXPECT_EQ(lab.state_of(running), JobState::kRunning);
  for (const auto& set : std::vector<std::function<void(JobChange&)>>{
           [](JobChange& it) { it.exclude_nodes = {"n1"}; },
           [](JobChange& it) { it.constraint = Constraint{}; },
           [](JobChange& it) { it.licenses = std::vector<LicenseRequest>{}; },
           [](JobChange& it) { it.stdout_path = "/tmp/other"; },
           [](JobChange& it) { it.min_sockets = 1; }}) {
    JobChange change;
    set(change);
    EXPECT_EQ(message_of(lab.give(UpdateJob{{running, {}}, change, kRoot})),
              "Job is no longer pending execution");
  }
}

TEST(Inputs, ARunningJobOfAnotherNameIsInNoSingletonsWay) {
  Lab lab;
  const JobId running = lab.submit(cpus(1));
  JobSpec single = cpus(1);
  single.name = lab.state().shape_of_job(lab.job(running)).request->name;
  single.dependencies.terms = {{DependencyType::kSingleton, {}, {}, Duration(0)}};
  const JobId waiting = lab.submit(single);
  ASSERT_EQ(lab.state_of(waiting), JobState::kPending);
  JobChange said;
  said.name = "another";
  EXPECT_EQ(message_of(lab.give(UpdateJob{{running, {}}, said, kAnn})), "");
  EXPECT_EQ(lab.state_of(waiting), JobState::kRunning);
}

TEST(Inputs, OnlyAnOperatorChangesDeadlinesSharingAndTasksOfANode) {
  Lab lab;
  lab.submit(cpus(4));
  lab.submit(cpus(4));
  const JobId waiting = lab.submit(cpus(4));
  for (const auto& set : std::vector<std::function<void(JobChange&)>>{
           [&](JobChange& it) { it.deadline = lab.now() + minutes(60); },
           [](JobChange& it) { it.sharing = NodeSharing::kOversubscribe; },
           [](JobChange& it) { it.contiguous = true; },
           [](JobChange& it) { it.tasks_per_node = 1; }}) {
    JobChange change;
    set(change);
    EXPECT_EQ(message_of(lab.give(UpdateJob{{waiting, {}}, change, kAnn})), kDenied);
    EXPECT_EQ(message_of(lab.give(UpdateJob{{waiting, {}}, change, kRoot})), "");
  }
  JobChange late;
  late.deadline = lab.now() - minutes(1);
  EXPECT_EQ(message_of(lab.give(UpdateJob{{waiting, {}}, late, kRoot})), "Invalid time specified");
}

TEST(Inputs, AChangeToNoneTakesBackWhatWasAskedFor) {
  Lab lab;
  lab.submit(cpus(4));
  lab.submit(cpus(4));
  JobSpec asked = cpus(4);
  asked.max_switches = 1;
  asked.switch_wait = minutes(5);
  asked.tasks_per_node = 4;
  const JobId job = lab.submit(asked);
  JobChange none;
  none.max_switches = 0;
  none.tasks_per_node = 0;
  EXPECT_EQ(message_of(lab.give(UpdateJob{{job, {}}, none, kRoot})), "");
  const JobSpec& request = *lab.state().shape_of_job(lab.job(job)).request;
  EXPECT_FALSE(request.max_switches);
  EXPECT_FALSE(request.switch_wait);
  EXPECT_FALSE(request.tasks_per_node);
}

TEST(Inputs, APolicyThatTakesAwayWhatAJobHoldsIsRefused) {
  Policy policy = small_policy();
  policy.nodes[0].gpus.resize(2);
  Lab lab(policy);
  JobSpec spec = cpus(1);
  spec.gpus = {{GpusPer::kNode, "", 1}};
  const JobId job = lab.submit(spec);
  ASSERT_EQ(lab.state_of(job), JobState::kRunning);
  const auto refused = [&](auto change) {
    Policy other = policy;
    change(other);
    const Reply reply = lab.give(AdoptPolicy{std::make_shared<const Policy>(std::move(other))});
    return std::holds_alternative<Refused>(reply);
  };
  EXPECT_TRUE(refused([](Policy& p) { p.nodes[0].gpus.resize(1); }));
  EXPECT_TRUE(refused([](Policy& p) { p.nodes[0].memory_mb = 1; }));
  EXPECT_TRUE(refused([](Policy& p) { p.nodes[0].cpus = 1; }));
  EXPECT_TRUE(refused([](Policy& p) { p.partitions[0].name = "other"; }));
  EXPECT_FALSE(refused([](Policy& p) { p.nodes[1].cpus = 1; }));
}

TEST(Inputs, ASuspendedJobThatIsCancelledTakesNoCpusBack) {
  Policy policy = small_policy();
  Partition high = policy.partitions[0];
  high.name = "high";
  high.is_default = false;
  high.priority_tier = 10;
  policy.partitions.push_back(high);
  policy.preemption.type = PreemptType::kPartitionPriority;
  policy.preemption.mode = PreemptMode::kSuspend;
  policy.preemption.gang = true;
  Lab lab(policy);
  JobSpec both = cpus(4);
  both.min_nodes = 2;
  const JobId low = lab.submit(both);
  both.partitions = {"high"};
  const JobId top = lab.submit(both);
  EXPECT_EQ(lab.state_of(low), JobState::kSuspended);
  EXPECT_EQ(lab.state_of(top), JobState::kRunning);
  // Nor may anybody resume it while its CPUs are in use.
  EXPECT_NE(message_of(lab.give(ResumeJob{{low, {}}, kRoot})), "");
  lab.give(CancelJob{{low, {}}, kAnn});
  EXPECT_EQ(lab.state().broken_invariant(), "");
  lab.obey();
  EXPECT_EQ(lab.state_of(low), JobState::kCancelled);
  EXPECT_EQ(lab.state().broken_invariant(), "");
}

TEST(Inputs, ARunThatIsLostComesBackWhereItMay) {
  Lab lab;
  const JobId back = lab.submit(cpus(1));
  JobSpec once = cpus(1);
  once.requeue = false;
  const JobId gone = lab.submit(once);
  lab.give(RunLost{back, 1});
  lab.give(RunLost{gone, 1});
  EXPECT_EQ(lab.job(back).attempt, 2U);
  EXPECT_EQ(lab.state_of(back), JobState::kRunning);
  EXPECT_EQ(lab.state_of(gone), JobState::kNodeFail);
  lab.give(RunLost{back, 1});  // A late report of the first run.
  EXPECT_EQ(lab.job(back).attempt, 2U);
}

TEST(Inputs, ManyTasksAreCancelledAtOnce) {
  Lab lab;
  JobSpec spec = cpus(4);
  spec.array.emplace();
  spec.array->indices.insert_range(0, 9);
  const JobId array = lab.submit(spec);
  IndexSet odd;
  odd.insert_range(1, 9, 2);
  EXPECT_EQ(message_of(lab.give(CancelJob{{array, {}}, {"ann", false}, odd})), "");
  EXPECT_EQ(lab.state().find_array(array)->waiting.to_vector(),
            (std::vector<std::uint32_t>{2, 4, 6, 8}));
  EXPECT_EQ(lab.state_of(lab.state().find_task(array, 1)->id), JobState::kCompleting);
  EXPECT_EQ(message_of(lab.give(CancelJob{{array, {}}, {"bob", false}, odd})),
            "Access/permission denied");
}

TEST(Inputs, CopiesAreJobsOfTheirOwn) {
  Lab lab;
  const Reply reply = lab.give(SubmitJob{cpus(1), 20});
  ASSERT_TRUE(std::holds_alternative<Submitted>(reply));
  EXPECT_EQ(std::get<Submitted>(reply).count, 20U);
  EXPECT_EQ(lab.state().job_count(), 20U);
  EXPECT_EQ(lab.state().pending_count(), 12U);
  const JobId first = std::get<Submitted>(reply).job;
  EXPECT_EQ(lab.state_of(JobId(first.value() + 19)), JobState::kPending);
}

TEST(Inputs, CopiesBeyondALimitOnSubmissionsAreNotMade) {
  Policy policy = small_policy();
  policy.associations[1].group.submit_jobs = 5;
  Lab lab(policy);
  const Reply reply = lab.give(SubmitJob{cpus(1), 20});
  ASSERT_TRUE(std::holds_alternative<Submitted>(reply));
  EXPECT_EQ(std::get<Submitted>(reply).count, 5U);
  EXPECT_EQ(lab.state().job_count(), 5U);
}

}  // namespace
}  // namespace sluice
