// Runs a program and waits for it: no shell, no inherited environment, a limit of time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace sluice {

struct CommandOutput {
  int exit_code = 0;  // 128 + signal where a signal ended it.
  std::string output;
  std::string error;
};

// Nobody's table of jobs is longer; a program that prints more is ended.
inline constexpr std::size_t kMostOutputBytes = std::size_t{256} << 20;

// A program that has printed nothing for so long may wait for a daemon that is away: where that
// is so, it is killed, and this is the error. Asked once.
struct Doubt {
  Duration after;
  std::function<std::optional<Error>()> is_vain;
};

// Looked up in PATH; standard input is `input`. A program that does not end in time is killed
// together with its group, and what it did is not known.
Result<CommandOutput> run_command(const std::vector<std::string>& argv,
                                  const std::vector<std::string>& environment, Duration limit,
                                  std::string_view input = {}, const Doubt* doubt = nullptr);

}  // namespace sluice
