// What each kind of error leads to: the exit code of a process, and the HTTP status of an answer.
// PRODUCT's exit codes and the API's statuses are this one table.
#pragma once

#include "base/result.h"

namespace sluice {

struct ErrorCodes {
  ErrorKind kind;
  int exit_code;
  int http_status;
};

inline constexpr ErrorCodes kErrorCodes[] = {
    {ErrorKind::kFailed, 1, 409},       {ErrorKind::kBadInput, 2, 400},
    {ErrorKind::kUnreachable, 69, 409}, {ErrorKind::kNoCapacity, 75, 503},
    {ErrorKind::kUnknown, 76, 409},     {ErrorKind::kNotAllowed, 77, 403},
};

constexpr const ErrorCodes& codes_of(ErrorKind kind) {
  for (const ErrorCodes& row : kErrorCodes)
    if (row.kind == kind) return row;
  return kErrorCodes[0];
}

// The work failed, where no other kind has that code.
constexpr ErrorKind kind_of_exit_code(int code) {
  for (const ErrorCodes& row : kErrorCodes)
    if (row.exit_code == code) return row.kind;
  return ErrorKind::kFailed;
}

}  // namespace sluice
