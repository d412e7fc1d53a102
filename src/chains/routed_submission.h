// A submission that is routed once, as a chain of one rung: intent, held jobs, their numbers,
// release. What a process leaves half done is finished or undone by the next command.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "chains/open_chain.h"

namespace sluice {

// A chain whose tasks are handed in once: what fails is given up.
Chain routed_chain(JobSpec spec, ChainTerms terms);

struct SubmittedShare {
  RemoteJob job;
  std::string pool;
};

class RoutedSubmission {
 public:
  RoutedSubmission(ChainPorts ports, Chain chain)
      : ports_(std::move(ports)), chain_(std::move(chain)) {}

  // As it stands: tasks that were handed in no longer wait.
  const Chain& chain() const { return chain_; }
  // Tasks that no share has had yet.
  IndexSet left() const;

  // Submits all shares held, then releases all. Where one is refused the others are cancelled and
  // the refusal is the error. `say` is told of waits, `wait` passes the time between looks.
  Result<std::vector<SubmittedShare>> hand_in(std::vector<Share> shares,
                                              const std::function<void(const std::string&)>& say,
                                              const std::function<void(Duration)>& wait);
  // Which of the tasks that were handed in run by now, and which have ended.
  Result<void> look();
  // Until every task has ended; whether all of them completed.
  Result<bool> wait_for_end(Duration pause, const std::function<void(Duration)>& wait);

 private:
  Result<std::unique_ptr<OpenChain>> open_or_create();
  // Looks for submissions without an answer until each is found or certain not to have arrived.
  Result<void> hand_in_held(OpenChain& open, const std::function<void(const std::string&)>& say,
                            const std::function<void(Duration)>& wait);
  Error end_badly(OpenChain& open, Error error);

  ChainPorts ports_;
  Chain chain_;
  bool created_ = false;
  std::optional<OpenMark> mark_;
};

// Whether nothing of a routed submission needs a later look: no job is held or on its way, and no
// twin of a submission that was made twice may still arrive.
bool is_settled(const Chain& chain, Instant now);

}  // namespace sluice
