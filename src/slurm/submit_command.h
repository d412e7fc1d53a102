// A submission as a call of sbatch: its words, its environment and the script on standard input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"

namespace sluice {

struct SubmitCommand {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string script;
};

// slurm_conf: SLURM_CONF, where the caller has one.
SubmitCommand submit_command(const Submission& submission, const std::string& slurm_conf);

// The comment that carries a key, and whether a comment or a line that submitted a job does.
std::string comment_with(const std::string& key, const std::string& comment);
bool carries(std::string_view text, std::string_view key);
// The key that a comment carries; empty: none.
std::string key_in(std::string_view comment);

// The script without the #SBATCH lines that ask for GPUs: a job that wants none cannot say so to
// sbatch otherwise.
std::string without_gpu_lines(const std::string& script);

}  // namespace sluice
