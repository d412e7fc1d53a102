// Files that are there as a whole or not at all.
#include "cli/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
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

TEST_F(OutputFileTest, SaysThatAFolderIsInTheWay) {
  const auto done = write_output(folder_, "text");
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().what.find("it is a folder"), std::string::npos);
}

}  // namespace
}  // namespace sluice
