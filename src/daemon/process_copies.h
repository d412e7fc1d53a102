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

  struct Bounds {
    std::size_t copies = 2;  // At once.
    std::size_t waiting = 32;
    std::size_t waiting_of_one = 4;
    std::size_t longest_answer = std::size_t{8} << 20;
    int nice = 5;  // Lower than the daemon by so much.
  };
  explicit ProcessCopies(Loop& loop) : ProcessCopies(loop, Bounds{}) {}
  ProcessCopies(Loop& loop, Bounds bounds) : loop_(loop), bounds_(bounds) {}

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
  Bounds bounds_;
  std::map<std::string, std::size_t> running_;  // By user.
  std::size_t copies_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace sluice
