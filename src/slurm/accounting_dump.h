// A file that `sacct --parsable2` (or --parsable) wrote: any fields in any order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/logged_job.h"

namespace sluice {

// Whether the first line is a header that names JobID.
bool is_accounting_dump(std::string_view text);

// Whether sacct printed it as a table for people, whose columns are cut.
bool is_accounting_table(std::string_view text);

// Called for every line that cannot be read; an error ends the reading.
using OnBadLine = std::function<Result<void>(std::uint32_t line, std::string what)>;

// One entry a job or array task, in the order of the file. Steps are left out; runs of a job that
// was requeued (sacct --duplicates) become one entry with the first submission and the last run.
// What was asked for counts; CPUs (and memory with them) that were given beyond it count too,
// because no other job could have them. Needs JobID, Submit, a size (ReqTRES, AllocTRES, ReqCPUS,
// AllocCPUS or NCPUS) and a run time (ElapsedRaw, Elapsed, or Start and End).
Result<std::vector<LoggedRecord>> parse_accounting_dump(std::string_view text,
                                                        std::string_view file_name,
                                                        const OnBadLine& on_bad_line);

}  // namespace sluice
