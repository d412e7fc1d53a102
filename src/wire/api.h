// What client and daemon say to each other beyond the rows of views: version 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/job.h"
#include "model/outcome.h"

namespace sluice {

// Rows with the name of what they are: "sluice.queue/1".
template <class Row>
struct Lines {
  std::string schema;
  std::vector<Row> lines;
};

// Jobs to submit. Their user is the one who asks, whatever they say.
struct SubmitRequest {
  std::vector<JobSpec> jobs;
  std::uint32_t copies = 1;  // Of each.
  bool test_only = false;    // Say what would happen; submit nothing.
};

struct SubmitResult {
  std::optional<JobId> job;  // The first, where there are copies: they are numbered in order.
  std::uint32_t count = 1;
  std::string refusal;  // Slurm's words; empty where it was taken.
  std::string reason;   // Slurm's word for the limit, where one was broken.
  std::string detail;   // Its numbers.
};

struct SubmitReply {
  std::vector<SubmitResult> results;  // In the order of the jobs.
};

// What became of a command for one job or task.
struct ActionResult {
  std::string id;
  std::string error;  // Slurm's words; empty where it was done.
  bool denied = false;
};

struct ActionReply {
  std::vector<ActionResult> results;
};

struct RequeueRequest {
  bool hold = false;
};

struct SignalRequest {
  std::int32_t signal = 15;
  bool batch_only = false;
};

struct StopRequest {
  bool cancel_jobs = false;
};

// What a reload found in the policy file.
struct FindingLine {
  std::string severity;
  std::string rule;
  std::string where;
  std::string what;
  std::string fix;
};

struct ReloadReply {
  bool changed = false;
  std::string origin;  // "file" or "survey"
  std::vector<FindingLine> findings;
};

// A policy file's text, with everything that it includes.
struct PolicyRequest {
  std::optional<std::string> text;  // None: the policy made from the machine, and no file.
  std::string name;                 // What messages call it.
  std::string expect;               // Taken only while this is the mark of the policy in force.
};

struct PolicyDifference {
  std::string kind;  // "add", "change" or "remove"
  std::string subject;
  std::string text;
  std::string sentence;
};

struct PolicyEffect {
  std::string job;  // "12_3 (train, alice)"
  std::string effect;
  std::string why;
};

// What another policy would change, and whom it would hit. Nothing is changed by asking.
struct PolicyPlanReply {
  std::string cluster;
  std::string mark;  // Of the policy in force.
  std::vector<PolicyDifference> differences;
  std::vector<PolicyEffect> jobs;
  std::string refusal;  // Why the daemon would not take it.
  std::string unknown;  // Why the jobs it affects cannot be named.
  std::vector<FindingLine> findings;
};

// Where the policy in force comes from.
struct PolicySource {
  std::string cluster;
  std::string mark;
  std::string origin;     // "file" or "survey"
  std::string file;       // Where it is, or would be.
  bool is_there = false;  // The file exists,
  bool in_force = false;  // and says what is in force.
  std::string text;       // What it says.
};

// A reservation in scontrol's words: "starttime=now+10minutes", "nodes=n[1-2]"; other times with
// their offset from UTC.
struct ReservationOrder {
  std::string name;
  std::vector<std::string> settings;
};

struct NodeRequest {
  std::string state;  // "up", "drain" or "down"
  std::string why;
};

// One event, as the stream of changes tells it.
struct ChangeLine {
  Instant at;
  std::string kind;  // "JobStarted"
  std::optional<JobId> job;
  std::string id;    // "12_3"
  std::string text;  // For people.
};

// Why a request failed. `code` is what a command exits with.
struct ApiError {
  std::string what;
  std::string where;
  std::string hint;
  int code = 1;
  std::vector<FindingLine> findings;
};

struct ErrorReply {
  ApiError error;
};

}  // namespace sluice
