// What daemon and keeper say to each other, and how it is written on their socket.
//
//   stream := frame*
//   frame  := length kind body      length: 4 bytes, lowest first, of kind and body; kind: 1 byte
//   body   := numbered fields       storage/fields.h
//
// The keeper speaks first: its hello has the version of this protocol and every run it knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "host/keeper/run_key.h"
#include "host/machine/assignment.h"
#include "model/outcome.h"

namespace sluice {

inline constexpr std::uint32_t kKeeperVersion = 3;
// A script of 4 MB and its environment fit well.
inline constexpr std::size_t kLongestFrame = 16U << 20;

// Daemon to keeper. A run it does not know is no error: such an order is ignored, except that
// a launch of one it does know, or knew, changes nothing.
struct LaunchRun {
  Assignment assignment;
  // Not now, but in the place of this run the moment that is over. One in line for a run that is
  // over, is told to end or hands on nothing for `within` is returned; when the daemon goes away,
  // the lines are empty.
  std::optional<RunKey> after = std::nullopt;
  Duration within{0};
};
// SIGTERM and SIGCONT to all of it now, SIGKILL after `kill_wait`. The words, if any, are written
// to its error output first; only a keeper that says in its hello that it writes them takes them.
struct EndRun {
  RunKey run;
  Duration kill_wait{0};
  std::string last_words = {};
};
struct SignalRun {
  RunKey run;
  std::int32_t signal = 0;
  bool batch_only = false;  // Only the first process of the run.
};
struct PauseRun {
  RunKey run;
};
struct ContinueRun {
  RunKey run;
};
// The end is in the journal: the keeper may forget the run.
struct AcknowledgeRun {
  RunKey run;
};
// What a run that captures its output has said so far, from this byte on.
inline constexpr std::size_t kMostOutputAtOnce = std::size_t{256} << 10;  // In one answer.
struct ReadRunOutput {
  RunKey run;
  std::uint64_t from = 0;
};
// Ends every run at once, then itself.
struct QuitKeeper {};
// Its time limit was changed (Assignment).
struct LimitRun {
  RunKey run;
  Duration time_limit{0};
};

using KeeperOrder = std::variant<LaunchRun, EndRun, SignalRun, PauseRun, ContinueRun,
                                 AcknowledgeRun, ReadRunOutput, QuitKeeper, LimitRun>;

// Why a run could not start that was ordered too late.
inline constexpr std::string_view kKeeperEnds = "the keeper is about to end";

// How one run ended.
struct RunIsOver {
  RunKey run;
  Outcome outcome;     // COMPLETED, FAILED, OUT_OF_MEMORY, NODE_FAIL where nothing of it could run,
                       // BOOT_FAIL where its prolog failed.
  Instant ended;       // Its first process, since the machine was started; zero: not known.
  std::string why;     // What went wrong outside the job, for people; mostly empty.
  std::string output;  // Where captured output lies (host/keeper/output_store.h), or empty.
  std::optional<RunKey> next = std::nullopt;  // The run that was in line and has its place now.
};

// It was in line and will not be started.
struct RunIsReturned {
  RunKey run;
};

struct RunIsUp {
  RunKey run;
  std::int32_t pid = 0;
  Instant started;  // Since the machine was started.
};

struct RunOutput {
  RunKey run;
  std::uint64_t from = 0;
  std::string bytes;
  bool running = false;  // More may come.
};

// What limits really hold, and by what means: "cgroup v2", "cgroup v1", "measured" or "".
struct Enforcement {
  std::string memory;
  std::string cpus;
  std::string devices;
  std::string pause;
  friend bool operator==(const Enforcement&, const Enforcement&) = default;
};

struct KeeperHello {
  std::uint32_t version = kKeeperVersion;
  std::string instance;  // Random; another one means that all earlier runs are gone.
  std::string boot;      // The kernel's boot id.
  std::int32_t pid = 0;
  Enforcement enforces;
  std::vector<RunIsUp> up;
  std::vector<RunIsOver> over;  // Ended and not acknowledged.
  bool writes_last_words = false;
};

using KeeperReport = std::variant<KeeperHello, RunIsUp, RunIsOver, RunOutput, RunIsReturned>;

void append_frame(std::string& out, const KeeperOrder& order);
void append_frame(std::string& out, const KeeperReport& report);

// Cuts a stream into frames. A frame that is too long or cannot be read is an error for good.
class FrameReader {
 public:
  void add(std::string_view bytes);
  // The next whole frame's kind and body, or nothing yet. Valid until the next add().
  Result<std::optional<std::string_view>> next();
  bool empty() const { return at_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t at_ = 0;
};

Result<KeeperOrder> read_order(std::string_view frame);
Result<KeeperReport> read_report(std::string_view frame);

}  // namespace sluice
