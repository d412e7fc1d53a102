#include "cli/ask.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace sluice {

Result<bool> ask_first(const std::string& question) {
  if (::isatty(STDIN_FILENO) == 0)
    return bad_input("there is no terminal to ask on, and nothing was removed",
                     "add --yes to remove without asking");
  fmt::print("{} [y/N] ", question);
  std::fflush(stdout);
  std::string line;
  for (int c = std::getc(stdin); c != EOF && c != '\n'; c = std::getc(stdin))
    line += static_cast<char>(c);
  return line == "y" || line == "yes";
}

}  // namespace sluice
