// Any bytes at all as the file in which a keeper writes down its runs: notes up to what is damaged,
// and something to say of every run.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "host/keeper/run_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  static const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  CHECK(file >= 0 && ::ftruncate(file, 0) == 0);
  CHECK(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  const auto notes = RunLog::read(path);
  const RunsLeft left = runs_left(notes, "this boot");
  CHECK(left.over.size() + left.unknown.size() <= notes.size());
  return 0;
}
