// Gathers turns until they are worth a batch, and batches until they are worth handing over.
#include "sim/recorder.h"

namespace sluice {
namespace {

// Large enough that a write costs nothing beside making what is written, small enough for a cache.
constexpr std::size_t kPiece = 256 * 1024;
// A simulation that dies is run again, so a batch holds about a thousand events: its length, time
// and checksum cost nothing then, and it is still short enough to be found behind damage.
constexpr std::size_t kBatch = 16 * 1024;

}  // namespace

Recorder::Recorder(Sink sink)
    : sink_(std::move(sink)), buffer_(journal_header()), writer_(buffer_) {
  buffer_.reserve(kPiece + kPiece / 4);
}

Result<void> Recorder::commit(std::span<const Event> events) {
  for (const Event& event : events) writer_.append(event);
  events_ += events.size();
  Result<void> done;  // Not {}: that would clear the room for an error first, every turn.
  if (writer_.batch_size() < kBatch) return done;
  writer_.end_batch();
  return buffer_.size() >= kPiece ? hand_over() : done;
}

Result<void> Recorder::finish() {
  writer_.end_batch();
  return hand_over();
}

Result<void> Recorder::hand_over() {
  digest_.add(buffer_);
  bytes_ += buffer_.size();
  Result<void> taken = sink_ ? sink_(buffer_) : Result<void>{};
  buffer_.clear();
  return taken;
}

}  // namespace sluice
