// What is known at one line of a story: the policy and the jobs submitted so far.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/stories/story.h"
#include "sim/stories/story_line.h"

namespace sluice {

struct StoryScope {
  std::shared_ptr<const Policy> policy;
  std::map<std::string, std::optional<IndexSet>> jobs;  // With the tasks of arrays.
  Instant now;
};

// A job of the story; an error where it was not submitted yet or has no such task.
Result<StoryJob> known_job(const StoryScope& scope, const Place& place, std::string_view word);
// Nodes of the policy from a hostlist.
Result<std::vector<std::string>> known_nodes(const StoryScope& scope, const Place& place,
                                             std::string_view word);

// What stands behind "=>".
Result<std::vector<Expectation>> read_expectations(const StoryScope& scope, const Place& place,
                                                   std::string_view text);
// Words with a meaning of their own at the beginning of an expectation.
bool is_reserved_name(std::string_view word);

}  // namespace sluice
