// Where chains are kept, and routed submissions beside them.
//
//   $SLUICE_HOME, or the user's state folder
//     chains/ID/ledger.db    one folder a chain
//     routed/ID/ledger.db    a submission that was routed: a chain of one rung, kept for a month
//     chains/.open/ID, routed/.open/ID   its submission is under way, by the process it names
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace sluice {

enum class ChainKind : std::uint8_t { kChain, kRouted };

// A folder of another user's daemon is not ours to keep chains in.
std::string chains_folder(ChainKind kind = ChainKind::kChain);
// The folder of a chain, or of a routed submission of that id.
std::string chain_folder(const std::string& id);
// By the time of their making, oldest first.
std::vector<std::string> chain_ids(ChainKind kind = ChainKind::kChain);
// The chain or routed submission whose batch carries this key; nothing where there is none.
std::optional<std::string> chain_of_key(const std::string& key);
// A chain by its id, by an unambiguous beginning of it, or "last".
Result<std::string> find_chain(const std::string& given);
// "20261115-132511-t0l3": by it chains sort by time.
std::string new_chain_id();

// Now, on the clock of this machine.
Instant now_on_clock();

// A submission is under way while its mark is there. The process that made it removes it; where
// that process is gone, the next command finds what it left.
class OpenMark {
 public:
  // Durable when it returns.
  static Result<OpenMark> set(ChainKind kind, const std::string& id);
  // Marks of processes that are gone; on another host, of those not heard of for long. One that was
  // tried without success within half a minute is left out.
  static std::vector<OpenMark> left_behind(ChainKind kind);
  const std::string& id() const { return id_; }
  void renew() const;
  // This process could not finish it either.
  void tried() const;
  void remove() const;

 private:
  OpenMark(std::string path, std::string id) : path_(std::move(path)), id_(std::move(id)) {}
  std::string path_;
  std::string id_;
};

// Removes routed submissions that are older than a month and not under way.
void forget_old_submissions();

}  // namespace sluice
