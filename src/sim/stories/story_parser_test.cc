#include "sim/stories/story_parser.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Story one(const std::string& text) {
  auto stories = parse_stories(text, "t.story");
  EXPECT_TRUE(stories) << stories.error().text();
  if (!stories) return {};
  EXPECT_EQ(stories->size(), 1U);
  return stories->front();
}

// The whole message of the first mistake.
std::string mistake(const std::string& text) {
  auto stories = parse_stories(text, "t.story");
  return stories ? std::string("no mistake found") : stories.error().text();
}

void expect_mistake(const std::string& text, std::initializer_list<std::string_view> parts) {
  const std::string message = mistake(text);
  for (std::string_view part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in: " << message;
}

const std::string kNodes = "nodes n[1-2] cpus=4\n";

TEST(StoryParser, ReadsTitleStepsAndExpectations) {
  const Story story =
      one("# A rule.\n# More about it.\n\n" + kNodes +
          "0:00  ann submits A cpus=4 limit=10:00 runs=3:00 => A starts on n1, n2 has 4 cpus free\n"
          "+30   time passes\n"
          "      => A runs\n"
          "1:00:00 => A ended COMPLETED   # at the end\n");
  EXPECT_EQ(story.title, "A rule.");
  ASSERT_EQ(story.steps.size(), 3U);
  EXPECT_EQ(story.steps[0].expectations.size(), 2U);
  EXPECT_EQ(story.steps[1].at, instant_at(seconds(30)));
  EXPECT_EQ(story.steps[1].expectations[0].line, 7);
  EXPECT_EQ(story.steps[2].at, instant_at(minutes(60)));
  const auto& submit = std::get<StorySubmit>(story.steps[0].action);
  EXPECT_EQ(submit.request.cpus_per_task, 4);
  EXPECT_EQ(submit.request.time_limit, minutes(10));
  EXPECT_EQ(submit.fate.run, minutes(3));
  EXPECT_EQ(submit.request.user, "ann");
}

TEST(StoryParser, ReadsHeaderLinesAsKeysOfThePolicyFile) {
  const Story story =
      one("nodes n[1-2] cpus=8 memory=32G gpus=a100:2 gpus=v100:1 features=fast,big weight=3\n"
          "partition one nodes=n1 default=yes max_time=1h qos=part\n"
          "partition two nodes=n2\n"
          "qos part GrpTRES=cpu=4 Flags=DenyOnLimit\n"
          "qos high Priority=100 Preempt=part\n"
          "account top shares=5\n"
          "account sub parent=top users=ann,bob MaxJobs=3\n"
          "user ann account=sub MaxJobs=1\n"
          "user bob admin_level=operator\n"
          "license x=2\n"
          "set priority.weight_age=1000 scheduler.type=builtin\n"
          "0:00 time passes\n");
  const Policy& policy = *story.policy;
  ASSERT_EQ(policy.nodes.size(), 2U);
  EXPECT_EQ(policy.nodes[0].gpus.size(), 3U);
  EXPECT_EQ(policy.nodes[1].gpus[2].type, "v100");
  EXPECT_EQ(policy.nodes[0].memory_mb, 32 * 1024);
  EXPECT_EQ(policy.partitions.size(), 2U);
  const auto sub = policy.find_association("sub", "ann", "");
  ASSERT_TRUE(sub);
  EXPECT_EQ(policy.associations[sub->index()].max_jobs, 1);
  EXPECT_EQ(policy.users[policy.find_user("bob")->index()].admin_level, AdminLevel::kOperator);
  EXPECT_EQ(policy.licenses.size(), 1U);
  EXPECT_EQ(policy.priority.weight_age, 1000);
  EXPECT_EQ(policy.scheduler.type, SchedulerType::kBuiltin);
  EXPECT_EQ(policy.allowed_qos(*sub).size(), 3U);
}

TEST(StoryParser, PutsEverybodyIntoOneAccountWhereNoneIsNamed) {
  const Story story = one(kNodes + "0:00 ann submits A\n0:01 bob submits B\n");
  EXPECT_TRUE(story.policy->find_association("default", "ann", ""));
  EXPECT_TRUE(story.policy->find_association("default", "bob", ""));
  EXPECT_TRUE(story.policy->enforce.limits);
}

TEST(StoryParser, ReadsTagsBetweenBlanksAndCommas) {
  const Story story =
      one(kNodes + "tags: same-nodes same-reasons, quick-slurm,x\n0:00 time passes\n");
  EXPECT_EQ(story.tags,
            (std::vector<std::string>{"same-nodes", "same-reasons", "quick-slurm", "x"}));
}

TEST(StoryParser, ReadsSeveralStoriesWithOneHeader) {
  auto stories = parse_stories(kNodes +
                                   "story: first\n0:00 ann submits A\n\n"
                                   "story: second\nset jobs.kill_wait=5s\n0:00 bob submits A\n",
                               "t.story");
  ASSERT_TRUE(stories) << stories.error().text();
  ASSERT_EQ(stories->size(), 2U);
  EXPECT_EQ((*stories)[1].title, "second");
  EXPECT_EQ((*stories)[1].line, 5);
  EXPECT_EQ((*stories)[1].policy->jobs.kill_wait, seconds(5));
  EXPECT_EQ((*stories)[0].policy->jobs.kill_wait, seconds(30));
}

TEST(StoryParser, ReadsAPolicyBelowALineOfItsOwn) {
  const Story story = one("policy:\n  nodes:\n    - name: n1\n      cpus: 2\n\n0:00 time passes\n");
  EXPECT_EQ(story.policy->nodes.size(), 1U);
  expect_mistake("policy:\n  nodes:\n    - name: n1\n      cpsu: 2\n\n0:00 time passes\n",
                 {"t.story:4", "cpsu", "did you mean cpus"});
}

TEST(StoryParser, FollowsIncludesOfAPolicyInTheStory) {
  auto stories = parse_stories("policy:\n  include: nodes.yaml\n\n0:00 time passes\n", "a/t.story",
                               [](const std::string& path) -> Result<std::string> {
                                 if (path != "a/nodes.yaml") return bad_input("not there");
                                 return std::string("nodes: [{name: n1, cpus: 2}]\n");
                               });
  ASSERT_TRUE(stories) << stories.error().text();
  EXPECT_EQ(stories->front().policy->nodes.size(), 1U);
}

TEST(StoryParser, ReadsAPolicyFileBesideTheStory) {
  std::string asked;
  auto stories = parse_stories("policy site.yaml\nset jobs.kill_wait=5s\n0:00 time passes\n",
                               "some/where/t.story", [&](const std::string& path) {
                                 asked = path;
                                 return Result<std::string>("nodes: [{name: n1, cpus: 2}]\n");
                               });
  ASSERT_TRUE(stories) << stories.error().text();
  EXPECT_EQ(asked, "some/where/site.yaml");
  EXPECT_EQ(stories->front().policy->jobs.kill_wait, seconds(5));
}

TEST(StoryParser, ChangesThePolicyOnTheWay) {
  const Story story = one(kNodes +
                          "account top users=ann\n0:00 ann submits A\n"
                          "0:01 policy sets qos.normal.GrpTRES=cpu=2 accounts.top.MaxJobs=1\n");
  const auto& change = std::get<StoryPolicyChange>(story.steps[1].action);
  EXPECT_EQ(change.policy->qos[0].group.tres.get(kTresCpu), 2);
  EXPECT_EQ(change.policy->associations[change.policy->find_account("top")->index()].max_jobs, 1);
  EXPECT_FALSE(story.policy->qos[0].group.tres.get(kTresCpu));
}

TEST(StoryParser, TakesSbatchOptionsBehindTwoDashes) {
  const Story story =
      one(kNodes + "0:00 ann submits A -- -c2 --mem=1G -N 2 --time 5 --exclusive -a 0-3%2\n");
  const JobSpec& spec = std::get<StorySubmit>(story.steps[0].action).request;
  EXPECT_EQ(spec.cpus_per_task, 2);
  EXPECT_EQ(spec.memory->mb, 1024);
  EXPECT_EQ(spec.min_nodes, 2);
  EXPECT_EQ(spec.time_limit, minutes(5));
  EXPECT_EQ(spec.sharing, NodeSharing::kExclusive);
  EXPECT_EQ(spec.array->throttle, 2U);
}

TEST(StoryParser, NamesTheLineAndTheWordOfAMistake) {
  expect_mistake(kNodes + "0:00 ann submits A cups=4\n",
                 {"t.story:2: cups=4", "did you mean cpus?", "allowed:", "mem"});
  expect_mistake(kNodes + "0:00 ann submits A mem=4Q\n", {"t.story:2: mem=4Q"});
  expect_mistake(kNodes + "0:00 ann submtis A\n", {"t.story:2: submtis", "did you mean submits?"});
  expect_mistake(kNodes + "0:00 ann submits A => A wiats\n",
                 {"t.story:2: wiats", "did you mean waits?"});
  expect_mistake(kNodes + "0:00 ann submits A => A waits Resourcs\n",
                 {"t.story:2: Resourcs", "did you mean Resources?"});
  expect_mistake(kNodes + "0:00 ann submits A => A ends COMPLETE\n",
                 {"t.story:2: COMPLETE", "did you mean COMPLETED?"});
  expect_mistake(kNodes + "0:00 ann submits A => A starts on n3\n",
                 {"t.story:2: n3", "there is no node 'n3'"});
  expect_mistake("nodse n1 cpus=4\n0:00 time passes\n",
                 {"t.story:1: nodse", "did you mean nodes?"});
  expect_mistake("nodes n1 cpsu=4\n0:00 time passes\n",
                 {"t.story:1", "cpsu", "did you mean cpus?"});
  expect_mistake(kNodes + "qos high GrpTERS=cpu=4\n0:00 time passes\n",
                 {"t.story:2", "GrpTERS", "did you mean GrpTRES?"});
  expect_mistake(kNodes + "0:00 node n1 explodes\n", {"t.story:2: explodes", "goes down"});
  expect_mistake(kNodes + "0:00 ann routes A device=tpu\n", {"t.story:2: device=tpu", "gpu"});
  expect_mistake(kNodes + "0:00 ann routes A => A goes to\n", {"t.story:2: A", "names no pool"});
  expect_mistake("routing:\n  stuck-after: soon\n\n" + kNodes + "0:00 ann rebalances\n",
                 {"t.story:2", "stuck-after"});
}

TEST(StoryParser, KnowsWhichJobsThereAre) {
  expect_mistake(kNodes + "0:00 ann submits A => B starts\n",
                 {"t.story:2: B", "no user has submitted 'B' yet"});
  expect_mistake(kNodes + "0:00 ann cancels A\n", {"no user has submitted 'A' yet"});
  expect_mistake(kNodes + "0:00 ann submits A after-ok=B\n", {"no user has submitted 'B' yet"});
  expect_mistake(kNodes + "0:00 ann submits A\n0:01 bob submits A\n",
                 {"t.story:3: A", "there is a job of this name already"});
  expect_mistake(kNodes + "0:00 ann submits A => A[1] starts\n", {"'A' is not an array"});
  expect_mistake(kNodes + "0:00 ann submits A array=0-3 => A[4] starts\n",
                 {"A has no task 4", "0-3"});
  expect_mistake(kNodes + "0:00 ann submits order\n", {"has a meaning of its own"});
}

TEST(StoryParser, KeepsTimeRunningForwards) {
  expect_mistake(kNodes + "0:10 time passes\n0:05 time passes\n",
                 {"t.story:3: 0:05", "the line before is at 0:10"});
  expect_mistake(kNodes + "10 time passes\n", {"'10' of what?", "10:00"});
  expect_mistake(kNodes + "1:xx time passes\n", {"t.story:2: 1:xx"});
}

TEST(StoryParser, WantsAClusterAndSteps) {
  expect_mistake("0:00 time passes\n", {"the story has no nodes", "nodes n[1-2] cpus=4"});
  expect_mistake(kNodes, {"the story has no steps"});
  expect_mistake(kNodes + "0:00 time passes\nnodes n3\n", {"t.story:3: nodes", "before the steps"});
  expect_mistake(kNodes + "0:00 time passes\nstory: x\n0:00 time passes\n",
                 {"t.story:2", "before the first 'story:' line"});
  expect_mistake(kNodes + "0:00 ann submits A => \n", {"nothing stands behind it"});
  expect_mistake(kNodes + "0:00 ann submits A => A is refused \"x\n", {"a quote is not closed"});
  expect_mistake(kNodes + "account a parent=b\n0:00 time passes\n", {"t.story:2: parent=b"});
}

}  // namespace
}  // namespace sluice
