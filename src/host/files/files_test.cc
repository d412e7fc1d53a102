// Files that others may see, in folders where others may write.
#include "host/files/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/files/folder_for_tests.h"

namespace sluice {
namespace {

std::string content(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST(FilesTest, WritesAllOrNothing) {
  const FolderForTests folder;
  ASSERT_TRUE(write_files(folder / "new/deep", {{"a", "1\n"}, {"b", "2\n"}}).has_value());
  EXPECT_EQ(content(folder / "new/deep/a") + content(folder / "new/deep/b"), "1\n2\n");
  std::filesystem::create_directories(folder / "new/deep/c");
  const auto done = write_files(folder / "new/deep", {{"a", "3\n"}, {"none/b", "4\n"}});
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(content(folder / "new/deep/a"), "1\n");
  // What was written beside is gone again.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "new/deep"), {}), 3);
}

TEST(FilesTest, FollowsNoLinkThatLiesInWait) {
  const FolderForTests folder;
  std::ofstream(folder / "victim") << "precious\n";
  std::filesystem::create_symlink("victim", folder / ".policy.yaml.new");
  ASSERT_TRUE(write_file(folder / "policy.yaml", "cluster: here\n").has_value());
  EXPECT_EQ(content(folder / "victim"), "precious\n");
  EXPECT_EQ(content(folder / "policy.yaml"), "cluster: here\n");
  struct stat found {};
  ASSERT_EQ(::stat((folder / "policy.yaml").c_str(), &found), 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(found.st_mode & 0777, 0666 & ~mask);
}

TEST(FilesTest, WhatHasNoEndIsAnError) {
  const auto read = read_file("/dev/zero");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().what, "'/dev/zero' has more than 64 MiB");
  EXPECT_EQ(read_file("/dev/null").value_or("?"), "");
}

}  // namespace
}  // namespace sluice
