// Which Slurm answers: releases are named by year and month.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

struct SlurmVersion {
  int year = 0;
  int month = 0;
  int micro = 0;
  friend auto operator<=>(const SlurmVersion&, const SlurmVersion&) = default;
};

// The oldest release whose outputs are tested.
inline constexpr SlurmVersion kOldestSlurm{20, 11, 0};

// "22.05.8", "slurm 23.11.4", "slurm-wlm 22.05.8", "24.05.0-0rc1".
std::optional<SlurmVersion> read_slurm_version(std::string_view text);
std::string format_slurm_version(const SlurmVersion& version);

}  // namespace sluice
