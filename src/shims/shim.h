// One call of one of Slurm's commands: what it was given, whom it asks, what it printed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "text/option_reader.h"
#include "views/json_fields.h"
#include "wire/api.h"

namespace sluice {

// What a command asks of the engine. A fake stands behind it in tests.
class EngineDoor {
 public:
  EngineDoor() = default;
  EngineDoor(const EngineDoor&) = delete;
  EngineDoor& operator=(const EngineDoor&) = delete;
  virtual ~EngineDoor() = default;
  virtual Result<std::string> get(std::string_view target) = 0;
  virtual Result<std::string> send(std::string_view method, std::string_view target,
                                   std::string_view body) = 0;
  // Once, whatever becomes of the connection.
  virtual Result<SubmitReply> submit(const SubmitRequest& request) = 0;
  virtual Result<Policy> policy() = 0;
  // Another policy in place of the one in force.
  virtual Result<void> change_policy(const Policy& wanted) = 0;

  template <class T>
  Result<T> fetch(std::string_view target) {
    TRY(const std::string body, get(target));
    return from_json<T>(body);
  }
};

struct ShimCall {
  std::string name;                    // "squeue"
  std::vector<std::string> arguments;  // Without the name.
  EngineDoor* engine = nullptr;
  bool quiet = false;     // Of scontrol: what was refused shows in the exit code alone.
  bool attached = false;  // The step of a job that an srun or a salloc outside has made.
  std::string out;
  std::string err;

  void say(std::string_view line) { (out += line) += '\n'; }
  void complain(std::string_view line) { (err += line) += '\n'; }
  // "squeue: error: …"
  void error(std::string_view what);
  // The same for what the engine or its daemon said; the exit code.
  int fail(const Error& error);
  // Prints and forgets what is there: for commands that wait or repeat.
  void flush();
};

// Options with permutation, as getopt_long reads them: operands may stand anywhere.
struct ShimOptions {
  std::vector<GivenOption> options;
  std::vector<std::string> operands;
};
// An unknown option is getopt's words and "Try …", in `call.err`.
std::optional<ShimOptions> read_shim_options(ShimCall& call, std::span<const OptionShape> table);

// The value of an environment variable, or nothing.
std::optional<std::string> variable(const char* name);

// What every command answers to --version; scripts look for the number.
inline constexpr std::string_view kShimVersion = "slurm-wlm 22.05.8";

// A known option that means nothing here: a warning, or with --strict a refusal (false).
bool take_unused(ShimCall& call, std::string_view option);
// --strict, or SLUICE_STRICT=1: what means nothing here is refused.
bool is_strict(ShimCall& call);

int run_squeue(ShimCall& call);
int run_sbatch(ShimCall& call);
int run_scancel(ShimCall& call);
int run_sinfo(ShimCall& call);
int run_scontrol(ShimCall& call);
int run_sacct(ShimCall& call);
int run_sacctmgr(ShimCall& call);
int run_sprio(ShimCall& call);
int run_sshare(ShimCall& call);
int run_sdiag(ShimCall& call);
int run_srun(ShimCall& call);
int run_salloc(ShimCall& call);

// Every command that a shim answers for, in alphabetical order.
std::span<const std::string_view> shim_names();
// Runs it and prints what it has to say. `name` may have a folder in front.
int run_shim(std::string_view name, std::vector<std::string> arguments, EngineDoor& engine);
bool is_shim(std::string_view name);

}  // namespace sluice
