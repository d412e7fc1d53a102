// What a job or task printed, for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sluice {

struct LogText {
  std::string job;   // "12", "12_3"; empty where only the task is known.
  std::string file;  // Empty where the daemon keeps it.
  std::string text;
  std::string problem;  // Why there is no text.
  std::string state;    // "FAILED (exit code 1)", where it is known.
  std::optional<std::uint32_t> task;
  bool with_text = true;  // False: only where it is.
};

std::string logs_json(std::span<const LogText> logs);

}  // namespace sluice
