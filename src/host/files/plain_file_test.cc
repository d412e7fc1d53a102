#include "host/files/plain_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "host/files/folder_for_tests.h"

namespace sluice {
namespace {

TEST(PlainFileTest, ReadsAFileThroughALink) {
  const FolderForTests folder;
  const std::string path = folder.path() + "/a";
  std::ofstream(path) << "cluster: here\n";
  ASSERT_EQ(::symlink("a", (folder.path() + "/b").c_str()), 0);
  EXPECT_EQ(read_plain_file(path).value(), "cluster: here\n");
  EXPECT_EQ(read_plain_file(folder.path() + "/b").value(), "cluster: here\n");
}

TEST(PlainFileTest, RefusesWhatIsNoPlainFileWithoutWaiting) {
  const FolderForTests folder;
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, folder.path(), std::string("/dev/zero")}) {
    const auto read = read_plain_file(path);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().what, "is not a plain file") << path;
  }
  EXPECT_FALSE(read_plain_file(folder.path() + "/none"));
}

TEST(PlainFileTest, AFileOfAnotherUserWhereEverybodyMayWriteMayBePlanted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const FolderForTests folder;
  const std::string path = folder / "a";
  std::ofstream(path) << "cluster: here\n";
  constexpr uid_t kOther = 12345;
  ASSERT_EQ(::chown(path.c_str(), kOther, kOther), 0);
  EXPECT_FALSE(may_be_planted(path));  // Nobody else can write here.
  ASSERT_EQ(::chmod(folder.path().c_str(), 01777), 0);
  EXPECT_TRUE(may_be_planted(path));
  ASSERT_EQ(::symlink("a", (folder / "link").c_str()), 0);
  ASSERT_EQ(::lchown((folder / "link").c_str(), kOther, kOther), 0);
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  EXPECT_TRUE(may_be_planted(folder / "link"));
  EXPECT_FALSE(may_be_planted(path));
  EXPECT_TRUE(may_be_planted(folder / "none"));  // It may come at any moment.
  ASSERT_EQ(::link(path.c_str(), (folder / "again").c_str()), 0);
  EXPECT_TRUE(may_be_planted(folder / "again"));
  // Here everybody may replace everything.
  ASSERT_EQ(::unlink((folder / "again").c_str()), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  EXPECT_TRUE(may_be_planted(path));
}

TEST(PlainFileTest, RootActsByNoFileThatOthersCouldWrite) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const FolderForTests folder;
  const std::string path = folder.path() + "/policy.yaml";
  std::ofstream(path) << "cluster: c\n";
  ::chmod(path.c_str(), 0664);
  EXPECT_TRUE(read_trusted_file(path));
  ::chmod(path.c_str(), 0666);
  EXPECT_FALSE(read_trusted_file(path));
  ::chmod(path.c_str(), 0644);
  ASSERT_EQ(::chown(path.c_str(), 60'001, 60'001), 0);
  EXPECT_FALSE(read_trusted_file(path));
  EXPECT_TRUE(read_plain_file(path));
}

TEST(PlainFileTest, RefusesAFileThatIsTooLong) {
  const FolderForTests folder;
  const std::string path = folder.path() + "/long";
  std::ofstream(path) << std::string(101, 'x');
  EXPECT_EQ(read_plain_file(path, 101)->size(), 101U);
  EXPECT_EQ(read_plain_file(path, 100).error().what, "is longer than 100 bytes");
}

}  // namespace
}  // namespace sluice
