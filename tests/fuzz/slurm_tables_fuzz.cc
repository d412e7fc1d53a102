// Whatever Slurm's commands print is read without harm: other users choose parts of it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "slurm/accounting_rows.h"
#include "slurm/answers.h"
#include "slurm/description_texts.h"
#include "slurm/held_jobs.h"
#include "slurm/job_details.h"
#include "slurm/my_jobs.h"
#include "slurm/queue_rows.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)no_answer(text);
  (void)refusal_of(text);
  (void)parse_my_jobs(text);
  (void)parse_accounted_tasks(text);
  (void)parse_submit_lines(text);
  (void)parse_queue_rows(text);
  (void)parse_job_details(text);
  DescriptionTexts texts{text, text, text, text, text, text, text};
  const Description seen = read_description(texts, "alice");
  return seen.associations.size() == seen.policy->associations.size() &&
                 seen.qos.size() == seen.policy->qos.size() &&
                 seen.nodes.size() == seen.policy->nodes.size()
             ? 0
             : (__builtin_trap(), 0);
}
