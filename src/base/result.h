// Result<T>: a value, or an Error that says what, where and what to type next.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace sluice {

// Which of PRODUCT.md's exit codes an error leads to. A refusal by the domain (a job that may not
// run) is not an Error: it is a value with a Reason.
enum class ErrorKind {
  kBadInput,     // 2: wrong usage or a bad file
  kFailed,       // 1: the work failed
  kUnreachable,  // 69: the cluster cannot be reached
  kNoCapacity,   // 75: try later
  kUnknown,      // 76: outcome unknown
  kNotAllowed,   // 77
};

struct Error {
  ErrorKind kind = ErrorKind::kBadInput;
  std::string what;   // One sentence: what is wrong, with the offending text in it.
  std::string where;  // "file:line: field" or empty.
  std::string hint;   // What to type next, or empty.

  // "where: what\n  hint" as a person reads it.
  std::string text() const {
    std::string out = where.empty() ? what : where + ": " + what;
    if (!hint.empty()) out += "\n  " + hint;
    return out;
  }
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> bad_input(std::string what, std::string hint = {}) {
  return tl::unexpected<Error>(Error{ErrorKind::kBadInput, std::move(what), {}, std::move(hint)});
}

inline tl::unexpected<Error> failed(std::string what, std::string hint = {}) {
  return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::move(what), {}, std::move(hint)});
}

}  // namespace sluice

// TRY(auto x, f()): x is f()'s value, or the enclosing function returns f()'s error.
#define SLUICE_JOIN2(a, b) a##b
#define SLUICE_JOIN(a, b) SLUICE_JOIN2(a, b)
#define TRY(declaration, expression) \
  TRY_IMPL(SLUICE_JOIN(try_result_, __LINE__), declaration, expression)
#define TRY_IMPL(result, declaration, expression)                                 \
  auto result = (expression);                                                     \
  if (!result) return tl::unexpected<::sluice::Error>(std::move(result.error())); \
  declaration = std::move(*result)
// TRY_VOID(f()): the same for a Result<void>.
#define TRY_VOID(expression)                                                      \
  do {                                                                            \
    auto try_void_result = (expression);                                          \
    if (!try_void_result)                                                         \
      return tl::unexpected<::sluice::Error>(std::move(try_void_result.error())); \
  } while (false)
