#include "host/output_store.h"

#include <gtest/gtest.h>

#include "host/folder_for_tests.h"

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

}  // namespace
}  // namespace sluice
