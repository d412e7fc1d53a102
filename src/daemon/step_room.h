// What steps hold of their job's nodes, one beside another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/policy.h"
#include "state/state.h"
#include "views/record_line.h"

namespace sluice {

// Steps hold CPUs, memory and GPUs of their job's nodes; those that overlap keep nothing from
// others.
class StepRoom {
 public:
  StepRoom(const Policy& policy, const Run& run, const std::vector<StepLine>& running);

  // Fills in the shares of the step, or says why there are none.
  StepReply place(StepLine& step, const StepAsk& ask) const;

 private:
  struct NodeRoom {
    std::size_t place = 0;  // Among the job's nodes.
    std::string name;
    std::int64_t cpus = 0;
    std::int64_t memory_mb = 0;
    std::vector<std::int64_t> gpus;
  };

  // On the nodes with most room; an empty text where it fits.
  std::string fit(std::vector<NodeRoom> nodes, std::size_t count, std::int64_t cpus,
                  const StepAsk& ask, std::string& shares) const;

  std::vector<NodeRoom> all_;    // As the job has them.
  std::vector<NodeRoom> nodes_;  // Less what other steps hold.
};

}  // namespace sluice
