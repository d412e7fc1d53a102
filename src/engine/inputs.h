// What each input does.
#pragma once

#include "engine/engine.h"

namespace sluice {

class InputHandler {
 public:
  explicit InputHandler(Engine& engine) : engine_(engine) {}

  Reply operator()(const SubmitJob& input);
  Reply operator()(const DefineSpec& input);
  Reply operator()(const SubmitKnown& input);
  Reply operator()(const CancelJob& input);
  Reply operator()(const HoldJob& input);
  Reply operator()(const ReleaseJob& input);
  Reply operator()(const RequeueJob& input);
  Reply operator()(const SuspendJob& input);
  Reply operator()(const ResumeJob& input);
  Reply operator()(const UpdateJob& input);
  Reply operator()(const ChangeNode& input);
  Reply operator()(const AdoptPolicy& input);
  Reply operator()(const ResetUsage& input);
  Reply operator()(const RunEnded& input);
  Reply operator()(const RunReturned& input);
  Reply operator()(const RunLost& input);
  Reply operator()(const Tick& input);
  // reservations.cc
  Reply operator()(const CreateReservation& input);
  Reply operator()(const UpdateReservation& input);
  Reply operator()(const DeleteReservation& input);

  // engine/late.h
  void handle_late(std::span<const Input> inputs, Instant then, Turn& turn);

 private:
  const State& state() const { return engine_.state_; }
  // The records a reference means: the job, the task, or the array's record and its tasks.
  std::vector<JobId> records(const JobRef& ref) const;
  bool is_operator(const Actor& actor) const;
  // Nothing where the actor may touch the job.
  std::optional<Refused> refuse_actor(const JobRef& ref, const Actor& actor) const;
  // A task that still waits in its array gets a record of its own first.
  std::optional<JobId> own_record(const JobRef& ref);
  // What a policy declares, against what the one before it declared.
  struct Declared {
    std::vector<Reservation> made;
    std::vector<std::string> removed;
    std::optional<Refusal> refusal;
  };
  Declared declared_by(const Policy& next) const;
  void cancel_one(JobId id);
  Reply cancel_tasks(JobId array, const IndexSet& tasks);
  void lose_run(JobId id);
  void update_throttle(const JobRef& ref, std::uint32_t throttle);
  static bool needs_operator(const JobChange& change);
  void settle_singletons(UserId user, const std::string& name);
  void put_request(const Job& job, std::shared_ptr<const JobSpec> request);
  Reply update_running(const Job& job, const Shape& shape, const UpdateJob& input);

  Engine& engine_;
};

// Becomes the reply in the place where it is wanted, instead of being moved there.
struct Answer {
  Engine& engine;
  const Input& input;
  operator Reply() const { return std::visit(InputHandler(engine), input); }
};

}  // namespace sluice
