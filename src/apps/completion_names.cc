#include "apps/completion_names.h"

#include <algorithm>

#include "apps/own_sources.h"
#include "cli/engine_choice.h"
#include "pools/daemon_connection.h"
#include "views/json.h"

namespace sluice {
namespace {

// A person who pressed Tab does not wait longer.
constexpr Duration kLongest = seconds(5);

// The command that lists them, the list in its JSON, the field that is the name, and those that say
// what it is.
struct Listing {
  std::vector<std::string> words;
  std::string_view list = "lines";
  std::string_view name = "name";
  std::vector<std::string_view> description;
};

Listing listing_of(NameKind kind, ShownCluster cluster) {
  switch (kind) {
    case NameKind::kJobs:
      return {{"queue"}, "lines", "id", {"name", "state"}};
    case NameKind::kChains:
      return {{"list"}, "chains", "id", {"name", "state"}};
    case NameKind::kAccounts:
      if (cluster == ShownCluster::kSlurm) return {{"pools"}, "pools", "account", {}};
      return {{"shares"}, "lines", "account", {}};
    case NameKind::kUsers:
      if (cluster == ShownCluster::kSlurm) return {{"queue"}, "lines", "user", {}};
      return {{"shares"}, "lines", "user", {}};
    case NameKind::kQos:
      return {{"qos"}, "lines", "name", {}};
    case NameKind::kPartitions:
      return {{"partitions"}, "lines", "name", {}};
    case NameKind::kNodes:
      return {{"nodes"}, "lines", "name", {"state"}};
    case NameKind::kReservations:
      return {{"reservations"}, "lines", "name", {}};
    case NameKind::kJobsAndChains:  // Two lists.
    case NameKind::kNone:
      break;
  }
  return {};
}

std::string text_of(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.find(name);
  return found != nullptr && found->is(JsonValue::Kind::kText) ? found->text : std::string();
}

ShownCluster cluster_of(const std::vector<std::string>& typed) {
  std::string engine = usual_engine();
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (typed[i] == "--on" && i + 2 < typed.size()) engine = typed[i + 1];
    if (typed[i].starts_with("--on=")) engine = typed[i].substr(5);
  }
  return engine == "slurm" ? ShownCluster::kSlurm : ShownCluster::kEmbedded;
}

}  // namespace

std::vector<CompletionWord> names_for_completion(NameKind kind,
                                                 const std::vector<std::string>& typed) {
  std::vector<CompletionWord> out;
  if (kind == NameKind::kJobsAndChains) {
    out = names_for_completion(NameKind::kJobs, typed);
    for (CompletionWord& chain : names_for_completion(NameKind::kChains, typed))
      out.push_back(std::move(chain));
    return out;
  }
  const ShownCluster cluster = cluster_of(typed);
  Listing listing = listing_of(kind, cluster);
  if (listing.words.empty()) return out;
  // A Tab starts no daemon. Chains are in a ledger, which needs none.
  const bool needs_daemon = cluster == ShownCluster::kEmbedded && kind != NameKind::kChains;
  if (needs_daemon && !connect_to_daemon(StartDaemon::kNever)) return out;
  listing.words.emplace_back("--json");
  const auto listed = run_own_command(cluster, std::move(listing.words), kLongest);
  const Result<JsonValue> json = parse_json(listed ? listed->output : std::string());
  const JsonValue* lines = json ? json->find(listing.list) : nullptr;
  if (lines == nullptr) return out;
  for (const JsonValue& line : lines->items) {
    CompletionWord word{text_of(line, listing.name), ""};
    for (const std::string_view field : listing.description)
      word.description += (word.description.empty() ? "" : " ") + text_of(line, field);
    if (!word.word.empty()) out.push_back(std::move(word));
  }
  std::sort(out.begin(), out.end(),
            [](const CompletionWord& a, const CompletionWord& b) { return a.word < b.word; });
  out.erase(std::unique(out.begin(), out.end(),
                        [](const auto& a, const auto& b) { return a.word == b.word; }),
            out.end());
  return out;
}

}  // namespace sluice
