// The passes of an engine and what they share.
#include "policy/schedule.h"

#include "policy/backfill_pass.h"
#include "policy/easy_pass.h"
#include "policy/main_pass.h"
#include "policy/pass_kit.h"

namespace sluice {

struct Scheduler::Parts {
  explicit Parts(Passes passes) : kit(passes) {}

  PassKit kit;
  MainPass main{kit};
  BackfillPass backfill{kit};
  EasyPass easy{kit};
  ConservativePass conservative{kit};
};

Scheduler::Scheduler(Passes passes) : parts_(std::make_unique<Parts>(passes)) {}
Scheduler::~Scheduler() = default;

void Scheduler::adopt(const Policy& policy) { parts_->kit.adopt(policy); }
void Scheduler::set_explain(bool explain) { parts_->kit.shortcuts.set_explain(explain); }
bool Scheduler::main_pass(const PassInput& input) {
  parts_->kit.gates.begin(input.queue);
  return parts_->main.run(input);
}
void Scheduler::easy_pass(const PassInput& input) {
  parts_->kit.gates.begin(input.queue);
  parts_->easy.run(input);
}
void Scheduler::conservative_pass(const PassInput& input) {
  parts_->kit.gates.begin(input.queue);
  parts_->conservative.run(input);
}
void Scheduler::backfill_pass(const PassInput& input) {
  parts_->kit.gates.begin(input.queue);
  parts_->backfill.run(input);
}

}  // namespace sluice
