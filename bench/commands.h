// Commands of a bench, and how long they take by the wall clock.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"

namespace sluice::bench {

inline double wall_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The program that was built beside the bench.
inline std::string sluice_program() {
  return std::filesystem::canonical("/proc/self/exe").parent_path() / "../sluice";
}

enum class Errors { kShown, kHidden };

// Its exit code; what it prints is thrown away.
inline int exit_of(std::vector<std::string> words, Errors errors = Errors::kShown) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (errors == Errors::kHidden)
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  CHECK(::posix_spawn(&pid, argv[0], &files, nullptr, argv.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  CHECK(::waitpid(pid, &status, 0) == pid && WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace sluice::bench
