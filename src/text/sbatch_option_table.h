// Every option of sbatch 22.05: its names, its argument, its environment variable, what we do.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "text/option_reader.h"

namespace sluice {

enum class SbatchOption : std::uint8_t {
  kAccount,
  kArray,
  kBegin,
  kChdir,
  kClusters,
  kComment,
  kConstraint,
  kCpusPerGpu,
  kCpusPerTask,
  kDeadline,
  kDependency,
  kError,
  kExclude,
  kExclusive,
  kExport,
  kExportFile,
  kGetUserEnv,
  kGpus,
  kGpusPerNode,
  kGpusPerSocket,
  kGpusPerTask,
  kGres,
  kHelp,
  kHold,
  kInput,
  kJobName,
  kKillOnInvalidDep,
  kLicenses,
  kMailType,
  kMailUser,
  kMem,
  kMemPerCpu,
  kMemPerGpu,
  kNice,
  kNoRequeue,
  kNodelist,
  kNodes,
  kNtasks,
  kNtasksPerNode,
  kOpenMode,
  kOutput,
  kOversubscribe,
  kParsable,
  kPartition,
  kPriority,
  kQos,
  kQuiet,
  kRequeue,
  kReservation,
  kSignal,
  kTestOnly,
  kTime,
  kTimeMin,
  kUsage,
  kVerbose,
  kVersion,
  kWait,
  kWckey,
  kWrap,
  // What it asks for is so anyway.
  kAlreadySo,
  // Valid, and without effect here: taken with a warning.
  kIgnored,
  // Valid, but ignoring it would run something else than was asked for.
  kRefused,
};

struct SbatchOptionRow {
  OptionShape shape;
  SbatchOption option = SbatchOption::kIgnored;
  std::string_view environment = {};  // SBATCH_…, or empty.
  std::string_view other_environment = {};
  std::string_view instead = {};  // For kRefused: what to do instead.
};

std::span<const SbatchOptionRow> sbatch_options();
// The same rows as option_reader.h takes them.
std::span<const OptionShape> sbatch_option_shapes();

}  // namespace sluice
