// Any text is a story or a mistake with a place and a sentence, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "sim/stories/story_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto stories = sluice::parse_stories(text, "fuzz.story");
  if (stories)
    CHECK(!stories->empty(), "a file without a story was taken");
  else
    CHECK(!stories.error().what.empty(), "a mistake without a word");
  return 0;
}
