#include "host/files/durable_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "host/files/folder_for_tests.h"

namespace sluice {
namespace {

std::string text_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST(DurableFile, TakesThePlaceOfWhatWasThere) {
  const FolderForTests folder;
  ASSERT_TRUE(write_durably(folder / "note", "one\n"));
  ASSERT_TRUE(write_durably(folder / "note", "two\n", 0640));
  EXPECT_EQ(text_of(folder / "note"), "two\n");
  struct stat seen {};
  ASSERT_EQ(::stat((folder / "note").c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & 07777U, 0640U);
  EXPECT_FALSE(std::filesystem::exists(folder / "note.new"));
}

TEST(DurableFile, LeavesNothingBesideWhenItFails) {
  const FolderForTests folder;
  // A folder with something in it cannot be replaced by a file.
  std::filesystem::create_directories(folder / "note/inside");
  const auto done = write_durably(folder / "note", "text");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().where, folder / "note");
  EXPECT_FALSE(std::filesystem::exists(folder / "note.new"));
  EXPECT_FALSE(write_durably(folder / "nowhere/note", "text"));
}

}  // namespace
}  // namespace sluice
