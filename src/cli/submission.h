// Sends a submission so that it is made once, whatever becomes of the connection or the daemon.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/connection.h"
#include "wire/api.h"

namespace sluice {

// The daemon's answer, a SubmitReply. A lost answer is asked for again with the same key, of a new
// daemon if need be; `daemon` is the connection that got it. ErrorKind::kUnknown where no daemon
// answers any more.
Result<std::string> send_submission(Connection& daemon, const SubmitRequest& request);

}  // namespace sluice
