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

// Where a job of a Slurm cluster writes.
struct WrittenFiles {
  std::string stdout_path;  // "" where it has none.
  std::string stderr_path;
  bool has_started = false;
};

// Called from several threads at once.
struct WebSources {
  // None where a Slurm cluster is shown.
  std::function<Result<HttpClient>()> daemon;
  // Runs this program with these words, as its own user.
  std::function<Result<OwnOutput>(std::vector<std::string> words)> command;
  // Of a Slurm cluster alone: the daemon says all this itself. Tasks one by one as JSON, of one
  // array or, for "", of all.
  std::function<Result<std::string>(const std::string& array)> tasks;
  std::function<Result<WrittenFiles>(const std::string& job)> output_paths;
  std::function<Result<void>(const std::string& job)> cancel;

  bool has_daemon() const { return static_cast<bool>(daemon); }
};

}  // namespace sluice
