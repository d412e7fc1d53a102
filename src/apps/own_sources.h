// What the page and the terminal show comes from the daemon and from this program's own commands.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "web/sources.h"

namespace sluice {

enum class ShownCluster : std::uint8_t { kEmbedded, kSlurm };

// A command of this program on that cluster, whatever SLUICE_ON says here.
Result<OwnOutput> run_own_command(ShownCluster cluster, std::vector<std::string> words,
                                  Duration limit);

// Starts the daemon where there is none; not again when it has been stopped meanwhile.
Result<WebSources> own_sources(ShownCluster cluster);

}  // namespace sluice
