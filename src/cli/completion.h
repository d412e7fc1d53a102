// What may follow the words on a command line, and the few lines that make a shell ask for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace sluice {

// Names that a cluster or a ledger has.
enum class NameKind : std::uint8_t {
  kNone,
  kJobs,
  kChains,
  kJobsAndChains,
  kAccounts,
  kQos,
  kPartitions,
  kNodes,
  kUsers,
  kReservations,
};

struct CompletionWord {
  std::string word;
  std::string description;
  friend bool operator==(const CompletionWord&, const CompletionWord&) = default;
};

struct Completion {
  std::vector<CompletionWord> words;
  NameKind names = NameKind::kNone;  // These too.
  std::string before;                // Of the last word, what stays: "--account=lab,".
  std::string begun;                 // The rest of it: candidates begin so.
};

// `typed` is what stands after "sluice"; the last word is the one at the cursor, perhaps empty.
// Neither words nor names: a file, as for any command.
Completion completion_at(const CommandPage& root, const std::vector<std::string>& typed);

// Submissions read sbatch's options, which are a table of their own.
CommandPage with_sbatch_options(CommandPage root);

// Where names come from; nothing where the cluster cannot be asked without starting a daemon.
using ClusterNames = std::vector<CompletionWord> (*)(NameKind kind,
                                                     const std::vector<std::string>& typed);
void use_cluster_names(ClusterNames names);

// `sluice complete -- WORDS`: a candidate a line, after a tab what it is.
void print_completion(const CommandPage& root, const std::vector<std::string>& typed);

// Each asks `sluice complete -- WORDS` whenever the person presses Tab.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace sluice
