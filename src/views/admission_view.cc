#include "views/admission_view.h"

#include "policy/admission.h"

namespace sluice {

std::optional<Refusal> refusal_of(const Engine& engine, const JobSpec& request, Instant now) {
  const Admission admission = admit(engine.state(), request, now);
  if (const auto* refusal = std::get_if<Refusal>(&admission)) return *refusal;
  return std::nullopt;
}

}  // namespace sluice
