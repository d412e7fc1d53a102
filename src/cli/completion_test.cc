#include "cli/completion.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

CommandPage command(const char* name, const char* description) {
  CommandPage page;
  page.name = name;
  page.description = description;
  return page;
}

CommandPage tree() {
  CommandPage why = command("why", "See why a job waits\nat length");
  why.options = {{{}, "JOB", "", {}}, {{"-h", "--help"}, "", "", {}}};
  CommandPage logs = command("logs", "See what a job printed");
  logs.options = {{{}, "ID", "", {}}};
  CommandPage plan = command("plan", "What would change");
  plan.options = {{{}, "FILE", "", {}}};
  CommandPage policy = command("policy", "Policies");
  policy.commands = {plan};
  CommandPage pools = command("pools", "Pools");
  pools.options = {{{"-A", "--account"}, "ACCOUNT", "Only these", {}},
                   {{"--on"}, "ENGINE", "", {"slurm", "embedded"}}};
  CommandPage submit = command("submit", "Submit");
  submit.operands = "SCRIPT [ARGUMENTS...]";
  CommandPage root = command("sluice", "");
  root.commands = {why, logs, policy, pools, submit};
  return with_sbatch_options(root);
}

std::vector<std::string> words_of(const Completion& completion) {
  std::vector<std::string> out;
  for (const CompletionWord& word : completion.words) out.push_back(word.word);
  return out;
}
using Words = std::vector<std::string>;

TEST(Completion, TheFirstWordIsACommand) {
  EXPECT_EQ(words_of(completion_at(tree(), {""})),
            (Words{"logs", "policy", "pools", "submit", "why"}));
  EXPECT_EQ(completion_at(tree(), {"w"}).words,
            (std::vector<CompletionWord>{{"why", "See why a job waits"}}));
  EXPECT_EQ(words_of(completion_at(tree(), {"help", "po"})), (Words{"policy", "pools"}));
  EXPECT_EQ(words_of(completion_at(tree(), {"policy", ""})), (Words{"plan"}));
  EXPECT_TRUE(completion_at(tree(), {}).words.size() == 5);
}

TEST(Completion, AnOperandIsAJobWhereTheCommandTakesOne) {
  EXPECT_EQ(completion_at(tree(), {"why", "4"}).names, NameKind::kJobs);
  EXPECT_EQ(completion_at(tree(), {"why", "3", "4"}).names, NameKind::kJobs);
  EXPECT_EQ(completion_at(tree(), {"logs", ""}).names, NameKind::kJobsAndChains);
  const Completion file = completion_at(tree(), {"policy", "plan", "si"});
  EXPECT_EQ(file.names, NameKind::kNone);
  EXPECT_TRUE(file.words.empty());
}

TEST(Completion, AValueIsOfItsOption) {
  EXPECT_EQ(words_of(completion_at(tree(), {"pools", "--on", "s"})), (Words{"slurm"}));
  EXPECT_EQ(words_of(completion_at(tree(), {"pools", "--on=e"})), (Words{"embedded"}));
  EXPECT_EQ(completion_at(tree(), {"pools", "--on=e"}).before, "--on=");
  for (const Words& typed :
       {Words{"pools", "-A", ""}, Words{"submit", "--account", ""}, Words{"submit", "-A", ""}})
    EXPECT_EQ(completion_at(tree(), typed).names, NameKind::kAccounts);
  EXPECT_EQ(completion_at(tree(), {"submit", "-q", ""}).names, NameKind::kQos);
  EXPECT_EQ(completion_at(tree(), {"submit", "-p", ""}).names, NameKind::kPartitions);
  const Completion second = completion_at(tree(), {"submit", "--account=lab,de"});
  EXPECT_EQ(second.before, "--account=lab,");
  EXPECT_EQ(second.begun, "de");
  EXPECT_EQ(second.names, NameKind::kAccounts);
}

TEST(Completion, OptionsAreOfferedByTheirLongNames) {
  EXPECT_EQ(words_of(completion_at(tree(), {"pools", "--"})), (Words{"--account", "--on"}));
  EXPECT_EQ(words_of(completion_at(tree(), {"submit", "--wrap"})), (Words{"--wrap"}));
}

TEST(Completion, WhatFollowsAScriptIsItsOwn) {
  for (const Words& typed : {Words{"submit", "job.sh", "--"}, Words{"submit", "--", ""},
                             Words{"submit", "-A", "lab", "job.sh", "w"}}) {
    EXPECT_TRUE(completion_at(tree(), typed).words.empty());
    EXPECT_EQ(completion_at(tree(), typed).names, NameKind::kNone);
  }
}

}  // namespace
}  // namespace sluice
