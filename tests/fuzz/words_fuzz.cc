// Notations that have no target of their own: times that have passed, reservations, programs of
// several tasks, replacement strings, amounts and weights.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "model/tres.h"
#include "text/batch_script.h"
#include "text/counts_per_node.h"
#include "text/job_defaults.h"
#include "text/job_reference.h"
#include "text/mail_types.h"
#include "text/multi_prog.h"
#include "text/past_time.h"
#include "text/replacement.h"
#include "text/reservation_words.h"
#include "text/switches.h"
#include "text/tres.h"
#include "text/tres_weight.h"
#include "text/typed_duration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Instant now = instant_at(seconds(1'700'000'000));
  (void)parse_past_time(text, now, {});
  if (const auto place = time_mistake_at(text)) CHECK(*place <= size);
  (void)parse_time_or_age(text, now);
  if (const auto moment = parse_reservation_time(text); moment && moment->at)
    CHECK(!format_reservation_time(moment->at, moment->after).empty());
  if (const auto setting = split_reservation_setting(text))
    CHECK(setting->key.size() + setting->value.size() < size);
  (void)parse_job_reference(text);
  (void)parse_switches(text);
  (void)parse_mail_types(text);
  (void)duration_with_unit(text);
  (void)check_batch_script(text);
  (void)parse_counts_per_node(text);
  (void)format_job_defaults(parse_job_defaults(text));
  (void)parse_tres_edits(text, TresRegistry());
  (void)read_millionths(text);
  if (const auto tasks = parse_multi_prog(text, "programs", 64)) CHECK(tasks->size() <= 64);
  const std::vector<std::string> items{"a b", "c'd", std::string(text)};
  if (has_replacement(text)) (void)filled_in(text, items, 7);
  CHECK(one_line_word(text).find('\n') == std::string::npos);
  return 0;
}
