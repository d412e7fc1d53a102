// What is on its way to a cluster, on disk before it is sent: whoever dies in between leaves a
// note.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/cluster.h"

namespace sluice {

class SubmissionRecord {
 public:
  // What was going on. All jobs are submitted held and released together.
  enum class Stage : std::uint8_t {
    kSubmitting,  // Nobody was told of any job: those that are there are cancelled.
    kReleasing,   // All are there: those that are still held are released.
  };

  // Durable when it returns.
  static Result<SubmissionRecord> begin(const std::string& folder, std::vector<std::string> keys);
  Result<void> releasing();
  // Says to other hosts that this process is still at it.
  void renew() const;
  // All is done: the note goes.
  void end();
  const std::string& path() const { return path_; }
  const std::vector<std::string>& keys() const { return keys_; }

  // Notes of processes that are gone; on another host, of those not heard of for long.
  static std::vector<SubmissionRecord> left_behind(const std::string& folder);
  Stage stage() const { return stage_; }

 private:
  Result<void> write() const;

  std::string path_;
  std::vector<std::string> keys_;
  Stage stage_ = Stage::kSubmitting;
};

// 128 random bits in hexadecimal.
std::string new_key();

// Carries to its end what an earlier process left half done; says on standard error what it did.
// An error: the cluster could not be asked, and the notes are still there.
Result<void> tidy_up(Cluster& cluster, const std::string& folder);

}  // namespace sluice
