// Named shapes: what one step of a workflow needs, laid over what holds for all.
#include "routing/settings.h"

namespace sluice {
namespace {

void lay_over(DeviceSettings& under, const DeviceSettings& over) {
  if (!over.partitions.empty()) under.partitions = over.partitions;
  if (over.cpus) under.cpus = over.cpus;
  if (over.memory_mb) under.memory_mb = over.memory_mb;
  if (over.gpus) under.gpus = over.gpus;
  if (!over.gpu_type.empty()) under.gpu_type = over.gpu_type;
  if (over.time_limit) under.time_limit = over.time_limit;
}

}  // namespace

RoutingSettings with_shape(RoutingSettings settings, const std::string& shape,
                           const std::string& job_name) {
  const auto found = settings.shapes.find(shape.empty() ? job_name : shape);
  if (found == settings.shapes.end()) return settings;
  const ShapeSettings chosen = found->second;
  lay_over(settings.gpu, chosen.gpu);
  lay_over(settings.cpu, chosen.cpu);
  return settings;
}

}  // namespace sluice
