// Files that are there as a whole or not at all.
#include "cli/output_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace sluice {
namespace {

std::string content(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() { std::filesystem::create_directories(folder_); }
  ~OutputFileTest() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = ::testing::TempDir() + "sluice-output-file-test";
  const std::string path_ = folder_ + "/report";
};

TEST_F(OutputFileTest, IsThereWhenItIsFinished) {
  ASSERT_TRUE(write_output(path_, "all of it\n").has_value());
  EXPECT_EQ(content(path_), "all of it\n");
}

TEST_F(OutputFileTest, UnfinishedLeavesWhatWasThere) {
  ASSERT_TRUE(write_output(path_, "old\n").has_value());
  {
    OutputFile file;
    ASSERT_TRUE(file.open(path_).has_value());
    ASSERT_TRUE(file.write("half").has_value());
  }
  EXPECT_EQ(content(path_), "old\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

// Of another user, where others may write too: the file that it leads to is not ours to fill.
TEST_F(OutputFileTest, FollowsNoLinkThatLiesInWait) {
  const std::string victim = folder_ + "/victim";
  std::ofstream(victim) << "precious\n";
  std::filesystem::create_symlink(victim, fmt::format("{}.{}.new", path_, ::getpid()));
  std::filesystem::create_symlink(victim, path_ + ".new");
  ASSERT_TRUE(write_output(path_, "all of it\n").has_value());
  EXPECT_EQ(content(victim), "precious\n");
  EXPECT_EQ(content(path_), "all of it\n");
  struct stat found {};
  ASSERT_EQ(::stat(path_.c_str(), &found), 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(found.st_mode & 0777, 0666 & ~mask);
}

TEST_F(OutputFileTest, SaysThatTheDiskIsFull) {
  const auto done = write_output("/dev/full", std::string(1000, 'x'));
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().what.find("No space left"), std::string::npos) << done.error().what;
}

TEST_F(OutputFileTest, SaysThatAFolderIsInTheWay) {
  const auto done = write_output(folder_, "text");
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().what.find("it is a folder"), std::string::npos);
}

}  // namespace
}  // namespace sluice
