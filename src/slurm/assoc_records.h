// What each QoS and association holds now, from `scontrol --oneliner show assoc_mgr`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct AssocRecord {
  std::string qos;  // Empty: an association.
  std::string account;
  std::string user;  // Empty: the account itself.
  std::int64_t jobs = 0;
  std::map<std::string, std::int64_t> tres;  // By Slurm's name: "cpu", "gres/gpu".
};

std::vector<AssocRecord> parse_assoc_records(std::string_view text);

}  // namespace sluice
