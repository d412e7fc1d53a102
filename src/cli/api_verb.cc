// sluice api: the document of the daemon's routes.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/verbs.h"
#include "wire/routes.h"

namespace sluice {

void add_api(Command& root, ExitCode& exit_code) {
  Command* verb = root.add_subcommand("api", "Print the OpenAPI document of the daemon's routes");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "JSON, as without this option");
  verb->footer(
      "Examples:\n  sluice api | jq '.paths | keys'\n"
      "  curl --unix-socket $XDG_RUNTIME_DIR/sluice/api.sock http://sluice/v1/queue");
  verb->callback([json, &exit_code] {
    fmt::print("{}\n", openapi_document());
    exit_code = ExitCode::kDone;
  });
}

}  // namespace sluice
