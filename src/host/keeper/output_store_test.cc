#include "host/keeper/output_store.h"

#include <gtest/gtest.h>

#include "host/files/folder_for_tests.h"

namespace sluice {
namespace {

TEST(OutputStoreTest, ARunThatSaysTooMuchIsCutWithAMark) {
  const FolderForTests folder;
  OutputStore store(folder.path());
  const RunKey run{JobId(7), 1};
  const std::string piece((8 << 20) - 1, 'x');
  for (int i = 0; i < 20; ++i) store.add(run, piece);
  const std::string token = store.finish(run);
  ASSERT_TRUE(store.flush());
  EXPECT_EQ(stored_output(folder.path()), kMostOutput + kOutputCut.size());
  EXPECT_EQ(read_output(folder.path(), token, kMostOutput).value(), kOutputCut);
}

TEST(OutputStoreTest, WhatJustFitsIsKeptAsItIs) {
  const FolderForTests folder;
  OutputStore store(folder.path());
  const RunKey run{JobId(7), 1};
  store.add(run, std::string(kMostOutput, 'x'));
  store.add(run, "");
  const std::string token = store.finish(run);
  ASSERT_TRUE(store.flush());
  EXPECT_EQ(stored_output(folder.path()), kMostOutput);
  EXPECT_EQ(read_output(folder.path(), token, kMostOutput - 2).value(), "xx");
}

TEST(OutputStoreTest, RunsOfOneUserShareTheRoomThatTheUserHas) {
  const FolderForTests folder;
  OutputStore store(folder.path());
  const RunKey one{JobId(1), 1};
  const RunKey two{JobId(2), 1};
  const RunKey other{JobId(3), 1};
  store.begin(one, 1000, 10);
  store.add(one, "123456");
  // Nobody has counted yet what the first has said.
  store.begin(two, 1000, 10);
  store.begin(other, 1001, 10);
  store.add(two, "abcdef");
  store.add(two, "more");
  store.add(other, "ABCDEFGH");
  store.add(one, "7");
  const std::string first = store.finish(one);
  const std::string second = store.finish(two);
  const std::string third = store.finish(other);
  ASSERT_TRUE(store.flush());
  EXPECT_EQ(read_output(folder.path(), first).value(), "123456" + std::string(kUsersOutputCut));
  EXPECT_EQ(read_output(folder.path(), second).value(), "abcd" + std::string(kUsersOutputCut));
  EXPECT_EQ(read_output(folder.path(), third).value(), "ABCDEFGH");
  EXPECT_EQ(output_size(folder.path(), third), 8U);
  EXPECT_EQ(output_size(folder.path(), second), 4 + kUsersOutputCut.size());
}

TEST(OutputStoreTest, ARunThatSaysNothingHasNoTokenAndTakesNoRoom) {
  const FolderForTests folder;
  OutputStore store(folder.path());
  store.begin(RunKey{JobId(1), 1}, 1000, 4);
  EXPECT_EQ(store.finish(RunKey{JobId(1), 1}), "");
  store.begin(RunKey{JobId(2), 1}, 1000, 4);
  store.add(RunKey{JobId(2), 1}, "1234");
  const std::string token = store.finish(RunKey{JobId(2), 1});
  ASSERT_TRUE(store.flush());
  EXPECT_EQ(read_output(folder.path(), token).value(), "1234");
}

}  // namespace
}  // namespace sluice
