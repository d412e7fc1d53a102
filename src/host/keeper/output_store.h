// Captured output: what runs said that wanted no file of their own.
//
// Small outputs are put one after the other into segment files; one that grows long gets a file of
// its own. A token says where: "SEGMENT:OFFSET:LENGTH", or "run-JOB.ATTEMPT". Only the keeper
// writes; a process that may read the folder can follow a token.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/keeper/run_key.h"

namespace sluice {

// Captured output of one run. A job with more output has a file for it.
inline constexpr std::uint64_t kMostOutput = std::uint64_t{64} << 20;
inline constexpr std::string_view kOutputCut =
    "\n[sluice: the output was cut here, after 64 MiB; --output=FILE keeps all of it]\n";

inline constexpr std::string_view kUsersOutputCut =
    "\n[sluice: the output was cut here: the captured output of your runs takes all the room that "
    "a user has; --output=FILE keeps all of it]\n";

class OutputStore {
 public:
  explicit OutputStore(std::string folder);
  OutputStore(const OutputStore&) = delete;
  OutputStore& operator=(const OutputStore&) = delete;
  ~OutputStore();

  // A run of this user begins, whose runs may say so much more, those that run now included.
  void begin(RunKey run, std::uint32_t owner, std::uint64_t room);
  // What a run said, up to kMostOutput and its user's room; a mark says where the rest was cut off.
  // An error (a full disk) loses these bytes: flush() and take_lost() say so.
  void add(RunKey run, std::string_view bytes);
  // From this byte on, at most `most`.
  std::string read(RunKey run, std::uint64_t from, std::size_t most) const;
  // The run says no more. Its token, "" where it said nothing. What is written becomes visible to
  // readers with the next flush().
  std::string finish(RunKey run);
  // Writes what was finished since: one write for many runs.
  Result<void> flush();
  // Runs that were finished and whose output is not all there.
  std::vector<RunKey> take_lost() { return std::exchange(lost_runs_, {}); }

 private:
  struct Text {
    std::string bytes;  // While it is short.
    int file = -1;      // Once it is long.
    std::uint64_t size = 0;
    std::optional<std::uint32_t> owner;  // Where that user's room is bounded.
    bool cut = false;
    bool lost = false;  // Not all of it could be written.
  };
  void keep(RunKey run, Text& text, std::string_view bytes);
  Result<void> open_segment();

  std::string folder_;
  std::map<RunKey, Text> texts_;
  std::map<std::uint32_t, std::uint64_t> rooms_;  // Left to each user whose room is bounded.
  std::uint64_t segment_ = 0;
  int segment_file_ = -1;
  std::uint64_t segment_size_ = 0;
  std::string unwritten_;
  std::vector<RunKey> unwritten_runs_;
  std::vector<RunKey> lost_runs_;
};

// The token of a run whose output could not be written.
inline constexpr std::string_view kLostOutput = "lost";

// The bytes that a token stands for, from `from` on and at most `most`.
Result<std::string> read_output(const std::string& folder, std::string_view token,
                                std::uint64_t from = 0, std::size_t most = SIZE_MAX);

// How many bytes it stands for; 0 where there is none.
std::uint64_t output_size(const std::string& folder, std::string_view token);

// Bytes in the folder.
std::uint64_t stored_output(const std::string& folder);
// No token of a segment before this one is in use any more. The last two stay: their tokens may be
// on their way.
void remove_segments_before(const std::string& folder, std::uint64_t segment);
// Whether it is the only one in its file.
bool has_file_of_its_own(std::string_view token);
void remove_output(const std::string& folder, std::string_view token);

}  // namespace sluice
