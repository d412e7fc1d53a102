#include "shims/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "text/array_spec.h"
#include "text/scan.h"
#include "views/row_text.h"

namespace sluice {

std::string url_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == ',';
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Result<std::vector<RecordLine>> fetch_records(EngineDoor& engine, const std::string& query) {
  TRY(const std::string body,
      engine.get("/v1/records?format=ditto" + (query.empty() ? "" : "&" + query)));
  TRY(auto reader, RowTextReader<RecordLine>::over(body));
  std::vector<RecordLine> out;
  RecordLine row;
  while (reader.next(row)) out.push_back(row);
  sort_as_slurmctld(out);
  return out;
}

void sort_as_slurmctld(std::vector<RecordLine>& records) {
  std::map<JobId, std::vector<JobId>> tasks;
  for (const RecordLine& it : records)
    if (it.array && it.task && it.job != *it.array) tasks[*it.array].push_back(it.job);
  if (tasks.empty()) {
    // As they come, as a rule.
    const auto before = [](const RecordLine& a, const RecordLine& b) { return a.job < b.job; };
    if (!std::is_sorted(records.begin(), records.end(), before))
      std::stable_sort(records.begin(), records.end(), before);
    return;
  }
  for (auto& [array, ids] : tasks) std::sort(ids.begin(), ids.end());
  // Twice the number; odd: just behind it.
  const auto place = [&](const RecordLine& it) -> std::uint64_t {
    if (!it.array) return std::uint64_t{it.job.value()} * 2;
    const auto found = tasks.find(*it.array);
    if (found == tasks.end()) return std::uint64_t{it.job.value()} * 2;
    const auto& ids = found->second;
    const auto at = std::find(ids.begin(), ids.end(), it.job);
    if (at == ids.begin()) return std::uint64_t{it.array->value()} * 2;
    return std::uint64_t{std::prev(at)->value()} * 2 + 1;
  };
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < records.size(); ++i) order.emplace_back(place(records[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<RecordLine> out;
  out.reserve(records.size());
  for (const auto& [key, i] : order) out.push_back(std::move(records[i]));
  records = std::move(out);
}

std::optional<Instant> eligible_time(const RecordLine& it) {
  // Its array's own limit holds it back.
  if (it.reason == "JobArrayTaskLimit") return std::nullopt;
  if (it.eligible || it.state != JobState::kPending) return it.eligible;
  return it.started;
}

std::string waiting_tasks(const RecordLine& it) {
  // Slurm cuts long lists; SLURM_BITSTR_LEN says where, and 0 not at all.
  static const std::size_t most = [] {
    const auto length = whole_number(variable("SLURM_BITSTR_LEN").value_or(""));
    return length ? static_cast<std::size_t>(*length) : std::size_t{64};
  }();
  if (most == 0 || it.waiting.size() + 3 < most) return it.waiting;
  const auto spec = parse_array_spec(it.waiting);
  return spec ? format_array_tasks(*spec, most) : it.waiting;
}

std::string record_id(const RecordLine& it) {
  if (!it.array) return std::to_string(it.job.value());
  if (it.task) return fmt::format("{}_{}", it.array->value(), *it.task);
  return fmt::format("{}_[{}]", it.array->value(), waiting_tasks(it));
}

std::vector<RecordLine> with_tasks_apart(const std::vector<RecordLine>& records) {
  std::vector<RecordLine> out;
  for (const RecordLine& it : records) {
    const auto spec = it.array && !it.task ? parse_array_spec(it.waiting) : Result<ArraySpec>{};
    if (!it.array || it.task || !spec) {
      out.push_back(it);
      continue;
    }
    for (auto task = spec->indices.first(); task; task = spec->indices.first(*task + 1)) {
      out.push_back(it);
      out.back().task = *task;
      out.back().waiting.clear();
    }
  }
  return out;
}

std::vector<RecordLine> with_tasks_together(std::vector<RecordLine> records) {
  struct Gathered {
    std::size_t place = 0;
    IndexSet tasks;
    bool more = false;
  };
  std::map<JobId, Gathered> arrays;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RecordLine& it = records[i];
    if (!it.array || it.task || it.state != JobState::kPending) continue;
    if (const auto spec = parse_array_spec(it.waiting)) arrays[*it.array] = {i, spec->indices};
  }
  if (arrays.empty()) return records;
  std::vector<RecordLine> out;
  std::vector<bool> joined(records.size(), false);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RecordLine& it = records[i];
    const auto found = it.array ? arrays.find(*it.array) : arrays.end();
    if (found == arrays.end() || !it.task || it.state != JobState::kPending) continue;
    found->second.tasks.insert(*it.task);
    found->second.more = true;
    joined[i] = true;
    RecordLine& whole = records[found->second.place];
    const auto reasons = split(whole.reason, ',');
    if (std::find(reasons.begin(), reasons.end(), it.reason) == reasons.end())
      whole.reason += "," + it.reason;
  }
  for (const auto& [array, all] : arrays)
    if (all.more) records[all.place].waiting = format_array_tasks(ArraySpec{all.tasks, {}}, 0);
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!joined[i]) out.push_back(std::move(records[i]));
  return out;
}

}  // namespace sluice
