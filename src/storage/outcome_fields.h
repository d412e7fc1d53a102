// The numbered fields of how a job ended. Rules for adding one: storage/fields.h.
#pragma once

#include "model/outcome.h"
#include "storage/fields.h"

namespace sluice {

template <>
struct LastOf<JobState> {
  static constexpr auto value = JobState::kBootFail;
  static_assert(static_cast<int>(value) == 12, "the numbers of enumerators are for ever");
};

template <class Fields>
void each_field(Fields& f, Like<Outcome> auto& item) {
  auto& [state, exit_code, signal, max_rss_kb, cpu_time] = item;
  f(1, state);
  f(2, exit_code);
  f(3, signal);
  f(4, max_rss_kb);
  f(5, cpu_time);
}

}  // namespace sluice
