#include "pools/chain_look.h"

#include <fmt/format.h>

#include "pools/chain_context.h"

namespace sluice {

Result<ChainView> looked_at(const std::string& id, bool look) {
  TRY(auto open, OpenChain::open(chain_ports(), id, kChainPatience));
  std::vector<std::string> notes;
  if (look && open->chain().state != ChainState::kEnded) {
    open->attend();
    const auto progress = open->step();
    if (!progress)
      notes.push_back(fmt::format("The cluster could not be asked: {}", progress.error().what));
    else
      notes = progress->notes;
    if (progress && progress->uncertain)
      notes.emplace_back("A submission had no answer; it is looked for.");
  }
  TRY(ChainView view, open->view());
  view.notes = std::move(notes);
  return view;
}

void say_notes(const Progress& progress) {
  for (const std::string& note : progress.notes) fmt::print(stderr, "sluice: {}\n", note);
}

}  // namespace sluice
