// Any bytes at all as a journal: an error or events, and events that are the same when written
// and read once more.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/codec.h"
#include "storage/checksum.h"

using namespace sluice;

namespace {

// The batches of what follows the header, and how far they were sound.
std::vector<std::vector<Event>> batches(JournalReader reader) {
  std::vector<std::vector<Event>> found;
  std::vector<Event> events;
  for (;;) {
    const std::size_t before = reader.offset();
    const auto more = reader.next(events);
    if (!more || !*more) {
      if (!events.empty() || reader.offset() != before) std::abort();
      return found;
    }
    if (events.empty() || reader.offset() <= before) std::abort();
    for (const Event& event : events)
      if (describe(event, nullptr).empty()) std::abort();
    found.push_back(std::move(events));
  }
}

void check(const JournalReader& reader) {
  const auto first = batches(reader);
  std::string again;
  JournalWriter writer(again);
  for (const auto& batch : first) {
    for (const Event& event : batch) writer.append(event);
    writer.end_batch();
  }
  if (batches(JournalReader::of_batches(again)) != first) std::abort();
}

// A fuzzer does not guess checksums: these bytes with the right one before them.
std::string as_batch(std::string_view payload) {
  ByteWriter out;
  out.varint(payload.size());
  for (unsigned i = 0; i < 4; ++i) out.byte(static_cast<std::uint8_t>(crc32c(payload) >> (8 * i)));
  return std::string(out.view()) + std::string(payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto reader = JournalReader::of_journal(bytes)) check(*reader);
  const std::string batch = as_batch(bytes);
  check(JournalReader::of_batches(batch));
  return 0;
}
