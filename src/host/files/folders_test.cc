#include "host/files/folders.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "host/files/folder_for_tests.h"

namespace sluice {
namespace {

FolderSetting ann() {
  FolderSetting setting;
  setting.uid = 1000;
  setting.home = "/home/ann";
  setting.temporary = "/tmp";
  return setting;
}

mode_t mode_of(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
}

TEST(Folders, AUserWithoutSettingsGetsXdgDefaults) {
  const Folders folders = daemon_folders(ann()).value();
  EXPECT_EQ(folders.journal(), "/home/ann/.local/state/sluice/journal.db");
  EXPECT_EQ(folders.api_socket(), "/tmp/sluice-1000/api.sock");
  EXPECT_EQ(folders.policy_file, "/home/ann/.config/sluice/policy.yaml");
}

TEST(Folders, XdgVariablesCountOnlyWhenAbsolute) {
  FolderSetting setting = ann();
  setting.xdg_state_home = "/state";
  setting.xdg_runtime_dir = "/run/user/1000";
  setting.xdg_config_home = "relative";
  const Folders folders = daemon_folders(setting).value();
  EXPECT_EQ(folders.state, "/state/sluice");
  EXPECT_EQ(folders.run, "/run/user/1000/sluice");
  EXPECT_EQ(folders.policy_file, "/home/ann/.config/sluice/policy.yaml");
}

TEST(Folders, SluiceHomeHoldsEverything) {
  FolderSetting setting = ann();
  setting.sluice_home = "/data/s";
  const Folders folders = client_folders(setting).value();
  EXPECT_EQ(folders, daemon_folders(setting).value());
  EXPECT_EQ(folders.keeper_socket(), "/data/s/run/keeper.sock");
  EXPECT_EQ(folders.policy_file, "/data/s/policy.yaml");
  setting.sluice_home = "s";
  EXPECT_NE(daemon_folders(setting).error().what.find("not an absolute path"), std::string::npos);
}

TEST(Folders, ASocketPathThatCannotExistIsRefusedBeforeAnythingIsMade) {
  FolderSetting setting = ann();
  setting.sluice_home = "/" + std::string(120, 'x');
  EXPECT_NE(daemon_folders(setting).error().what.find("107 are possible"), std::string::npos);
}

TEST(Folders, AClientSpeaksToTheMachinesDaemonWhereThereIsOne) {
  const FolderForTests root;
  FolderSetting setting = ann();
  setting.root = root.path();
  EXPECT_EQ(client_folders(setting).value().scope, FolderScope::kUser);
  std::filesystem::create_directories(root / "run/sluice");
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (root / "run/sluice/api.sock").c_str(),
               sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(client_folders(setting).value().scope, FolderScope::kMachine);
  EXPECT_EQ(daemon_folders(setting).value().scope, FolderScope::kUser);
  ::close(listener);
}

TEST(Folders, AreMadePrivateAndTightened) {
  const FolderForTests home;
  FolderSetting setting = ann();
  setting.sluice_home = home / "a/b";
  const Folders folders = daemon_folders(setting).value();
  ASSERT_TRUE(make_folders(folders));
  ::chmod(folders.output().c_str(), 0777);
  ASSERT_TRUE(make_folders(folders));
  EXPECT_EQ(mode_of(folders.output()), 0700U);
  EXPECT_EQ(mode_of(folders.state) & 0066U, 0U);
}

TEST(Folders, ALinkInTheirPlaceIsRefused) {
  const FolderForTests home;
  std::filesystem::create_directories(home / "elsewhere");
  std::filesystem::create_directories(home / "s");
  std::filesystem::create_directory_symlink(home / "elsewhere", home / "s/run");
  FolderSetting setting = ann();
  setting.sluice_home = home / "s";
  const auto made = make_folders(daemon_folders(setting).value());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("/s/run"), std::string::npos);
}

TEST(Folders, SomebodyElsesFolderIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const FolderForTests home;
  std::filesystem::create_directories(home / "run");
  ASSERT_EQ(::chown((home / "run").c_str(), 12345, 12345), 0);
  FolderSetting setting = ann();
  setting.sluice_home = home.path();
  const auto made = make_folders(daemon_folders(setting).value());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::kNotAllowed);
  EXPECT_NE(made.error().what.find("belongs to user 12345"), std::string::npos);
}

TEST(Folders, ThisMachinesDiskIsNotANetwork) {
  EXPECT_FALSE(is_on_network("/proc"));
  EXPECT_TRUE(is_on_network("/no/such/folder"));
}

}  // namespace
}  // namespace sluice
