// A state's snapshot as bytes.
//
//   snapshot := version checksum body      version: varint, 1; checksum: as a batch's, of the body
//   body     := numbered fields            storage/fields.h
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "state/snapshot.h"
#include "storage/bytes.h"

namespace sluice {

void write_snapshot(const StateSnapshot& snapshot, ByteWriter& out);
std::string write_snapshot(const StateSnapshot& snapshot);
Result<StateSnapshot> read_snapshot(std::string_view bytes);

}  // namespace sluice
