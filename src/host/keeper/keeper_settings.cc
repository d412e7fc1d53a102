// The keeper's own command line: written by the daemon, read by the hidden verb.
#include <fmt/format.h>

#include <charconv>

#include "host/keeper/keeper.h"

namespace sluice {

std::vector<std::string> keeper_arguments(const Folders& folders) {
  return {"--socket=" + folders.keeper_socket(), "--lock=" + folders.keeper_lock(),
          "--spool=" + folders.spool(), "--output=" + folders.output()};
}

Result<KeeperSettings> read_keeper_arguments(std::span<const std::string> arguments) {
  KeeperSettings settings;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name == "--socket") {
      settings.socket = value;
    } else if (name == "--lock") {
      settings.lock = value;
    } else if (name == "--spool") {
      settings.spool = value;
    } else if (name == "--output") {
      settings.output = value;
    } else if (name == "--cage" && value == "plain") {
      settings.cage = CageChoice::kPlain;
    } else if (name == "--cage" && value == "v1") {
      settings.cage = CageChoice::kCgroupV1;
    } else if (name == "--cage" && value == "v2") {
      settings.cage = CageChoice::kCgroupV2;
    } else if (name == "--cage" && value == "best") {
      settings.cage = CageChoice::kBest;
    } else if (name == "--ready-fd") {
      const auto read = std::from_chars(value.data(), value.data() + value.size(), settings.ready);
      if (read.ec != std::errc() || read.ptr != value.data() + value.size()) {
        return bad_input(fmt::format("'{}' is not a descriptor", value));
      }
    } else {
      return bad_input(fmt::format("the keeper has no option '{}'", argument),
                       "The daemon starts the keeper; there is no need to start it by hand.");
    }
  }
  if (settings.socket.empty() || settings.lock.empty() || settings.spool.empty() ||
      settings.output.empty()) {
    return bad_input("the keeper needs --socket, --lock, --spool and --output",
                     "The daemon starts the keeper; there is no need to start it by hand.");
  }
  return settings;
}

}  // namespace sluice
