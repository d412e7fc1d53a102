// Ends the process with the broken condition on standard error.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace sluice {

void check_failed(const char* condition, const char* file, int line, const char* message) {
  std::fprintf(stderr, "sluice: internal error: %s:%d: %s does not hold%s%s\n", file, line,
               condition, message[0] == '\0' ? "" : ": ", message);
  std::abort();
}

}  // namespace sluice
