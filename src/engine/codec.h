// The journal's bytes: events out, events in, and one line of text for people.
//
// Grammar (all integers are varints of seven bits a byte, lowest first, never longer than needed;
// "signed" is zigzag; a text is its length and its bytes):
//
//   journal  := magic version batch*
//   magic    := "sluice journal\n"
//   version  := varint                      1; see the history below
//   batch    := length checksum payload     one turn of the engine, or several: all or nothing
//   length   := varint                      of the payload, at least 2
//   checksum := 4 bytes, lowest first       CRC-32C of the payload
//   payload  := time event+                 time: signed milliseconds; of the first event
//   event    := head [delta] body           head: the kind, plus 128 where delta is there
//   delta    := varint, not 0               milliseconds since the event before, in this batch
//   body     := by kind, in event_body.h; a job's number is signed, less the one before in this
//   batch
//
// Every batch can be read by itself. What stops in the middle of its last batch was cut off while
// being written, and is whole up to there; damage with sound batches behind it is an error.
//
// Versions and kinds are for ever. A kind's number is never given again and its body never
// changes: what has to say more becomes a new kind. Requests and policies grow by numbered fields
// (storage/fields.h). An unknown version, kind, field or choice is an error that names its offset.
//
// History:
//   1  kinds 1 to 25.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/event.h"
#include "storage/bytes.h"

namespace sluice {

inline constexpr std::string_view kJournalMagic = "sluice journal\n";
inline constexpr std::uint64_t kJournalVersion = 1;

// What goes before the first batch of a journal that is a file of its own.
std::string journal_header();

// Appends batches to `out`, which the caller may take away and clear after every end_batch().
class JournalWriter {
 public:
  explicit JournalWriter(std::string& out) : out_(out) {}
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  // Adds to the batch that is open. Times do not run backwards.
  void append(const Event& event);
  // Nothing of a batch is in `out` before this. An empty batch leaves no trace.
  void end_batch();
  // Bytes in the batch that is open.
  std::size_t batch_size() const { return batch_.size(); }

 private:
  std::string& out_;
  ByteWriter batch_;  // Room for its length and checksum, then the payload.
  bool started_ = false;
  Instant last_{};
  std::uint32_t last_job_ = 0;
};

// Reads batches one after the other. `bytes` must outlive it.
class JournalReader {
 public:
  // A journal with its header.
  static Result<JournalReader> of_journal(std::string_view bytes);
  // Batches alone; `origin` is where they begin, for errors.
  static JournalReader of_batches(std::string_view bytes, std::size_t origin = 0);

  // Puts the next batch's events into `events` (emptied first). False at the end.
  Result<bool> next(std::vector<Event>& events);
  // Where the next batch begins. Everything before was sound.
  std::size_t offset() const { return origin_ + at_; }
  // After next() said false: bytes from offset() on are a last batch that was cut off.
  bool cut_off() const { return cut_off_; }

 private:
  JournalReader(std::string_view bytes, std::size_t origin) : bytes_(bytes), origin_(origin) {}
  bool anything_sound_after(std::size_t at) const;

  std::string_view bytes_;
  std::size_t origin_ = 0;
  std::size_t at_ = 0;
  bool cut_off_ = false;
  bool started_ = false;
  Instant last_{};
};

// "0:01:00 job 12 started on n1 (4 cpus)". Nodes and partitions have names where there is a policy.
std::string describe(const Event& event, const Policy* policy);

}  // namespace sluice
