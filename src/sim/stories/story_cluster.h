// The cluster of a story: header lines are short for the keys of policy.yaml, and are read by the
// same reader.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "policyfile/read/include.h"
#include "sim/stories/story_line.h"

namespace sluice {

class StoryCluster {
 public:
  // nodes, partition, qos, account, user, license, reservation, switch, set.
  Result<void> take(const StoryLine& line);
  // `policy FILE` and the block below `policy:`; what the header lines say is added to it.
  Result<void> take_document(Value document, const Place& place);
  // "qos.high.GrpTRES=cpu=4"
  Result<void> set(std::string_view word, const Place& place);

  // Everybody named here may submit, where the story says nothing of accounts.
  Result<std::shared_ptr<const Policy>> policy(const std::set<std::string>& people,
                                               const Place& place) const;

  static bool is_keyword(std::string_view word);
  static std::vector<std::string> keywords();

 private:
  Result<void> take_nodes(const StoryLine& line);
  Result<void> take_named(const StoryLine& line, const char* section);
  Result<void> take_account(const StoryLine& line);
  Result<void> take_user(const StoryLine& line);
  Result<void> take_license(const StoryLine& line);
  Result<void> take_reservation(const StoryLine& line);
  Value with_defaults(const std::set<std::string>& people) const;

  Value document_ = Value::map();
  bool from_file_ = false;  // Nothing is assumed beyond what a policy file says.
  bool names_qos_of_accounts_ = false;
};

}  // namespace sluice
