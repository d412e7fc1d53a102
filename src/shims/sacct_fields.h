// Every field of sacct --helpformat: its width and what it says of a job or a step.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "views/record_line.h"

namespace sluice {

enum class SacctRow : std::uint8_t { kJob, kBatch, kStep };

struct SacctContext {
  Instant now;
  std::string cluster;
  char unit = '\0';  // 'K', 'M', …; '\0': what fits.
  bool no_convert = false;
  bool duplicates = false;
};

struct SacctLine {
  SacctRow kind = SacctRow::kJob;
  const AccountLine* job = nullptr;
  const StepLine* step = nullptr;
  std::int64_t index = 0;  // Of the job among the accounts, from 1.
};

// What becomes of a cell that is longer than its column.
enum class SacctCut : std::uint8_t {
  kMarked,  // Cut, with '+' at its end; whole in --parsable.
  kTime,    // Cut without a mark, in --parsable too.
  kNever,
};

struct SacctField {
  std::string_view name;
  int width = 10;  // Below zero: aligned to the left.
  std::string (*text)(const SacctLine&, const SacctContext&) = nullptr;
  SacctCut cut = SacctCut::kMarked;
};

std::span<const SacctField> sacct_fields();
// The first that begins so, in any case.
const SacctField* sacct_field(std::string_view name);

// The state as sacct's State and --state mean it.
std::string sacct_state(const SacctLine& line);
// "12_3", with ".batch" or ".0" behind it.
// The highest exit code and signal of the job's steps.
std::string derived_exit(const AccountLine& job);
std::int64_t sacct_nodes(const SacctLine& line);
std::int64_t sacct_cpus(const SacctLine& line);
std::string sacct_id(const SacctLine& line);

}  // namespace sluice
