// Records as `scontrol --oneliner show` prints them: a line each, words of Key=Value.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

// A value goes on until the next word that has the form Key=; of two values the first counts.
class Record {
 public:
  explicit Record(std::string_view line);
  std::string_view get(std::string_view key) const;
  // The value less "N/A", "(null)" and the like.
  std::string_view given(std::string_view key) const;

 private:
  std::vector<std::pair<std::string_view, std::string_view>> fields_;
};

// The lines that begin with that word, "NodeName=" for example.
std::vector<Record> records_of(std::string_view text, std::string_view begin);

// "Key = value" lines of `scontrol show config`.
std::string_view config_value(std::string_view text, std::string_view key);

}  // namespace sluice
