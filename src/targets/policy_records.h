// What was applied, and the way back: files in the state folder, one folder for each cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "targets/plan_file.h"

namespace sluice {

class PolicyRecords {
 public:
  // Makes the folder where it is missing.
  static Result<PolicyRecords> open(const std::string& cluster);
  // The same for the daemon of this machine.
  static Result<PolicyRecords> open_embedded();

  // Durable before anything is changed. An apply that was cut short keeps its own way back: going
  // back leads to where it began, however often it was taken up again.
  Result<void> begin(const Aim& aim, const Prospect& prospect);
  // The same where the way back is this text; kept as it is where one was cut short before.
  Result<void> begin(const std::string& way_back);
  // It was refused and nothing was changed: there is no way to go back.
  void abandon();
  // Whatever was cut short has got there after all.
  void take_up();
  // Something to keep beside the records; where it is.
  Result<std::string> keep(const std::string& name, const std::string& text) const;
  // Everything was done: remembers the cluster as it is now.
  Result<void> finish(const Policy& now);

  // The last way back that was not gone.
  Result<std::optional<std::string>> last() const;
  Result<void> mark_undone(const std::string& path) const;

  // The cluster as the last apply left it.
  Result<std::optional<Policy>> applied() const;
  std::string applied_at() const;
  const std::string& folder() const { return folder_; }

 private:
  Result<void> write(const std::string& name, const std::string& text) const;
  std::vector<std::string> ways_back() const;
  static Result<PolicyRecords> open_folder(const std::string& name);
  std::uint64_t last_number() const;
  // The way back of an apply that was cut short, or "".
  std::string unfinished() const;

  std::string folder_;
  std::string current_;
  bool fresh_ = false;  // `current_` was begun here, not taken up.
};

}  // namespace sluice
