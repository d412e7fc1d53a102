// Key=Value words; a job of several nodes has several runs of Nodes=, CPU_IDs=, Mem= and GRES=.
#include "slurm/job_details.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "text/array_spec.h"
#include "text/hostlist.h"

namespace sluice {
namespace {

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class ClaimReader {
 public:
  JobClaims read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find_first_of(" \n");
      const bool new_line = at_line_start_;
      read_word(text.substr(0, end), new_line);
      if (end == std::string_view::npos) break;
      at_line_start_ = text[end] == '\n';
      text.remove_prefix(end + 1);
    }
    end_claim();
    return std::move(claims_);
  }

 private:
  void read_word(std::string_view word, bool new_line) {
    if (word.empty()) return;
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (new_line && key == "JobId") {
      end_claim();
      job_ = static_cast<std::uint32_t>(number(value));
    } else if (key == "Nodes") {
      end_group();
      if (auto nodes = expand_hostlist(value)) nodes_ = std::move(*nodes);
    } else if (key == "CPU_IDs" && !nodes_.empty()) {
      const auto cpus = parse_array_spec(value);
      held_.cpus = cpus ? static_cast<std::int32_t>(cpus->indices.size()) : 0;
    } else if (key == "Mem" && !nodes_.empty()) {
      held_.memory_mb = number(value);
    } else if (key == "GRES" && !nodes_.empty()) {
      held_.gpus = gres_indices(value);
    } else {
      end_claim();
    }
  }

  void end_group() {
    for (const std::string& node : nodes_) {
      held_.node = node;
      claim_.push_back(held_);
    }
    nodes_.clear();
    held_ = {};
  }

  void end_claim() {
    end_group();
    if (!claim_.empty()) claims_[job_].push_back(std::move(claim_));
    claim_.clear();
  }

  JobClaims claims_;
  std::uint32_t job_ = 0;
  std::vector<std::string> nodes_;
  HeldOnNode held_;
  std::vector<HeldOnNode> claim_;
  bool at_line_start_ = true;
};

bool agrees(const std::vector<HeldOnNode>& claim, const HeldInAll& held) {
  std::multiset<std::string> named;
  HeldInAll sum;
  for (const HeldOnNode& share : claim) {
    named.insert(share.node);
    sum.cpus += share.cpus;
    sum.memory_mb += share.memory_mb;
    sum.gpus += static_cast<std::int64_t>(share.gpus.size());
  }
  return named == std::multiset<std::string>(held.nodes.begin(), held.nodes.end()) &&
         sum.cpus == held.cpus && sum.memory_mb == held.memory_mb && sum.gpus == held.gpus;
}

}  // namespace

IndexSet gres_indices(std::string_view gres) {
  IndexSet out;
  constexpr std::string_view kMark = "(IDX:";
  for (std::size_t at = gres.find(kMark); at != std::string_view::npos; at = gres.find(kMark)) {
    gres.remove_prefix(at + kMark.size());
    const auto spec = parse_array_spec(gres.substr(0, gres.find(')')));
    if (!spec) continue;  // "N/A": none.
    for (const std::uint32_t index : spec->indices.to_vector()) out.insert(index);
  }
  return out;
}

JobClaims parse_job_claims(std::string_view text) { return ClaimReader().read(text); }

std::vector<HeldOnNode> held_shares(const JobClaims& claims, std::uint32_t job,
                                    const HeldInAll& held) {
  if (const auto found = claims.find(job); found != claims.end())
    for (const auto& claim : found->second)
      if (agrees(claim, held)) return claim;
  std::vector<HeldOnNode> out;
  const auto count = static_cast<std::int64_t>(held.nodes.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const auto part = [&](std::int64_t all) { return all / count + (i < all % count ? 1 : 0); };
    HeldOnNode share;
    share.node = held.nodes[static_cast<std::size_t>(i)];
    share.cpus = static_cast<std::int32_t>(part(held.cpus));
    share.memory_mb = part(held.memory_mb);
    for (std::int64_t gpu = 0; gpu < part(held.gpus); ++gpu)
      share.gpus.insert(static_cast<std::uint32_t>(gpu));
    out.push_back(std::move(share));
  }
  return out;
}

Result<std::map<std::uint32_t, std::vector<HeldOnNode>>> parse_job_details(std::string_view text) {
  std::map<std::uint32_t, std::vector<HeldOnNode>> out;
  for (auto& [job, claims] : parse_job_claims(text)) out[job] = claims.front();
  return out;
}

}  // namespace sluice
