// Ends the process with the broken condition on standard error.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "base/checks_throw.h"

namespace sluice {

namespace {
thread_local int throwing = 0;
}  // namespace

ChecksThrow::ChecksThrow() { ++throwing; }
ChecksThrow::~ChecksThrow() { --throwing; }

void check_failed(const char* condition, const char* file, int line, const char* message) {
  if (throwing > 0) throw BrokenCheck(message[0] == '\0' ? condition : message);
  std::fprintf(stderr, "sluice: internal error: %s:%d: %s does not hold%s%s\n", file, line,
               condition, message[0] == '\0' ? "" : ": ", message);
  std::abort();
}

}  // namespace sluice
