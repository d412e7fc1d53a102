// The daemon's HTTP routes: reads become views, commands become inputs of the next turn.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/driver.h"
#include "daemon/in_turn.h"
#include "daemon/policy_desk.h"
#include "daemon/process_copies.h"
#include "daemon/quotas.h"
#include "host/machine/gpu_watch.h"
#include "text/job_reference.h"
#include "views/queue_view.h"
#include "views/record_line.h"
#include "views/rows.h"
#include "views/viewer.h"
#include "wire/api.h"
#include "wire/http.h"
#include "wire/routes.h"

namespace sluice {

// What the daemon around the routes can do.
struct DaemonPort {
  std::function<DaemonCard()> card;
  PolicyDesk* policy = nullptr;
  // What the GPUs of a run that has ended did; asked once.
  std::function<std::optional<GpuUse>(RunKey)> gpu_use;
  // And those of one that goes on.
  std::function<std::optional<GpuUse>(RunKey)> gpu_use_so_far;
  std::function<void()> stop;
};

class Api {
 public:
  Api(Loop& loop, Driver& driver, std::string output_folder, DaemonPort daemon);

  // What the daemon before this one was told of jobs that have not ended.
  Result<void> recall();

  void handle(HttpRequest request, std::shared_ptr<HttpReply> reply);

 private:
  struct Call {
    HttpRequest request;
    std::shared_ptr<HttpReply> reply;
    Actor actor;
    std::string part;        // What stands in the path's braces.
    Duration wall_ahead{0};  // Of engine time; what people read and write is wall time.
  };
  using CallRef = std::shared_ptr<const Call>;
  // A route's handler. Each file of routes has its own in a struct, which only that file sees.
  using Handler = void (*)(Api&, const CallRef&);
  struct Route {
    std::string_view operation;  // As wire/routes.cc names it.
    Handler handler;
  };
  static Handler handler_of(std::string_view operation);
  struct ViewRoutes;
  struct JobRoutes;
  struct ReservationRoutes;
  struct SlurmRoutes;
  struct StreamRoutes;
  struct WhenRoutes;
  static std::span<const Route> view_routes();
  static std::span<const Route> job_routes();
  static std::span<const Route> reservation_routes();
  static std::span<const Route> slurm_routes();
  static std::span<const Route> stream_routes();
  static std::span<const Route> when_routes();

  // api.cc
  template <class T>
  static void answer(const Call& call, const T& value);
  template <class Row>
  static void answer_rows(const Call& call, std::string_view schema, const std::vector<Row>& rows);
  static void refuse(const Call& call, int status, ApiError error);
  static void refuse(const Call& call, const Error& error);
  // False where the caller may not, and was told so.
  bool may_enter(const Call& call);
  static bool check_operator(const Call& call);

  // api_views.cc
  // Whether the caller may make and change reservations; otherwise they have their answer.
  bool may_reserve(const CallRef& call, const std::string& name);
  void give_reservation(const CallRef& call, const std::string& name, Input input);
  // What this caller may know of it.
  Result<JobCard> card_of(const Call& call, const JobReference& reference) const;
  Result<JobCard> any_card_of(const JobReference& reference) const;
  std::optional<HistoryRow> last_run_row(const Job& job) const;
  std::optional<std::string> last_failure(const Job& job) const;
  // The latest row of it; of a very large array, any.
  Result<std::optional<HistoryRow>> row_of(const JobReference& reference) const;

  // api_lists.cc
  // A list of the engine's jobs: its text, or why it is refused. Made in a copy of the daemon where
  // it may be long, so that nobody else waits for it.
  struct ListText {
    std::string content_type;
    std::string body;
  };
  using MakeList = std::function<Result<ListText>()>;
  void answer_list(const CallRef& call, std::size_t lines, MakeList make);
  // The same within a turn of its own.
  void make_list(const CallRef& call, std::size_t lines, const MakeList& make,
                 std::function<void(Result<ListText>)> done);
  // The history's rows, the latest first and some at a time: the first at once, the rest in a turn
  // of its own unless the caller has it already. `visit` says whether it wants more.
  enum class HasTurn : std::uint8_t { kNo, kYes };
  struct HistoryWalk;
  void walk_history(const CallRef& call, HasTurn turn, HistoryQuery query,
                    std::function<bool(const HistoryRow&)> visit,
                    std::function<void(Result<void>)> done);
  void walk_on(const std::shared_ptr<HistoryWalk>& walk);
  // How many lines a list of the queue can have.
  std::size_t lines_of(const QueueFilter& filter) const;

  // api_jobs.cc
  // Whether the call is answered, or will be with another of the same key.
  bool was_submitted(const CallRef& call, const std::string& key);
  void answer_submission(const CallRef& call, const std::string& key, const SubmitReply& reply);
  void refuse_submission(const CallRef& call, const std::string& key, const Error& error);
  static void answer_reload(const CallRef& call, const Result<ReloadReply>& done);
  void stop_if_empty();
  // One input for each job, or for each task that is named, some at a time.
  struct Acts;
  void act_on_next(const std::shared_ptr<Acts>& acts);
  void act(const CallRef& call, std::function<Input(const JobRef&)> command,
           std::optional<JobChange> change = std::nullopt);
  // How many come next, and what is wrong with that.
  std::size_t next_acts(const Acts& acts) const;
  void end_acts(const std::shared_ptr<Acts>& acts);

  // api_slurm.cc
  // Those of jobs that have not ended for good, a line each.
  std::string accounts_now(const Call& call, const QueueFilter& asked,
                           const std::string& user) const;
  // For a daemon that comes after this one.
  void keep_step(JobId job, const StepLine& step);
  void forget_step(JobId job, std::int64_t number);
  // Those before the last, until the rest is within its bounds.
  void drop_steps(JobId job, std::vector<StepLine>& steps);
  JobDetails details_with_steps(const Job& job) const;
  // sacct says who cancelled a job where it was not its owner.
  void note_cancel(const Call& call, const JobReference& reference);
  // What the history keeps of a job that ends, beside its row.
  void note_details(const Ended& ended, HistoryRow& row);

  // api_when.cc
  struct AheadQuestion;
  std::string look_ahead(const AheadQuestion& question);

  // api_streams.cc
  struct Follow {
    CallRef call;
    RunKey run;
    std::uint64_t from = 0;
    bool goes_on = false;
    bool began = false;
    Duration pause{0};
  };
  static Duration next_look(Follow& follow);
  void hear(const std::shared_ptr<Follow>& follow);
  void told(const std::shared_ptr<Follow>& follow, const RunOutput& heard);
  // More of it is there already: when the reader has what was sent.
  void hear_on(const std::shared_ptr<Follow>& follow);
  void from_store(const CallRef& call, const std::string& token, std::uint64_t from);
  // Piece by piece, as fast as it is read.
  void push_stored(const CallRef& call, const std::string& token, std::uint64_t from,
                   int tries = 0);
  void tell(std::span<const Event> events);
  Viewer viewer_of(const Call& call) const {
    return Viewer(driver_.engine().state().policy(), call.actor);
  }
  bool may_read(const Call& call, const std::string& owner) const;
  enum class WaitFor : std::uint8_t {
    kStart,
    kEnd,
    kSettled,  // Its end, or that it can never start.
  };
  struct Waiter {
    CallRef call;
    JobReference reference;
    WaitFor until = WaitFor::kEnd;
  };
  bool is_settled(const Waiter& waiter) const;
  bool sees_record(const Call& call, const JobReference& reference) const;
  void wait(const CallRef& call, const JobReference& reference, WaitFor until);

  Loop& loop_;
  Driver& driver_;
  std::string output_folder_;
  DaemonPort daemon_;
  Quotas quotas_;
  InTurn long_answers_;
  InTurn long_acts_;
  ProcessCopies list_copies_;
  ProcessCopies ahead_copies_;  // Run ahead in virtual time.
  std::list<Waiter> waiters_;
  struct Listener {
    CallRef call;
    std::optional<JobId> job;
  };
  std::list<Listener> listeners_;
  // Of jobs that have not ended.
  struct Accounting {
    std::vector<StepLine> steps;
    std::string cancelled_by;
  };
  std::map<JobId, Accounting> accounting_;
  struct NodeWord {
    std::string why;
    std::string by;
    Instant since;
  };
  std::map<std::string, NodeWord> node_words_;
  std::function<void()> stop_when_empty_;
  // Who else waits for the answer to a submission with a key, by user and key.
  std::map<std::pair<std::string, std::string>, std::vector<CallRef>> in_flight_;
};

}  // namespace sluice
