// What each QoS and association may hold and holds now, from `scontrol --oneliner show assoc_mgr`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

// "GrpJobs", "N(4)"; "MaxTRESPU", "cpu=8(4),mem=N(300)".
using AssocFields = std::vector<std::pair<std::string, std::string>>;

// What one user, or one account, holds inside a QoS.
struct AssocHolder {
  std::string name;  // An account or a user; before 23.02 the number of a user.
  AssocFields fields;
};

struct AssocRecord {
  std::string qos;  // Empty: an association.
  std::string account;
  std::string user;    // Empty: the account itself.
  std::string uid;     // The number of that user.
  std::string parent;  // Of an account: the account above.
  std::string partition;
  std::int64_t jobs = 0;
  std::map<std::string, std::int64_t> tres;  // Held, by Slurm's name: "cpu", "gres/gpu".
  AssocFields fields;                        // All of its own.
  std::vector<AssocHolder> users;            // Of a QoS.
  std::vector<AssocHolder> accounts;

  std::string_view field(std::string_view key) const;
};

std::vector<AssocRecord> parse_assoc_records(std::string_view text);
std::string_view field_of(const AssocFields& fields, std::string_view key);

// "104(96)" or "N(4)": the limit, and what stands against it. Where there is no limit Slurm writes
// N, or nothing at all.
struct Counted {
  bool limited = false;
  std::int64_t limit = 0;
  std::int64_t used = 0;
};
Counted read_counted(std::string_view text);
// "cpu=104(96),gres/gpu=3(1)" in its parts.
std::vector<std::pair<std::string_view, Counted>> read_counted_tres(std::string_view text);

}  // namespace sluice
