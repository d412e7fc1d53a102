#include "wire/routes.h"

#include <array>

namespace sluice {
namespace {

constexpr std::string_view kJson = "application/json";

constexpr std::string_view kTsv = "text/tab-separated-values";

constexpr ApiParameter kFormat = {
    "format",
    "json, or tsv: the first line names the fields, \\t \\n \\r \\\\ are escaped; ditto: the same, "
    "and "
    "\\= stands for what the line above has there, which may be left out at a line's end"};
constexpr ApiParameter kFields = {
    "fields", "only these fields of the lines, separated by commas; in the schema's order"};
constexpr ApiParameter kListParameters[] = {kFormat, kFields};

constexpr ApiParameter kQueueParameters[] = {
    kFormat,
    kFields,
    {"limit", "no more than so many lines"},
    {"arrays", "one (a line an array, the default), records (as squeue) or tasks"},
    {"job", "job or array numbers, separated by commas"},
    {"user", "user names, separated by commas"},
    {"account", "accounts, separated by commas"},
    {"partition", "partitions, separated by commas"},
    {"qos", "QoS, separated by commas"},
    {"name", "job names, separated by commas"},
    {"comment", "a word of the comment"},
    {"state", "states, long or short, or all; without it those that have not ended"},
};
constexpr ApiParameter kSubmitParameters[] = {
    {"key",
     "of your own making, at most 64 bytes: the same key within a day gets the same answer and "
     "submits nothing"},
};
constexpr ApiParameter kJobParameters[] = {
    {"wait",
     "started or ended: answer only then; settled: when it has ended, or waits for a dependency "
     "that can never come true"},
};
constexpr ApiParameter kPriorityParameters[] = {
    kFormat,
    kFields,
    {"job", "job or array numbers, separated by commas"},
    {"user", "user names, separated by commas"},
};
constexpr ApiParameter kHistoryParameters[] = {
    kFormat,
    kFields,
    {"job", "job or array numbers, separated by commas"},
    {"task", "the index of one task"},
    {"user", "a user name"},
    {"account", "an account"},
    {"state", "states, long or short, separated by commas"},
    {"since", "ended at or after: seconds since 1970"},
    {"before", "ended before: seconds since 1970"},
    {"limit", "no more than so many, the latest"},
};
constexpr ApiParameter kPurgeParameters[] = {
    {"before", "ended before: seconds since 1970"},
};
constexpr ApiParameter kRecordParameters[] = {
    kFormat,
    kFields,
    {"job", "job or array numbers, separated by commas"},
    {"user", "user names, separated by commas"},
    {"state", "states, long or short, or all; without it those that have not ended"},
};
constexpr ApiParameter kAccountParameters[] = {
    {"job", "job or array numbers, separated by commas"},
    {"user", "a user name"},
    {"since", "ended at or after, or not yet: seconds since 1970"},
    {"duplicates", "1: earlier runs of jobs that were requeued as well"},
};
constexpr ApiParameter kOutputParameters[] = {
    {"from", "the first byte wanted"},
    {"follow", "1: goes on until the job has ended"},
};
constexpr ApiParameter kEventParameters[] = {
    {"job", "only of this job or array"},
};

constexpr ApiRoute kRoutes[] = {
    {"GET", "/v1/daemon", "daemon", "The daemon about itself", "", "DaemonCard", kJson, {}},
    {"POST",
     "/v1/daemon/reload",
     "reload",
     "Takes a changed policy, or says what is wrong with it",
     "",
     "ReloadReply",
     kJson,
     {}},
    {"POST",
     "/v1/daemon/stop",
     "stop",
     "Ends the daemon; jobs run on unless they are cancelled",
     "StopRequest",
     "ActionReply",
     kJson,
     {}},
    {"GET", "/v1/openapi.json", "openapi", "This document", "", "", kJson, {}},
    {"GET", "/v1/policy", "policy", "The policy in force", "", "", kJson, {}},
    {"GET",
     "/v1/cluster",
     "cluster",
     "What counts against every limit now, what nodes have free, and who holds it",
     "",
     "ClusterCard",
     kJson,
     {}},
    {"PUT",
     "/v1/policy",
     "policy_replace",
     "Writes the policy file and takes it, or leaves everything as it was",
     "PolicyRequest",
     "ReloadReply",
     kJson,
     {}},
    {"GET",
     "/v1/policy/source",
     "policy_source",
     "Where the policy in force comes from, and what the file says",
     "",
     "PolicySource",
     kJson,
     {}},
    {"POST",
     "/v1/policy/plan",
     "policy_plan",
     "What another policy would change, and which jobs it would hit",
     "PolicyRequest",
     "PolicyPlanReply",
     kJson,
     {}},
    {"GET", "/v1/queue", "queue", "Jobs that run, and jobs that wait with their reasons", "",
     "QueueLines", kJson, kQueueParameters, kTsv},
    {"POST", "/v1/jobs", "submit", "Submits jobs", "SubmitRequest", "SubmitReply", kJson,
     kSubmitParameters},
    {"GET", "/v1/jobs/{id}", "job", "Everything about one job", "", "JobCard", kJson,
     kJobParameters},
    {"PATCH",
     "/v1/jobs/{id}",
     "update",
     "Changes a job",
     "ChangeRequest",
     "ActionReply",
     kJson,
     {}},
    {"GET",
     "/v1/jobs/{id}/why",
     "why",
     "Why a job waits, and what would help",
     "",
     "WhyCard",
     kJson,
     {}},
    {"POST",
     "/v1/when",
     "when",
     "When a job will start, from simulated runs of the cluster as it is",
     "WhenRequest",
     "WhenCard",
     kJson,
     {}},
    {"GET", "/v1/jobs/{id}/output", "output", "What a job with captured output has said", "", "",
     "application/octet-stream", kOutputParameters},
    {"POST", "/v1/jobs/{id}/cancel", "cancel", "Ends jobs or tasks", "", "ActionReply", kJson, {}},
    {"POST",
     "/v1/jobs/{id}/hold",
     "hold",
     "Keeps waiting jobs from starting",
     "",
     "ActionReply",
     kJson,
     {}},
    {"POST", "/v1/jobs/{id}/release", "release", "Lets held jobs go", "", "ActionReply", kJson, {}},
    {"POST",
     "/v1/jobs/{id}/requeue",
     "requeue",
     "Ends runs and puts the jobs back",
     "RequeueRequest",
     "ActionReply",
     kJson,
     {}},
    {"POST",
     "/v1/jobs/{id}/suspend",
     "suspend",
     "Stops running jobs for a while",
     "",
     "ActionReply",
     kJson,
     {}},
    {"POST",
     "/v1/jobs/{id}/resume",
     "resume",
     "Lets suspended jobs run on",
     "",
     "ActionReply",
     kJson,
     {}},
    {"POST",
     "/v1/jobs/{id}/signal",
     "signal",
     "Sends a signal to running jobs",
     "SignalRequest",
     "ActionReply",
     kJson,
     {}},
    {"POST",
     "/v1/jobs/{id}/steps",
     "step",
     "Notes that a step of a job began or ended",
     "StepRequest",
     "StepReply",
     kJson,
     {}},
    {"GET", "/v1/records", "records", "Every record as Slurm's commands show it", "", "RecordLines",
     kJson, kRecordParameters, kTsv},
    {"GET", "/v1/accounts", "accounts", "Runs and waiting jobs as sacct shows them", "",
     "AccountLines", kJson, kAccountParameters},
    {"GET", "/v1/nodes", "nodes", "What the machines have and what is free", "", "NodeLines", kJson,
     kListParameters, kTsv},
    {"PATCH",
     "/v1/nodes/{name}",
     "node",
     "Drains a node or brings it back",
     "NodeRequest",
     "ActionReply",
     kJson,
     {}},
    {"GET", "/v1/shares", "shares", "The account tree: shares, usage, what is held", "",
     "ShareLines", kJson, kListParameters, kTsv},
    {"GET", "/v1/priority", "priority", "The priorities of waiting jobs and their parts", "",
     "PriorityLines", kJson, kPriorityParameters, kTsv},
    {"GET", "/v1/history", "history", "Runs that ended", "", "HistoryLines", kJson,
     kHistoryParameters, kTsv},
    {"DELETE", "/v1/history", "history_purge",
     "Forgets runs that ended before a time, with their captured output; for operators", "",
     "PurgeReply", kJson, kPurgeParameters},
    {"GET", "/v1/events", "events", "Changes as they happen: server-sent events", "", "ChangeLine",
     "text/event-stream", kEventParameters},
};

}  // namespace

std::span<const ApiRoute> routes() { return kRoutes; }

}  // namespace sluice
