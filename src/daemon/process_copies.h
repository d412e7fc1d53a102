// Work in a copy of the daemon's process: it sees everything there is, changes nothing, and neither
// holds up the daemon nor fills its memory.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "wire/loop.h"

namespace sluice {

class ProcessCopies {
 public:
  // Runs in the copy; what it returns comes back.
  using Work = std::function<std::string()>;
  using Done = std::function<void(Result<std::string>)>;

  explicit ProcessCopies(Loop& loop) : loop_(loop) {}

  // Now or when there is room: one user has one copy at a time. ErrorKind::kNoCapacity where too
  // many wait already.
  void run(const std::string& user, Work work, Done done);

 private:
  struct Waiting {
    std::string user;
    Work work;
    Done done;
  };
  void start(Waiting next);
  void start_next();

  Loop& loop_;
  std::map<std::string, std::size_t> running_;  // By user.
  std::size_t copies_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace sluice
