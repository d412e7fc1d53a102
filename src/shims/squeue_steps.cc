#include "shims/squeue_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "cli/local_time.h"
#include "shims/columns.h"
#include "shims/records.h"
#include "shims/squeue_fields.h"
#include "shims/words.h"
#include "text/hostlist.h"
#include "views/step_share.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct StepRow {
  std::string id;
  std::string name;
  const RecordLine* job = nullptr;
  std::optional<Instant> started;
  Duration elapsed{0};
  std::int64_t tasks = 1;
  std::string nodes;
};

// clang-format off
constexpr struct {
  char letter;
  std::string_view title;
  std::string (*text)(const StepRow&);
} kStepFields[] = {
    {'A', "TASKS", [](const StepRow& r) { return std::to_string(r.tasks); }},
    {'b', "TRES_PER_NODE", [](const StepRow&) { return std::string("(null)"); }},
    {'i', "STEPID", [](const StepRow& r) { return r.id; }},
    {'j', "NAME", [](const StepRow& r) { return r.name; }},
    {'l', "TIME_LIMIT", [](const StepRow&) { return std::string("UNLIMITED"); }},
    {'M', "TIME", [](const StepRow& r) { return squeue_duration(r.elapsed); }},
    {'N', "NODELIST", [](const StepRow& r) { return r.nodes; }},
    {'P', "PARTITION", [](const StepRow& r) { return r.job->partition; }},
    {'S', "START_TIME", [](const StepRow& r) { return time_text(r.started, "N/A"); }},
    {'u', "USER", [](const StepRow& r) { return r.job->user; }},
    {'U', "USER", [](const StepRow& r) { return uid_text(r.job->user); }},
};
// clang-format on

void print_line(ShimCall& call, const LetterTokens& format, const StepRow* row) {
  call.out += format.prefix;
  for (const LetterToken& token : format.tokens) {
    const auto* field = std::find_if(std::begin(kStepFields), std::end(kStepFields),
                                     [&](const auto& it) { return it.letter == token.letter; });
    if (field == std::end(kStepFields)) {
      call.out += token.text;
      continue;
    }
    const std::string text = row == nullptr ? std::string(field->title) : field->text(*row);
    append_cell(call.out, text, token.width, token.right);
    call.out += token.suffix;
  }
  call.out += '\n';
}

}  // namespace

int print_steps(ShimCall& call, const std::vector<RecordLine>& records, std::string_view format,
                bool header) {
  const LetterTokens wanted =
      read_letters(format.empty() ? "%.15i %.8j %.9P %.8u %.9M %N" : format);
  for (const LetterToken& token : wanted.tokens)
    if (std::none_of(std::begin(kStepFields), std::end(kStepFields),
                     [&](const auto& it) { return it.letter == token.letter; }))
      call.error(fmt::format("Invalid job step format specification: {}",
                             token.letter == '\0' ? std::string() : std::string(1, token.letter)));
  if (header) print_line(call, wanted, nullptr);
  std::string jobs;
  for (const RecordLine& it : records)
    if (holds_nodes(it.state)) jobs += (jobs.empty() ? "" : ",") + std::to_string(it.job.value());
  if (jobs.empty()) return 0;
  const auto accounts = call.engine->fetch<Lines<AccountLine>>("/v1/accounts?job=" + jobs);
  if (!accounts) return call.fail(accounts.error());
  for (const RecordLine& it : records) {
    if (!holds_nodes(it.state)) continue;
    const auto hosts = expand_hostlist(it.nodes);
    const std::string first = hosts && !hosts->empty() ? hosts->front() : it.nodes;
    const StepRow batch{record_id(it) + ".batch", "batch", &it, it.started, it.elapsed, 1, first};
    if (it.batch) print_line(call, wanted, &batch);
    const auto own = std::find_if(accounts->lines.begin(), accounts->lines.end(),
                                  [&](const AccountLine& each) { return each.job == it.job; });
    if (own == accounts->lines.end()) continue;
    for (const StepLine& step : own->details.steps) {
      if (step.ended) continue;
      const StepRow row{fmt::format("{}.{}", record_id(it), step.number),
                        shown(step.name),
                        &it,
                        step.started,
                        step.started ? now_here() - *step.started : Duration(0),
                        step.tasks,
                        step.shares.empty() ? it.nodes : nodes_of_step(step.shares)};
      print_line(call, wanted, &row);
    }
  }
  return 0;
}

}  // namespace sluice
