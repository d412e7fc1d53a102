// Any bytes at all as a state's snapshot: an error, or a state that is the same when written and
// read once more.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "engine/snapshot_codec.h"
#include "storage/checksum.h"

using namespace sluice;

namespace {

void check(std::string_view bytes) {
  const auto first = read_snapshot(bytes);
  if (!first) {
    CHECK(!first.error().what.empty());
    return;
  }
  const std::string again = write_snapshot(*first);
  const auto second = read_snapshot(again);
  CHECK(second.has_value());
  CHECK(write_snapshot(*second) == again);
}

// A fuzzer does not guess checksums: these bytes with the version and the right one before them.
std::string as_snapshot(std::string_view body) {
  std::string out(1, '\x01');
  for (unsigned i = 0; i < 4; ++i) out += static_cast<char>(crc32c(body) >> (8 * i));
  return out + std::string(body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  check(as_snapshot(bytes));
  return 0;
}
