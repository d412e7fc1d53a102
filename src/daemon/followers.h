// What is told when its jobs have ended: chains, which then go on by themselves.
//
// A job may name a folder that follows it. When some of its tasks have ended, a short-lived process
// of the job's owner looks at that folder's chain: it takes no slot of the cluster and has the
// owner's rights. Which folders follow is a note in the journal, so that a killed daemon finds them
// again; being told once too often is harmless.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/errands.h"
#include "daemon/identities.h"
#include "engine/engine.h"
#include "host/journal/sqlite_journal.h"
#include "wire/loop.h"

namespace sluice {

class Followers {
 public:
  using Clock = std::function<Instant()>;
  Followers(Loop& loop, SqliteJournal& journal, Identities& identities, Errands& errands,
            Clock now);

  // Those of before the start, and those of jobs that the state knows; all are told.
  Result<void> recall(const State& state);
  void submitted(const JobSpec& spec);
  // A task has ended; `last` where none of the same array is left.
  void ended(const JobSpec& spec, bool last);

 private:
  struct Follower {
    bool queued = false;  // A timer is set, or room for a process is waited for.
    bool waits = false;   // For room.
    Instant due;          // When it is told, where it is queued.
    bool again = false;   // Something ended while it was being told;
    bool last = false;    // the last of an array.
    bool told = false;    // A process looks now.
    Instant began;
    Instant rests_until;         // A look costs something: it may take a small part of the time.
    std::uint32_t failures = 0;  // In a row.
  };
  using Name = std::pair<std::string, std::string>;  // User and folder.

  std::ptrdiff_t chains_of(const std::string& user) const;
  Follower& remember(const Name& name);
  void forget(const Name& name);
  enum class Noted : std::uint8_t { kNot, kFollows };
  void note_down(const Name& name, Noted noted);
  void write_down();
  void tell_at(const Name& name, Instant when);
  void tell(const Name& name);
  // Without a code it took too long and was ended, and comes again later.
  void look_ended(const Name& name, std::optional<int> code);
  // The next that waits for room is told.
  void tell_next();

  Loop& loop_;
  SqliteJournal& journal_;
  Identities& identities_;
  Errands& errands_;
  Clock now_;
  std::map<Name, Follower> followers_;
  std::vector<Note> unwritten_;
  std::map<std::string, std::size_t> looking_;  // Processes that look now, by user.
  std::size_t all_looking_ = 0;
  std::deque<Name> waiting_;  // For room, in order.
};

}  // namespace sluice
