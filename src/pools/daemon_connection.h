// Finding the daemon, and starting one where there is none.
#pragma once

#include "base/result.h"
#include "cli/connection.h"
#include "host/files/folders.h"
#include "wire/http_client.h"

namespace sluice {

// For use_connector().
Result<HttpClient> connect_to_daemon(StartDaemon start);

// Returns when it serves. Many callers at once start one.
Result<void> start_daemon(const Folders& folders);

// This executable's own path.
Result<std::string> own_program();

}  // namespace sluice
