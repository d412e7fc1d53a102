#include "ledger/stored.h"

#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include "text/array_spec.h"
#include "text/scan.h"

namespace sluice::ledger_columns {
namespace {

// The first line of a file; nothing where it is not there.
std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return line;
}

template <class Key>
std::vector<RemedyRow> rows_of(const std::map<Key, Remedy>& table) {
  std::vector<RemedyRow> out;
  for (const auto& [what, remedy] : table) out.push_back({static_cast<std::int32_t>(what), remedy});
  return out;
}

}  // namespace

IndexSet indices_of(std::string_view text) {
  if (text.empty()) return {};
  const auto read = parse_array_spec(text);
  return read ? read->indices : IndexSet{};
}

StoredMove stored(const BatchMove& move) {
  return {move.from,
          move.job.job.value(),
          move.job.submitted.time_since_epoch().count(),
          move.account,
          move.qos,
          compress_indices(move.spare)};
}

BatchMove move_of(const StoredMove& kept) {
  return {kept.from,
          {JobId(kept.job), Instant(Duration(kept.submitted))},
          kept.account,
          kept.qos,
          indices_of(kept.spare)};
}

StoredTerms stored(const ChainTerms& terms) {
  std::optional<std::int64_t> looked;
  if (terms.looked_around) looked = stored(*terms.looked_around);
  return {terms.engine,      terms.project, terms.attended,   terms.routed,    terms.spread,
          terms.device,      terms.shape,   terms.accounts,   terms.keep_back, terms.gpu_runtime,
          terms.cpu_runtime, terms.stopped, terms.last_level, looked,          terms.accounts_seen};
}

ChainTerms terms_of(StoredTerms kept) {
  ChainTerms out;
  out.engine = std::move(kept.engine);
  out.project = std::move(kept.project);
  out.attended = kept.attended;
  out.routed = kept.routed;
  out.spread = kept.spread;
  out.device = std::move(kept.device);
  out.shape = std::move(kept.shape);
  out.accounts = std::move(kept.accounts);
  out.keep_back = kept.keep_back;
  out.gpu_runtime = kept.gpu_runtime;
  out.cpu_runtime = kept.cpu_runtime;
  out.stopped = kept.stopped;
  out.last_level = kept.last_level;
  if (kept.looked_around) out.looked_around = Instant(Duration(*kept.looked_around));
  out.accounts_seen = kept.accounts_seen;
  return out;
}

ChainTerms terms_of_older(const std::string& folder, const Chain& chain) {
  ChainTerms out;
  out.engine = first_line(folder + "/engine").value_or("slurm");
  // The folder that tasks run in is mostly the one.
  out.project = first_line(folder + "/project").value_or(chain.spec.launch.working_directory);
  for (const EnvironmentVariable& one : chain.spec.launch.environment) {
    if (one.name == "SLUICE_UNATTENDED") out.attended = false;
    if (one.name == "SLUICE_ACCOUNTS")
      for (const std::string_view name : split(one.value, ','))
        if (!name.empty()) out.accounts.emplace_back(name);
  }
  return out;
}

StoredLadder stored(const Ladder& ladder) {
  return {ladder.levels,
          ladder.climb,
          ladder.most_again,
          rows_of(ladder.handling.states),
          rows_of(ladder.handling.exit_codes),
          rows_of(ladder.handling.signals),
          ladder.handling.stderr_rules,
          ladder.top,
          ladder.handling.gpu_memory,
          ladder.checkpoint};
}

Ladder ladder_of(const StoredLadder& kept) {
  Ladder out;
  out.levels = kept.levels;
  out.climb = kept.climb;
  out.most_again = kept.most_again;
  out.handling.states.clear();
  out.handling.exit_codes.clear();
  out.handling.signals.clear();
  for (const RemedyRow& row : kept.states)
    out.handling.states[static_cast<JobState>(row.what)] = row.remedy;
  for (const RemedyRow& row : kept.exit_codes) out.handling.exit_codes[row.what] = row.remedy;
  for (const RemedyRow& row : kept.signals) out.handling.signals[row.what] = row.remedy;
  out.handling.stderr_rules = kept.stderr_rules;
  out.top = kept.top;
  out.handling.gpu_memory = kept.gpu_memory;
  out.checkpoint = kept.checkpoint;
  return out;
}

}  // namespace sluice::ledger_columns
