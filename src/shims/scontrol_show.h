// scontrol show: jobs, nodes, partitions, licenses, and what the limits count.
#pragma once

#include <string>
#include <vector>

#include "shims/shim.h"
#include "views/record_line.h"

namespace sluice {

struct ScontrolFlags {
  bool one_line = false;  // -o
  int detail = 0;         // -d, -dd
  bool quiet = false;
};

int show_steps(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted);
int show_jobs(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted);
int show_nodes(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted);
int show_partitions(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted);
int show_licenses(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted);
int show_assoc_mgr(ShimCall& call, const ScontrolFlags& flags,
                   const std::vector<std::string>& words);

// scontrol listpids [JOB[.STEP]] and pidinfo PID.
int list_pids(ShimCall& call, const std::string& wanted);
int pid_info(ShimCall& call, const std::string& wanted);

int show_reservations(ShimCall& call, const ScontrolFlags& flags, const std::string& wanted);
// sinfo --json: every node, whatever else was asked.
int print_nodes_json(ShimCall& call);
// sinfo -T
int list_reservations(ShimCall& call, bool header);

// "reservation=night …" behind create, update and delete.
bool names_reservation(const std::vector<std::string>& words);
int create_reservation(ShimCall& call, std::vector<std::string> words);
int update_reservation(ShimCall& call, const std::vector<std::string>& words);
int delete_reservation(ShimCall& call, const std::vector<std::string>& words);

// `derived` is the highest exit status of its steps.
std::string job_text(const RecordLine& record, const ScontrolFlags& flags,
                     const std::string& derived);

}  // namespace sluice
