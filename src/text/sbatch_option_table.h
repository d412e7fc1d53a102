// Every option of sbatch 22.05: its names, its argument, its environment variable, what it does.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "text/option_reader.h"

namespace sluice {

struct OptionSetting;  // text/sbatch_settings.h

// The words of a command line, for one option.
class OptionWords {
 public:
  OptionWords(std::string_view name, std::vector<std::string>& out) : name_(name), out_(out) {}
  // --name=value, so that no value can be taken for another option; nothing for an empty one.
  void value(const std::string& value);
  void flag();
  void word(std::string word) { out_.push_back(std::move(word)); }

 private:
  std::string_view name_;
  std::vector<std::string>& out_;
};

// What an option does to a request, and how a request that has it is written for sbatch.
struct SbatchEffect {
  Result<void> (*set)(const OptionSetting&) = nullptr;
  void (*show)(const JobSpec&, OptionWords&) = nullptr;  // nullptr: by another option, or never.
};

struct SbatchOptionRow {
  OptionShape shape;
  SbatchEffect effect;
  std::string_view environment = {};  // SBATCH_…, or empty.
  std::string_view other_environment = {};
  std::string_view instead = {};  // For one that is refused: what to do instead.
};

std::span<const SbatchOptionRow> sbatch_options();
// The same rows as option_reader.h takes them.
std::span<const OptionShape> sbatch_option_shapes();

}  // namespace sluice
