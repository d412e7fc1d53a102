// What the verbs about routing share: the settings of this person and project, the cluster, the
// terminal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/description.h"
#include "routing/pool.h"
#include "routing/settings.h"
#include "slurm/slurm_cluster.h"
#include "views/pools_table.h"

namespace sluice {

std::vector<std::string> process_environment();
std::string environment_value(const std::string& name);

// $XDG_CONFIG_HOME/sluice, or ~/.config/sluice.
std::string config_folder();
// $XDG_STATE_HOME/sluice, or ~/.local/state/sluice.
std::string state_folder();

// The files that say something about routing, those that count less first: routing.yaml of the
// machine (/etc/sluice), routing.yaml and blocked.yaml of the person, the nearest .sluice.yaml from
// this folder upward; from here where none is named. Those that are not there are among them. One
// that anybody could have left in a folder like /tmp is not.
std::vector<std::string> routing_files(const std::string& folder = {});
// The text of one of them.
Result<std::string> read_routing_text(const std::string& file);
// What these files say together.
Result<RoutingSettings> load_routing_settings(const std::string& folder = {});

// A shape that is not described is refused; no name is none.
Result<void> check_shape(const RoutingSettings& settings, const std::string& shape);

// "2026-11-15", in the time of this place.
std::string today();
// Columns of the terminal; plenty where there is none.
std::size_t terminal_width();
// Waits in real time.
void wait_for(Duration time);

// How old the answers may be that a decision rests on: answers that are shared for half a minute,
// or asked for now. A submission changes the queue, so that the next one asks anew anyhow.
enum class Look : std::uint8_t { kShared, kNow };
std::unique_ptr<SlurmCluster> this_slurm(Look look = Look::kShared);

// A list "a,b" given once or several times.
std::vector<std::string> listed_names(const std::vector<std::string>& given);

}  // namespace sluice
