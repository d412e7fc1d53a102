// Lines of cells for squeue and sinfo: -o's letters and -O's names, read into columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// A field of a table by its place there, and how it is printed.
struct ShownColumn {
  std::size_t field = 0;
  int width = 0;  // 0: as long as it is.
  bool right = false;
  std::string suffix;  // Text up to the next field.
};

struct ShownColumns {
  std::string prefix;  // Text before the first field.
  std::vector<ShownColumn> columns;
};

// A token of -o: "%.10j" is 'j', with what stands behind it up to the next '%'.
struct LetterToken {
  char letter = '\0';
  int width = 0;
  bool right = false;
  std::string suffix;
  std::string text;  // As it was typed.
};
struct LetterTokens {
  std::string prefix;
  std::vector<LetterToken> tokens;
};
LetterTokens read_letters(std::string_view format);

// A token of -O: "name:10x" is 10 wide and followed by "x"; 20 wide without a size.
struct NameToken {
  std::string name;
  int width = 20;
  bool right = false;
  std::string suffix;
};
std::vector<NameToken> read_names(std::string_view format);

}  // namespace sluice
