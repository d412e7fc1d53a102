#include "shims/columns.h"

#include "text/scan.h"

namespace sluice {

LetterTokens read_letters(std::string_view format) {
  LetterTokens out;
  std::size_t at = format.find('%');
  out.prefix = format.substr(0, at);
  while (at != std::string_view::npos && at < format.size()) {
    const std::size_t next = std::min(format.find('%', at + 1), format.size());
    const std::string_view token = format.substr(at, next - at);
    // As strtok() does it: "%%" is one '%', and one at the end is nothing.
    if (token.size() == 1) {
      at = next;
      continue;
    }
    std::size_t i = 1;
    LetterToken read;
    read.text = token;
    if (i < token.size() && token[i] == '.') {
      read.right = true;
      ++i;
    }
    while (i < token.size() && is_digit(token[i]) && read.width < 100'000)
      read.width = read.width * 10 + (token[i++] - '0');
    if (i < token.size()) {
      read.letter = token[i];
      read.suffix = token.substr(i + 1);
    }
    out.tokens.push_back(std::move(read));
    at = next;
  }
  return out;
}

std::vector<NameToken> read_names(std::string_view format) {
  std::vector<NameToken> out;
  for (const std::string_view word : split(format, ',')) {
    if (word.empty()) continue;
    NameToken token;
    const std::size_t colon = word.find(':');
    token.name = without_blanks_around(word.substr(0, colon));
    if (colon != std::string_view::npos) {
      std::size_t i = colon + 1;
      token.width = 0;
      if (i < word.size() && word[i] == '.') {
        token.right = true;
        ++i;
      }
      while (i < word.size() && is_digit(word[i]) && token.width < 100'000)
        token.width = token.width * 10 + (word[i++] - '0');
      token.suffix = word.substr(i);
    }
    out.push_back(std::move(token));
  }
  return out;
}

}  // namespace sluice
