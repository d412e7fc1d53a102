// CHECK: we are wrong, stop at once, in release too.
#pragma once

namespace sluice {
[[noreturn]] void check_failed(const char* condition, const char* file, int line,
                               const char* message);
}  // namespace sluice

// CHECK(condition) or CHECK(condition, "what it means").
#define CHECK_MESSAGE(condition, message, ...) \
  ((condition) ? void(0) : ::sluice::check_failed(#condition, __FILE__, __LINE__, message))
#define CHECK(...) CHECK_MESSAGE(__VA_ARGS__, "", )
