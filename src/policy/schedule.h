// One look at the queue: which jobs start, which are pushed out, why the others wait.
#pragma once

#include <memory>

#include "model/policy.h"
#include "policy/decisions.h"
#include "policy/passes.h"

namespace sluice {

// The passes of an engine, and what they keep from one to the next. Each is a class of its own:
// main_pass.h, backfill_pass.h, easy_pass.h.
class Scheduler {
 public:
  explicit Scheduler(Passes passes = Passes::kQuick);
  ~Scheduler();

  // To be called when a policy comes into force.
  void adopt(const Policy& policy);
  // Without explanations a pass says nothing of those it leaves waiting: faster, for simulations.
  void set_explain(bool explain);

  // False where no job that waits could start, in whatever order: then no other pass has to look.
  bool main_pass(const PassInput& input);
  void easy_pass(const PassInput& input);
  void conservative_pass(const PassInput& input);
  void backfill_pass(const PassInput& input);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice
