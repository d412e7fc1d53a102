// Where one chain is remembered: a folder with an SQLite file, the script and what handlers said.
//
//   ledger.db  chain  one row: what was submitted, the settled ladder, the state
//              task   one row a task: exactly one state each
//              batch, handler   one row each, written before the cluster is asked
//              run    one row a task and batch: a run is recorded once, or not at all
//   script     a copy that the nodes can read
//   lease, spool/   see lease.h
//
// synchronous=FULL and a rollback journal everywhere: no shared memory, so network file systems
// do. There it is locked while it is open, too. The application id says that the file is ours, the
// user version is the format:
//   1  as above, without what was learnt about sizes
//   2  chain has sizing
//   3  batch has move, and may be taking over
//   4  chain has terms, which were files beside the ledger and variables of the job; batch has
//      placement, refusal, and when it was missed
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "escalation/advance.h"
#include "escalation/chain.h"

namespace sluice {

class Ledger final : public ChainStore {
 public:
  // Makes the folder and everything in it; nothing is left of it where that fails.
  static Result<std::unique_ptr<Ledger>> create(const std::string& folder, const Chain& chain);
  static Result<std::unique_ptr<Ledger>> open(const std::string& folder);
  // The state alone: cheap enough to be asked often by a command that waits for the end.
  static Result<ChainState> state_of(const std::string& folder);
  // How many batches took over tasks of another job.
  static Result<std::int64_t> count_moves(const std::string& folder);
  ~Ledger() override;

  Result<void> commit(std::span<const ChainEvent> events) override;
  Result<std::vector<TaskRun>> runs() const override;
  // As it stands now, with everything that was committed.
  const Chain& chain() const;

  // Every run that has ended, by task and batch; of one task only where it is named.
  Result<void> each_run(const std::function<void(const TaskRun&)>& visit,
                        std::optional<std::uint32_t> task = std::nullopt) const;

 private:
  struct Parts;
  explicit Ledger(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice
