// The bounds of a request: what no job may ask for, whatever the policy says.
//
// One place for everybody who takes a request: the command line, the daemon's socket, the engine's
// submissions and changes. Within these bounds no sum or product that is made from a request
// overflows, and no request is longer than what can be kept and started.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/job.h"
#include "model/job_change.h"

namespace sluice {

struct NumberBound {
  std::string_view field;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::string_view unit;  // "MB", "seconds"; empty: a count.
  std::string_view why;
};

struct LengthBound {
  std::string_view field;
  std::int64_t most = 0;  // Bytes.
  std::string_view why;
};

// The tables of docs/reference/bounds.md.
std::span<const NumberBound> number_bounds();
std::span<const LengthBound> length_bounds();

// Jobs in one request, and copies of each.
inline constexpr std::size_t kMostJobsOfOneRequest = 1000;
inline constexpr std::uint32_t kMostCopies = 100'000;

// What is out of bounds first, as "tasks: -1 is not between 1 and 2147483647"; empty: nothing is.
std::string out_of_bounds(const JobSpec& spec);
std::string out_of_bounds(const JobChange& change);
// Only what its numbers come to together, for a request whose open parts were filled in.
std::string totals_out_of_bounds(const JobSpec& spec);

}  // namespace sluice
