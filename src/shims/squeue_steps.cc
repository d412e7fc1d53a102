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
#include "text/job_reference.h"
#include "text/scan.h"
#include "views/step_share.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

struct StepRow {
  std::string id;
  std::string name;
  const RecordLine* job = nullptr;
  std::int64_t number = kBatch;
  std::optional<Instant> started;
  Duration elapsed{0};
  std::int64_t tasks = 1;
  std::int64_t cpus = 0;
  std::string nodes;
  std::string cluster;  // Where it is shown.

  // slurmctld numbers it so; it stands behind the steps that the script makes.
  static constexpr std::int64_t kBatch = 0xfffffffb;
};

std::string own_tres(const StepRow& row) {
  return row.number == StepRow::kBatch ? "(null)" : fmt::format("cpu:{}", row.cpus);
}
std::string nothing(const StepRow&) { return "(null)"; }

// clang-format off
constexpr struct StepField {
  char letter;
  std::string_view name;
  std::string_view title;
  std::string (*text)(const StepRow&);
} kStepFields[] = {
    {'\0', "arrayjobid", "ARRAY_JOB_ID", [](const StepRow& r) { return std::to_string(r.job->array ? r.job->array->value() : 0); }},
    {'\0', "arraytaskid", "ARRAY_TASK_ID", [](const StepRow& r) { return r.job->task ? std::to_string(*r.job->task) : std::string("N/A"); }},
    {'\0', "cluster", "CLUSTER", [](const StepRow& r) { return r.cluster; }},
    {'\0', "container", "CONTAINER", nothing},
    {'\0', "cpufreq", "CPU_FREQ", [](const StepRow& r) { return std::string(r.number == StepRow::kBatch ? "0-0:0" : "Unknown-Unknown:Unknown"); }},
    {'\0', "jobid", "JOB_ID", [](const StepRow& r) { return std::to_string(r.job->job.value()); }},
    {'\0', "mem-per-tres", "MEM_PER_TRES", nothing},
    {'\0', "network", "NETWORK", nothing},
    {'N', "nodes", "NODELIST", [](const StepRow& r) { return r.nodes; }},
    {'\0', "numcpus", "NUM_CPUS", [](const StepRow& r) { return std::to_string(r.cpus); }},
    {'A', "numtasks", "TASKS", [](const StepRow& r) { return std::to_string(r.tasks); }},
    {'P', "partition", "PARTITION", [](const StepRow& r) { return r.job->partition; }},
    {'S', "starttime", "START_TIME", [](const StepRow& r) { return time_text(r.started, "N/A"); }},
    {'i', "stepid", "STEPID", [](const StepRow& r) { return r.id; }},
    {'j', "stepname", "NAME", [](const StepRow& r) { return r.name; }},
    {'\0', "stepstate", "STATE", [](const StepRow&) { return std::string("RUNNING"); }},
    {'\0', "state", "STATE", [](const StepRow&) { return std::string("RUNNING"); }},
    {'l', "timelimit", "TIME_LIMIT", [](const StepRow&) { return std::string("UNLIMITED"); }},
    {'M', "timeused", "TIME", [](const StepRow& r) { return squeue_duration(r.elapsed); }},
    {'\0', "tres-bind", "TRES_BIND", nothing},
    {'\0', "tres-freq", "TRES_FREQ", nothing},
    {'\0', "tres-per-job", "TRES_PER_STEP", own_tres},
    {'\0', "tres-per-step", "TRES_PER_STEP", own_tres},
    {'b', "tres-per-node", "TRES_PER_JOB", nothing},
    {'\0', "tres-per-socket", "TRES_PER_SOCKET", nothing},
    {'\0', "tres-per-task", "TRES_PER_TASK", nothing},
    {'U', "userid", "UID", [](const StepRow& r) { return uid_text(r.job->user); }},
    {'u', "username", "USER", [](const StepRow& r) { return r.job->user; }},
};
// clang-format on

struct StepColumns {
  std::string prefix;
  struct Column {
    const StepField* field;
    int width;
    bool right;
    std::string suffix;
  };
  std::vector<Column> columns;

  template <class Token>
  void add(ShimCall& call, const Token& token, const StepField* field, std::string_view typed,
           std::string_view text) {
    if (field != std::end(kStepFields)) {
      columns.push_back({field, token.width, token.right, token.suffix});
      return;
    }
    call.error(fmt::format("Invalid job step format specification: {}", typed));
    (columns.empty() ? prefix : columns.back().suffix) += text;
  }
};

StepColumns read_columns(ShimCall& call, const StepListing& wanted) {
  StepColumns out;
  if (!wanted.names.empty()) {
    for (const NameToken& token : read_names(wanted.names))
      out.add(call, token,
              std::find_if(std::begin(kStepFields), std::end(kStepFields),
                           [&](const auto& it) { return is_word(token.name, it.name); }),
              token.name, token.suffix);
    return out;
  }
  const LetterTokens read =
      read_letters(wanted.letters.empty() ? "%.15i %.8j %.9P %.8u %.9M %N" : wanted.letters);
  out.prefix = read.prefix;
  for (const LetterToken& token : read.tokens)
    out.add(call, token,
            std::find_if(
                std::begin(kStepFields), std::end(kStepFields),
                [&](const auto& it) { return token.letter != '\0' && it.letter == token.letter; }),
            token.letter == '\0' ? std::string() : std::string(1, token.letter), token.text);
  return out;
}

void print_line(ShimCall& call, const StepColumns& columns, const StepRow* row) {
  call.out += columns.prefix;
  for (const StepColumns::Column& column : columns.columns) {
    const std::string text =
        row == nullptr ? std::string(column.field->title) : column.field->text(*row);
    append_cell(call.out, text, column.width, column.right);
    call.out += column.suffix;
  }
  call.out += '\n';
}

int order_of(char letter, const StepRow& a, const StepRow& b) {
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  switch (letter) {
    case 'i':
      if (const int by_job = order(a.job->job, b.job->job); by_job != 0) return by_job;
      return order(a.number, b.number);
    case 'P':
      return order(a.job->partition, b.job->partition);
    case 'S':
      return order(time_text(a.started, {}), time_text(b.started, {}));
    case 'M':
      return order(a.elapsed, b.elapsed);
    case 'N':
      return order(a.nodes, b.nodes);
    case 'u':
      return order(a.job->user, b.job->user);
    case 'U':
      return order(uid_text(a.job->user), uid_text(b.job->user));
    default:
      return 0;
  }
}

// By the first letter; what is alike for it, by the next. Other letters change nothing.
void sort_rows(std::string_view keys, std::vector<StepRow>& rows) {
  for (std::size_t i = keys.size(); i > 0; --i) {
    const char letter = keys[i - 1];
    const bool reversed = i > 1 && keys[i - 2] == '-';
    std::stable_sort(rows.begin(), rows.end(), [&](const StepRow& a, const StepRow& b) {
      const int by = order_of(letter, a, b);
      return reversed ? by > 0 : by < 0;
    });
  }
}

// "12.0", "12_3.1"; what follows the point is read as strtol() reads it.
bool is_named(std::string_view list, const StepRow& row) {
  for (const std::string_view word : split(list, ',')) {
    const std::size_t point = word.find('.');
    const auto job = parse_job_reference(word.substr(0, point));
    std::string_view digits = word.substr(point + 1);
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    if (!job || whole_number(digits).value_or(0) != row.number) continue;
    if (!job->tasks && job->job == row.job->job) return true;
    if (row.job->array && job->job == *row.job->array &&
        (!job->tasks || (row.job->task && job->tasks->contains(*row.job->task))))
      return true;
  }
  return false;
}

}  // namespace

bool names_steps(ShimCall& call, std::string_view list) {
  for (const std::string_view word : split(list, ','))
    if (!word.empty() && word.find('.') == std::string_view::npos) {
      call.error(fmt::format("Invalid job_step id: {}.??", word));
      return false;
    }
  return true;
}

int print_steps(ShimCall& call, const std::vector<RecordLine>& records, const StepListing& wanted) {
  if (wanted.long_report && wanted.header) call.say(date_text(now_here()));
  const StepColumns columns = read_columns(call, wanted);
  if (wanted.header) print_line(call, columns, nullptr);
  std::string jobs;
  for (const RecordLine& it : records)
    if (holds_nodes(it.state)) jobs += (jobs.empty() ? "" : ",") + std::to_string(it.job.value());
  if (jobs.empty()) return 0;
  const auto accounts = call.engine->fetch<Lines<AccountLine>>("/v1/accounts?job=" + jobs);
  if (!accounts) return call.fail(accounts.error());
  std::vector<StepRow> rows;
  for (const RecordLine& it : records) {
    if (!holds_nodes(it.state)) continue;
    const auto hosts = expand_hostlist(it.nodes);
    const std::string first = hosts && !hosts->empty() ? hosts->front() : it.nodes;
    if (it.batch)
      rows.push_back({record_id(it) + ".batch",
                      "batch",
                      &it,
                      StepRow::kBatch,
                      it.started,
                      it.elapsed,
                      1,
                      0,
                      first,
                      {}});
    const auto own = std::find_if(accounts->lines.begin(), accounts->lines.end(),
                                  [&](const AccountLine& each) { return each.job == it.job; });
    if (own != accounts->lines.end()) {
      for (const StepLine& step : own->details.steps) {
        if (step.ended) continue;
        rows.push_back({fmt::format("{}.{}", record_id(it), step.number),
                        shown(step.name),
                        &it,
                        step.number,
                        step.started,
                        step.started ? now_here() - *step.started : Duration(0),
                        step.tasks,
                        step.cpus,
                        step.shares.empty() ? it.nodes : nodes_of_step(step.shares),
                        {}});
      }
    }
  }
  if (!wanted.steps.empty())
    std::erase_if(rows, [&](const StepRow& row) { return !is_named(wanted.steps, row); });
  if (std::any_of(columns.columns.begin(), columns.columns.end(),
                  [](const auto& column) { return column.field->name == "cluster"; }))
    if (const auto policy = call.engine->policy())
      for (StepRow& row : rows) row.cluster = policy->cluster;
  sort_rows(wanted.sort, rows);
  for (const StepRow& row : rows) print_line(call, columns, &row);
  return 0;
}

}  // namespace sluice
