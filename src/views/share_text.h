// The numbers of the account tree as sshare prints them; "" where it prints nothing.
#pragma once

#include <string>

#include "views/rows.h"

namespace sluice {

struct ShareTexts {
  std::string raw_shares;
  std::string norm_shares;
  std::string raw_usage;
  std::string norm_usage;
  std::string effective_usage;
  std::string level;
  std::string factor;
};

// Whether anything was used at all: before that sshare shows no NormUsage.
enum class AnyUsage : std::uint8_t { kNone, kSome };
ShareTexts share_texts(const ShareLine& line, AnyUsage used);

}  // namespace sluice
