#include "daemon/owner_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "host/machine/spawn.h"

namespace sluice {

pid_t start_for_owner(const Identity& owner, const std::string& program,
                      std::vector<std::string> words, std::vector<std::string> variables, int out) {
  const bool own = owner.uid == ::geteuid();
  words.insert(words.begin(), program);
  variables.insert(variables.end(),
                   {"HOME=" + owner.home, "USER=" + owner.user, "LOGNAME=" + owner.user,
                    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"});
  const auto pass_on = [&](const char* variable) {
    if (const char* value = std::getenv(variable))
      variables.push_back(fmt::format("{}={}", variable, value));
  };
  for (const char* variable : {"SLUICE_HOME", "TZ", "LANG", "LC_ALL"}) pass_on(variable);
  if (own)
    for (const char* variable : {"HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME",
                                 "TMPDIR", "SLUICE_SENDMAIL"})
      pass_on(variable);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  static SpawnFailure failure;
  SpawnPlan plan;
  plan.program = program.c_str();
  plan.arguments = arguments.data();
  plan.environment = environment.data();
  plan.working_directory = "/";
  plan.out_descriptor = out;
  if (!own) become(plan, owner);
  plan.umask = 077;
  plan.failure = &failure;
  return spawn(plan);
}

Printing discard_printed(int out) {
  char piece[65536];
  const ssize_t got = ::read(out, piece, sizeof piece);
  const bool goes_on = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  return goes_on ? Printing::kGoesOn : Printing::kEnded;
}

}  // namespace sluice
