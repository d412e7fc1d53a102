// Small texts that several of Slurm's commands print the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "text/duration.h"

namespace sluice {

// As SLURM_TIME_FORMAT asks, "2026-11-15T09:00:00" without it; `none` where there is no time.
std::string time_text(std::optional<Instant> time, std::string_view none);
// "Mon Nov 16 15:01:24 2026"
std::string date_text(Instant time);

// "(null)" for nothing.
std::string or_null(std::string_view text);
std::string or_na(std::string_view text);

// Bytes that would break a line or a terminal are shown as '?'; people choose names.
std::string shown(std::string_view text);

std::string uid_text(const std::string& user);
std::string gid_text(const std::string& user);
std::string group_text(const std::string& user);
std::optional<std::string> user_name(std::string_view name_or_uid);
bool is_group(std::string_view name_or_gid);
struct ShimCall;
// A list with names for numbers, and an error for each user whom this machine does not know.
std::string known_users(ShimCall& call, const std::string& list);

// A list of TRES as Slurm shows it: it does not account licenses unless it is told to.
std::string without_licenses(std::string_view list);

// Whether a cell that is aligned to the right may be longer than its width; Slurm prints times and
// lists of nodes this way.
enum class CellCut { kAlways, kLeftOnly };
// One cell as squeue and sinfo print it: cut to the width, padded to it; width 0 is as it is.
// "(null)" is what printf() makes of no text: nothing where the width has no room for the word.
void append_cell(std::string& out, std::string_view text, int width, bool right,
                 CellCut cut = CellCut::kAlways);
// As sacct, sacctmgr and sshare print it: right aligned, or left with a negative width; a cut is
// marked with '+'.
void append_marked_cell(std::string& out, std::string_view text, int width);

// "name" is any of the words, in any case.
bool is_word(std::string_view text, std::string_view word);
// A name in a list of commas, in any case.
bool in_list(std::string_view list, std::string_view word);
// Whether two lists of nodes, "n[1-3],n7", have a node in common.
bool share_a_node(const std::string& one, const std::string& other);

}  // namespace sluice
