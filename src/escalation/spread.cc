// The router decides; here a chain's words become its question, and its answer becomes batches.
#include "escalation/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "escalation/spread_along.h"
#include "routing/routed_spec.h"

namespace sluice {
namespace {

constexpr const char* kAccount = "SLUICE_ACCOUNT";

std::string name_of(const Pool& pool) {
  return fmt::format("{}/{}", pool.account, device_name(pool.device));
}

// Tasks of the chain that were given to a pool and have not been seen running.
std::map<std::string, std::int64_t> waiting_by_pool(const Chain& chain) {
  std::map<std::string, std::int64_t> out;
  for (const Task& task : chain.tasks) {
    if (task.state != TaskState::kSubmitted || task.running) continue;
    const Batch& batch = chain.batch(task.batch);
    if (batch.placement) ++out[batch.placement->pool];
  }
  return out;
}

// What the settings say a task needs on a device is meant for the first level. Higher ones need as
// much more of it as they ask for themselves.
RoutingSettings settings_at(const Chain& chain, const Request& asked, RoutingSettings settings) {
  const Request first = request_at(chain.ladder, {});
  for (DeviceSettings* device : {&settings.gpu, &settings.cpu}) {
    if (device->memory_mb && asked.memory && first.memory && first.memory->mb > 0 &&
        asked.memory->mb > first.memory->mb)
      device->memory_mb = *device->memory_mb * asked.memory->mb / first.memory->mb;
    if (device->time_limit && asked.time && first.time && *first.time > Duration(0) &&
        *asked.time > *first.time)
      device->time_limit = seconds(to_seconds(*device->time_limit) * to_seconds(*asked.time) /
                                   std::max<std::int64_t>(1, to_seconds(*first.time)));
  }
  return settings;
}

}  // namespace

void set_variable(std::vector<EnvironmentVariable>& environment, const std::string& name,
                  const std::string& value) {
  std::erase_if(environment, [&](const EnvironmentVariable& one) { return one.name == name; });
  environment.push_back({name, value});
}

std::vector<Pool> pools_for(const Chain& chain, const Request& asked, const Description& seen,
                            const RoutingSettings& settings) {
  const JobSpec spec = spec_asking(chain.spec, asked);
  const RoutingSettings here =
      settings_at(chain, asked, with_shape(settings, chain.terms.shape, chain.spec.name));
  TaskNeeds needs = needs_of(spec, chain.terms.device, here, seen);
  needs.accounts = chain.terms.accounts;
  std::vector<Pool> pools = find_pools(seen, here, needs);
  const auto waiting = waiting_by_pool(chain);
  for (Pool& pool : pools) {
    const auto found = waiting.find(name_of(pool));
    if (found == waiting.end()) continue;
    const auto less = [&](std::int64_t& room) {
      room = std::max<std::int64_t>(0, room - found->second);
    };
    less(pool.now);
    less(pool.now_jointly);
  }
  return pools;
}

Placement placement_in(const JobSpec& spec, const Pool& pool) {
  JobSpec bare = spec;
  bare.launch = {};
  bare.array.reset();
  return {name_of(pool), spec_for(bare, pool, std::nullopt, 1)};
}

void move_placement(Placement& placement, const std::string& account, const std::string& qos,
                    const std::vector<std::string>& partitions) {
  const std::size_t mark = placement.pool.rfind('/');
  placement.pool = account + (mark == std::string::npos ? "" : placement.pool.substr(mark));
  placement.shape.account = account;
  placement.shape.qos = qos;
  if (!partitions.empty()) placement.shape.partitions = partitions;
  set_variable(placement.shape.launch.environment, kAccount, account);
}

RouteRequest route_request(const Chain& chain, const IndexSet& tasks) {
  RouteRequest request;
  request.tasks = chain.array ? static_cast<std::int64_t>(tasks.size()) : 1;
  request.array = chain.array;
  request.gpu_runtime = chain.terms.gpu_runtime;
  request.cpu_runtime = chain.terms.cpu_runtime;
  request.keep_back = chain.terms.keep_back;
  return request;
}

Spreading spread_along(const Chain& chain, const IndexSet& tasks, const Request& asked,
                       std::vector<Pool> pools, Route route) {
  Spreading out;
  out.pools = std::move(pools);
  out.route = std::move(route);
  const std::vector<IndexSet> parts = tasks_of_shares(tasks, out.route);
  const JobSpec spec = spec_asking(chain.spec, asked);
  for (std::size_t i = 0; i < out.route.shares.size(); ++i)
    out.shares.push_back(
        {chain.array ? parts[i] : tasks, placement_in(spec, out.pools[out.route.shares[i].pool])});
  return out;
}

Spreading spread_over(const Chain& chain, const IndexSet& tasks, const Request& asked,
                      std::vector<Pool> pools) {
  Route decided = route(pools, route_request(chain, tasks));
  return spread_along(chain, tasks, asked, std::move(pools), std::move(decided));
}

}  // namespace sluice
