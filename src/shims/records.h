// Records of jobs as the engine tells them, in the order in which slurmctld keeps its list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shims/shim.h"
#include "views/record_line.h"

namespace sluice {

// `query` is that of /v1/records without its format: "state=all&job=12".
Result<std::vector<RecordLine>> fetch_records(EngineDoor& engine, const std::string& query);

// A place in slurmctld's list: a task that leaves its array takes the place of the record, which
// goes to the end.
void sort_as_slurmctld(std::vector<RecordLine>& records);

// "12", "12_3", "12_[4-9%2]".
std::string record_id(const RecordLine& record);
// "4-9%2", cut as Slurm cuts it.
std::string waiting_tasks(const RecordLine& record);
// One line for each waiting task, as squeue --array shows them.
std::vector<RecordLine> with_tasks_apart(const std::vector<RecordLine>& records);
// The waiting tasks of an array that have records of their own, in the line of the others: squeue
// shows them so without --array, with the reasons of all.
std::vector<RecordLine> with_tasks_together(std::vector<RecordLine> records);
// When it could have started; of a job that is to begin later, when that is.
std::optional<Instant> eligible_time(const RecordLine& record);
// For a query of the daemon's routes.
std::string url_escaped(std::string_view text);

}  // namespace sluice
