// Where the page's answers come from: the daemon, and this program's own commands with --json.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/http_client.h"

namespace sluice {

struct OwnOutput {
  int exit_code = 0;
  std::string output;
  std::string error;
};

// Called from several threads at once.
struct WebSources {
  // None where a Slurm cluster is shown.
  std::function<Result<HttpClient>()> daemon;
  // Runs this program with these words, as the user who runs it.
  std::function<Result<OwnOutput>(std::vector<std::string> words)> command;

  bool has_daemon() const { return static_cast<bool>(daemon); }
};

}  // namespace sluice
