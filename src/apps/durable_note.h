// Small files that outlive the process that wrote them.
#pragma once

#include <string>

#include "base/result.h"

namespace sluice {

// The whole file on disk, or as it was; only its owner may read it. Makes the folder.
Result<void> write_note(const std::string& path, const std::string& text);
void remove_note(const std::string& path);
// Those of a folder that are older than a month: longer than jobs wait.
void forget_old_notes(const std::string& folder);

// Held until it goes out of scope, on every host that shares the folder.
class NoteLock {
 public:
  // An error where another process has it.
  static Result<NoteLock> take(const std::string& folder);
  NoteLock(NoteLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  NoteLock& operator=(NoteLock&&) = delete;
  ~NoteLock();

 private:
  explicit NoteLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace sluice
