// Numbers as Prometheus reads them (text format 0.0.4).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "views/chain_view.h"
#include "views/rows.h"

namespace sluice {

enum class MetricKind : std::uint8_t { kGauge, kCounter };

class MetricsText {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  // The samples of one name stand together, after its family.
  void family(std::string_view name, std::string_view help, MetricKind kind = MetricKind::kGauge);
  void sample(Labels labels, std::int64_t value);
  const std::string& text() const { return text_; }
  // The same as JSON, for readers without Prometheus.
  std::string json() const;

 private:
  std::string name_;
  std::string text_;
  std::string samples_;  // JSON objects with commas between them.
};

// Of this engine, under the names that Slurm 25.11 gives its own: jobs by state, user, account and
// partition, array tasks counted one by one; nodes by state.
void add_cluster_metrics(MetricsText& out, std::span<const QueueLine> jobs,
                         std::span<const NodeLine> nodes);
// `json` is what `sluice pools --json` prints.
void add_pool_metrics(MetricsText& out, std::string_view json);
// Tasks that were tried again, by what had ended them.
using RetriesByCause = std::map<std::string, std::int64_t>;
RetriesByCause retries_of(const ChainView& chain);

// All chains together: one label for each would never stop growing. `before` are retries of chains
// that were removed: a counter never falls.
void add_chain_metrics(MetricsText& out, std::span<const ChainView> chains,
                       const RetriesByCause& before);

}  // namespace sluice
