// The state first, then what tells failures apart.
#include "escalation/remedy.h"

namespace sluice {
namespace {

constexpr std::int32_t kKilled = 9;
// A shell reports its child's SIGKILL so, and that is mostly the kernel short of memory.
constexpr std::int32_t kShellSawKilled = 128 + kKilled;

template <class Key>
std::optional<Remedy> find(const std::map<Key, Remedy>& table, Key key) {
  const auto found = table.find(key);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::string_view remedy_word(Remedy remedy) {
  switch (remedy) {
    case Remedy::kGiveUp:
      return "no_retry";
    case Remedy::kAgain:
      return "again";
    case Remedy::kMoreMemory:
      return "memory";
    case Remedy::kMoreTime:
      return "time";
    case Remedy::kMoreOfBoth:
      return "both";
    case Remedy::kOtherGpu:
      return "gpu";
  }
  return "";
}

Remedy natural_remedy(JobState state) {
  switch (state) {
    case JobState::kOutOfMemory:
      return Remedy::kMoreMemory;
    case JobState::kTimeout:
    case JobState::kDeadline:
      return Remedy::kMoreTime;
    case JobState::kPreempted:
    case JobState::kNodeFail:
    case JobState::kBootFail:
      return Remedy::kAgain;
    default:
      return Remedy::kMoreOfBoth;
  }
}

Handling::Handling()
    : exit_codes{{kShellSawKilled, Remedy::kMoreMemory}, {1, Remedy::kGiveUp}},
      signals{{kKilled, Remedy::kMoreMemory}} {
  for (const JobState state : {JobState::kOutOfMemory, JobState::kTimeout, JobState::kDeadline,
                               JobState::kPreempted, JobState::kBootFail, JobState::kNodeFail})
    states[state] = natural_remedy(state);
  states[JobState::kFailed] = Remedy::kGiveUp;
  states[JobState::kCancelled] = Remedy::kGiveUp;
}

std::optional<Remedy> remedy_for(const Handling& handling, const Ending& ending) {
  if (ending.state == JobState::kCompleted) return std::nullopt;
  if (ending.state == JobState::kFailed) {
    if (ending.stderr_rule)
      return *ending.stderr_rule < handling.stderr_rules.size()
                 ? handling.stderr_rules[*ending.stderr_rule].remedy
                 : handling.gpu_memory;
    if (ending.signal != 0)
      if (const auto remedy = find(handling.signals, ending.signal)) return remedy;
    if (ending.exit_code != 0)
      if (const auto remedy = find(handling.exit_codes, ending.exit_code)) return remedy;
  }
  return find(handling.states, ending.state).value_or(Remedy::kGiveUp);
}

std::vector<std::string> stderr_patterns(const Handling& handling, const Ending& ending) {
  std::vector<std::string> out;
  if (ending.state != JobState::kFailed) return out;
  for (const StderrRule& rule : handling.stderr_rules) out.push_back(rule.pattern);
  // Where it changes nothing the file is not read.
  if (ending.on_gpu && handling.gpu_memory != Remedy::kGiveUp)
    out.emplace_back(gpu_memory_pattern());
  return out;
}

std::string_view gpu_memory_pattern() {
  // PyTorch: "CUDA out of memory", "HIP out of memory", "torch.OutOfMemoryError"; CUDA's and HIP's
  // own names of the error; XLA and TensorFlow; CuPy, RMM and libraries that allocate by
  // themselves.
  return "(?i:\\b(?:CUDA|HIP|ROCm|XPU|MPS|GPU)(?: error| runtime error| backend)?:? out of memory)"
         "|\\b(?:CUDA|cuda|hip|HIP)(?:Malloc|MallocAsync)? failed: out of memory"
         "|torch\\.(?:cuda\\.|hip\\.)?OutOfMemoryError"
         "|cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY"
         "|hipErrorOutOfMemory|hipErrorMemoryAllocation"
         "|RESOURCE_EXHAUSTED: Out of memory|ResourceExhaustedError|OOM when allocating tensor"
         "|cupy\\.cuda\\.memory\\.OutOfMemoryError|out_of_memory: CUDA error"
         "|CU(?:BLAS|DNN|SPARSE|SOLVER|FFT)_(?:STATUS_)?ALLOC_FAILED"
         "|OUT_OF_DEVICE_MEMORY";
}

}  // namespace sluice
