// The table, in the alphabetical order in which getopt lists what an abbreviation may mean. It was
// taken from sbatch itself: tests/slurm/record-notations asks it for every name and argument.
#include "text/sbatch_option_table.h"

#include <array>

namespace sluice {
namespace {

using enum OptionArgument;
using enum SbatchOption;

// clang-format off
constexpr std::array<SbatchOptionRow, 106> kRows = {{
    {{"account", 'A', kRequired}, kAccount, "SBATCH_ACCOUNT"},
    {{"acctg-freq", '\0', kRequired}, kIgnored, "SBATCH_ACCTG_FREQ"},
    {{"array", 'a', kRequired}, kArray, "SBATCH_ARRAY_INX"},
    {{"batch", '\0', kRequired}, kIgnored, "SBATCH_BATCH"},
    {{"bb", '\0', kRequired}, kIgnored, "SBATCH_BURST_BUFFER"},
    {{"bbf", '\0', kRequired}, kIgnored},
    {{"begin", 'b', kRequired}, kBegin},
    {{"chdir", 'D', kRequired}, kChdir},
    {{"cluster", '\0', kRequired}, kClusters},
    {{"cluster-constraint", '\0', kRequired}, kIgnored, "SBATCH_CLUSTER_CONSTRAINT"},
    {{"clusters", 'M', kRequired}, kClusters, "SBATCH_CLUSTERS", "SLURM_CLUSTERS"},
    {{"comment", '\0', kRequired}, kComment},
    {{"constraint", 'C', kRequired}, kConstraint, "SBATCH_CONSTRAINT"},
    {{"container", '\0', kRequired}, kRefused, "SBATCH_CONTAINER", "", "run the container from the script"},
    {{"context", '\0', kRequired}, kIgnored},
    {{"contiguous", '\0', kNone}, kIgnored},
    {{"core-spec", 'S', kRequired}, kIgnored, "SBATCH_CORE_SPEC"},
    {{"cores-per-socket", '\0', kRequired}, kIgnored},
    {{"cpu-freq", '\0', kRequired}, kIgnored, "SBATCH_CPU_FREQ_REQ"},
    {{"cpus-per-gpu", '\0', kRequired}, kCpusPerGpu, "SBATCH_CPUS_PER_GPU"},
    {{"cpus-per-task", 'c', kRequired}, kCpusPerTask},
    {{"deadline", '\0', kRequired}, kDeadline},
    {{"delay-boot", '\0', kRequired}, kIgnored, "SBATCH_DELAY_BOOT"},
    {{"dependency", 'd', kRequired}, kDependency},
    {{"distribution", 'm', kRequired}, kIgnored, "SBATCH_DISTRIBUTION"},
    {{"error", 'e', kRequired}, kError, "SBATCH_ERROR"},
    {{"exclude", 'x', kRequired}, kExclude},
    {{"exclusive", '\0', kOptional}, kExclusive, "SBATCH_EXCLUSIVE"},
    {{"export", '\0', kRequired}, kExport, "SBATCH_EXPORT"},
    {{"export-file", '\0', kRequired}, kExportFile},
    {{"extra-node-info", 'B', kRequired}, kIgnored},
    {{"get-user-env", '\0', kOptional}, kGetUserEnv, "SBATCH_GET_USER_ENV"},
    {{"gid", '\0', kRequired}, kRefused, "", "", "submit as that user"},
    {{"gpu-bind", '\0', kRequired}, kIgnored, "SBATCH_GPU_BIND"},
    {{"gpu-freq", '\0', kRequired}, kIgnored, "SBATCH_GPU_FREQ"},
    {{"gpus", 'G', kRequired}, kGpus, "SBATCH_GPUS"},
    {{"gpus-per-node", '\0', kRequired}, kGpusPerNode, "SBATCH_GPUS_PER_NODE"},
    {{"gpus-per-socket", '\0', kRequired}, kGpusPerSocket, "SBATCH_GPUS_PER_SOCKET"},
    {{"gpus-per-task", '\0', kRequired}, kGpusPerTask, "SBATCH_GPUS_PER_TASK"},
    {{"gres", '\0', kRequired}, kGres, "SBATCH_GRES"},
    {{"gres-flags", '\0', kRequired}, kIgnored, "SBATCH_GRES_FLAGS"},
    {{"help", 'h', kNone}, kHelp},
    {{"hint", '\0', kRequired}, kIgnored, "SBATCH_HINT", "SLURM_HINT"},
    {{"hold", 'H', kNone}, kHold},
    {{"ignore-pbs", '\0', kNone}, kAlreadySo, "SBATCH_IGNORE_PBS"},
    {{"input", 'i', kRequired}, kInput, "SBATCH_INPUT"},
    {{"job-name", 'J', kRequired}, kJobName, "SBATCH_JOB_NAME"},
    {{"kill-on-invalid-dep", '\0', kRequired}, kKillOnInvalidDep},
    {{"licenses", 'L', kRequired}, kLicenses},
    {{"mail-type", '\0', kRequired}, kMailType},
    {{"mail-user", '\0', kRequired}, kMailUser},
    {{"mcs-label", '\0', kRequired}, kIgnored},
    {{"mem", '\0', kRequired}, kMem, "SBATCH_MEM_PER_NODE"},
    {{"mem-bind", '\0', kRequired}, kIgnored, "SBATCH_MEM_BIND"},
    {{"mem-per-cpu", '\0', kRequired}, kMemPerCpu, "SBATCH_MEM_PER_CPU"},
    {{"mem-per-gpu", '\0', kRequired}, kMemPerGpu, "SBATCH_MEM_PER_GPU"},
    {{"mincpus", '\0', kRequired}, kIgnored},
    {{"network", '\0', kRequired}, kIgnored, "SBATCH_NETWORK"},
    {{"nice", '\0', kOptional}, kNice},
    {{"no-kill", 'k', kOptional}, kIgnored, "SBATCH_NO_KILL"},
    {{"no-requeue", '\0', kNone}, kNoRequeue, "SBATCH_NO_REQUEUE"},
    {{"nodefile", 'F', kRequired}, kRefused, "", "", "name the nodes: --nodelist=$(paste -sd, FILE)"},
    {{"nodelist", 'w', kRequired}, kNodelist},
    {{"nodes", 'N', kRequired}, kNodes},
    {{"ntasks", 'n', kRequired}, kNtasks},
    {{"ntasks-per-core", '\0', kRequired}, kIgnored},
    {{"ntasks-per-gpu", '\0', kRequired}, kIgnored},
    {{"ntasks-per-node", '\0', kRequired}, kNtasksPerNode},
    {{"ntasks-per-socket", '\0', kRequired}, kIgnored},
    {{"ntasks-per-tres", '\0', kRequired}, kIgnored},
    {{"open-mode", '\0', kRequired}, kOpenMode, "SBATCH_OPEN_MODE"},
    {{"output", 'o', kRequired}, kOutput, "SBATCH_OUTPUT"},
    {{"overcommit", 'O', kNone}, kIgnored, "SBATCH_OVERCOMMIT"},
    {{"oversubscribe", 's', kNone}, kOversubscribe},
    {{"parsable", '\0', kNone}, kParsable},
    {{"partition", 'p', kRequired}, kPartition, "SBATCH_PARTITION"},
    {{"power", '\0', kRequired}, kIgnored, "SBATCH_POWER"},
    {{"prefer", '\0', kRequired}, kIgnored},
    {{"priority", '\0', kRequired}, kPriority},
    {{"profile", '\0', kRequired}, kIgnored, "SBATCH_PROFILE"},
    {{"propagate", '\0', kOptional}, kIgnored},
    {{"qos", 'q', kRequired}, kQos, "SBATCH_QOS"},
    {{"quiet", 'Q', kNone}, kQuiet},
    {{"reboot", '\0', kNone}, kIgnored},
    {{"requeue", '\0', kNone}, kRequeue, "SBATCH_REQUEUE"},
    {{"reservation", '\0', kRequired}, kReservation, "SBATCH_RESERVATION"},
    {{"signal", '\0', kRequired}, kSignal, "SBATCH_SIGNAL"},
    {{"sockets-per-node", '\0', kRequired}, kIgnored},
    {{"spread-job", '\0', kNone}, kIgnored, "SBATCH_SPREAD_JOB"},
    {{"switches", '\0', kRequired}, kIgnored, "SBATCH_REQ_SWITCH"},
    {{"tasks-per-node", '\0', kRequired}, kNtasksPerNode},
    {{"test-only", '\0', kNone}, kTestOnly},
    {{"thread-spec", '\0', kRequired}, kIgnored, "SBATCH_THREAD_SPEC"},
    {{"threads-per-core", '\0', kRequired}, kIgnored, "SBATCH_THREADS_PER_CORE"},
    {{"time", 't', kRequired}, kTime, "SBATCH_TIMELIMIT"},
    {{"time-min", '\0', kRequired}, kTimeMin},
    {{"tmp", '\0', kRequired}, kIgnored},
    {{"uid", '\0', kRequired}, kRefused, "", "", "submit as that user"},
    {{"usage", '\0', kNone}, kUsage},
    {{"use-min-nodes", '\0', kNone}, kIgnored, "SBATCH_USE_MIN_NODES"},
    {{"verbose", 'v', kNone}, kVerbose, "SBATCH_DEBUG"},
    {{"version", 'V', kNone}, kVersion},
    {{"wait", 'W', kNone}, kWait, "SBATCH_WAIT"},
    {{"wait-all-nodes", '\0', kRequired}, kIgnored, "SBATCH_WAIT_ALL_NODES"},
    {{"wckey", '\0', kRequired}, kWckey, "SBATCH_WCKEY"},
    {{"wrap", '\0', kRequired}, kWrap},
}};
// clang-format on

constexpr auto shapes_of_rows() {
  std::array<OptionShape, kRows.size()> shapes;
  for (std::size_t i = 0; i < kRows.size(); ++i) shapes[i] = kRows[i].shape;
  return shapes;
}
constexpr auto kShapes = shapes_of_rows();

}  // namespace

std::span<const SbatchOptionRow> sbatch_options() { return kRows; }
std::span<const OptionShape> sbatch_option_shapes() { return kShapes; }

}  // namespace sluice
