// Where a test wants the daemon to die: SLUICE_CRASH_AT=before-commit:3 and the like.
#pragma once

#include <cstdint>
#include <string>

namespace sluice {

// Kills this process with SIGKILL, as a power cut would, at the N-th time of one point:
// before-commit, after-commit, before-order, after-order, before-compaction, after-compaction.
class CrashPoint {
 public:
  static CrashPoint from_environment();
  void reached(const char* point) {
    if (left_ != 0 && name_ == point && --left_ == 0) die();
  }
  // Orders leave one by one, so that a crash between two of them is one.
  bool is_armed() const { return left_ != 0; }

 private:
  [[noreturn]] static void die();
  std::string name_;
  std::uint64_t left_ = 0;
};

}  // namespace sluice
