// Batch scripts as files while they run: one file for all runs of one user's script.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sluice {

// The program that a script's first line names, as the kernel reads it.
struct Interpreter {
  std::string program;
  std::string argument;  // The rest of the line as one word, or empty.
};
// "" for the program: the text has no such line.
Interpreter interpreter_of(std::string_view script);

class ScriptSpool {
 public:
  explicit ScriptSpool(std::string folder) : folder_(std::move(folder)) {}
  // Removes what an earlier keeper left.
  void clear();

  // The path of the file; it stays until let_go() was called as often as take().
  Result<std::string> take(const std::string& script, std::uint32_t uid, std::uint32_t gid);
  void let_go(const std::string& path);

 private:
  struct Entry {
    std::string path;
    std::size_t users = 0;
  };
  using Key = std::pair<std::uint32_t, std::string>;
  std::string folder_;
  std::map<Key, Entry> entries_;
  std::map<std::string, Key> keys_;  // By path.
  std::vector<std::string> idle_;    // Paths that no run uses, oldest first; a few are kept.
  std::uint64_t next_ = 1;
};

}  // namespace sluice
