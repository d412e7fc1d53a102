// Every field that squeue can print of a job, by its letter and its name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "shims/words.h"
#include "views/record_line.h"

namespace sluice {

struct SqueueContext {
  Instant now;
  std::string cluster;
  bool no_convert = false;
};

struct SqueueField {
  std::string_view name;  // Of -O, in lower case.
  char letter = '\0';     // Of -o; '\0': it has none.
  std::string_view title;
  std::string (*text)(const RecordLine&, const SqueueContext&) = nullptr;
  CellCut cut = CellCut::kAlways;
};

// Aliases follow the field that they stand for.
std::span<const SqueueField> squeue_fields();
const SqueueField* squeue_field(char letter);
const SqueueField* squeue_field(std::string_view name);
// Whether the fields of a short answer suffice for it.
bool is_light(const SqueueField& field);
inline constexpr std::string_view kLightFields =
    "job,array,task,waiting,name,user,account,partition,qos,state,reason,priority,nodes,node_count,"
    "cpus,elapsed,limit,submitted,started,ends,planned";

// "0:12", "1-02:03:04".
std::string squeue_duration(Duration time);
std::string squeue_limit(const RecordLine& record);

}  // namespace sluice
