// Where the embedded engine keeps its files, for root, for one user, or all in one folder.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sluice {

// What the places depend on; read from the process once, so that tests can make it up.
struct FolderSetting {
  uid_t uid = 0;
  std::string home;             // $HOME, else the password file's.
  std::string sluice_home;      // $SLUICE_HOME: everything under one folder.
  std::string xdg_state_home;   // $XDG_STATE_HOME
  std::string xdg_runtime_dir;  // $XDG_RUNTIME_DIR
  std::string xdg_config_home;  // $XDG_CONFIG_HOME
  std::string temporary;        // $TMPDIR, else /tmp.
  std::string root;             // Before every absolute place of the machine; for tests.

  static FolderSetting of_this_process();
  // The user's own folders by the XDG rules: a relative path counts as not set.
  std::string user_config() const;
  std::string user_state() const;
};

enum class FolderScope : std::uint8_t { kOneFolder, kMachine, kUser };

struct Folders {
  FolderScope scope = FolderScope::kUser;
  std::string state;           // Journal, output, spool, log, locks: kept over a reboot.
  std::string run;             // Sockets.
  std::string policy_file;     // May be absent: then the policy is made from the machine.
  bool for_everybody = false;  // Its daemon was asked to serve every user of the machine.

  std::string journal() const { return state + "/journal.db"; }
  std::string output() const { return state + "/output"; }
  std::string spool() const { return state + "/spool"; }
  std::string daemon_log() const { return state + "/daemon.log"; }
  std::string daemon_lock() const { return state + "/daemon.lock"; }
  // There where the last daemon was asked to serve everybody.
  std::string everybody_mark() const { return state + "/serves-everybody"; }
  std::string keeper_lock() const { return state + "/keeper.lock"; }
  std::string keeper_log() const { return state + "/keeper.log"; }
  std::string api_socket() const { return run + "/api.sock"; }
  std::string shims() const { return run + "/shims"; }  // Slurm's commands, for jobs.
  std::string keeper_socket() const { return run + "/keeper.sock"; }
  friend bool operator==(const Folders&, const Folders&) = default;
};

// Where a daemon of this user lives.
Result<Folders> daemon_folders(const FolderSetting& setting);
// Whom a client speaks to: $SLUICE_HOME, else a daemon that serves the whole machine if its socket
// is there, else the user's own.
Result<Folders> client_folders(const FolderSetting& setting);

// Makes the folders: 0700, except that everybody may reach the sockets of a daemon that serves
// everybody. Refuses a folder that belongs to somebody else, or is a link.
Result<void> make_folders(const Folders& folders);

// Whether files there live on another machine (NFS, Lustre, …): then SQLite must not use shared
// memory. Where that is not known, it does.
bool is_on_network(const std::string& path);

}  // namespace sluice
