// A folder of one test, gone when the test is over.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/check.h"

namespace sluice {

class FolderForTests {
 public:
  FolderForTests() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
    CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  FolderForTests(const FolderForTests&) = delete;
  FolderForTests& operator=(const FolderForTests&) = delete;
  ~FolderForTests() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace sluice
