// Every question to squeue and the only reader of its tables: one list of fields, each with the
// title of its column and the release it came with.
//
// A record is the fields that Slurm or the administrator wrote, each ended by 0x1F, then each text
// that users choose followed by the job's number again; the last number ends with 0x1E. So a name
// may hold any bytes, separators and newlines too, without ending its record or making another.
// The header is asked for: a release that lacks a field prints no column, or an empty title.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/outcome.h"
#include "slurm/version.h"

namespace sluice {

enum class QueueField : std::uint8_t {
  kJob,
  kArray,
  kTask,
  kState,
  kReason,
  kSubmit,
  kStart,
  kEnd,
  kPreempted,
  kNodes,
  kPlanned,
  kPriority,
  kRestarts,
  kUser,
  kAccount,
  kQos,
  kPartition,
  kCpus,
  kTasks,
  kCpusPerTask,
  kTimeLimit,
  kExit,
  kTres,
  kTresPerNode,
  kDependency,
  kFeatures,
  kRequiredNodes,
  kOverSubscribe,
  kReservation,
  kNice,
  kName,     // Chosen by the user.
  kComment,  // Likewise.
  kStdOut,   // Likewise: a path, with the patterns of its name filled in.
  kStdErr,
};
inline constexpr std::size_t kQueueFields = 34;

struct QueueFieldInfo {
  QueueField field;
  std::string_view name;   // As --Format takes it.
  std::string_view title;  // As the header shows it.
  SlurmVersion since;
  bool chosen_by_users = false;
};
const QueueFieldInfo& info_of(QueueField field);

// squeue with these options, asked for these fields and the job's number. Needs
// SLURM_TIME_FORMAT=%s in its environment. Fields newer than that release are not asked for.
std::vector<std::string> squeue_command(std::vector<std::string> options,
                                        std::span<const QueueField> fields,
                                        const SlurmVersion& version = {99, 0, 0});

// One job or task.
class QueueRecord {
 public:
  // Empty where it was not asked for, is not known there, or does not apply.
  std::string_view operator[](QueueField field) const {
    return values_[static_cast<std::size_t>(field)];
  }
  std::uint32_t job() const { return job_; }
  std::uint32_t array() const;  // The job itself where it is not an array.
  std::optional<std::uint32_t> task() const;
  // A word that this release of sluice does not know is a job that waits, or runs where it holds
  // nodes: squeue shows it, so it has not ended.
  JobState state() const;
  // The one word behind the reason.
  std::string reason() const;
  std::optional<Instant> time(QueueField field) const;
  std::int64_t number(QueueField field) const;

 private:
  friend class QueueReader;
  std::array<std::string_view, kQueueFields> values_{};
  std::uint32_t job_ = 0;
};

struct QueueReading {
  std::size_t unreadable = 0;        // Records that were left out.
  std::vector<std::string> missing;  // Fields that this squeue does not know.
};

// Calls `visit` for each record; its texts live as long as `text`.
QueueReading read_queue(std::string_view text, std::span<const QueueField> fields,
                        const std::function<void(const QueueRecord&)>& visit);

// The one word behind a reason: squeue prints sentences where slurmctld knows more.
std::string reason_word(std::string_view printed);

// "2:15" from 23.02 on, and the number that wait() gives before.
struct ExitStatus {
  std::int32_t code = 0;
  std::int32_t signal = 0;
};
ExitStatus printed_exit(std::string_view text);

}  // namespace sluice
