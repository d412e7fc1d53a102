#include "host/keeper/process_mark.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "host/files/folder_for_tests.h"

namespace sluice {
namespace {

TEST(ProcessMark, IsReadAsItWasWritten) {
  const ProcessMark us = this_process();
  EXPECT_EQ(ProcessMark::read(us.text()), us);
  EXPECT_EQ(ProcessMark::read("login1\nb\n12\n34\n"), (ProcessMark{"login1", "b", 12, 34}));
  EXPECT_EQ(ProcessMark::read("1234:567"), ProcessMark());
}

TEST(ProcessMark, TellsTheLivingFromTheGone) {
  const ProcessMark us = this_process();
  EXPECT_EQ(is_alive(us), true);
  ProcessMark other = us;
  other.started += 1;  // The number was given to somebody else.
  EXPECT_EQ(is_alive(other), false);
  other = us;
  other.boot = "another";
  EXPECT_EQ(is_alive(other), false);
  other = us;
  other.host += "-b";
  EXPECT_EQ(is_alive(other), std::nullopt);
  other = us;
  other.pid = ::fork();
  if (other.pid == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(other.pid, nullptr, 0), other.pid);
  EXPECT_EQ(is_alive(other), false);
}

TEST(ProcessMark, AFileIsUntouchedForAsLongAsItIsOld) {
  const FolderForTests folder;
  const std::string path = folder / "note";
  std::ofstream(path) << "text";
  EXPECT_FALSE(untouched_for(path, seconds(600)));
  struct stat known {};
  ASSERT_EQ(::stat(path.c_str(), &known), 0);
  const timespec long_ago{known.st_mtime - 5000, 0};
  const timespec times[2] = {long_ago, long_ago};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_TRUE(untouched_for(path, seconds(600)));
  touch(path);
  EXPECT_FALSE(untouched_for(path, seconds(600)));
  EXPECT_FALSE(untouched_for(folder / "none", seconds(0)));
}

}  // namespace
}  // namespace sluice
