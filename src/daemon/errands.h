// Short-lived processes of this program that act for a user beside the user's jobs: hooks, mails,
// looks at chains.
//
// The keeper runs them like jobs: with the user's rights, in a control group of their own with
// bounds on memory, CPU and processes, and when the first process has ended, or its time is over,
// all that it started is ended too. They are runs of no job: attempt 0 of a number.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "host/keeper/keeper_protocol.h"
#include "wire/loop.h"

namespace sluice {

// What an errand needs when the daemon stops.
enum class WhenStopped : std::uint8_t {
  kIsDoneAgain,  // The next daemon runs it again: it may be ended.
  kFinishes,     // Nobody would: it is waited for, for a moment.
};

struct Errand {
  Identity owner;
  std::vector<std::string> words;      // Of the command line, without the program.
  std::vector<std::string> variables;  // Beside the owner's usual environment.
  Duration longest{0};
  WhenStopped when_stopped = WhenStopped::kIsDoneAgain;
};

class Errands {
 public:
  // Sends at once.
  using Send = std::function<void(const KeeperOrder&)>;
  // Its exit code; nothing where it did not end by itself, or never began.
  using Then = std::function<void(std::optional<int>)>;
  Errands(Loop& loop, std::string program, Send send);

  static bool is_one(RunKey run) { return run.attempt == 0; }
  void start(const Errand& errand, Then then);
  // A keeper that was connected: of those it does not know nothing more will be heard.
  void compare(const KeeperHello& hello);
  void over(const RunIsOver& over);
  // Whether one is on its way that is to finish.
  bool any_to_finish() const;

 private:
  struct Running {
    std::string what;
    WhenStopped when_stopped = WhenStopped::kIsDoneAgain;
    Then then;
  };
  void end_after(RunKey run, Duration longest);
  // It has ended; absent: by force, or nothing is known.
  void conclude(RunKey run, std::optional<int> code);

  Loop& loop_;
  std::string program_;
  Send send_;
  // Beyond those of jobs: a keeper from before there were errands starts no run of a job that it
  // remembers.
  std::uint32_t next_number_ = std::uint32_t{1} << 31;
  std::map<RunKey, Running> running_;
};

}  // namespace sluice
