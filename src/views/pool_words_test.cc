// What people read about pools.
#include "views/pool_words.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(PoolWords, WhatIsKeptForWaitingTasksIsNotCalledHeld) {
  Bound gate;
  gate.name = "batch";
  gate.reason.rule = Rule::kMaxTresPerUser;
  gate.reason.holder = LimitHolder::kJobQos;
  gate.reason.tres = kTresCpu;
  gate.reason.limit = 96;
  gate.reason.used = 386;
  gate.reason.asked = 1;
  const auto text = [&] { return gate_text(gate, TaskNeed{}, TresRegistry()); };
  EXPECT_EQ(text(), "CPUs of qos batch for each user: 386 held + 1 asked > 96");
  gate.awaited = 384;
  EXPECT_EQ(text(),
            "CPUs of qos batch for each user: 2 held + 384 for waiting tasks + 1 asked > 96");
}

}  // namespace
}  // namespace sluice
