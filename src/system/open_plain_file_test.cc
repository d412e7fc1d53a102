#include "system/open_plain_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace sluice {
namespace {

class OpenPlainFile : public testing::Test {
 protected:
  OpenPlainFile() { made_ = ::mkdtemp(folder_.data()) != nullptr; }
  ~OpenPlainFile() override { std::filesystem::remove_all(folder_); }
  std::string at(const char* name) const { return folder_ + "/" + name; }
  bool made_ = false;

 private:
  std::string folder_ = "/tmp/sluice-open.XXXXXX";
};

char state_of(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string number;
  std::string name;
  char state = '?';
  stat >> number >> name >> state;
  return state;
}

TEST_F(OpenPlainFile, OpensAFileAlsoThroughALink) {
  ASSERT_TRUE(made_);
  std::ofstream(at("file")) << "text";
  ASSERT_EQ(::symlink("file", at("link").c_str()), 0);
  for (const char* name : {"file", "link"}) {
    const OpenedFile file = open_plain_file(at(name));
    ASSERT_TRUE(file.is_open()) << name;
    char text[5] = {};
    EXPECT_EQ(::read(file.descriptor, text, 4), 4);
    EXPECT_STREQ(text, "text");
    EXPECT_EQ(::fcntl(file.descriptor, F_GETFD), FD_CLOEXEC);
    ::close(file.descriptor);
  }
}

TEST_F(OpenPlainFile, SaysWhyItIsNotOpened) {
  EXPECT_EQ(open_plain_file(at("none")).problem, ENOENT);
  EXPECT_EQ(open_plain_file(at("none") + "/x").problem, ENOENT);
  for (const std::string& path : {at(""), std::string("/dev/null")}) {
    const OpenedFile file = open_plain_file(path);
    EXPECT_FALSE(file.is_open()) << path;
    EXPECT_EQ(file.problem, 0) << path;
  }
}

TEST_F(OpenPlainFile, WakesNobodyWhoWaitsAtTheOtherEndOfAFifo) {
  const std::string fifo = at("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const pid_t writer = ::fork();
  ASSERT_GE(writer, 0);
  if (writer == 0) {
    ::open(fifo.c_str(), O_WRONLY);
    ::_exit(0);
  }
  while (state_of(writer) != 'S') ::usleep(1000);
  EXPECT_FALSE(open_plain_file(fifo).is_open());
  int status = 0;
  for (int tries = 0; tries < 30; ++tries) {
    ASSERT_EQ(::waitpid(writer, &status, WNOHANG), 0) << "the writer was woken";
    ::usleep(10'000);
  }
  ::kill(writer, SIGKILL);
  ::waitpid(writer, &status, 0);
}

}  // namespace
}  // namespace sluice
