// The report as one self-contained page with charts.
#pragma once

#include <string>

#include "model/policy.h"
#include "sim/reports/report.h"
#include "sim/simulation.h"
#include "sim/workloads/workload.h"

namespace sluice {

// Queue length, use of resources, shares over time, waits, who ran where, and the tables. Nothing
// is fetched from anywhere; the same report gives the same bytes.
std::string report_html(const SimulationReport& report, const Workload& workload,
                        const Simulation& simulation, const Policy& policy);

}  // namespace sluice
