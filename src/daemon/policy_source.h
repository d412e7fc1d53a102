// The policy to go by: the file's, or one made from this machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/node.h"
#include "model/policy.h"
#include "policyfile/read/finding.h"
#include "policyfile/read/include.h"

namespace sluice {

struct PolicyChoice {
  std::shared_ptr<const Policy> policy;
  std::string origin;  // "file" or "survey"
  std::vector<Finding> findings;
};

// The policy where none was written: this machine is the only node, every user may use it,
// memory is dealt out by CPUs.
Result<Policy> policy_of_machine(const Node& machine);

// A policy from its text; `origin` is "file". Errors come back as findings, and there is no policy
// then. `read_file` opens what the text includes: none for a text that came through the socket, or
// its sender would read files with the daemon's rights.
PolicyChoice policy_of_text(const std::string& text, const std::string& name, const Node& machine,
                            const ReadFile& read_file);

// The same from the file, or from the machine where there is none.
Result<PolicyChoice> choose_policy(const std::string& file, const Node& machine);

// Opens what the policy file includes, with the daemon's rights.
Result<std::string> read_policy_part(const std::string& path);

// The file's text; nothing where there is no file.
Result<std::optional<std::string>> read_policy_source(const std::string& file);

// Flushed and renamed over the old one: after a power failure either the old or the new is there.
// The file keeps its mode; a link stays a link.
Result<void> write_policy_source(const std::string& file, const std::string& text);

}  // namespace sluice
