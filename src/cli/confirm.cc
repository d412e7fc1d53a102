#include "cli/confirm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace sluice {

std::string line_of_input() {
  std::string line;
  for (int c = std::getc(stdin); c != EOF && c != '\n'; c = std::getc(stdin))
    line += static_cast<char>(c);
  return line;
}

Result<bool> confirmed(const char* question, bool yes) {
  if (yes) return true;
  if (::isatty(STDIN_FILENO) == 0)
    return bad_input("there is no terminal to ask on", "add --yes to continue without asking");
  fmt::print("{} [y/N] ", question);
  std::fflush(stdout);
  const std::string answer = line_of_input();
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace sluice
