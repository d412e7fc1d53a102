// What the page and the terminal show comes from the daemon and from this program's own commands.
#pragma once

#include "base/result.h"
#include "web/sources.h"

namespace sluice {

enum class ShownCluster : std::uint8_t { kEmbedded, kSlurm };

// Starts the daemon where there is none; not again when it has been stopped meanwhile.
Result<WebSources> own_sources(ShownCluster cluster);

}  // namespace sluice
