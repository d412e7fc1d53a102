// Views over a small engine: what people see is what the engine says.
#include <gtest/gtest.h>

#include "engine/engine_for_tests.h"
#include "text/each_script.h"
#include "views/job_line.h"
#include "views/job_view.h"
#include "views/node_view.h"
#include "views/priority_view.h"
#include "views/queue_view.h"
#include "views/row_fields.h"
#include "views/row_text.h"
#include "views/share_view.h"
#include "views/why_view.h"

namespace sluice {
namespace {

std::vector<std::string> ids(Lab& lab, QueueFilter filter = {}) {
  std::vector<std::string> out;
  for (const QueueLine& line : queue_lines(lab.engine(), lab.now(), filter)) out.push_back(line.id);
  return out;
}

JobSpec array_of(std::uint32_t tasks) {
  JobSpec spec = cpus(4);
  spec.array.emplace();
  spec.array->indices.insert_range(0, tasks - 1);
  return spec;
}

TEST(QueueView, RunningJobsComeFirstThenTheQueueThenTheHeld) {
  Lab lab;
  JobSpec held = cpus(1, "bob");
  held.hold = true;
  lab.submit(held);
  lab.submit(cpus(4));
  lab.submit(cpus(4));
  lab.submit(cpus(4));
  EXPECT_EQ(ids(lab), (std::vector<std::string>{"2", "3", "4", "1"}));
  const auto lines = queue_lines(lab.engine(), lab.now(), {});
  EXPECT_EQ(lines[0].state, JobState::kRunning);
  EXPECT_EQ(lines[2].reason, "Resources");
  EXPECT_EQ(lines[3].reason, "JobHeldUser");
}

TEST(QueueView, AnArrayIsOneLineOrAsManyAsOneLikes) {
  Lab lab;
  lab.submit(array_of(5));
  EXPECT_EQ(ids(lab), (std::vector<std::string>{"1_[0-4]"}));
  const QueueLine line = queue_lines(lab.engine(), lab.now(), {}).front();
  EXPECT_EQ(line.running, 2);
  EXPECT_EQ(line.waiting, 3);
  EXPECT_EQ(line.reason, "Resources");
  QueueFilter filter;
  filter.arrays = ArrayLines::kRecords;
  EXPECT_EQ(ids(lab, filter), (std::vector<std::string>{"1_0", "1_1", "1_[2-4]"}));
  filter.arrays = ArrayLines::kTasks;
  EXPECT_EQ(ids(lab, filter), (std::vector<std::string>{"1_0", "1_1", "1_2", "1_3", "1_4"}));
}

TEST(QueueView, FiltersLetThroughOnlyWhatWasAskedFor) {
  Lab lab;
  lab.submit(cpus(1));
  lab.submit(cpus(1, "bob"));
  const JobId done = lab.submit(cpus(1, "bob"));
  lab.end(done);
  QueueFilter filter;
  filter.users = {"bob"};
  EXPECT_EQ(ids(lab, filter), (std::vector<std::string>{"2"}));
  filter.states = {JobState::kCompleted};
  EXPECT_EQ(ids(lab, filter), (std::vector<std::string>{"3"}));
  filter = {};
  filter.jobs = {JobId(1)};
  EXPECT_EQ(ids(lab, filter), (std::vector<std::string>{"1"}));
}

TEST(QueueView, ALineThatFollowsOneAlikeSaysWhatItWouldSayAlone) {
  Lab lab;
  JobSpec held = cpus(2);
  held.hold = true;
  JobSpec later = cpus(2);
  later.begin = lab.now() + minutes(5);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 6; ++i) lab.submit(cpus(2));
    for (int i = 0; i < 2; ++i) lab.submit(held);
    for (int i = 0; i < 2; ++i) lab.submit(later);
    lab.submit(array_of(3));
    later.begin = lab.now() + minutes(50);
  }
  JobChange shorter;
  shorter.time_limit = minutes(3);
  lab.give(UpdateJob{{JobId(6), {}}, shorter, kRoot});
  std::size_t alike = 0;
  QueueLine above;
  const auto own = *chosen_fields(field_names<QueueLine>(), kOwnFields);
  for (const ArrayLines arrays : {ArrayLines::kOne, ArrayLines::kRecords, ArrayLines::kTasks}) {
    QueueFilter filter;
    filter.arrays = arrays;
    for_each_queue_line(lab.engine(), lab.now(), filter, [&](const QueueLine& line, LineBefore it) {
      if (!line.array) {
        QueueLine alone;
        fill_line(lab.engine(), lab.job(line.job), lab.now(), alone);
        EXPECT_EQ(to_json(line), to_json(alone));
      }
      if (it == LineBefore::kAlike) {
        ++alike;
        std::string both[2];
        RowTextWriter(both[0], ~own).row(above);
        RowTextWriter(both[1], ~own).row(line);
        EXPECT_EQ(both[0], both[1]);
      }
      above = line;
    });
  }
  EXPECT_GE(alike, 6U);
}

TEST(WhyView, ALimitIsShownAsArithmeticWithItsHolders) {
  Policy policy = small_policy();
  policy.associations[1].group.tres.put(kTresCpu, 4);
  Lab lab(policy);
  const JobId first = lab.submit(cpus(3, "bob"));
  const JobId second = lab.submit(cpus(2));
  const WhyCard card = why_card(lab.engine(), lab.job(second), lab.now());
  EXPECT_EQ(card.reason, "AssocGrpCpuLimit");
  EXPECT_EQ(card.arithmetic, "4 cpu at most, 3 used + 2 asked");
  ASSERT_EQ(card.holders.size(), 1U);
  EXPECT_EQ(card.holders.front().user, "bob");
  EXPECT_EQ(card.holders.front().amount, 3);
  EXPECT_EQ(card.holders.front().jobs, std::to_string(first.value()));
  EXPECT_EQ(card.may_end, lab.state().run_of(lab.job(first)).expected_end);
  const auto binding = std::find_if(card.gates.begin(), card.gates.end(),
                                    [](const GateLine& gate) { return gate.binding; });
  ASSERT_NE(binding, card.gates.end());
  EXPECT_EQ(binding->name, "GrpTRES cpu");
  EXPECT_EQ(binding->holder, "account lab");
}

TEST(WhyView, OfALimitOnGpusJobsWithoutOneHoldNothing) {
  Policy policy = small_policy();
  for (Node& node : policy.nodes) node.gpus.resize(2);
  policy.associations[1].group.tres.put(kTresGpu, 1);
  Lab lab(policy);
  JobSpec with_gpu = cpus(1, "bob");
  with_gpu.gpus.push_back({GpusPer::kNode, "", 1});
  const JobId holder = lab.submit(with_gpu);
  JobSpec without = cpus(1, "bob");
  without.time_limit = minutes(1);
  lab.submit(without);
  const JobId waits = lab.submit(with_gpu);
  const WhyCard card = why_card(lab.engine(), lab.job(waits), lab.now());
  ASSERT_EQ(card.holders.size(), 1U);
  EXPECT_EQ(card.holders.front().jobs, std::to_string(holder.value()));
  EXPECT_EQ(card.may_end, lab.state().run_of(lab.job(holder)).expected_end)
      << "the end of a job without a GPU makes no room";
}

TEST(WhyView, WhatWouldHelpCanBeTyped) {
  Lab lab;
  JobSpec held = cpus(1);
  held.hold = true;
  const JobId job = lab.submit(held);
  const WhyCard card = why_card(lab.engine(), lab.job(job), lab.now());
  ASSERT_EQ(card.help.size(), 1U);
  EXPECT_EQ(card.help.front().command, "sluice release 1");
}

TEST(WhyView, WhatWouldHelpIsTriedFirst) {
  Policy policy = small_policy();
  policy.associations[1].group.tres.put(kTresCpu, 4);
  Lab lab(policy);
  JobSpec held = cpus(2);
  held.hold = true;
  const JobId released = lab.submit(held);
  JobSpec begins = cpus(2);
  begins.begin = lab.now() + minutes(60);
  const JobId later = lab.submit(begins);
  const auto first_help = [&](JobId job) {
    return why_card(lab.engine(), lab.job(job), lab.now()).help.front().what;
  };
  EXPECT_EQ(first_help(released), "let it go");
  EXPECT_EQ(first_help(later), "let it begin now");
  lab.submit(cpus(3, "bob"));
  EXPECT_EQ(first_help(released),
            "let it go; it then waits: GrpTRES cpu of account lab: limit 4, used 3, asked 2");
  EXPECT_EQ(
      first_help(later),
      "let it begin now; it then waits: GrpTRES cpu of account lab: limit 4, used 3, asked 2");
}

TEST(WhyView, WhatWouldHelpSaysThatNodesAreTaken) {
  Lab lab;
  JobSpec held = cpus(4);
  held.hold = true;
  const JobId job = lab.submit(held);
  lab.submit(cpus(4));
  lab.submit(cpus(4));
  EXPECT_EQ(why_card(lab.engine(), lab.job(job), lab.now()).help.front().what,
            "let it go; it then waits for free nodes");
}

TEST(WhyView, WhoeverRunsDoesNotWait) {
  Lab lab;
  const JobId job = lab.submit(cpus(1));
  EXPECT_EQ(why_card(lab.engine(), lab.job(job), lab.now()).sentence,
            "does not wait: it runs on n1 for 0:00 now");
}

TEST(JobView, ATaskInItsArraysRecordHasACardOfItsOwn) {
  Lab lab;
  const JobId array = lab.submit(array_of(5));
  EXPECT_EQ(find_record(lab.state(), array, 9), nullptr);
  const Job* waiting = find_record(lab.state(), array, 4);
  ASSERT_NE(waiting, nullptr);
  const JobCard card = job_card(lab.engine(), *waiting, lab.now(), 4);
  EXPECT_EQ(card.line.id, "1_4");
  EXPECT_EQ(card.line.state, JobState::kPending);
  const JobCard running = job_card(lab.engine(), *find_record(lab.state(), array, 0), lab.now(), 0);
  ASSERT_EQ(running.node_lines.size(), 1U);
  EXPECT_EQ(running.node_lines.front().cpus, 4);
}

TEST(JobView, ATaskOfAListOfCommandsShowsItsOwn) {
  Lab lab;
  JobSpec spec = array_of(3);
  spec.launch.command = "job.sh";
  const std::vector<std::string> commands = {"echo a", "echo b"};
  spec.launch.script = each_script(commands, "");
  const JobId array = lab.submit(spec);
  const auto command_of = [&](std::uint32_t task) {
    return job_card(lab.engine(), *find_record(lab.state(), array, task), lab.now(), task).command;
  };
  EXPECT_EQ(command_of(1), "echo a");
  EXPECT_EQ(command_of(2), "echo b");
  EXPECT_EQ(command_of(0), "job.sh");
}

TEST(JobView, AnArrayWaitsWhereATaskOfItCameBack) {
  Policy policy = small_policy();
  policy.scheduler.requeue_delay = minutes(2);
  Lab lab(policy);
  const JobId array = lab.submit(array_of(2));
  EXPECT_EQ(first_waiting(lab.state(), array), nullptr);
  const Job& first = *find_record(lab.state(), array, 0);
  lab.give(ChangeNode{"n1", NodeState::kDown, "gone"});
  ASSERT_EQ(first.state, JobState::kPending);
  const Job* waiting = first_waiting(lab.state(), array);
  ASSERT_NE(waiting, nullptr);
  EXPECT_EQ(waiting->task, 0U);
  EXPECT_EQ(queue_lines(lab.engine(), lab.now(), {}).front().reason, "BeginTime");
  EXPECT_TRUE(why_card(lab.engine(), *waiting, lab.now())
                  .sentence.starts_with("was put back into the queue; its requeue delay ends in"));
}

TEST(NodeView, SaysWhatIsFree) {
  Lab lab;
  lab.submit(cpus(3));
  const auto lines = node_lines(lab.engine(), {{"memory", "cgroup v2"}});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].state, "mixed");
  EXPECT_EQ(lines[0].cpus_free, 1);
  EXPECT_EQ(lines[1].state, "idle");
  EXPECT_EQ(lines[1].enforces.at("memory"), "cgroup v2");
}

TEST(ShareView, ListsTheTreeInOrder) {
  Lab lab;
  lab.submit(cpus(3, "bob"));
  const auto lines = share_lines(lab.engine());
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[3].user, "bob");
  EXPECT_EQ(lines[3].depth, 2);
  EXPECT_EQ(lines[3].running, 1);
}

TEST(Rows, ReadBackWhatTheyWrote) {
  Lab lab;
  lab.submit(cpus(4));
  lab.submit(array_of(3));
  for (const QueueLine& line : queue_lines(lab.engine(), lab.now(), {})) {
    const std::string text = to_json(line);
    const auto read = from_json<QueueLine>(text);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(to_json(*read), text);
  }
}

}  // namespace
}  // namespace sluice
