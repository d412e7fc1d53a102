// What must hold, said in a sentence of the policy file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "model/policy.h"

namespace sluice {

enum class IntentKind : std::uint8_t {
  kCap,        // user gpus in interactive <= 4; account cpus in night <= 64
  kGets,       // 2 users get 4 gpus each in interactive
  kShare,      // share of research >= 50% under contention
  kStarts,     // research starts within 5m when batch-lowprio fills the cluster
  kWaitsMost,  // nobody waits longer than 3d
};

struct Intent {
  IntentKind kind = IntentKind::kCap;
  std::string text;      // As written.
  bool account = false;  // kCap: of each account, not of each user.
  std::string resource;  // gpus, cpus or nodes
  std::string qos;
  std::int64_t amount = 0;
  std::int64_t users = 0;    // kGets
  std::int64_t percent = 0;  // kShare
  std::string who;           // An account or a QoS.
  std::string filler;        // kStarts: whose jobs fill the cluster; an account or a QoS.
  Duration within{0};
};

// An error names the sentences there are, or the name that the policy does not have.
Result<Intent> parse_intent(std::string_view sentence, const Policy& policy);

}  // namespace sluice
