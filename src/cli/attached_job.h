// A job whose standard input, output and error are this process's own.
//
// The job's program is this executable: it connects to a socket that the caller listens on, gets
// the caller's three descriptors and what to run, and runs it inside the job's cage. Nothing is
// copied on the way: a reader that goes away ends the command as it would here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/job.h"
#include "views/job_view.h"
#include "wire/api.h"

namespace sluice {

// What the job's side is told: words, the first of which says what to do with the others.
struct AttachedWork {
  std::vector<std::string> words;
  int descriptors[3] = {0, 1, 2};  // What the job's side gets as its own first three.
};

struct AttachedEnd {
  std::uint32_t job = 0;
  int status = 0;        // As a shell has it.
  std::string ended_as;  // Slurm's word for the job's state.
  bool refused = false;  // Not taken: why is in `refusal`.
  std::string refusal;
  std::string reason;
  std::string detail;
  bool gave_up = false;  // It had to wait longer than it was to; why is in `reason`.
};

// Called as things happen; each may be empty.
struct AttachedWatch {
  std::function<void(std::uint32_t job)> queued;     // It has to wait.
  std::function<void(std::uint32_t job)> allocated;  // It has started after that.
  // It runs and was handed what it needs; the job's side ends once this has returned.
  std::function<void(std::uint32_t job)> attached;
  // How long it may wait; within a second it starts in its first pass or not at all.
  std::optional<Duration> patience = std::nullopt;
};

// From here on signals that the job gets wait for run_attached. To be called before threads begin:
// one that does not hold them would end the command and leave its job behind.
void hold_signals_for_job();

// Submits the job, hands over and waits for its end. Signals that this process gets go to the job;
// one that has not started is cancelled. `words` is what serve_attached's `run` gets there.
Result<AttachedEnd> run_attached(JobSpec spec, const AttachedWork& work,
                                 const AttachedWatch& watch = {});

// The words of the program that a job runs to be attached: `sluice shims attach SOCKET`.
std::vector<std::string> attach_arguments(const std::string& socket);
// Whether a job's output is that of the command which waits for it, as of `sluice run`.
bool is_attached(const JobCard& job);

// The job's side: connects, takes over the descriptors and runs. Its result is the exit status.
// `connection` closes when the caller goes away.
using AttachedRun = std::function<int(const AttachedWork& work, int connection)>;
int serve_attached(const std::string& socket, const AttachedRun& run);
// A process beside this one that ends it once the caller is gone. It goes with this one.
void end_with_caller(int connection);

// Messages of this protocol with descriptors, for other programs that speak it.
Result<void> send_work(int connection, const AttachedWork& work);
Result<AttachedWork> receive_work(int connection);
// Its descriptors as this process's own; they are closed elsewhere.
void take_descriptors(AttachedWork& work);
Result<int> connect_to(const std::string& socket);
// A socket to listen on in a folder of its own, which goes with this value.
class PrivateSocket {
 public:
  static Result<PrivateSocket> make();
  PrivateSocket(PrivateSocket&& other) noexcept;
  PrivateSocket& operator=(PrivateSocket&&) = delete;
  PrivateSocket(const PrivateSocket&) = delete;
  ~PrivateSocket();
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }

 private:
  PrivateSocket() = default;
  std::string folder_;
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace sluice
