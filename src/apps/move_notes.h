// Moves by another job in a job's place: one small file each, also when they are done, for whoever
// waits for the old one.
#pragma once

#include <string>
#include <vector>

#include "routing/replacement.h"

namespace sluice {

class MoveNotes final : public ReplacementStore {
 public:
  // Notes of other clusters are left alone: numbers of jobs mean nothing there.
  MoveNotes(std::string folder, std::string cluster)
      : folder_(std::move(folder)), cluster_(std::move(cluster)) {}
  Result<void> write(const Replacement& replacement) override;
  void end(const Replacement& replacement) override;
  // A note that cannot be read is an error: what it stands for must not be begun again.
  Result<std::vector<Replacement>> left() const;
  // These, and those that were done within the last month.
  Result<std::vector<Replacement>> known() const;

 private:
  Result<void> read_all(const std::string& folder, std::vector<Replacement>& out) const;
  std::string path_of(const Replacement& replacement) const {
    return folder_ + "/" + replacement.key;
  }
  std::string folder_;
  std::string cluster_;
};

}  // namespace sluice
