// A state's snapshot as bytes.
//
//   snapshot := version checksum body      version: varint, 1; checksum: as a batch's, of the body
//   body     := numbered fields            engine/fields.h
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/bytes.h"
#include "state/snapshot.h"

namespace sluice {

void write_snapshot(const StateSnapshot& snapshot, ByteWriter& out);
std::string write_snapshot(const StateSnapshot& snapshot);
Result<StateSnapshot> read_snapshot(std::string_view bytes);

}  // namespace sluice
